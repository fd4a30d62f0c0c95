// SPDX-License-Identifier: Apache-2.0
// DeviceWork: the work of one process on one device in chronological order. Utilization, gaps and overlaps
// are computed from it. Created for an analysis by deviceWorkInScope(). Thread: any.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "core/analysis/analysis.h"
#include "core/analysis/row_kinds.h"
#include "core/base/interval_set.h"

namespace lockstep {

struct DeviceOperation {
    TimeRange range; // on the report's clock
    SliceId slice;
    int64_t context = 0; // CUDA context ID; 0 if contexts are unknown
};

struct DeviceWork {
    GroupKey group;
    ReportKey report;
    ProcessId process;
    DeviceId device;                         // invalid if not recorded
    std::vector<DeviceOperation> operations; // sorted by start, then row; contains no instants

    TimeRange extent() const; // from the first start to the latest end
    IntervalSet busy() const; // O(operations)
};

// Collects kernels, copies, memsets and whole graphs, unless `kinds` selects others. If the report has a
// window, only operations that overlap it are included, without clipping. Sorted by group, then in the order
// in which reports were opened, then by process and device.
inline constexpr RowKinds kDeviceWorkKinds =
    rowKinds({RowKind::kernel, RowKind::memcpy, RowKind::memset, RowKind::graphLaunch});
// Returns the window on the report's clock; nullopt stands for the whole report.
using ReportWindow = std::function<std::optional<TimeRange>(ReportKey)>;
Result<std::vector<DeviceWork>> deviceWorkInScope(const AnalysisRequest& request, RowKinds kinds,
                                                  const ReportWindow& window, const Progress& progress);

// Returns the CUDA ordinal, or nullopt if it is not recorded.
std::optional<int64_t> ordinalOf(const Report& report, DeviceId device);

} // namespace lockstep
