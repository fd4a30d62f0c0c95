// SPDX-License-Identifier: Apache-2.0
#include "ui/models/alignment_choice.h"

namespace lockstep {

AlignmentChoice AlignmentChoice::renumbered(const std::map<ReportKey, ReportKey>& numbers) const
{
    AlignmentChoice out = *this;
    out.options.shifts_ns.clear();
    out.options.accepted.clear();
    out.locked.clear();
    for (const auto& [before, now] : numbers) {
        const auto shift = options.shifts_ns.find(before);
        if (shift != options.shifts_ns.end()) out.options.shifts_ns[now] = shift->second;
        const auto clock = options.accepted.find(before);
        if (clock != options.accepted.end()) out.options.accepted[now] = clock->second;
        if (locked.contains(before)) out.locked.insert(now);
    }
    return out;
}

void AlignmentChoice::forget(ReportKey key)
{
    options.shifts_ns.erase(key);
    options.accepted.erase(key);
    locked.erase(key);
}

} // namespace lockstep
