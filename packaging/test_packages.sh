#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# test_packages.sh FOLDER: installs the .deb files of FOLDER in a fresh minimal Debian 12 (debootstrap, as root), runs the
# demo and an export without a display, opens the window on a display, purges the packages, and checks for leftover files.
set -euo pipefail
debs=$(cd "$1" && pwd)
source "$(dirname "${BASH_SOURCE[0]}")/clean_root.sh"
mkdir -p "$root/debs"
cp "$debs"/*.deb "$root/debs"
inside apt-get update -qq
inside sh -c 'apt-get install -y -qq --no-install-recommends fonts-dejavu-core /debs/*.deb' >/dev/null
inside lockstep --version
inside lockstep --demo /tmp/demo
inside test -s /tmp/demo/timeline.png
inside lockstep --export inventory,stragglers -o /tmp/tables /tmp/demo/demo.lockstep
inside env QT_QPA_PLATFORM=offscreen XDG_RUNTIME_DIR=/tmp lockstep /tmp/demo/demo.lockstep --size 1280x720 --screenshot /tmp/window.png 2> "$root/tmp/said.txt"
if grep 'Cannot open' "$root/tmp/said.txt"; then exit 1; fi # the program contains the images and templates for its window
cp "$root/tmp/window.png" "$debs/window.png"
window_picture "$debs/window_x11.png" env XDG_RUNTIME_DIR=/tmp lockstep /tmp/demo/demo.lockstep --size 1280x720
inside sh -c 'cd /debs && for package in *.deb; do dpkg-deb -f $package Package Installed-Size; done'
inside apt-get purge -y -qq lockstep lockstep-agent liblockstep-capture lockstep-dbgsym >/dev/null
left=$(cd "$root" && find usr etc var/lib/dpkg/info opt -iname '*lockstep*')
[ -z "$left" ] || { echo "files left after the purge:"; echo "$left"; exit 1; }
echo "installed, run, purged: no files are left"
