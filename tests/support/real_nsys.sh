#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# real_nsys.sh FOLDER: puts NVIDIA Nsight Systems 2022.4, from Debian's non-free component, into FOLDER and prints the
# folder that contains `nsys`. Nothing is installed and no setting of apt is changed; an existing copy is only printed.
# Exits with 77 and the reason on standard error if it is not available. Proprietary: only tests run it, nothing ships it.
set -euo pipefail

into=${1:?folder to put it into}
bin=$into/target-linux-x64
mkdir -p "$into"
# Tests run concurrently; one of them downloads, the others wait for it.
exec 9> "$into/.lock"
flock 9
if [ -e "$into/.whole" ]; then
    echo "$bin"
    exit 0
fi

unavailable() {
    echo "the real nsys is not to be had here: $*" >&2
    exit 77
}

[ "$(uname -m)" = x86_64 ] || unavailable "it is built for x86_64"
command -v apt-get > /dev/null && command -v dpkg > /dev/null || unavailable "no apt-get and dpkg"
archive=$(grep -rhoE '^(URIs: |deb (\[[^]]*\] )?)https?://[^ ]*/debian/?( |$)' \
    /etc/apt/sources.list /etc/apt/sources.list.d 2> /dev/null | grep -oE 'https?://[^ ]*' | head -1 || true)
[ -n "$archive" ] || unavailable "apt's sources name no Debian archive"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/lists/partial" "$work/cache/archives/partial" "$work/unpacked"
cat > "$work/non-free.sources" << END
Types: deb
URIs: $archive
Suites: bookworm
Components: non-free
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg
END
own=(-qq -o Dir::Etc::sourcelist="$work/non-free.sources" -o Dir::Etc::sourceparts=/nonexistent
    -o Dir::State::lists="$work/lists" -o Dir::Cache="$work/cache" -o APT::Sandbox::User="$(id -un)")
apt-get "${own[@]}" update >&2 || unavailable "the archive's list cannot be read"
(cd "$work" && apt-get "${own[@]}" download nsight-systems nsight-systems-target >&2) ||
    unavailable "it cannot be downloaded"
for package in "$work"/*.deb; do
    dpkg -x "$package" "$work/unpacked"
done

rm -rf "$into/host-linux-x64" "$bin"
cp -a "$work"/unpacked/usr/lib/nsight-systems/host-linux-x64 "$into/"
cp -a "$work"/unpacked/usr/lib/*/nsight-systems/target-linux-x64 "$into/"
# Removes files that only the window and a GPU need, three quarters of the total size.
(cd "$into/host-linux-x64" && rm -rf translations resources libexec Plugins libQt6* libicu* libNvQtGui.so nsys-ui*)
(cd "$bin" && rm -rf libnvperf_host.so CollectX) # tests load its CUPTI libraries
# Debian replaces files of its other packages by links to their paths below /usr.
find "$into" -xtype l | while read -r link; do
    ln -sfn "/usr/lib/x86_64-linux-gnu/$(basename "$(readlink "$link")")" "$link"
done
missing=$(for program in "$into/host-linux-x64/QdstrmImporter" "$bin/nsys"; do ldd "$program"; done |
    awk '/not found/ {print $1}' | sort -u | tr '\n' ' ')
[ -z "$missing" ] || unavailable "it lacks the libraries ${missing}(apt-get install libssh-4 libpfm4)"
"$bin/nsys" --version > /dev/null || unavailable "it does not start"
touch "$into/.whole"
echo "$bin"
