#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# check_desktop.sh ROOT: the validators of the desktop's own makers read what is installed for desktops.
# They are in the list [test] of packaging/apt-packages.txt.
set -euo pipefail
cd "$1/packaging/desktop"
for program in desktop-file-validate appstreamcli xmllint update-mime-database; do
    if [ -z "$(command -v "$program")" ]; then
        echo "$program is not installed"
        exit 1
    fi
done
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
said=$(desktop-file-validate lockstep.desktop)
[ -z "$said" ] || { echo "$said"; exit 1; }
appstreamcli validate --no-net lockstep.metainfo.xml
xmllint --noout lockstep.metainfo.xml lockstep-mime.xml ../../resources/icons/lockstep.svg
mkdir "$folder/packages"
cp lockstep-mime.xml "$folder/packages"
XDG_DATA_DIRS=$folder update-mime-database "$folder"
for glob in '*.lockstep' '*.lsc' '*.nsys-rep' '*.pt.trace.json' '*.pt.trace.json.gz'; do
    grep -qF ":$glob" "$folder/globs2" || { echo "no type has $glob"; exit 1; }
done
# Each type that is declared is opened by the window and named to software centres, and no other.
types() { grep -oE 'application/vnd\.[a-z0-9.+-]+' "$1" | sort -u; }
types lockstep-mime.xml > "$folder/declared"
for file in lockstep.desktop lockstep.metainfo.xml; do
    types "$file" | diff "$folder/declared" - || { echo "$file names other types"; exit 1; }
done
echo "the desktop's files are valid"
