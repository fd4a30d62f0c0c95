#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that every source is formatted by clang-format 14. Other versions format differently, so they are not used."""
import pathlib
import re
import shutil
import subprocess
import sys


def formatter():
    for name in ("clang-format-14", "clang-format"):
        if shutil.which(name):
            said = subprocess.run([name, "--version"], capture_output=True, text=True, check=True).stdout
            if re.search(r"version 14\.", said):
                return name
    return None


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    program = formatter()
    if program is None:
        print("SKIP   : format() there is no clang-format 14")
        return 0
    files = [str(path) for top in ("core", "ui", "app", "capture", "tests") for path in sorted((root / top).rglob("*"))
             if path.suffix in (".h", ".cpp", ".c", ".cc")]
    odd = set()
    for begin in range(0, len(files), 100):
        said = subprocess.run([program, "--dry-run", "--ferror-limit=1", *files[begin:begin + 100]],
                              capture_output=True, text=True, check=False).stderr
        odd |= {line.split(":")[0] for line in said.splitlines() if "clang-format-violations" in line}
    print(f"{len(files)} files, {len(odd)} not as clang-format -i writes them")
    print("\n".join(sorted(odd)))
    return 1 if odd or not files else 0


if __name__ == "__main__":
    sys.exit(main())
