// SPDX-License-Identifier: Apache-2.0
// The names under which nsys stats lists GPU work and API calls; shared by the tables of this folder.
#pragma once

#include <string>
#include <string_view>

#include "core/analysis/summary.h"

namespace lockstep {

inline constexpr AnalysisArgument kBaseArgument{"base", "group kernels by base name, without parameters"};

// Kinds of the rows of CUPTI_ACTIVITY_KIND_RUNTIME, of which nsys stats counts every one as an API call
// whatever its eventClass. Of kind span only those in SliceCategory::cudaApi are such rows: see
// ApiCallOrNoSpan.
inline constexpr RowKinds kCudaApiKinds = rowKinds({RowKind::runtimeApi, RowKind::driverApi, RowKind::span});
// False for spans that have nothing to do with CUDA; for pickSlices() with kCudaApiKinds.
struct ApiCallOrNoSpan {
    bool operator()(const Report& report, SliceId slice) const
    {
        return report.slices.kind[slice.value] != RowKind::span ||
               report.slices.category[slice.value] == SliceCategory::cudaApi;
    }
};

// The base name of a kernel is asked for (":base"); else its full, demangled name.
struct KernelNames {
    bool areBase = false;

    // StringId of the name under which a kernel is listed.
    uint64_t key(const Report& report, SliceId kernel) const;
};

// The copy kind of a copy or memset; unknown where the file states none.
CopyKind copyKindOf(const Report& report, SliceId operation);

// A call's name without its ABI suffix: nsys stats drops the last 6 characters when they are "_v" and four
// digits, so "cudaMemcpyAsync_v3020" loses it and "cudaStreamGetCaptureInfo_v2_v11030" does not.
std::string_view apiNameWithoutVersion(std::string_view name);

// A table that would hide work says so: adds a rule when reports in the workspace have whole graphs instead
// of kernels, and the reason for an empty table when no report has a kernel.
void noteWholeGraphs(Table& table, const Workspace& workspace);

// A table that counts calls twice says so: adds a rule when reports in the workspace hold calls once more, as
// their backtraces saw them.
void noteBacktraces(Table& table, const Workspace& workspace);

} // namespace lockstep
