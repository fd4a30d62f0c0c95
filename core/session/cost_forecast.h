// SPDX-License-Identifier: Apache-2.0
// Forecast of what a recording with torch.profiler or of a memory snapshot costs while it is written: host
// memory, and the time for which a rank stops training. All values are ranges, because they depend on the
// program; a finding is an error only if even the lower end does not fit. Pure. Thread: any.
//
// Assumptions and their sources. "Measured" refers to public files (see tests/real) and to public reports:
// - Size of a trace: expected_files.h. A compressed slice takes 20 to 35 bytes, and a trace is 13 to 18 times
//   as large uncompressed. Measured on 16 Kineto traces of PyTorch 1.x to 2.x.
// - Host memory: torch.profiler keeps all events until the stop, and then builds the whole trace. Peak: 4 to
//   8 times the uncompressed trace. morluto/flameox issue 346 reports 3.9 GB for a trace of 518 MB, of which
//   the program itself needs 0.5 to 1.8 GB; the upper end is a margin. RobTand/prismaquant issue 899 reports
//   3.5 GB while recording and 21 GB more at the stop.
// - Time to write, without stacks: 5 to 20 us per slice. vllm-project/vllm pull request 54322 reports 4.5 us;
//   the upper end is a margin.
// - Time to write, with stacks: 10 to 200 us per slice. Lower end: flameox issue 346, at most 13 s for
//   1.3 million slices. Upper end: an assumption between that and the 3.6 ms that vLLM pull request 54322
//   reports for the frontend of a server, which a training rank does not have.
// - Memory snapshot: 1 to 4 KB of host memory per entry; measured: 1.4 KB as Python objects, with 72 frames.
//   Time: 0.7 s for 100,000 entries (pytorch/pytorch pull request 172672) to 461 s, if the C++ frames are
//   symbolized (pytorch/torchtitan pull request 3628).
// - Ranks that record stop training while they write. The others wait in a collective, which the process
//   group aborts after its timeout: 10 minutes for NCCL (kProcessGroupNCCLDefaultTimeout in
//   ProcessGroupNCCL.hpp). A heartbeat monitor aborts a process whose NCCL watchdog makes no progress, for
//   example because another thread holds the GIL: after 480 s, or 600 s before PyTorch 2.5
//   (TORCH_NCCL_HEARTBEAT_TIMEOUT_SEC).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/session/expected_files.h"
#include "core/session/session_config.h"

namespace lockstep {

struct CostRange {
    double low = 0, high = 0;

    friend bool operator==(const CostRange&, const CostRange&) = default;
};

// Cost of the reports of one role on one host.
struct RecordingCost {
    ReportKind kind = ReportKind::torchTrace; // torchTrace or memorySnapshot
    std::string role, host;                   // as in ExpectedFile
    std::optional<int64_t> ranks;             // number of ranks that record on the host; nullopt: unknown
    bool withStacks = false;
    CostRange memory_bytes; // peak per rank, while one report is written
    CostRange write_s;      // time to write one report
};
std::vector<RecordingCost> costForecast(const SessionConfig& config, std::span<const ExpectedFile> files);

// Peak memory on a host, in order of first appearance. Lower end: the roles write one after the other. Upper
// end: at the same time. Only hosts whose numbers of ranks are known.
struct HostCost {
    std::string host;
    CostRange memory_bytes;
};
std::vector<HostCost> costByHost(std::span<const RecordingCost> costs);

// How long other ranks wait before the run is aborted.
struct CollectiveTimeout {
    double group_s = 600;     // of a collective
    std::string groupSetting; // how to change it, for messages
    double heartbeat_s = 480; // of the NCCL watchdog; infinite if the monitor is off
};
CollectiveTimeout collectiveTimeout(const SessionConfig& config);

// Return "8.5 GB", "8.5 to 23 GB" and "49 s to 16 min", with two significant digits.
std::string memoryText(double bytes);
std::string memoryRangeText(const CostRange& bytes);
std::string timeRangeText(const CostRange& seconds);
// Returns a printable table with the timeout, or "" if nothing is known.
std::string costText(std::span<const RecordingCost> costs, const CollectiveTimeout& timeout);
// Returns the same in one sentence each for memory and time, for the form; "" if nothing is known.
std::string costSummary(std::span<const RecordingCost> costs, const CollectiveTimeout& timeout);

} // namespace lockstep
