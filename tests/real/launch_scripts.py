#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs real launch scripts under bash alone and under the shims of lockstep-agent, and compares what programs get.

launch_scripts.py AGENT LIST REPOSITORIES [FILTER]

LIST has one script per line: repository, tag or commit, framework, path, and what the script needs: variables
(NAME=VALUE) and arguments. REPOSITORIES has a git directory
OWNER+NAME/repo for each repository. Every program that a script starts is a stand-in, which records its arguments and
environment and does nothing. The training must get exactly what bash gives it, plus the additions that the shim
records; every other program must get exactly its own arguments. Exit status 0 if all scripts agree, 77 if no
repository is there (skipped), 1 otherwise. Needs root, because the scripts run as nobody.
"""
import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile

SESSIONS = {
    "verl": "tool: nsys\nsteps: [5]\nroles: {actor: {enable: true, all_ranks: true}}\n",
    "verl_omni": "tool: nsys\nsteps: [5]\nroles: {actor: {enable: true, all_ranks: true}}\n",
    "nemo_rl": "tool: nsys\nsteps: [5]\nnemo_rl: {worker_patterns: ['*policy*']}\n",
}
# Real programs that scripts compute with. Everything else that they start is a stand-in.
REAL = ("bash sh env cat dirname basename echo printf head tail tr cut sed awk grep seq sort uniq wc tee nproc readlink mkdir "
        "realpath true false test [ expr uname id getopt xargs").split()
STAND_INS = ("python python3 torchrun uv ray srun accelerate deepspeed pip pip3 nvidia-smi npu-smi rocm-smi hf "
             "huggingface-cli modelscope wget curl git conda nsys sbatch scontrol sleep date hostname ssh scp docker pkill "
             "killall kill apt-get sudo rm mv cp chmod ln touch find ls ps lsof nohup mktemp unzip tar aws gsutil "
             "wandb swanlab vllm sglang time timeout numactl mpirun ulimit ip ifconfig ping nc lsb_release free df du").split()
LIMIT_S = 40


def stand_in(calls):
    return f"""#!/bin/bash
{{
    printf '%s\\0' call "${{0##*/}}" "$@"
    printf 'environment\\0'
    cat /proc/$$/environ
}} >> {calls}
case ${{0##*/}} in
    date) echo 20260101-0000 ;;
    hostname) echo node0 ;;
    mktemp) echo /tmp/made ;;
esac
exit 0
"""


def calls_in(path):
    if not path.exists():
        return []
    calls, part = [], None
    for word in path.read_bytes().decode(errors="surrogateescape").split("\0"):
        if word == "call":
            calls.append((part := [], []))
        elif word == "environment" and calls:
            part = None
        elif calls and part is not None:
            part.append(word)
        elif calls and word:
            calls[-1][1].append(word)
    return [(argv, sorted(environment)) for argv, environment in calls]


class Place:
    """A scratch folder with the stand-ins. Both runs of a script use the same one, so that all paths agree."""

    def __init__(self, agent):
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="lockstep-scripts-"))
        self.agent = self.root / "lockstep-agent"
        shutil.copy(agent, self.agent)
        bin = self.root / "bin"
        bin.mkdir()
        for name in REAL:
            if (path := shutil.which(name)) is not None:
                (bin / name).symlink_to(path)
        for name in STAND_INS:
            (bin / name).write_text(stand_in(self.root / "calls"))
            (bin / name).chmod(0o755)
        os.chmod(self.root, 0o777)

    def prepare(self, repository, tag):
        for name in ("work", "home", "run", "calls", "session"):
            target = self.root / name
            shutil.rmtree(target, ignore_errors=True) if target.is_dir() else target.unlink(missing_ok=True)
        for name in ("home", "run", "session"):
            (self.root / name).mkdir()
        kept = self.root / f"kept-{repository.parent.name}-{tag}"
        if not kept.exists():
            kept.mkdir()
            archive = subprocess.run(["git", f"--git-dir={repository}", "archive", tag], stdout=subprocess.PIPE, check=True)
            subprocess.run(["tar", "-x", "-C", kept], input=archive.stdout, check=True)
        subprocess.run(["cp", "-a", "--reflink=auto", kept, self.root / "work"], check=True)
        subprocess.run(["chown", "-R", "nobody:nogroup", *(self.root / n for n in ("work", "home", "run"))], check=True)

    def run(self, words, variables, launch):
        environment = {"PATH": str(self.root / "bin"), "HOME": str(self.root / "home"), "USER": "nobody", "LC_ALL": "C"}
        environment.update(variables)
        command = [shutil.which("setpriv"), "--reuid=65534", "--regid=65534", "--clear-groups", *launch, str(self.root / "bin/bash"), *words]
        process = subprocess.Popen(command, cwd=self.root / "work", env=environment, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
        try:
            output, _ = process.communicate(timeout=LIMIT_S)
            status = process.returncode
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            output, status = process.communicate()[0], "time limit"
        return status, calls_in(self.root / "calls"), output


def difference(bash, shimmed, launches):
    """Returns what differs, or None. Each run is (status, calls, output)."""
    if bash[0] != shimmed[0]:
        return f"exit status {shimmed[0]} instead of {bash[0]}"
    # Programs in pipelines and in the background may be recorded in another order.
    left = list(shimmed[1])
    records = list(launches)
    trainings = 0
    for argv, environment in bash[1]:
        match = None
        for record in records:
            if record["argv"] == argv and record["outcome"] == "profiled":
                expected = (argv + record["added"], sorted(set(environment) | set(record["added_environment"])))
                match = (record, next((call for call in left if call == expected), None))
                break
        if match is not None and match[1] is not None:
            records.remove(match[0])
            left.remove(match[1])
            trainings += 1
            continue
        same = next((call for call in left if call[0] == argv), None)
        if same is None:
            return f"not started in the same way: {argv}"
        left.remove(same)
    if left:
        return f"started only under Lockstep: {left[0][0]}"
    if records:
        return f"recorded, but not started: {records[0]['argv']}"
    return None if trainings > 0 else "no training was recognized"


def check(place, line, repositories):
    repository, tag, framework, path, *needs = shlex.split(line)
    variables = dict(need.split("=", 1) for need in needs if re.match(r"[A-Z_0-9]+=", need))
    words = [path, *(need for need in needs if not re.match(r"[A-Z_0-9]+=", need))]
    git = pathlib.Path(repositories) / repository.replace("/", "+") / "repo"
    place.prepare(git, tag)
    bash = place.run(words, variables, [])
    place.prepare(git, tag)
    (place.root / "session/session.yaml").write_text(
        f"lockstep_session: 1\nname: s\nframework: {framework}\nlauncher: {{kind: local}}\nscript: {path}\n{SESSIONS[framework]}")
    shimmed = place.run(words, variables, [str(place.agent), "launch", "--session", str(place.root / "session/session.yaml"),
                                           "--run", str(place.root / "run"), "--"])
    log = place.root / "run/launches.jsonl"
    launches = [json.loads(text) for text in log.read_text().splitlines()] if log.exists() else []
    return difference(bash, shimmed, launches)


def main():
    agent, list_file, repositories, *rest = sys.argv[1:]
    lines = [line for line in pathlib.Path(list_file).read_text().splitlines() if line and not line.startswith("#")]
    lines = [line for line in lines if not rest or rest[0] in line]
    if os.geteuid() != 0 or not any(pathlib.Path(repositories).glob("*/repo")):
        print("skipped: needs root and the repositories of the list")
        return 77
    place = Place(agent)
    failed = 0
    try:
        for line in lines:
            problem = check(place, line, repositories)
            failed += problem is not None
            print(f"{'FAIL' if problem else 'ok  '} {line}{': ' + problem if problem else ''}", flush=True)
    finally:
        shutil.rmtree(place.root, ignore_errors=True)
    print(f"{len(lines) - failed} of {len(lines)} scripts agree")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
