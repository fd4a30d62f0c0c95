#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Imitates `ray job submit|status|stop|logs|list`: same texts, streams and exit statuses as Ray 2.52, without a
cluster. Jobs really run, each below its own supervisor process. State is in the folder $RAY_STAND_IN:
  jobs/ID/   info.json, log, supervisor.pid, child.pid, stop (a request)
  calls      one line per command, as JSON
Files that a test adds:
  refuse       `submit` cannot connect
  hang_submit  `submit` never answers; it submits first if the file has the word "after"
  break_submit `submit` submits, and the connection breaks before the answer
  away         every other command cannot connect, or never answers if the file has the word "hang"
  slow_status  `status` answers after this many seconds
  hold         jobs stay PENDING
  lose         no job is known
  cut_logs     `logs --follow` ends after this many lines, as if the connection was closed; the file is removed
  slow_logs    `logs --follow` waits so many seconds before each line
"""
import json
import os
import pathlib
import shlex
import signal
import subprocess
import sys
import time

ROOT = pathlib.Path(os.environ["RAY_STAND_IN"])
FINAL = ("STOPPED", "SUCCEEDED", "FAILED")
MESSAGES = {"PENDING": "Job has not started yet.", "RUNNING": "Job is currently running.",
            "STOPPED": "Job was intentionally stopped.", "SUCCEEDED": "Job finished successfully."}
isRecordStyle = not sys.stdin.isatty()


def say(text, level="INFO", line=36):
    if not isRecordStyle:
        print(text)
    elif text.strip():
        now = time.time()
        stamp = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(now)) + ",%03d" % (now * 1000 % 1000)
        print(f"{stamp}\t{level} cli.py:{line} -- {text}")


def say_big(text, level):
    say("")
    for line in ("-" * len(text), text, "-" * len(text)):
        say(line, level, 60)
    say("")


def fail(error):
    """Exits like a Python program with an uncaught exception."""
    sys.stdout.flush()
    sys.stderr.write("Traceback (most recent call last):\n"
                     '  File "/usr/bin/ray", line 8, in <module>\n    sys.exit(main())\n'
                     '             ^^^^^^\n' + error + "\n")
    sys.exit(1)


def fail_to_connect(address):
    fail("requests.exceptions.ConnectionError: HTTPConnectionPool(host='head', port=8265): Max retries exceeded with url: "
         "/api/version (Caused by NewConnectionError('[Errno 111] Connection refused'))\n\n"
         "During handling of the above exception, another exception occurred:\n\nTraceback (most recent call last):\n"
         f'  File "sdk.py", line 1\nConnectionError: Failed to connect to Ray at address: {address}.')


def hang():
    while True:
        time.sleep(60)


def wish(name):
    """Returns the text of a test's file; None if the file does not exist."""
    try:
        return (ROOT / name).read_text()
    except FileNotFoundError:
        return None


def folder_of(job):
    return ROOT / "jobs" / job


def info_of(job):
    try:
        if wish("lose") is None:
            return json.loads((folder_of(job) / "info.json").read_text())
    except FileNotFoundError:
        pass
    fail(f"RuntimeError: Request failed with status code 404: Job {job} does not exist.")


def put_info(job, **fields):
    file = folder_of(job) / "info.json"
    info = json.loads(file.read_text()) if file.exists() else {}
    info.update(fields)
    if "message" not in fields:
        info["message"] = MESSAGES.get(info["status"])
    (folder_of(job) / "new").write_text(json.dumps(info))
    os.replace(folder_of(job) / "new", file)


def descendants(pid):
    found = [pid]
    for entry in pathlib.Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1]) == pid:
                found += descendants(int(entry.name))
        except (OSError, IndexError):
            pass
    return found


def signal_all(pids, number):
    for pid in pids:
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            pass


def are_gone(pids, child):
    child.poll()
    for pid in pids:
        try:
            if (pathlib.Path("/proc") / str(pid) / "stat").read_text().rsplit(")", 1)[1].split()[0] != "Z":
                return False
        except OSError:
            pass
    return True


def stop_child(child):
    pids = descendants(child.pid)
    signal_all(pids, signal.SIGTERM)
    until = time.time() + float(os.environ.get("RAY_JOB_STOP_WAIT_TIME_S", 3))
    while not are_gone(pids, child):
        if time.time() >= until:
            signal_all(pids, signal.SIGKILL)
            break
        time.sleep(0.05)
    child.wait()


def supervise(job):
    folder = folder_of(job)
    (folder / "supervisor.pid").write_text(str(os.getpid()))
    entry = json.loads((folder / "info.json").read_text())["entrypoint"]
    while (ROOT / "hold").exists():
        time.sleep(0.05)
    put_info(job, status="RUNNING")
    with open(folder / "log", "a") as log:
        log.write(f"Running entrypoint for job {job}: {entry}\n")
        log.flush()
        child = subprocess.Popen(entry, shell=True, start_new_session=True, stdin=subprocess.DEVNULL, stdout=log,
                                 stderr=subprocess.STDOUT, cwd=folder, env={**os.environ, "PYTHONUNBUFFERED": "1"})
    (folder / "child.pid").write_text(str(child.pid))
    while child.poll() is None:
        if (folder / "stop").exists():
            stop_child(child)
            put_info(job, status="STOPPED")
            return
        time.sleep(0.05)
    if child.returncode == 0:
        put_info(job, status="SUCCEEDED", driver_exit_code=0)
        return
    tail = "".join((folder / "log").read_text(errors="replace").splitlines(True)[-10:])[-20000:]
    put_info(job, status="FAILED", driver_exit_code=child.returncode,
             message=f"Job entrypoint command failed with exit code {child.returncode}, "
                     f"last available logs (truncated to 20,000 chars):\n{tail}")


def start_job(job, entry):
    folder = folder_of(job)
    try:
        folder.mkdir(parents=True)
    except FileExistsError:
        inner = (f"Traceback (most recent call last):\n  File \"job_manager.py\", line 1, in submit_job\n"
                 f"ValueError: Job with submission_id {job} already exists. Please use a different submission_id.\n")
        fail("RuntimeError: Request failed with status code 500: Traceback (most recent call last):\n"
             '  File "job_head.py", line 1, in submit_job\n'
             f"RuntimeError: Request failed with status code 400: {inner}.\n.")
    put_info(job, status="PENDING", entrypoint=entry, submission_id=job)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    subprocess.Popen([sys.executable, os.path.abspath(__file__), "supervise", job], stdin=subprocess.DEVNULL,
                     stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True, cwd=folder,
                     env=environment)


def submit(options, words):
    address = options.get("address", "http://localhost:8265")
    if wish("refuse") is not None:
        fail_to_connect(address)
    say(f"Job submission server address: {address}")
    sys.stdout.flush()
    hanging = wish("hang_submit")
    if hanging is not None and "after" not in hanging:
        hang()
    job = options.get("submission-id") or f"raysubmit_{os.getpid()}"
    start_job(job, shlex.join(words))
    if hanging is not None:
        hang()
    if wish("break_submit") is not None:
        fail("requests.exceptions.ConnectionError: ('Connection aborted.', RemoteDisconnected('Remote end closed connection "
             "without response'))")
    say_big(f"Job '{job}' submitted successfully", "SUCC")
    say("Next steps", line=320)
    for text in ("Query the logs of the job:", f"ray job logs {job}", "Query the status of the job:",
                 f"ray job status {job}", "Request the job to be stopped:", f"ray job stop {job}"):
        say(text, line=321)
    if "no-wait" not in options:
        follow(job)


def say_status(job):
    info = info_of(job)
    message = info.get("message")
    if info["status"] == "SUCCEEDED":
        say_big(f"Job '{job}' succeeded", "SUCC")
    elif info["status"] == "STOPPED":
        say(f"Job '{job}' was stopped", "WARN", 93)
    elif info["status"] == "FAILED":
        say_big(f"Job '{job}' failed", "ERR")
        say(f"Status message: {message}", line=97)
    else:
        say(f"Status for job '{job}': {info['status']}", line=100)
        say(f"Status message: {message}", line=102)


def follow(job):
    cut, slow = wish("cut_logs"), wish("slow_logs")
    lines = 0
    while info_of(job)["status"] == "PENDING":
        time.sleep(0.05)
    with open(folder_of(job) / "log", encoding="utf-8", errors="replace") as log:
        isOver = False
        while True:
            text = log.readline()
            lines += 1
            if cut is not None and lines > int(cut):
                (ROOT / "cut_logs").unlink(missing_ok=True)
                break
            if text:
                if slow is not None:
                    time.sleep(float(slow))
                print(text, end="", flush=slow is not None)
                continue
            lines -= 1
            if isOver:
                break
            isOver = info_of(job)["status"] in FINAL
            time.sleep(0.1)
    say_status(job)


def logs(options, words):
    info_of(words[0])
    if "follow" in options or "f" in options:
        follow(words[0])
    else:
        text = (folder_of(words[0]) / "log").read_text(errors="replace")
        sys.stdout.flush()
        say(text)


def stop(options, words):
    job = words[0]
    say(f"Attempting to stop job '{job}'", line=200)
    if info_of(job)["status"] not in FINAL:
        (folder_of(job) / "stop").touch()
    if "no-wait" in options:
        return
    say(f"Waiting for job '{job}' to exit (disable with --no-wait):", line=206)
    while info_of(job)["status"] not in FINAL:
        say(f"Job has not exited yet. Status: {info_of(job)['status']}", line=216)
        time.sleep(1)
    say_status(job)


def main():
    global isRecordStyle
    if sys.argv[1:2] == ["supervise"]:
        supervise(sys.argv[2])
        return
    with open(ROOT / "calls", "a") as calls:
        calls.write(json.dumps(sys.argv[1:]) + "\n")
    valued = {"address", "submission-id", "verify", "headers", "log-style", "log-color", "runtime-env", "working-dir"}
    options, words, rest = {}, [], sys.argv[3:]
    while rest:
        word = rest.pop(0)
        if word == "--":
            words += rest
            break
        name, separator, value = word.lstrip("-").partition("=")
        if not word.startswith("-") or name not in valued | {"no-wait", "follow", "f"}:
            if word.startswith("-"):
                sys.stderr.write(f"Usage: ray job {sys.argv[2]} [OPTIONS]\nTry 'ray job {sys.argv[2]} --help' for help.\n\n"
                                 f"Error: No such option: {word}\n")
                sys.exit(2)
            words.append(word)
            continue
        options[name] = value if separator else rest.pop(0) if name in valued else True
    if "log-style" in options:
        isRecordStyle = options["log-style"] == "record" or (options["log-style"] == "auto" and isRecordStyle)
    options["address"] = os.environ.get("RAY_ADDRESS") or options.get("address", "http://localhost:8265")
    verb = sys.argv[2]
    if verb == "submit":
        submit(options, words)
        return
    away = wish("away")
    if away is not None and "hang" in away:
        hang()
    if away is not None:
        fail_to_connect(options["address"])
    say(f"Job submission server address: {options['address']}")
    if verb == "status":
        time.sleep(float(wish("slow_status") or 0))
        say_status(words[0])
    elif verb == "list":
        say(str([json.loads(file.read_text()) for file in sorted(ROOT.glob("jobs/*/info.json"))]))
    else:
        {"logs": logs, "stop": stop}[verb](options, words)


if __name__ == "__main__":
    main()
