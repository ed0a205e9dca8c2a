#!/bin/bash
# box.sh FOLDER COMMAND...: runs COMMAND beside a Docker engine of its own, in network, process and mount namespaces of its own.
#
# Nothing of it is seen from outside: no interface, no mount, no firewall rule, and no container can reach out. Whatever way the
# command or this script ends, the kernel ends the process namespace and every container with it. FOLDER has to be empty.
set -euo pipefail
folder=$1
shift

if [ "${CONCORDAT_IN_BOX:-}" != yes ]; then
  export CONCORDAT_IN_BOX=yes
  unshare --net --pid --mount --fork --kill-child --mount-proc "$0" "$folder" "$@" &
  outside=$!
  # unshare passes no signals on, and the first process of a namespace ignores SIGTERM.
  trap 'kill -KILL $(ps -o pid= --ppid $outside) 2>/dev/null; wait $outside; exit 143' HUP INT TERM
  status=0
  wait $outside || status=$?
  exit $status
fi

ip link set lo up
export DOCKER_HOST=unix://$folder/docker.sock
# The clean-up container has to be pulled from a registry, and the box needs none.
export TESTCONTAINERS_RYUK_DISABLED=true
# A machine that looks like a container itself would connect to the bridge, where nothing is published.
export TESTCONTAINERS_HOST_OVERRIDE=127.0.0.1

dockerd --host "$DOCKER_HOST" --data-root "$folder/data" --exec-root "$folder/exec" --pidfile "$folder/docker.pid" \
  --iptables=false --ip6tables=false --ip-forward=false --ip-masq=false --ip=127.0.0.1 \
  </dev/null >>"$folder/dockerd.log" 2>&1 &
engine=$!
for _ in $(seq 200); do
  if docker version >/dev/null 2>&1; then break; fi
  if ! kill -0 $engine 2>/dev/null; then
    tail -5 "$folder/dockerd.log" >&2
    exit 70
  fi
  sleep 0.1
done

status=0
"$@" || status=$?
kill $engine
wait $engine || true
exit $status
