// SPDX-License-Identifier: Apache-2.0
// NsysPairExport writes nsys exports of processes on one host that send to and receive from each other: bare
// SendRecv kernels without NVTX and environment, so that only the kernels show which processes communicate.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace lockstep::test {

struct PairExportOptions {
    int pairs = 35;                 // the first and last touch the edge of the capture: two fewer are usable
    int64_t separation_ns = 22'000; // median distance between the ends of a pair
    int64_t utc_ns = 1'763'640'271'000'000'000;
    int64_t ahead_ns = 0; // offset of the session clock
    const char* host = "node0";
};

// Writes one export with these of the two processes (0 and 1); process p has pid 4100 + p and GPU p. Times
// are the same true times in every file, shifted by ahead_ns. Returns false on failure.
bool writePairExport(const std::filesystem::path& path, const std::vector<int>& processes,
                     const PairExportOptions& options = {});

} // namespace lockstep::test
