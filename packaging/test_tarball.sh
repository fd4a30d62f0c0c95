#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# test_tarball.sh FILE: unpacks a tarball of tarball.sh in a fresh minimal Debian 12 (debootstrap, as root) without further
# packages. Runs the demo and an export there without a display, opens the window on a display, moves the folder, runs the
# program again, deletes the folder, and checks for leftover files.
set -euo pipefail
archive=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
pictures=$(dirname "$archive")
source "$(dirname "${BASH_SOURCE[0]}")/clean_root.sh"
mkdir -p "$root/home/somebody/one folder"
chown -R 1000:1000 "$root/home/somebody"
clean=(chroot --userspec=1000:1000 "$root" env -i HOME=/home/somebody PATH=/usr/bin:/bin) # runs without root
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
# Outside its folder, the program leaves only its requested outputs, its settings, and the font cache of all programs.
rm -rf "$root"/home/somebody/{moved,demo,tables,picture.png} "$root"/tmp/* \
    "$root"/home/somebody/{.config/lockstep,.cache/lockstep,.local/state/lockstep}
left=$(diff <(echo "$before") <(list_files) | grep '^>' |
    grep -vE '^> \./home/somebody/(\.config|\.cache|\.cache/fontconfig(/.*)?|\.local|\.local/state)$' || true)
[ -z "$left" ] || { echo "files left after the folder was deleted:"; echo "$left"; exit 1; }
echo "unpacked, run, moved, run, deleted: no files are left"
