#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# test_packages.sh FOLDER: installs the .deb files of FOLDER in a fresh minimal Debian 12 (debootstrap, as root), runs the
# demo and an export without a display, draws the window's picture, purges the packages, and looks for what is left.
set -euo pipefail
debs=$(cd "$1" && pwd)
[ "$(id -u)" -eq 0 ] || { echo "SKIP only root can make a root folder"; exit 77; }
[ -n "$(command -v debootstrap)" ] || { echo "SKIP debootstrap is not installed"; exit 77; }
root=${LOCKSTEP_TEST_ROOT:-$(mktemp -d)} # a minimal Debian that is there already is used, and stays
leave() {
    umount "$root/proc"
    [ -n "${LOCKSTEP_TEST_ROOT:-}" ] || rm -rf --one-file-system "$root"
}
[ -e "$root/etc/debian_version" ] || debootstrap --variant=minbase bookworm "$root" http://deb.debian.org/debian >&2
mount -t proc proc "$root/proc"
trap leave EXIT
inside() { chroot "$root" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive "$@"; }
mkdir -p "$root/debs"
cp "$debs"/*.deb "$root/debs"
inside apt-get update -qq
inside sh -c 'apt-get install -y -qq --no-install-recommends fonts-dejavu-core /debs/*.deb' >/dev/null
inside lockstep --version
inside lockstep --demo /tmp/demo
inside test -s /tmp/demo/timeline.png
inside lockstep --export inventory,stragglers -o /tmp/tables /tmp/demo/demo.lockstep
inside env QT_QPA_PLATFORM=offscreen XDG_RUNTIME_DIR=/tmp lockstep /tmp/demo/demo.lockstep --size 1280x720 --screenshot /tmp/window.png 2> "$root/tmp/said.txt"
if grep 'Cannot open' "$root/tmp/said.txt"; then exit 1; fi # the window's own pictures and templates are in the program
cp "$root/tmp/window.png" "$debs/window.png"
inside sh -c 'cd /debs && for package in *.deb; do dpkg-deb -f $package Package Installed-Size; done'
inside apt-get purge -y -qq lockstep lockstep-agent liblockstep-capture lockstep-dbgsym >/dev/null
left=$(cd "$root" && find usr etc var/lib/dpkg/info opt -iname '*lockstep*')
[ -z "$left" ] || { echo "left after the purge:"; echo "$left"; exit 1; }
echo "installed, run, purged: nothing is left"
