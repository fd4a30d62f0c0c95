#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts the skipped test functions in ctest's log: check_skips.py LastTest.log known_skips.txt.

Prints all with their reasons, so that a pass shows what was not tested. Exits with 1 if CI=true and a skipped test is not
in the list, or if a sanitizer reported an error in a test that counts as skipped."""
import os
import re
import sys

SKIP = re.compile(r"^SKIP\s*:\s*(?P<name>\S+?)\((?P<row>.*?)\)\s*(?P<reason>.*)$")


def known(path):
    for line in open(path, encoding="utf-8"):
        if line.strip() and not line.startswith("#"):
            yield line.split("  ")[0].strip()


def main():
    log, listed = sys.argv[1], set(known(sys.argv[2]))
    skips, complaints, entry, is_skipping = set(), [], "", False
    lines = open(log, encoding="utf-8", errors="replace").read().splitlines()
    for line in lines:
        if re.match(r"\d+/\d+ Testing: ", line):
            entry, is_skipping = line.split(": ", 1)[1], False
        match = SKIP.match(line)
        if match:
            is_skipping = True
            skips.add((match["name"], match["reason"]))
        elif is_skipping and re.search(r"(ERROR|WARNING): \w+Sanitizer", line):
            complaints.append(f"{entry}: {line.strip()}")
    new = sorted(s for s in skips if s[0] not in listed and s[0].split("::")[0] + "::*" not in listed)
    print(f"{len(skips)} test functions skipped, {len(new)} of them not in the list of known ones")
    for name, reason in sorted(skips):
        print(f"  {'new  ' if (name, reason) in new else 'known'}  {name}  {reason}")
    for complaint in complaints:
        print(f"  a sanitizer complained: {complaint}")
    return 1 if complaints or (new and os.environ.get("CI") == "true") else 0


if __name__ == "__main__":
    sys.exit(main())
