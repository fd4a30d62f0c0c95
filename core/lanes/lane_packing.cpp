// SPDX-License-Identifier: Apache-2.0
#include "core/lanes/lane_packing.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace lockstep {

namespace {

struct RowRange {
    TraceTime end;
    uint32_t height = 0;
    uint32_t row = 0;
};

uint32_t packRecordings(std::vector<LaneBlock>& blocks)
{
    std::vector<size_t> order(blocks.size());
    std::iota(order.begin(), order.end(), size_t(0));
    std::ranges::stable_sort(order, {}, [&](size_t i) { return blocks[i].extent.begin; });
    std::vector<RowRange> rowRanges;
    std::vector<size_t> rowRangeOf(blocks.size());
    for (const size_t i : order) {
        const LaneBlock& block = blocks[i];
        auto rowRange =
            std::ranges::find_if(rowRanges, [&](const RowRange& s) { return s.end <= block.extent.begin; });
        if (rowRange == rowRanges.end()) rowRange = rowRanges.insert(rowRange, RowRange());
        rowRange->end = std::max(block.extent.begin, block.extent.end);
        rowRange->height = std::max(rowRange->height, block.height);
        rowRangeOf[i] = static_cast<size_t>(rowRange - rowRanges.begin());
    }
    uint32_t rows = 0;
    for (RowRange& rowRange : rowRanges) {
        rowRange.row = rows;
        rows += rowRange.height;
    }
    for (size_t i = 0; i < blocks.size(); ++i)
        blocks[i].row = rowRanges[rowRangeOf[i]].row;
    return rows;
}

} // namespace

uint32_t packBlocks(std::vector<LaneBlock>& blocks)
{
    std::vector<LaneBlock> wholes;
    std::map<uint32_t, size_t> wholeOf; // by recording
    std::vector<size_t> places;
    for (const LaneBlock& block : blocks) {
        const auto [known, isNew] = block.recording == 0
                                        ? std::pair(wholeOf.end(), true)
                                        : wholeOf.try_emplace(block.recording, wholes.size());
        if (isNew) {
            places.push_back(wholes.size());
            wholes.push_back(block);
            continue;
        }
        LaneBlock& whole = wholes[known->second];
        whole.extent = {std::min(whole.extent.begin, block.extent.begin),
                        std::max(whole.extent.end, block.extent.end)};
        whole.height = std::max(whole.height, block.height);
        places.push_back(known->second);
    }
    const uint32_t rows = packRecordings(wholes);
    for (size_t i = 0; i < blocks.size(); ++i)
        blocks[i].row = wholes[places[i]].row;
    return rows;
}

} // namespace lockstep
