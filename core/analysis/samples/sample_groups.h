// SPDX-License-Identifier: Apache-2.0
// The group of a sample for --by: what the sample itself records, or its process. Pure. Thread: any.
#pragma once

#include <string>
#include <string_view>

#include "core/analysis/scope.h"

namespace lockstep {

// replica: of the sample, see RequestReplicas; "" if unknown.
inline GroupKey sampleGroupOf(GroupBy by, const Workspace& workspace, ReportKey key, const Sample& sample,
                              std::string_view replica)
{
    const auto text = [](std::string_view value) { return GroupKey{value.empty(), 0, std::string(value)}; };
    const auto number = [](int64_t value) {
        return GroupKey{value == kUnrecorded, value == kUnrecorded ? 0 : value, {}};
    };
    const Report& report = workspace.report(key);
    switch (by) {
    case GroupBy::replica:
        return text(replica);
    case GroupBy::version:
        return number(sample.firstVersion);
    case GroupBy::group:
        return text(sample.group.isValid() ? report.strings.at(sample.group) : std::string_view());
    case GroupBy::step:
        if (sample.step != kUnrecorded) return number(sample.step);
        [[fallthrough]];
    default:
        return groupKeyOf(by, workspace, key, sample.process);
    }
}

} // namespace lockstep
