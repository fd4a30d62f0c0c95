# SPDX-License-Identifier: Apache-2.0
# Sourced by the scripts in this folder. Sets $top and defines install_packages, which installs missing packages of
# apt-packages.txt, and build.
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# install_packages LIST...: installs the missing packages of the sections [LIST] in apt-packages.txt.
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

# build PRESET [cmake options...]: configures and builds into build/PRESET. First prints an estimate of the duration, then the
# progress, and the errors if it fails. The full output is in build/PRESET.log.
build() {
    local preset=$1 log cores minutes work=$kProcessorMinutes
    shift
    [[ " $* " == *" -DLOCKSTEP_TESTS=ON "* ]] && work=$kTestedMinutes
    log=$top/build/$preset.log
    mkdir -p "$top/build"
    cores=$(nproc)
    minutes=$(((work + cores - 1) / cores))
    if [ -e "$top/build/$preset/build.ninja" ]; then
        echo "Building Lockstep (preset $preset): only what has changed. Log: $log" >&2
    else
        echo "Building Lockstep (preset $preset): about $work processor minutes, or $minutes minutes on $cores cores, the first time. Log: $log" >&2
    fi
    if ! { (cd "$top" && cmake --preset "$preset" "$@") >"$log" 2>&1 && compile "$preset" "$log"; }; then
        grep -E 'error|Error|FAILED' "$log" | head -40 >&2
        echo "The build failed. See the full log: $log" >&2
        return 1
    fi
}

# Processor minutes of a clean build of the programs, and with all tests, for the estimate.
kProcessorMinutes=13
kTestedMinutes=19

# compile PRESET LOG: builds, and shows ninja's count of steps: on one line on a terminal, else every 10 %.
compile() {
    local line done total last=-1
    (cd "$top" && NINJA_STATUS='[%f/%t] ' cmake --build --preset "$1") 2>&1 | tee -a "$2" | while IFS= read -r line; do
        [[ $line =~ ^\[([0-9]+)/([0-9]+)\] ]] || continue
        done=${BASH_REMATCH[1]} total=${BASH_REMATCH[2]}
        if [ -t 2 ]; then
            printf '\r%s of %s steps, %s s ' "$done" "$total" "$SECONDS" >&2
        elif [ $((done * 10 / total)) -gt "$last" ]; then
            last=$((done * 10 / total))
            echo "  $done of $total steps" >&2
        fi
    done
    local status=("${PIPESTATUS[@]}")
    [ -t 2 ] && echo >&2
    return "${status[0]}"
}
