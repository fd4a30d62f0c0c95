// SPDX-License-Identifier: Apache-2.0
// A small report of one rank, written manually, for tests of tables. Times in ns on the clock of the report.
//   GPU 0, stream 7:  gemm(float*) 100..400 and 1000..1200, ncclAllReduce 500..700
//            stream 13: copy to the device 0..50 (3000 bytes), memset 60..70 (1000 bytes)
//   thread 1: cudaLaunchKernel_v7000 90..95, 990..995, cudaMemcpyAsync_v3020 -10..0, cuLaunchKernel 480..490
//             NVTX default domain: step 0..1300 > forward 80..600; domain NCCL: push/pop ncclAllReduce
//             470..495 NVTX start/end "epoch" from 50, never closed; OS runtime: poll 0..40, poll 100..160,
//             read 50..60
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "core/trace/report.h"

namespace lockstep::test {

struct JobReportFacts {
    std::string path = "rank0.sqlite";
    std::optional<int> rank = {};
    std::string host = {};
    std::string role = {};
    std::optional<int64_t> utcAtZero_ns = {};
    int64_t scale = 1; // factor for every duration and start
};

std::shared_ptr<const Report> jobReport(const JobReportFacts& facts);

} // namespace lockstep::test
