#!/bin/bash
# Makes the images concordat-etcd and concordat-zookeeper from this machine's Debian packages; no registry, no network.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# A root folder with a shell and the few users and names that programs look up.
make_root() {
  mkdir -p "$1"/{bin,etc,tmp,proc,sys,dev,data,usr/bin}
  chmod 1777 "$1/tmp"
  cp /bin/busybox "$1/bin/busybox"
  for name in sh ls cat ps nc; do ln -s busybox "$1/bin/$name"; done
  echo 'root:x:0:0:root:/root:/bin/sh' >"$1/etc/passwd"
  echo 'root:x:0:' >"$1/etc/group"
  echo 'hosts: files dns' >"$1/etc/nsswitch.conf"
}

# copy ROOT FILE...: copies files, links resolved, to the same place.
copy() {
  local root=$1 file
  shift
  for file in "$@"; do
    mkdir -p "$root$(dirname "$file")"
    cp -L "$file" "$root$file"
  done
}

# copy_libraries ROOT PROGRAM...: copies the shared libraries that programs are linked with.
copy_libraries() {
  local root=$1
  shift
  ldd "$@" 2>/dev/null | grep -oE '/[^ :]+\.so[^ :]* \(' | tr -d ' (' | sort -u | while read -r file; do copy "$root" "$file"; done
}

make_etcd() {
  local root=$work/etcd etcd
  etcd=$(command -v etcd)
  make_root "$root"
  cp "$etcd" "$root/usr/bin/etcd"
  copy_libraries "$root" "$etcd"
  tar -C "$root" --numeric-owner -c . | docker import --change 'ENV PATH=/bin:/usr/bin' --change 'EXPOSE 2379' - concordat-etcd:test
}

make_zookeeper() {
  local root=$work/zookeeper java jars
  java=$(dirname "$(dirname "$(readlink -f "$(command -v java)")")")
  # The jar names what it needs by absolute path; some of it is for parts that a server does without.
  jars=$(unzip -p /usr/share/java/zookeeper.jar META-INF/MANIFEST.MF | tr -d '\r' | sed -e ':a;N;$!ba;s/\n //g' | sed -n 's/^Class-Path: //p')
  make_root "$root"
  mkdir -p "$root$java" "$root/etc/zookeeper"
  tar -C "$java" -c bin/java conf lib | tar -C "$root$java" -x
  # Debian keeps Java's configuration apart, behind links.
  cp -a --parents /etc/java-* "$root/"
  ln -s "$java/bin/java" "$root/usr/bin/java"
  copy_libraries "$root" "$java/bin/java" "$java"/lib/*.so "$java/lib/server/libjvm.so"
  for jar in /usr/share/java/zookeeper.jar $jars; do if [ -e "$jar" ]; then copy "$root" "$jar"; fi; done
  printf '%s\n' tickTime=500 minSessionTimeout=1000 maxSessionTimeout=60000 maxClientCnxns=0 dataDir=/data clientPort=2181 \
    admin.enableServer=false '4lw.commands.whitelist=*' >"$root/etc/zookeeper/zoo.cfg"
  tar -C "$root" --numeric-owner -c . | docker import --change 'ENV PATH=/bin:/usr/bin' --change 'EXPOSE 2181' \
    --change 'CMD ["java","-Xmx256m","-XX:+UseSerialGC","-XX:TieredStopAtLevel=1","-cp","/usr/share/java/zookeeper.jar","org.apache.zookeeper.server.quorum.QuorumPeerMain","/etc/zookeeper/zoo.cfg"]' \
    - concordat-zookeeper:test
}

make_etcd
make_zookeeper
