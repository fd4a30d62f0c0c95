// SPDX-License-Identifier: Apache-2.0
// LaunchRun is a list of calls of one thread with the kernels and copies that they launched on one GPU,
// written as an nsys export and as a PyTorch trace with the same timestamps: both must give the same tables.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lockstep::test {

struct LaunchedRow {
    int64_t call_ns = 0, callLength_ns = 5;
    int64_t start_ns = 0, length_ns = 10;
    std::string name = {}; // name of a kernel; empty: a copy from host to device, pageable
    std::array<int64_t, 3> grid{1, 1, 1}, block{1, 1, 1};
    int64_t registers = 32;
    int64_t size_bytes = 0; // of a copy
    int64_t stream = 7;
};

struct LaunchRun {
    std::vector<LaunchedRow> rows;                   // the n-th has correlation id n + 1
    std::vector<std::pair<int64_t, int64_t>> ranges; // of NVTX, named "range N"

    // Returns one SQL statement that creates the whole export; process 100, thread 101, GPU "Made GPU".
    std::string nsysSql() const;
    // Returns the trace with timestamps in microseconds with three decimals.
    std::string kinetoText() const;
};

// Returns the n-th launch of a run of many: names, shapes and times vary with n, work overlaps across
// streams.
LaunchedRow variedLaunch(int64_t n);

} // namespace lockstep::test
