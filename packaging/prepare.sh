# SPDX-License-Identifier: Apache-2.0
# Sourced by run.sh and test.sh: sets $top; installs what is missing of apt-packages.txt, and builds.
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# install_packages LIST...: the lists named [LIST] in apt-packages.txt.
install_packages() {
    local missing=() package list=
    while read -r package; do
        case "$package" in
            ''|'#'*) continue ;;
            '['*']') list=${package:1:-1}; continue ;;
        esac
        [[ " $* " == *" $list "* ]] || continue
        dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
    done < "$top/packaging/apt-packages.txt"
    [ ${#missing[@]} -eq 0 ] && return 0
    local as_root=()
    [ "$(id -u)" -eq 0 ] || as_root=(sudo)
    echo "Installing ${#missing[@]} packages: ${missing[*]}" >&2
    "${as_root[@]}" apt-get update -qq >&2 &&
        "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
            "${missing[@]}" >&2
}

# build PRESET [cmake options...]: configures and builds into build/PRESET, showing only what went wrong.
build() {
    local preset=$1 log
    shift
    log=$(mktemp)
    echo "Building Lockstep (preset $preset) ..." >&2
    if ! { (cd "$top" && cmake --preset "$preset" "$@" && cmake --build --preset "$preset") >"$log" 2>&1; }; then
        grep -E 'error|Error|FAILED' "$log" | head -40 >&2
        echo "The build failed; the whole log is $log" >&2
        return 1
    fi
    rm -f "$log"
}
