#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the Debian packages lockstep, lockstep-agent, liblockstep-capture and lockstep-dbgsym into build/package/deb, and
# checks them with lintian. To install all of them: apt install ./build/package/deb/*.deb
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/prepare.sh"

# complete_symbols DDEB: rewrites the package of debug symbols as a .deb. Its checksums are computed again, because cpack
# writes them with paths of this machine. It depends on the package it belongs to and links to the documents of that package.
complete_symbols() {
    local tree
    tree=$(mktemp -d)
    dpkg-deb -R "$1" "$tree/root"
    chmod 755 "$tree/root"
    mkdir -p "$tree/root/usr/share/doc"
    ln -s lockstep "$tree/root/usr/share/doc/lockstep-dbgsym"
    sed -i -e '/^Depends:/d' -e "s/^Version: \(.*\)/&\nDepends: lockstep (= \1)/" "$tree/root/DEBIAN/control"
    (cd "$tree/root" && find usr -type f -print0 | xargs -0 md5sum > DEBIAN/md5sums)
    find "$tree/root" -type d -exec chmod 755 {} +
    dpkg-deb --root-owner-group -b "$tree/root" "${1%.ddeb}.deb" > /dev/null
    rm -rf "$tree" "$1"
}

install_packages run build package
tree=${LOCKSTEP_PACKAGE_TREE:-} # an existing build tree, to work on the packages
[ -n "$tree" ] || { build package -DLOCKSTEP_RPATH=; tree=$top/build/package; }
out=$tree/deb
rm -rf "$out"
log=$(mktemp)
if ! cpack -G DEB --config "$tree/CPackConfig.cmake" -B "$out" >"$log" 2>&1; then
    cat "$log" >&2
    exit 1
fi
rm -rf "$log" "$out/_CPack_Packages"
for package in "$out"/*.ddeb; do complete_symbols "$package"; done
(cd "$out" && ls -l --block-size=K -- *.deb)
as=()
[ "$(id -u)" -eq 0 ] && as=(--allow-root)
lintian "${as[@]}" --fail-on error --suppress-tags-from-file "$top/packaging/debian/lintian-unasked.txt" "$out"/*.deb
