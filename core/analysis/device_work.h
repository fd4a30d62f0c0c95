// SPDX-License-Identifier: Apache-2.0
// DeviceWork: what one process gave one device to do, in order: what utilisation, gaps and overlaps are
// counted from. Made for an analysis by deviceWorkInScope(); any thread.
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
    int64_t context = 0; // CUDA context id; 0 where contexts are unknown
};

struct DeviceWork {
    GroupKey group;
    ReportKey report;
    ProcessId process;
    DeviceId device;                         // invalid where the file does not say
    std::vector<DeviceOperation> operations; // by start, then row; instants are left out

    TimeRange extent() const; // first start to last end
    IntervalSet busy() const; // O(operations)
};

// Kernels, copies, memsets and whole graphs, unless `kinds` says otherwise; those that overlap `window` where
// the report has one, whole. Ordered by group, then as reports were opened, then by process and device.
inline constexpr RowKinds kDeviceWorkKinds =
    rowKinds({RowKind::kernel, RowKind::memcpy, RowKind::memset, RowKind::graphLaunch});
// window: on the report's clock; empty optional: all of it.
using ReportWindow = std::function<std::optional<TimeRange>(ReportKey)>;
Result<std::vector<DeviceWork>> deviceWorkInScope(const AnalysisRequest& request, RowKinds kinds,
                                                  const ReportWindow& window, const Progress& progress);

// The CUDA ordinal; empty where the file does not say.
std::optional<int64_t> ordinalOf(const Report& report, DeviceId device);

} // namespace lockstep
