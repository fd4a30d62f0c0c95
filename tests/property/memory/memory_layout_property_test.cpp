// SPDX-License-Identifier: Apache-2.0
// Compares the areas over time of blocks, stacks, categories and segments, and the envelopes of pools, column
// by column, with a plain count over the replay's blocks.
#include <map>

#include "core/memory/memory_layout.h"
#include "core/memory/pool_envelopes.h"
#include "tests/support/random_replay.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using lockstep::test::RandomReplay;

namespace {

// Returns the active bytes by group at a moment.
std::map<uint32_t, int64_t> plainGroups(const RandomReplay& view, MemoryGrouping by, MemoryMoment moment,
                                        const std::vector<MemoryCategory>& categories)
{
    std::map<uint32_t, int64_t> out;
    for (uint32_t life = 0; life < view.device().blocks.size(); ++life) {
        if (!view.device().blocks.isActiveAt(life, moment)) continue;
        const MemoryStackId stack = view.device().blocks.stack[life];
        uint32_t key = life;
        if (by == MemoryGrouping::stack) key = stack.isValid() ? stack.value : kNoStackKey;
        if (by == MemoryGrouping::category) key = static_cast<uint32_t>(categoryOf(categories, stack));
        out[key] += view.sizeAt(life);
    }
    return out;
}

std::vector<MemoryCategory> someCategories(const MemorySnapshot& snapshot)
{
    std::vector<MemoryCategory> out;
    for (size_t stack = 0; stack < snapshot.stackCount(); ++stack)
        out.push_back(static_cast<MemoryCategory>(stack % 4));
    return out;
}

void checkColumn(const RandomReplay& view, const MemoryLayoutRequest& request, const MemoryLayout& layout,
                 size_t column, const std::vector<MemoryCategory>& categories)
{
    MemoryMoment best = request.columns[column].first;
    for (MemoryMoment m = best; m <= request.columns[column].last; ++m) {
        if (view.device().levelsAt(m).active > view.device().levelsAt(best).active) best = m;
    }
    RC_ASSERT(layout.moments[column] == best);
    auto groups = plainGroups(view, request.by, best, categories);
    int64_t height = 0;
    for (const MemoryArea& area : layout.stack.areas) {
        if (column < area.firstColumn || column >= area.firstColumn + area.columnCount) {
            RC_ASSERT(groups.count(area.key) == 0u);
            continue;
        }
        const size_t point = area.firstPoint + column - area.firstColumn;
        RC_ASSERT(layout.stack.offset_bytes[point] == height);
        height += layout.stack.size_bytes[point];
        if (area.key == kRestKey) {
            int64_t rest = 0;
            for (const auto& [key, size] : groups)
                rest += size;
            RC_ASSERT(layout.stack.size_bytes[point] == rest);
            continue;
        }
        RC_ASSERT(layout.stack.size_bytes[point] == groups[area.key]);
        RC_ASSERT(area.most_bytes >= groups[area.key]);
        groups.erase(area.key);
    }
    RC_ASSERT(height == layout.levels[column].active);
    RC_ASSERT(layout.levels[column] == view.device().levelsAt(best));
    if (height == 0) return;
    const int64_t at = height / 2;
    const auto hit = layout.stack.areaAt(column, at);
    RC_ASSERT(hit.has_value());
    const size_t point = layout.stack.areas[*hit].firstPoint + column - layout.stack.areas[*hit].firstColumn;
    RC_ASSERT(layout.stack.offset_bytes[point] <= at &&
              at < layout.stack.offset_bytes[point] + layout.stack.size_bytes[point]);
    RC_ASSERT(!layout.stack.areaAt(column, height).has_value());
}

} // namespace

class MemoryLayoutPropertyTest : public QObject {
    Q_OBJECT

  private slots:
    void areasAddUp()
    {
        QVERIFY(rc::check("areas of each column", [] {
            RandomReplay view(150);
            const auto categories = someCategories(*view.snapshot);
            MemoryLayoutRequest request;
            const MemoryMoment first = view.moment();
            const MemoryMoment last = std::max(first, view.moment());
            const size_t columns = 1 + view.random() % 60;
            request.columns = columnsOfMoments(first, last, columns);
            RC_ASSERT(request.columns.front().first == first && request.columns.back().last == last);
            if (view.random() % 2 == 0) {
                const int64_t begin_ns = *view.device().timeOf(*view.snapshot, 0) - 5000;
                const int64_t end_ns =
                    *view.device().timeOf(*view.snapshot, view.device().lastMoment()) + 5000;
                request.columns =
                    columnsOfTime(view.device(), *view.snapshot, {{begin_ns}, {end_ns}}, columns);
                RC_ASSERT(request.columns.back().last == view.device().lastMoment());
            }
            request.by = static_cast<MemoryGrouping>(view.random() % 3);
            request.limits.mostAreas = view.random() % 30;
            if (view.random() % 3 == 0) request.limits.mostPoints = view.random() % 200;
            const MemoryLayout layout = layOutMemory(view.device(), request, categories, Progress()).value();
            for (size_t column = 0; column < columns; ++column)
                checkColumn(view, request, layout, column, categories);
            RC_ASSERT(layout.stack.areas.size() <= request.limits.mostAreas + 1);
            RC_ASSERT(layout.stack.size_bytes.size() <= request.limits.mostPoints + columns);
        }));
    }

    void segmentsAddUp()
    {
        QVERIFY(rc::check("segments of each column", [] {
            RandomReplay view(150);
            MemoryLayoutRequest request;
            request.columns = columnsOfMoments(0, view.device().lastMoment(), 1 + view.random() % 40);
            request.limits.mostAreas = view.random() % 20;
            const MemoryLayout layout = layOutSegments(view.device(), request, Progress()).value();
            for (size_t column = 0; column < layout.moments.size(); ++column) {
                int64_t most = 0, height = 0;
                for (MemoryMoment m = request.columns[column].first; m <= request.columns[column].last; ++m)
                    most = std::max(most, view.device().levelsAt(m).reserved);
                RC_ASSERT(layout.levels[column].reserved == most);
                for (const MemoryArea& area : layout.stack.areas) {
                    const bool isHere =
                        column >= area.firstColumn && column < area.firstColumn + area.columnCount;
                    if (area.key != kRestKey) {
                        const SegmentLife& life = view.device().segments.lives[area.key];
                        RC_ASSERT(isHere == life.isReservedAt(layout.moments[column]));
                        RC_ASSERT(area.most_bytes == int64_t(life.size_bytes));
                    }
                    if (isHere)
                        height += layout.stack.size_bytes[area.firstPoint + column - area.firstColumn];
                }
                RC_ASSERT(height == most);
            }
        }));
    }

    void poolsAreCounted()
    {
        QVERIFY(rc::check("envelopes of pools", [] {
            RandomReplay view(120);
            std::vector<MemoryMoment> moments;
            for (MemoryMoment m = 0; m <= view.device().lastMoment(); ++m)
                moments.push_back(m);
            const auto envelopes = poolEnvelopes(view.replay, view.device(), moments);
            std::map<std::pair<uint64_t, uint64_t>, int64_t> most;
            for (const MemoryMoment moment : moments) {
                std::map<std::pair<uint64_t, uint64_t>, std::pair<int64_t, int64_t>>
                    plain; // reserved, active
                for (const SegmentLife& life : view.device().segments.lives) {
                    if (!life.isReservedAt(moment) || life.dumpSegment == 0xFFFFFFFFu) continue;
                    const uint64_t pool = view.snapshot->segments.pool[life.dumpSegment][0];
                    if (pool == 0) continue;
                    auto& [reserved, active] = plain[{pool, life.stream}];
                    reserved += int64_t(life.size_bytes);
                    for (const BlockLifeId block : view.device().activeAt(moment)) {
                        const uint64_t address = view.device().blocks.address[block.value];
                        if (address >= life.address && address < life.end())
                            active += view.sizeAt(block.value);
                    }
                }
                for (const auto& [key, levels] : plain)
                    most[key] = std::max({most[key], levels.first, levels.second});
                for (const PoolEnvelope& envelope : envelopes) {
                    const std::pair<uint64_t, uint64_t> key{envelope.pool[0], envelope.stream};
                    RC_ASSERT(envelope.height_bytes[moment] == most[key]);
                    RC_ASSERT(envelope.active_bytes[moment] == plain[key].second);
                }
            }
        }));
    }

    void freeMemoryShowsItsPeak()
    {
        QVERIFY(rc::check("unused", [] {
            RandomReplay view(200);
            const auto columns = columnsOfMoments(0, view.device().lastMoment(), 1 + view.random() % 40);
            const MemoryLayout layout = layOutUnused(view.device(), {columns, {}, {}}, Progress()).value();
            for (size_t column = 0; column < columns.size(); ++column) {
                MemoryMoment most = columns[column].first;
                for (MemoryMoment m = most; m <= columns[column].last; ++m) {
                    if (view.device().levelsAt(m).unused() > view.device().levelsAt(most).unused()) most = m;
                }
                const MemoryLevels levels = view.device().levelsAt(most);
                RC_ASSERT(layout.moments[column] == most && layout.levels[column] == levels);
                const size_t free = layout.stack.areas[kUnusedKey].firstPoint + column;
                RC_ASSERT(layout.stack.size_bytes[column] == levels.active);
                RC_ASSERT(layout.stack.offset_bytes[free] == levels.active);
                RC_ASSERT(layout.stack.size_bytes[free] == std::max<int64_t>(0, levels.unused()));
            }
        }));
    }
};

LOCKSTEP_TEST(MemoryLayoutPropertyTest, "memory_layout_property_test")
#include "memory_layout_property_test.moc"
