#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A fake ssh with a malicious host. It runs its command on this machine, in the folder HOSTILE_HOME, but answers one call
of the agent (HOSTILE_CALL) itself, in the way that HOSTILE_MODE selects. Endless streams stop after ten minutes."""
import json
import os
import sys
import time

CALLS = {"attach": " attach ", "probe": " probe", "list": " list --run ", "clock": " clock --follow",
         "run": " run --plan ", "fetch": "tail -c +"}
END_s = time.monotonic() + 600


class Out:
    """Writes to standard output until the reader is gone or ten minutes have passed."""

    def put(self, data):
        if time.monotonic() > END_s:
            sys.exit(0)
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()

    def forever(self, make):
        number = 1
        while True:
            lines = []
            for number in range(number, number + 500):
                lines.append(make(number))
            number += 1
            self.put("".join(lines).encode())


def line(**fields):
    return json.dumps(fields, separators=(",", ":")) + "\n"


def event(seq, kind, **fields):
    return line(seq=seq, t_ns=time.time_ns(), kind=kind, **fields)


def report(seq):
    return event(seq, "report", path=f"/data/reports/rank{seq}_step1.json", type="trace json", size_bytes=seq,
                 modified_ns=time.time_ns(), complete=True, inode=seq)


def listed(number, path=None, size=1):
    return line(path=path or f"/data/r{number}.json", size_bytes=size, modified_ns=time.time_ns(), kind="trace json",
                sha256="0" * 64, complete=True)


def end(seq):
    return event(seq, "exit", command=0, code=0, name="x") + event(seq + 1, "exit", run=True, code=0)


def bomb(out):
    """Writes one object with two million keys, and then a valid end."""
    out.put(b"{" + b",".join(b'"k%d":{"a":[1,2,3]}' % i for i in range(2_000_000)) + b"}\n")
    out.put(end(1).encode())


def deep(out):
    """Writes five million nested lists, and then a valid end."""
    out.put(b'{"seq":1,"kind":"stdout","text":' + b"[" * 5_000_000 + b"]" * 5_000_000 + b"}\n" + end(1).encode())


def wide(out):
    """Writes ten thousand lines just below the length limit, each with thousands of keys."""
    keys = b"{" + b",".join(b'"k%d":1' % i for i in range(8_000)) + b"}\n"
    for _ in range(10_000):
        out.put(keys)


def one_line(out):
    out.put(b'{"seq":1,"t_ns":1,"kind":"stdout","text":"')
    while True:
        out.put(b"a" * 65_536)


def garbage(out):
    block = b"\n".join(os.urandom(150).replace(b"\n", b"x") for _ in range(500)) + b"\n"
    while True:
        out.put(block)


def times(out):
    odd = ["9223372036854775807", "-9223372036854775808", "NaN", "1e400", "-1", "99999999999999999999", '"x"', "1.5",
           "null", "[]"]
    for number, stamp in enumerate(odd, 1):
        out.put(f'{{"seq":{number},"t_ns":{stamp},"kind":"stdout","command":0,"text":"line\\n"}}\n'.encode())
    out.put(event(11, "step", step=9223372036854775807).encode() + end(12).encode())


def numbers(out):
    """Writes the largest sequence number, so that none is left for the events after it."""
    out.put((event(1, "stdout", command=0, text="one\n") + event(2**63 - 1, "stdout", command=0, text="last\n") +
             event(2, "stdout", command=0, text="two\n") + end(3)).encode())


def names(out):
    """Writes sixty thousand reports, and then a valid end."""
    for first in range(1, 60_001, 500):
        out.put("".join(report(number) for number in range(first, first + 500)).encode())
    out.put(end(60_001).encode())


def lies(out):
    for path, size in (("/etc/passwd", 10), ("../../x.json", 5), ("/data/huge.json", 2**62), ("/data/more.json", 2**62),
                       ("/data/neg.json", -5), ("/dev/zero", 100), ("/data/a\x1b[31m.json", 1)):
        out.put(listed(0, path, size).encode())


def drip(out):
    """Writes a byte now and then, forever."""
    while True:
        out.put(b" ")
        time.sleep(0.5)


MODES = {
    "silent": lambda out: time.sleep(600),
    "drip": drip,
    "json_bomb": bomb,
    "deep": deep,
    "wide": wide,
    "one_line": one_line,
    "garbage": garbage,
    "times": times,
    "numbers": numbers,
    "names": names,
    "lies": lies,
    "repeated": lambda out: out.forever(lambda n: event(1, "stdout", command=0, text="again\n")),
    "events": lambda out: out.forever(lambda n: f'{{"seq":{n},"t_ns":1,"kind":"stdout","command":0,"text":"{"x" * 900}"}}\n'),
    "heartbeats": lambda out: out.forever(lambda n: f'{{"seq":{n},"t_ns":1,"kind":"heartbeat"}}\n'),
    "steps": lambda out: out.forever(lambda n: f'{{"seq":{n},"t_ns":1,"kind":"step","step":{n}}}\n'),
    "errors": lambda out: out.forever(lambda n: event(n, "error", failure=f"x{n}", text=f"problem number {n}")),
    "endless_names": lambda out: out.forever(report),
    "no_exit": lambda out: out.put((event(1, "started", pid=1) + event(2, "stdout", command=0, text="x\n")).encode()),
    "more_after_end": lambda out: out.forever(lambda n: end(1) if n == 1 else event(n + 1, "stdout", text="more\n")),
    "endless_list": lambda out: out.forever(listed),
    "long_list": lambda out: [out.put(listed(n).encode()) for n in range(40_000)],
}


def main():
    text = sys.argv[-1]
    call = os.environ["HOSTILE_CALL"]
    if CALLS[call] not in text.replace("'\\''", "'"):
        home = os.environ["HOSTILE_HOME"]
        os.chdir(home)
        os.execve("/bin/sh", ["sh", "-c", text], dict(os.environ, HOME=home))
    out = Out()
    out.put(b"lockstep-speaks-from-here\n")
    try:
        MODES[os.environ["HOSTILE_MODE"]](out)
    except BrokenPipeError:
        os._exit(0)


main()
