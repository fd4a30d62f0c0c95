// SPDX-License-Identifier: Apache-2.0
// GpuProjection: projects an NVTX range onto the GPU. The projection extends from the start of the first to
// the end of the last GPU work that was launched within the range. Created for an analysis. Thread: any.
#pragma once

#include <vector>

#include "core/analysis/nvtx_ranges.h"

namespace lockstep {

struct ProjectedRange {
    NvtxRange range; // the range; its parent, level and children refer to projected ranges
    TimeRange projected;
    uint32_t operations = 0; // number of calls in the range that launched work
    SliceId first;           // the first work launched
};

struct GpuProjection {
    GroupKey group;
    ReportKey report;
    ProcessId process;
    ThreadId thread;
    std::vector<ProjectedRange> ranges; // sorted by start on the CPU; contains no ranges without GPU work
};

// For TableSource::whenEmpty.
inline constexpr const char* kNoProjections =
    "No NVTX range in scope contains a call with a recorded launch of kernels, copies or memsets.";

Result<std::vector<GpuProjection>> projectRanges(const AnalysisRequest& request, const Progress& progress);

} // namespace lockstep
