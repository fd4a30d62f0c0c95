// SPDX-License-Identifier: Apache-2.0
#include "core/align/launch_operation.h"

#include <array>

namespace lockstep {

namespace {

struct RangeName {
    std::string_view range;
    std::string_view operation;
};

constexpr std::array kRangeNames{
    RangeName{"nccl:all_to_all", "all_to_all"},  RangeName{"c10d::alltoall_base_", "all_to_all"},
    RangeName{"c10d::alltoall_", "all_to_all"},  RangeName{"nccl:gather", "gather"},
    RangeName{"c10d::gather_", "gather"},        RangeName{"nccl:scatter", "scatter"},
    RangeName{"c10d::scatter_", "scatter"},      RangeName{"nccl:all_gather", "all_gather"},
    RangeName{"c10d::allgather_", "all_gather"},
};

constexpr std::array kKinds{TrackKind::ops, TrackKind::nvtx};

} // namespace

std::string_view groupOperationOf(std::string_view range)
{
    for (const RangeName& known : kRangeNames) {
        if (range == known.range) return known.operation;
    }
    return {};
}

LaunchOperation::LaunchOperation(const Report& report) : m_report(report), m_ranges(report, kKinds) {}

SliceId LaunchOperation::rangeOf(SliceId kernel)
{
    const Link* const launch = m_report.links.to(kernel);
    if (launch == nullptr) return {};
    const ThreadId thread = m_report.track(m_report.trackOf(launch->cause)).key.thread;
    if (!thread.isValid()) return {};
    for (const SliceId range : m_ranges.at(thread, m_report.slices.start(launch->cause).ns)) {
        const StringId name = m_report.slices.name[range.value];
        const auto [isNamed, isNew] = m_isNamed.try_emplace(name);
        if (isNew) isNamed->second = !groupOperationOf(m_report.strings.at(name)).empty();
        if (isNamed->second) return range;
    }
    return {};
}

} // namespace lockstep
