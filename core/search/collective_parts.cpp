// SPDX-License-Identifier: Apache-2.0
#include "core/search/collective_parts.h"

#include <algorithm>

namespace lockstep {

namespace {

const CollectiveOp* statedOpOf(const Report& report, SliceId slice)
{
    const auto at = std::ranges::lower_bound(report.collectives, slice, {}, &CollectiveOp::slice);
    return at != report.collectives.end() && at->slice == slice ? &*at : nullptr;
}

bool isSameOp(const Report& report, const CollectiveOp& op, const Report& other, const CollectiveOp& there)
{
    const auto isSame = [&](StringId a, StringId b) {
        return a.isValid() && b.isValid() && report.strings.at(a) == other.strings.at(b);
    };
    const bool haveRanks = op.groupRanks.isValid() && there.groupRanks.isValid();
    return op.sequence == there.sequence && op.isPointToPoint == there.isPointToPoint &&
           isSame(op.group, there.group) && isSame(op.collective, there.collective) &&
           (!haveRanks || isSame(op.groupRanks, there.groupRanks));
}

} // namespace

CollectivePeers collectiveParts(const Scene& scene, SliceRef of)
{
    CollectivePeers out = peersOf(scene.shown, scene.alignment, of);
    const Report& report = scene.shown.report(of.report);
    const CollectiveOp* const op = statedOpOf(report, of.slice);
    const bool isStated = op != nullptr && op->group.isValid() && op->collective.isValid() &&
                          op->sequence != CollectiveOp::kAbsentCount;
    if (!out.parts.empty() || !isStated) return out;
    const Identity& own = scene.shown.identity(of.report);
    for (const ReportKey key : scene.shown.keys()) {
        const Report& other = scene.shown.report(key);
        const Identity& whose = scene.shown.identity(key);
        // Other jobs and other steps have their own numbering.
        if (whose.step.value != own.step.value || whose.role.value != own.role.value ||
            whose.run.value != own.run.value)
            continue;
        std::vector<SliceRef> same;
        for (const CollectiveOp& there : other.collectives) {
            if (isSameOp(report, *op, other, there)) same.push_back({key, there.slice});
        }
        if (same.size() == 1)
            out.parts.push_back(same.front()); // if there are several candidates, the part is unknown
    }
    return out;
}

} // namespace lockstep
