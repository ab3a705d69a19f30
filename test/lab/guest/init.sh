#!/bin/bash
# First process of a node: puts a writable layer over the machine's root, which the kernel mounted read-only.
mount -n -t tmpfs -o size=1g layer /mnt
mkdir /mnt/upper /mnt/work /mnt/root
mount -n -t overlay -o lowerdir=/,upperdir=/mnt/upper,workdir=/mnt/work root /mnt/root || exit 1
mount -n -t devtmpfs dev /mnt/root/dev
mount -n -t proc proc /mnt/root/proc
mount -n -t sysfs sys /mnt/root/sys
mkdir -p /mnt/root/mnt/old
cd /mnt/root && pivot_root . mnt/old
exec chroot . "${0%/*}/agent.sh" <dev/console >dev/console 2>&1
