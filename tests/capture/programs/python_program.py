# SPDX-License-Identifier: Apache-2.0
"""A Python program that uses lockstep_capture.py: python_program.py FOLDER-OF-THE-MODULE LOG MODE. Logs its ranges as
ranges_program does. Modes: threads, fork, early, profiler, collectives, roles, hybrid, nothing."""
import importlib
import os
import random
import sys
import threading

sys.path.insert(0, sys.argv[1])
capture = importlib.import_module("lockstep_capture")
log = open(sys.argv[2], "a", encoding="utf-8")
mode = sys.argv[3]
log_lock = threading.Lock()


def say(name):
    with log_lock: # Python's text files are not safe for use by several threads
        log.write(f"{threading.get_native_id()}\tlockstep\tse\t{name}\n")


def nested(seed, calls=200):
    chooser = random.Random(seed)
    stack = []
    for _ in range(calls):
        if stack and (len(stack) > 8 or chooser.random() < 0.5):
            capture.end_range(stack.pop())
            continue
        name = f"Stufe ß🚀 {chooser.randrange(30)}"
        stack.append(capture.start_range("actor", name))
        say(name)
    while stack:
        capture.end_range(stack.pop())


@capture.annotate(role="ref")
def log_prob():
    say("log_prob")


if mode == "threads":
    threads = [threading.Thread(target=nested, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    log_prob()
    try:
        with capture.annotate(role="actor", stage="fails"):
            say("fails")
            raise ValueError
    except ValueError:
        pass
elif mode == "fork":
    nested(1)
    log.flush()
    if os.fork() == 0:
        nested(2)
        log.flush()
        os._exit(0)
    os.wait()
elif mode == "early":
    nested(1)
    log.flush()
    os._exit(7)
elif mode == "profiler":
    for rank, expected in ((0, True), (3, True), (1, False)):
        assert capture.Profiler(rank, ranks=(0, 3)).check_this_rank() is expected, rank
    profiler = capture.Profiler(0, steps=(2, 3, 5), continuous=True)
    for step in range(1, 7):
        profiler.start(profile_step=step)
        capture.end_range(capture.start_range(None, f"work of {step}"))
        profiler.stop(profile_step=step)
elif mode == "collectives":
    for step in (1, 2, 3):
        with capture.collective("AllReduce", group="data parallel", group_size=8, rank=3, sequence=step,
                                size_bytes=1 << 20):
            pass
    handle = capture.start_collective("Barrier", "Gruppe ß", 2, 1)
    capture.end_range(handle)
    try:
        with capture.collective("Broadcast"):
            raise ValueError
    except ValueError:
        pass
elif mode in ("roles", "hybrid"):
    with capture.annotate(role="critic", stage="values"):
        pass
    for step in (1, 2):
        capture.step(step)
        with capture.annotate(role="actor" if mode == "hybrid" else "critic", stage="update"):
            pass
    capture.step(-1)
else:
    nested(1)
    with capture.collective("AllReduce", size_bytes=4):
        pass
    capture.step(1)
    capture.counter("loss", 1.5)
print(capture.backend_name())
