// SPDX-License-Identifier: Apache-2.0
// The program on the nodes of a test: two worker processes per host, one per rank, that train in steps and
// write one Kineto trace per step, with current timestamps. Control files in its folder make it wait or fail.
#pragma once

#include <string_view>

namespace lockstep::test {

// Argument: number of steps. Reads first_rank (a file) for the first rank of the host; with a file hold_step
// it waits after that step until the file is removed. Writes complete files reports/rank{R}_step{S}.json.
inline constexpr std::string_view kTrainProgram = R"py(
import json, os, signal, sys, time

if os.path.exists("ignore_term"):
    signal.signal(signal.SIGTERM, signal.SIG_IGN)

def trace(rank, step, begin_ns):
    events = [{"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#%d" % step, "pid": os.getpid(),
               "tid": 1, "ts": 0, "dur": 900.5}]
    for i in range(40):
        events.append({"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": os.getpid(), "tid": 1,
                       "ts": 10 + i * 20, "dur": 12.25})
        events.append({"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 12 + i * 20,
                       "dur": 9.5, "args": {"device": 0, "stream": 7}})
    return {"schemaVersion": 1, "baseTimeNanoseconds": begin_ns,
            "distributedInfo": {"backend": "nccl", "rank": rank, "world_size": 6}, "traceEvents": events}

def work(rank, steps):
    for step in range(1, steps + 1):
        begin_ns = time.time_ns()
        name = "reports/rank%d_step%d.json" % (rank, step)
        with open(name + ".tmp", "w") as out:
            json.dump(trace(rank, step, begin_ns), out)
        if os.path.exists("cut_last") and step == steps:
            os.truncate(name + ".tmp", 2000)
        os.rename(name + ".tmp", name)
        if rank % 2 == 0:
            print("step:%d - loss:0.5" % step, flush=True)
        hold = "hold_%d" % step
        while os.path.exists(hold):
            time.sleep(0.02)

os.makedirs("reports", exist_ok=True)
first = int(open("first_rank").read()) if os.path.exists("first_rank") else 0
children = []
for local in range(2):
    pid = os.fork()
    if pid == 0:
        work(first + local, int(sys.argv[1]))
        os._exit(0)
    children.append(pid)
codes = [os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in children]
sys.exit(max(codes))
)py";

} // namespace lockstep::test
