// SPDX-License-Identifier: Apache-2.0
// The names that nsys stats uses for GPU work and API calls; shared by the tables in this folder.
#pragma once

#include <string>
#include <string_view>

#include "core/analysis/summary.h"

namespace lockstep {

inline constexpr AnalysisArgument kBaseArgument{"base", "group kernels by base name, without parameters"};

// Row kinds for the rows in CUPTI_ACTIVITY_KIND_RUNTIME. nsys stats counts every such row as an API call,
// regardless of its eventClass. Among rows of kind span, only those in SliceCategory::cudaApi belong to this
// table; see ApiCallOrNoSpan.
inline constexpr RowKinds kCudaApiKinds = rowKinds({RowKind::runtimeApi, RowKind::driverApi, RowKind::span});
// Returns false for spans unrelated to CUDA; used by pickSlices() with kCudaApiKinds.
struct ApiCallOrNoSpan {
    bool operator()(const Report& report, SliceId slice) const
    {
        return report.slices.kind[slice.value] != RowKind::span ||
               report.slices.category[slice.value] == SliceCategory::cudaApi;
    }
};

// Whether the base name of a kernel is requested (":base"); otherwise its full demangled name is used.
struct KernelNames {
    bool areBase = false;

    // Returns the StringId of the name under which a kernel is listed.
    uint64_t key(const Report& report, SliceId kernel) const;
};

// Returns the kind of a copy or memset; unknown if the file does not record it.
CopyKind copyKindOf(const Report& report, SliceId operation);

// Returns a call's name without its ABI suffix: nsys stats drops the last 6 characters if they are "_v" and
// four digits, so "cudaMemcpyAsync_v3020" loses its suffix and "cudaStreamGetCaptureInfo_v2_v11030" does not.
std::string_view apiNameWithoutVersion(std::string_view name);

// Reports work that the table does not show. Adds a rule if reports in the workspace record whole graphs
// instead of single kernels. If no report has a kernel, sets the reason for the empty table.
void noteWholeGraphs(Table& table, const Workspace& workspace);

// Reports calls that are counted twice. Adds a rule if reports in the workspace contain calls that were
// recorded a second time with their backtraces.
void noteBacktraces(Table& table, const Workspace& workspace);

} // namespace lockstep
