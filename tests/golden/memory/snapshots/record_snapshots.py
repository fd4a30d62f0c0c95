#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records allocator snapshots on a GPU, with the values of torch.cuda.memory_stats as truth.

Usage: record_snapshots.py FOLDER [SCENARIO]

Writes FOLDER/SCENARIO.pickle and FOLDER/SCENARIO.truth.json. Each point of truth is taken before, and its time
after, a call of torch.cuda.memory._snapshot(), which leaves a `snapshot` entry in the history: the n-th point from
the end belongs to the n-th last `snapshot` entry (the dump copies the history before it adds an entry of its own).
The files here were recorded with PyTorch 2.11.0+cu130 on an H100.
"""
import json
import os
import pickle
import random
import subprocess
import sys
import time

SCENARIOS = {
    "plain": "",
    "expandable": "expandable_segments:True",
    "streams": "",
    "ring": "",
    "late": "",
    "oom": "",
    "graph": "",
    "annotated": "",
    "deep_stacks": "",
    "rounding": "roundup_power2_divisions:4,max_split_size_mb:64",
    "random": "",
    "random_expandable": "expandable_segments:True",
    "random_late": "",
    "random_graph": "",
}
MIB = 1 << 20


class Truth:
    def __init__(self):
        self.points = []

    def take(self, what):
        import torch
        stats = torch.cuda.memory_stats()
        torch.cuda.memory._snapshot()
        point = {"what": what, "time_ns": time.time_ns()}
        for kind in ("active", "allocated", "requested", "reserved", "inactive_split"):
            for moment in ("current", "peak"):
                point[f"{kind}_{moment}"] = stats[f"{kind}_bytes.all.{moment}"]
        point["active_blocks"] = stats["active.all.current"]
        point["segments"] = stats["segment.all.current"]
        point["ooms"] = stats["num_ooms"]
        self.points.append(point)


def start(**keywords):
    import torch
    torch.cuda.memory._record_memory_history(**{"max_entries": 100000, "stacks": "python", **keywords})


def tensor(size_bytes):
    import torch
    return torch.empty(size_bytes, dtype=torch.uint8, device="cuda")


def train(truth, steps, width=384):
    import torch
    model = torch.nn.Sequential(*[torch.nn.Linear(width, width) for _ in range(4)]).cuda()
    optimizer = torch.optim.AdamW(model.parameters(), foreach=False)
    truth.take("model")
    for step in range(steps):
        loss = model(torch.randn(1024, width, device="cuda")).square().mean()
        truth.take(f"forward {step}")
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        truth.take(f"step {step}")
    del loss
    return model, optimizer


def plain(truth):
    import torch
    start()
    kept = train(truth, 2)
    del kept
    torch.cuda.empty_cache()
    truth.take("emptied")


def expandable(truth):
    import torch
    start()
    kept = train(truth, 1)
    big = tensor(70 * MIB)
    truth.take("big")
    del big
    torch.cuda.empty_cache()
    truth.take("unmapped")
    again = tensor(33 * MIB + 5)
    truth.take("mapped again")
    return kept, again


def streams(truth):
    import torch
    start()
    side = torch.cuda.Stream()
    kept = []
    for turn in range(8):
        shared = tensor((3 + turn) * MIB + 7)
        with torch.cuda.stream(side):
            torch.cuda._sleep(20_000_000)
            own = tensor(1 * MIB + 300 * turn)
            shared.record_stream(side)
        kept.append(own)
        truth.take(f"shared {turn}")
        del shared
        truth.take(f"freed {turn}")
    tensor(1000)
    torch.cuda.synchronize()
    tensor(3 * MIB)
    truth.take("completed")
    last = tensor(5 * MIB)
    with torch.cuda.stream(side):
        torch.cuda._sleep(2_000_000_000)
        last.record_stream(side)
    del last
    truth.take("pending at the dump")
    return kept


def ring(truth):
    start(max_entries=150)
    kept = [tensor(5000 * (i + 1)) for i in range(40)]
    for turn in range(60):
        kept[turn % 40] = tensor(3000 * turn + 100)
        if turn % 10 == 9:
            truth.take(f"turn {turn}")
    kept.append(tensor(30 * MIB))
    return kept


def late(truth):
    import torch
    before = [tensor(700 * i + 1) for i in range(20)] + [tensor((i + 2) * MIB + 600 * 1024) for i in range(10)]
    del before[3], before[10], before[-2]
    start()
    truth.take("begun")
    after = []
    for turn in range(12):
        del before[(turn * 5) % len(before)]
        after.append(tensor(turn * 700_000 + 11))
        truth.take(f"turn {turn}")
    del before[:]
    torch.cuda.empty_cache()
    truth.take("emptied")
    return after


def oom(truth):
    import torch
    start()
    total = torch.cuda.get_device_properties(0).total_memory
    torch.cuda.set_per_process_memory_fraction(208 * MIB / total)
    kept = [tensor(24 * MIB) for _ in range(8)]
    del kept[1], kept[3]
    truth.take("holes")
    try:
        tensor(140 * MIB)
    except torch.cuda.OutOfMemoryError as error:
        truth.points.append({"what": "oom", "error": str(error).splitlines()[0][:400]})
    truth.take("after")
    return kept


def graph(truth):
    import torch
    start()
    x = torch.ones(1024, 1024, device="cuda")
    captured = torch.cuda.CUDAGraph()
    with torch.cuda.graph(captured):
        y = x * 2
        z = y + torch.ones_like(y)
        del y
    truth.take("captured")
    captured.replay()
    torch.cuda.synchronize()
    w = tensor(9 * MIB)
    pool = torch.cuda.MemPool()
    with torch.cuda.use_mem_pool(pool):
        own = tensor(3 * MIB)
    truth.take("pool")
    del own
    truth.take("freed in the pool")
    return x, z, w, captured, pool


def annotated(truth):
    import torch
    try:
        start(global_record_annotations=True, compile_context=True)
    except TypeError:
        start()
    kept = []
    for step in range(3):
        with torch.autograd.profiler.record_function(f"## step {step} ##"):
            kept.append(tensor(MIB * (step + 1)))
            try:
                torch.cuda.memory._set_memory_metadata(f"weights of layer {step}")
                kept.append(tensor(2 * MIB))
                torch.cuda.memory._set_memory_metadata("")
            except AttributeError:
                pass
        truth.take(f"step {step}")
    compiled = torch.compile(lambda v: (v * 2).sum() + v.mean(), backend="aot_eager")
    kept.append(compiled(torch.ones(300, 300, device="cuda")))
    truth.take("compiled")
    return kept


def deep_stacks(truth):
    start(stacks="all", context="all")

    def down(depth):
        return down(depth - 1) if depth else tensor(3 * MIB)

    kept = [down(3), down(12)]
    truth.take("two")
    del kept[0]
    return kept


def rounding(truth):
    import torch
    start()
    kept = []
    for size in (513, 1500, 70_000, 3 * MIB + 1, 5 * MIB, 9 * MIB + 77, 33 * MIB, 100 * MIB + 1, 130 * MIB):
        kept.append(tensor(size))
        truth.take(str(size))
    del kept[3], kept[5], kept[6]
    truth.take("freed")
    kept.append(tensor(70 * MIB))
    kept.append(tensor(2 * MIB))
    truth.take("refilled")
    return kept


def churn(truth, events, seed, kept, isTwoStreams=True):
    import torch
    rng = random.Random(seed)
    side = torch.cuda.Stream()
    for event in range(events):
        if kept and rng.random() < 0.45:
            kept.pop(rng.randrange(len(kept)))
        elif isTwoStreams and rng.random() < 0.2:
            with torch.cuda.stream(side):
                kept.append(tensor(int(10 ** rng.uniform(1, 7.4))))
        else:
            made = tensor(int(10 ** rng.uniform(1, 7.5)))
            if isTwoStreams and rng.random() < 0.15:
                with torch.cuda.stream(side):
                    torch.cuda._sleep(2_000_000)
                made.record_stream(side)
            kept.append(made)
            del made
        if rng.random() < 0.01:
            torch.cuda.empty_cache()
        if event % 8 == 7:
            truth.take(str(event))
    return kept


def random_plain(truth):
    start(context=None)
    return churn(truth, 560, 1, [])


def random_late(truth):
    import torch
    rng = random.Random(5)
    kept = [tensor(int(10 ** rng.uniform(1, 7.5))) for _ in range(60)]
    for _ in range(25):
        kept.pop(rng.randrange(len(kept)))
    torch.cuda.synchronize()
    start(context=None)
    return churn(truth, 400, 7, kept)


def random_graph(truth):
    import torch
    start(context=None)
    kept = churn(truth, 100, 3, [], False)
    captured = torch.cuda.CUDAGraph()
    inner = []
    torch.cuda.synchronize()
    with torch.cuda.graph(captured):
        rng = random.Random(9)
        for _ in range(60):
            if inner and rng.random() < 0.4:
                inner.pop(rng.randrange(len(inner)))
            else:
                inner.append(tensor(int(10 ** rng.uniform(1, 7))))
    truth.take("captured")
    kept = churn(truth, 100, 4, kept, False)
    return kept, inner, captured


def shorten(path):
    """Rewrites a snapshot without the folders of the machine that recorded it."""
    with open(path, "rb") as file:
        snapshot = pickle.load(file)
    seen = set()
    traces = [entry for trace in snapshot["device_traces"] for entry in trace]
    blocks = [block for segment in snapshot["segments"] for block in segment["blocks"]]
    for holder in traces + blocks + snapshot["segments"]:
        for frame in holder.get("frames", []) + holder.get("forward_frames", []):
            if id(frame) in seen:
                continue
            seen.add(id(frame))
            name = frame["filename"]
            here, packages = os.path.basename(__file__), "site-packages/"
            name = name[name.index(packages):] if packages in name else here if name.endswith(here) else name
            frame["filename"] = name if name.startswith((packages, here)) else os.path.basename(name)
    with open(path, "wb") as file:
        pickle.dump(snapshot, file, protocol=4)


RUNS = {"random": random_plain, "random_expandable": random_plain}


def record(folder, name):
    import torch
    torch.cuda.init()
    truth = Truth()
    run = RUNS.get(name) or globals()[name]
    kept = run(truth)
    stats = torch.cuda.memory_stats()
    path = os.path.join(folder, name + ".pickle")
    torch.cuda.memory._dump_snapshot(path)
    shorten(path)
    with open(os.path.join(folder, name + ".truth.json"), "w") as out:
        json.dump({"torch": torch.__version__, "settings": SCENARIOS[name], "points": truth.points,
                   "at_dump": {kind: stats[f"{kind}_bytes.all.current"]
                               for kind in ("active", "allocated", "requested", "reserved")}}, out, indent=0)
    with open(path, "rb") as file:
        snapshot = pickle.load(file)
    keys = sorted({key for trace in snapshot["device_traces"] for entry in trace for key in entry})
    print(name, os.path.getsize(path), "bytes,", sum(map(len, snapshot["device_traces"])), "entries", keys,
          sorted(snapshot), sorted(snapshot["segments"][0]) if snapshot["segments"] else "", flush=True)
    del kept


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    if len(sys.argv) > 2:
        return record(folder, sys.argv[2])
    started = []
    for name, settings in SCENARIOS.items():
        environment = dict(os.environ, PYTORCH_CUDA_ALLOC_CONF=settings, PYTORCH_ALLOC_CONF=settings)
        if not settings:
            del environment["PYTORCH_CUDA_ALLOC_CONF"], environment["PYTORCH_ALLOC_CONF"]
        started.append((name, subprocess.Popen([sys.executable, os.path.abspath(__file__), folder, name], env=environment)))
    return max(abs(child.wait()) for _, child in started)


if __name__ == "__main__":
    sys.exit(main())
