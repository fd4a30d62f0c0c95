#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks which packages run.sh and test.sh would install on an empty machine, with fakes of dpkg-query and apt-get."""
import pathlib
import subprocess
import sys
import tempfile

TEST_ONLY = {"openssh-server", "slurmctld", "slurmd", "slurm-client", "munge", "librapidcheck-dev", "clang-format"}


def installed(root, lists):
    with tempfile.TemporaryDirectory() as folder:
        asked = pathlib.Path(folder) / "asked"
        for name, body in (("dpkg-query", "exit 1"), ("sudo", 'exec "$@"'), ("env", '"${@:2}"'),
                           ("apt-get", f'[ "$1" = install ] && printf "%s\\n" "$@" > {asked}; true')):
            program = pathlib.Path(folder) / name
            program.write_text(f"#!/bin/bash\n{body}\n", encoding="utf-8")
            program.chmod(0o755)
        script = root / "packaging" / "prepare.sh"
        subprocess.run(["/bin/bash", "-euo", "pipefail", "-c", f'source "{script}"; PATH={folder}:$PATH; install_packages {lists}'],
                       check=True, capture_output=True)
        return {word for word in asked.read_text(encoding="utf-8").split() if not word.startswith("-")} - {"install"}


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    user, tester = installed(root, "run build"), installed(root, "run build test")
    problems = [f"run.sh installs {name}, which only tests need" for name in sorted(user & TEST_ONLY)]
    problems += [f"test.sh does not install {name}" for name in sorted(TEST_ONLY - tester)]
    problems += [f"run.sh does not install {name}" for name in ("g++", "cmake", "fonts-inter", "openssh-client") if name not in user]
    for script, lists in (("run.sh", "run build"), ("test.sh", "run build test")):
        if f"install_packages {lists}\n" not in (root / "packaging" / script).read_text(encoding="utf-8"):
            problems.append(f"{script} does not call install_packages {lists}")
    print(f"{len(user)} packages to run, {len(tester)} to test, {len(problems)} problems")
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
