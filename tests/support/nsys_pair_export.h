// SPDX-License-Identifier: Apache-2.0
// NsysPairExport: processes of one host that send to and receive from each other, as the nsys exports such a
// job leaves: bare SendRecv kernels, no NVTX, no environment, so that nothing but the kernels says who met
// whom.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace lockstep::test {

struct PairExportOptions {
    int pairs = 35;            // the first and last touch the capture's edge: two fewer can be used
    int64_t apart_ns = 22'000; // median distance of a pair's ends
    int64_t utc_ns = 1'763'640'271'000'000'000;
    int64_t ahead_ns = 0; // of the session's clock
    const char* host = "node0";
};

// One export with these of the two processes (0 and 1) in it; process p has pid 4100 + p and GPU p. Times are
// the same true times in every file, shifted by ahead_ns. False on failure.
bool writePairExport(const std::filesystem::path& path, const std::vector<int>& processes,
                     const PairExportOptions& options = {});

} // namespace lockstep::test
