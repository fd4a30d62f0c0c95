// SPDX-License-Identifier: Apache-2.0
// GpuProjection: an NVTX range as the GPU saw it: from the start of the first to the end of the last work
// that was launched within it. Made for an analysis; any thread.
#pragma once

#include <vector>

#include "core/analysis/nvtx_ranges.h"

namespace lockstep {

struct ProjectedRange {
    NvtxRange range; // parent, level and children among those that are projected
    TimeRange projected;
    uint32_t operations = 0; // calls within the range that launched something
    SliceId first;           // work
};

struct GpuProjection {
    GroupKey group;
    ReportKey report;
    ProcessId process;
    ThreadId thread;
    std::vector<ProjectedRange> ranges; // by begin on the CPU; those without GPU work are left out
};

// For TableSource::whenEmpty.
inline constexpr const char* kNoProjections =
    "No NVTX range in scope contains a call that is known to have launched kernels, copies or memsets.";

Result<std::vector<GpuProjection>> projectRanges(const AnalysisRequest& request, const Progress& progress);

} // namespace lockstep
