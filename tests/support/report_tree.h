// SPDX-License-Identifier: Apache-2.0
// ReportTree is a folder of small trace files with the names of verl's torch profiler: role folders, ranks,
// steps.
#pragma once

#include <filesystem>
#include <string>

#include "tests/support/temp_dir.h"

namespace lockstep::test {

// Returns a trace of two rows without identity.
inline std::string smallTrace(int rank = 0)
{
    const std::string start = std::to_string(1'700'000'000'000'000 + rank * 10);
    return R"({"traceEvents":[{"ph":"X","ts":)" + start +
           R"(,"dur":50,"pid":1,"tid":1,"name":"aten::mm","cat":"cpu_op"},{"ph":"X","ts":)" + start +
           R"(,"dur":20,"pid":0,"tid":7,"name":"gemm_kernel","cat":"kernel","args":{"device":0,"stream":7}}]})";
}

// Writes roles "actor" and "critic", steps from 1. Returns their folder.
inline std::filesystem::path writeReportTree(const TempDir& folder, int ranks, int steps)
{
    for (const std::string role : {"actor", "critic"}) {
        for (int rank = 0; rank < ranks; ++rank) {
            for (int step = 1; step <= steps; ++step) {
                const std::string name = role + "_step" + std::to_string(step) + "_rank" +
                                         std::to_string(rank) + "-of-" + std::to_string(ranks) + "_pid" +
                                         std::to_string(100 + rank) + "_20261120143501123.json";
                folder.write(std::filesystem::path("profile") / role / name, smallTrace(rank));
            }
        }
    }
    return folder.path() / "profile";
}

} // namespace lockstep::test
