#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# test_tarball.sh FILE: unpacks what tarball.sh made in a fresh minimal Debian 12 (debootstrap, as root) where nothing is
# installed, runs the demo and an export there without a display, opens the window on a display, moves the folder elsewhere,
# runs it again, removes it, and looks for what is left.
set -euo pipefail
archive=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
pictures=$(dirname "$archive")
source "$(dirname "${BASH_SOURCE[0]}")/clean_root.sh"
mkdir -p "$root/home/somebody/one folder"
chown -R 1000:1000 "$root/home/somebody"
clean=(chroot --userspec=1000:1000 "$root" env -i HOME=/home/somebody PATH=/usr/bin:/bin) # nobody is root there
list_files() { (cd "$root" && find . -xdev \( -path ./proc -o -path ./dev -o -path ./sys \) -prune -o -print | sort); }
before=$(list_files)
tar -C "$root/home/somebody/one folder" --no-same-owner -xzf "$archive"
name=$(basename "$archive" .tar.gz)
at="/home/somebody/one folder/$name"
inside "$at/bin/lockstep" --version
inside "$at/bin/lockstep" --demo "/home/somebody/demo"
inside test -s /home/somebody/demo/timeline.png
inside "$at/bin/lockstep" --export inventory,stragglers -o /home/somebody/tables /home/somebody/demo/demo.lockstep
inside "$at/bin/lockstep" --export timeline -o /home/somebody/picture.png /home/somebody/demo/demo.lockstep
cp "$root/home/somebody/picture.png" "$pictures/tarball_picture.png"
window_picture "$pictures/tarball_window_x11.png" env XDG_RUNTIME_DIR=/tmp "$at/bin/lockstep" /home/somebody/demo/demo.lockstep --size 1280x720
mv "$root/$at" "$root/home/somebody/moved"
inside /home/somebody/moved/bin/lockstep --export inventory /home/somebody/demo/demo.lockstep >/dev/null
# Outside its folder is what its user asked for, its settings, and the cache of fonts that all programs share.
rm -rf "$root"/home/somebody/{moved,demo,tables,picture.png} "$root"/tmp/* \
    "$root"/home/somebody/{.config/lockstep,.cache/lockstep,.local/state/lockstep}
left=$(diff <(echo "$before") <(list_files) | grep '^>' |
    grep -vE '^> \./home/somebody/(\.config|\.cache|\.cache/fontconfig(/.*)?|\.local|\.local/state)$' || true)
[ -z "$left" ] || { echo "left after the folder was removed:"; echo "$left"; exit 1; }
echo "unpacked, run, moved, run, removed: nothing is left"
