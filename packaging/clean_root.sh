# SPDX-License-Identifier: Apache-2.0
# Sourced by test_packages.sh and test_tarball.sh. Creates $root, a fresh minimal Debian 12 (debootstrap, as root), and
# deletes it when the script ends. Defines inside COMMAND..., which runs a command in $root, and window_picture FILE
# COMMAND..., which shows a window of a program in $root on a display of this machine.
[ "$(id -u)" -eq 0 ] || { echo "SKIP only root can create a root folder"; exit 77; }
[ -n "$(command -v debootstrap)" ] || { echo "SKIP debootstrap is not installed"; exit 77; }
root=${LOCKSTEP_TEST_ROOT:-$(mktemp -d)} # an existing minimal Debian is used and kept
display_process=
leave() {
    [ -z "$display_process" ] || kill "$display_process" 2>/dev/null || true
    mountpoint -q "$root/tmp/.X11-unix" && umount "$root/tmp/.X11-unix"
    umount "$root/proc"
    [ -n "${LOCKSTEP_TEST_ROOT:-}" ] || rm -rf --one-file-system "$root"
}
chmod 755 "$root" # users other than root need access
[ -e "$root/etc/debian_version" ] || debootstrap --variant=minbase bookworm "$root" http://deb.debian.org/debian >&2
mount -t proc proc "$root/proc"
trap leave EXIT
clean=(chroot "$root" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive)
inside() { "${clean[@]}" "$@"; }

# screen_picture SCREEN FILE: converts the framebuffer file SCREEN of an Xvfb (a mapped XWD) to a PNG. Prints the number of
# colors.
screen_picture() {
    python3 - "$1" "$2" <<'PY'
import struct, sys, zlib
dump = open(sys.argv[1], "rb").read()
head = struct.unpack(">25I", dump[:100])
width, height, line, colors = head[4], head[5], head[12], head[19]
begin = head[0] + 12 * colors
rows, seen = [], set()
for y in range(height):
    row = dump[begin + y * line:begin + y * line + 4 * width]
    seen.update(struct.unpack(f"<{width}I", row))
    rgb = bytearray(3 * width)
    rgb[0::3], rgb[1::3], rgb[2::3] = row[2::4], row[1::4], row[0::4]
    rows.append(b"\0" + bytes(rgb))
chunk = lambda kind, body: struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
with open(sys.argv[2], "wb") as out:
    out.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">2I5B", width, height, 8, 2, 0, 0, 0)) +
              chunk(b"IDAT", zlib.compress(b"".join(rows))) + chunk(b"IEND", b""))
print(len(seen))
PY
}

# window_picture FILE COMMAND...: runs the command in $root with an X server of this machine as its display, as ssh -X does.
# Waits until the window is painted and no longer changes, and writes the screen to FILE. Fails if nothing is painted.
window_picture() {
    local file=$1 number=97 program left colors=0 last='' now screen
    shift
    for program in Xvfb python3; do
        [ -n "$(command -v $program)" ] || { echo "SKIP the window: $program is not installed" >&2; return 0; }
    done
    while [ -e "/tmp/.X11-unix/X$number" ]; do number=$((number + 1)); done
    screen=$(mktemp -d)
    Xvfb ":$number" -screen 0 1280x720x24 -ac -nolisten tcp -fbdir "$screen" 2>/dev/null &
    display_process=$!
    for ((left = 300; left > 0; --left)); do [ -e "/tmp/.X11-unix/X$number" ] && break; sleep 0.1; done
    mkdir -p "$root/tmp/.X11-unix"
    mount --bind /tmp/.X11-unix "$root/tmp/.X11-unix"
    "${clean[@]}" "DISPLAY=:$number" "$@" >"$root/tmp/window.txt" 2>&1 &
    program=$!
    for ((left = 240; left > 0; --left)); do
        kill -0 "$program" 2>/dev/null || { echo "the program exited before its window was painted:" >&2; cat "$root/tmp/window.txt" >&2; return 1; }
        colors=$(screen_picture "$screen/Xvfb_screen0" "$file")
        now=$(md5sum < "$file")
        [ "$colors" -gt 100 ] && [ "$now" = "$last" ] && break
        last=$now
        sleep 1
    done
    kill "$program" 2>/dev/null || true
    wait "$program" 2>/dev/null || true
    umount "$root/tmp/.X11-unix"
    rmdir "$root/tmp/.X11-unix"
    kill "$display_process"
    wait "$display_process" 2>/dev/null || true
    display_process=
    rm -rf "$screen"
    [ "$colors" -gt 100 ] || { echo "the window was not painted" >&2; cat "$root/tmp/window.txt" >&2; return 1; }
}
