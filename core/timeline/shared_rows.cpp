// SPDX-License-Identifier: Apache-2.0
#include "core/timeline/shared_rows.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace lockstep {

namespace {

// Returns the pixel from which the later capture may begin: one more than the earlier one's last.
int endOf(const DisplayRow& row)
{
    int end = 0;
    if (!row.columns.empty()) end = row.columns.back().x + 1;
    if (!row.boxes.empty()) end = std::max(end, row.boxes.back().end);
    if (!row.samples.empty()) end = std::max(end, row.samples.back().x + 1);
    if (!row.memory.empty()) end = std::max(end, row.memory.back().x + 1);
    return end;
}

void addColumn(DenseColumn& to, const DenseColumn& from)
{
    if (from.occupancy > to.occupancy) to.category = from.category;
    to.occupancy = static_cast<uint8_t>(std::min(255, to.occupancy + from.occupancy));
    to.count += from.count;
}

// If the captures share pixel x, changes them so that they share no pixel.
void partAt(int x, DisplayRow& earlier, DisplayRow& later)
{
    SliceBox* const endingBox =
        !earlier.boxes.empty() && earlier.boxes.back().end > x ? &earlier.boxes.back() : nullptr;
    DenseColumn* const endingColumn =
        !earlier.columns.empty() && earlier.columns.back().x == x ? &earlier.columns.back() : nullptr;
    if (!later.columns.empty() && later.columns.front().x == x) {
        if (endingColumn != nullptr) {
            addColumn(*endingColumn, later.columns.front());
            later.columns.erase(later.columns.begin());
        } else if (endingBox != nullptr && endingBox->end - endingBox->begin > 1) {
            --endingBox->end;
        }
    }
    if (!later.boxes.empty() && later.boxes.front().begin == x &&
        (endingBox != nullptr || endingColumn != nullptr)) {
        SliceBox& box = later.boxes.front();
        if (box.end - box.begin > 1) {
            ++box.begin;
        } else if (endingBox != nullptr && endingBox->end == x + 1 && endingBox->end - endingBox->begin > 1) {
            --endingBox->end;
        }
    }
    if (!later.samples.empty() && !earlier.samples.empty() && later.samples.front().x == x &&
        earlier.samples.back().x == x) {
        CounterColumn& sample = earlier.samples.back();
        sample.min = std::min(sample.min, later.samples.front().min);
        sample.max = std::max(sample.max, later.samples.front().max);
        sample.last = later.samples.front().last;
        later.samples.erase(later.samples.begin());
    }
}

// If two histories meet in a pixel, the one with more active memory is shown.
void partMemoryAt(int x, DisplayRow& earlier, DisplayRow& later)
{
    if (later.memory.empty() || later.memory.front().x != x || earlier.memory.empty()) return;
    if (later.memory.front().tops.back() < earlier.memory.back().tops.back()) {
        earlier.memory.pop_back();
    } else {
        later.memory.erase(later.memory.begin());
    }
}

} // namespace

void partSharedRows(std::vector<DisplayRow>& rows)
{
    std::map<std::tuple<bool, uint32_t, int>, DisplayRow*> lastAt; // rows by place
    for (DisplayRow& row : rows) {
        const auto [entry, isFirst] = lastAt.try_emplace({row.isPinned, row.lane, row.y}, &row);
        if (isFirst) continue;
        DisplayRow& earlier = *entry->second;
        const int end = endOf(earlier);
        if (end > 0) partAt(end - 1, earlier, row);
        if (end > 0) partMemoryAt(end - 1, earlier, row);
        // If many captures share one pixel, they become one column of the first capture.
        if (endOf(row) > 0) entry->second = &row;
    }
}

} // namespace lockstep
