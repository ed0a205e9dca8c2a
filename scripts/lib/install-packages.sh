#!/bin/sh
# Installs Debian packages, one run at a time, without starting their services: install-packages.sh PACKAGE...
set -eu
exec 9>"${TMPDIR:-/tmp}/concordat-apt.lock"
flock 9
export DEBIAN_FRONTEND=noninteractive RUNLEVEL=1

# Packages ask this file before they start a service. One that is there already is the owner's decision.
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
  trap 'rm -f "$policy"' EXIT
  trap 'exit 130' HUP INT TERM
  printf '#!/bin/sh\nexit 101\n' >"$policy"
  chmod 755 "$policy"
fi

# Java's configuration step needs this folder, which slim images leave out.
mkdir -p /usr/share/man/man1

install() {
  apt-get --quiet install --yes --no-install-recommends -o DPkg::Lock::Timeout=300 "$@" </dev/null
}
# A machine without package lists, or with old ones, needs the update; another is spared it.
install "$@" || { apt-get --quiet update && install "$@"; }
