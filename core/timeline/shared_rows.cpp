// SPDX-License-Identifier: Apache-2.0
#include "core/timeline/shared_rows.h"

#include <map>
#include <tuple>

#include "core/timeline/lane_kind.h"

namespace lockstep {

void separateSharedRows(std::vector<DisplayRow>& rows)
{
    std::map<std::tuple<bool, uint32_t, int>, DisplayRow*> lastAt; // rows by place
    for (DisplayRow& row : rows) {
        const auto [entry, isFirst] = lastAt.try_emplace({row.isPinned, row.lane, row.y}, &row);
        if (isFirst) continue;
        DisplayRow& earlier = *entry->second;
        const int end = row.kind->endOf(earlier);
        if (end > 0) row.kind->separate(end - 1, earlier, row);
        // If many captures share one pixel, they become one column of the first capture.
        if (row.kind->endOf(row) > 0) entry->second = &row;
    }
}

} // namespace lockstep
