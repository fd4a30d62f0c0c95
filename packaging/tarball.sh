#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds build/package/lockstep-VERSION-linux-ARCH.tar.gz: one folder with the programs and everything they need except
# glibc, for users without root. Unpack it anywhere and run bin/lockstep. To uninstall, delete the folder.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/prepare.sh"

# needed_by FILE...: prints the libraries that the files load, one "NAME PATH" per line. Libraries of glibc are left out,
# because they must match the loader of the system.
needed_by() {
    ldd "$@" | awk '$2 == "=>" && $3 ~ "^/" {print $1, $3}' | sort -u |
        grep -vE '^(libc|libm|libdl|librt|libpthread|libresolv|libutil|ld-linux[^ ]*)\.so'
}

install_packages run build package
tree=${LOCKSTEP_PACKAGE_TREE:-} # an existing build tree with -DLOCKSTEP_RPATH=../lib, to work on the package
[ -n "$tree" ] || { build package -DLOCKSTEP_RPATH=../lib; tree=$top/build/package; }
version=$("$tree/bin/lockstep" --version | awk 'NR == 1 {print $2}')
name=lockstep-$version-linux-$(uname -m)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/$name
cmake --install "$tree" --prefix "$root" --strip > /dev/null
readelf -d "$root/bin/lockstep" | grep -q 'RPATH.*\$ORIGIN/../lib' || { echo "$tree was built without -DLOCKSTEP_RPATH=../lib" >&2; exit 1; }

# Plugins that Qt finds through qt.conf: for windows on X11 and without a display, and for reading and writing pictures.
plugins=$(qtpaths6 --query QT_INSTALL_PLUGINS 2>/dev/null || qmake6 -query QT_INSTALL_PLUGINS)
for plugin in platforms/libqxcb.so platforms/libqoffscreen.so platforms/libqminimal.so imageformats/libqsvg.so imageformats/libqjpeg.so \
    iconengines/libqsvgicon.so platforminputcontexts/libcomposeplatforminputcontextplugin.so xcbglintegrations/libqxcb-glx-integration.so; do
    install -D -m 644 "$plugins/$plugin" "$root/lib/qt6/plugins/$plugin"
done
printf '[Paths]\nPrefix = ..\nPlugins = lib/qt6/plugins\n' > "$root/bin/qt.conf"
needed_by "$tree/bin/lockstep" "$tree/bin/lockstep-demo-data" "$root"/lib/qt6/plugins/*/*.so | while read -r library path; do
    install -m 644 "$path" "$root/lib/$library"
    package=$(dpkg-query -S "$(readlink -f "$path")" 2>/dev/null | head -1 | cut -d: -f1) || true
    [ -n "$package" ] || package=$(dpkg-query -S "*/$(basename "$(readlink -f "$path")")" 2>/dev/null | head -1 | cut -d: -f1)
    install -D -m 644 "/usr/share/doc/$package/copyright" "$root/share/doc/lockstep/libraries/$package" # its license
done
strip --strip-unneeded "$root"/lib/*.so* 2>/dev/null || true

# Fonts, for systems without any. main() passes the file to fontconfig if there is a folder etc/fonts next to bin.
mkdir -p "$root/share/fonts" "$root/etc/fonts"
cp /usr/share/fonts/opentype/inter/Inter-{Regular,Italic,Medium,SemiBold,Bold}.otf /usr/share/fonts/truetype/dejavu/DejaVuSans{,Mono}.ttf "$root/share/fonts/"
cat > "$root/etc/fonts/fonts.conf" <<'CONF'
<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
<fontconfig>
  <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
  <dir prefix="relative">../../share/fonts</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
</fontconfig>
CONF
cp "$top/LICENSE" "$top/README.md" "$root/"
archive=$tree/$name.tar.gz
tar -C "$work" --sort=name --owner=0 --group=0 --numeric-owner -czf "$archive" "$name"
du -sh "$root" | awk '{print "unpacked " $1}'
ls -l --block-size=K "$archive"
