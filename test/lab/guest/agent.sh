#!/bin/bash
# What a node does: sets itself up, then runs the commands that arrive on its first terminal, any number at a time.
#   in:  RUN <id> <base64 of a script>   |   KILL <id>
#   out: READY <seconds since boot>      |   END <id> <exit code> <base64 of what it printed>
for word in $(cat /proc/cmdline); do
  case $word in lab.*=*) name=${word%%=*}; declare "lab_${name#lab.}=${word#*=}" ;; esac
done
. "${0%/*}/environment"

umount -l /mnt/old/proc /mnt/old/sys /mnt/old/dev 2>/dev/null
mount -t tmpfs run /run
[ -L /var/run ] || { rm -rf /var/run; ln -s /run /var/run; }
mkdir -p /dev/pts /dev/shm /run/lock /run/cdi
mount -t devpts devpts /dev/pts
mount -t tmpfs shm /dev/shm
mount -t configfs config /sys/kernel/config
umount /sys/fs/cgroup 2>/dev/null
mount -t cgroup2 cgroup /sys/fs/cgroup

# The disk outlives a power loss; like on any node it holds kubelet, containers and what hostPath volumes keep.
mkdir -p /mnt/disk && mount -t ext4 /dev/ubda /mnt/disk || echo "lab: no disk"
for folder in $lab_persistent; do
  mkdir -p "/mnt/disk$folder" "$folder"
  mount --bind "/mnt/disk$folder" "$folder"
done
for folder in /etc/cni/net.d /opt/cni; do mkdir -p $folder; mount -t tmpfs fresh $folder; done
mount --make-rshared /

hostname "$lab_name"
ip link set lo up
ip addr add "$lab_ip/24" dev vec0
ip link set vec0 mtu 1500 up
ip route add default via "$lab_gateway"
echo 1 >/proc/sys/net/ipv4/ip_forward
echo 1 >/proc/sys/kernel/panic_on_oops

exec 3<>/dev/tty1 4>/dev/tty2 5>/dev/tty3
for terminal in 1 2 3; do stty -F /dev/tty$terminal raw -echo; done
mkdir -p /run/agent

say() {
  flock 9
  "$@" >&3
} 9>/run/agent/lock

answer() {
  printf 'END %s %s ' "$1" "$2"
  base64 -w0 "/run/agent/$1.out"
  echo
}

run() {
  # A session of its own, so that KILL reaches everything the script started.
  setsid bash -c "$2" </dev/null >"/run/agent/$1.out" 2>&1 3>&- &
  echo $! >"/run/agent/$1.pid"
  wait $!
  say answer "$1" $?
  rm -f "/run/agent/$1".*
}

say echo "READY $(cut -d' ' -f1 /proc/uptime)"
while read -r verb id script <&3; do
  case $verb in
    RUN) run "$id" "$(base64 -d <<<"$script")" & ;;
    KILL) kill -9 -- "-$(cat "/run/agent/$id.pid")" 2>/dev/null ;;
  esac
done
# The terminal is gone, so nobody can reach this node any more: end it.
/bin/busybox poweroff -f
