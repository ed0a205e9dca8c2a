#!/bin/bash
# Inside the box: makes the images, then runs COMMAND... with them.
set -euo pipefail
"$(dirname "$0")/images.sh" >&2
export CONCORDAT_ETCD_IMAGE=concordat-etcd:test CONCORDAT_ZOOKEEPER_IMAGE=concordat-zookeeper:test
"$@"
