// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/memory_tables/stack_tables.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>

#include "core/base/text.h"
#include "core/memory/allocations.h"
#include "core/memory/allocator_state.h"
#include "core/memory/memory_layout.h"

namespace lockstep {

namespace {

constexpr size_t kFramesOfRow = 3;

class StackTableBuilder {
  public:
    StackTableBuilder(const char* name, const char* title) : m_table(std::make_shared<Table>(name, title)) {}

    size_t bytes(const char* name, const char* doc)
    {
        return m_table->addColumn({name, "B", ColumnType::bytes, 0, doc});
    }
    size_t count(const char* name, const char* doc)
    {
        return m_table->addColumn({name, "", ColumnType::integer, 0, doc});
    }
    size_t percent(const char* name, const char* doc)
    {
        return m_table->addColumn({name, "%", ColumnType::percent, 1, doc});
    }
    size_t text(const char* name, const char* doc, bool isWide = false)
    {
        TableColumn column{name, "", ColumnType::text, 0, doc};
        column.isWide = isWide;
        return m_table->addColumn(std::move(column));
    }
    Table& table() { return *m_table; }
    Table* operator->() { return m_table.get(); }
    TablePtr take() { return std::move(m_table); }

  private:
    std::shared_ptr<Table> m_table;
};

int64_t permille(double part, double whole)
{
    return whole > 0 ? std::llround(1000 * part / whole) : 0;
}

// Shortens the path at the beginning of a stack frame's display string.
std::string_view withoutFolders(std::string_view path)
{
    constexpr std::string_view kPackages = "-packages/";
    if (const size_t at = path.find(kPackages); at != std::string_view::npos)
        return path.substr(at + kPackages.size());
    size_t slash = path.substr(0, path.find(':')).rfind('/');
    for (int kept = 1; kept < 3 && slash != std::string_view::npos && slash > 0; ++kept)
        slash = path.rfind('/', slash - 1);
    return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::string stackRowText(const MemoryView& view, MemoryStackId stack)
{
    return shortStackText(view.snapshot, view.strings, stack, kFramesOfRow);
}

std::string addressText(uint64_t address)
{
    std::ostringstream out;
    out << std::hex << address;
    return out.str();
}

} // namespace

std::string shortStackText(const MemorySnapshot& snapshot, const StringPool& strings, MemoryStackId stack,
                           size_t most)
{
    constexpr size_t kLongest = 2000, kLongestFrame = 160; // file names have no length limit
    constexpr std::string_view kBetween = " < ";
    const std::string whole = stackText(snapshot, strings, stack, most);
    std::string out;
    for (std::string_view rest = std::string_view(whole).substr(0, kLongest); !rest.empty();) {
        const size_t end = std::min(rest.size(), rest.find(kBetween));
        out += (out.empty() ? std::string_view() : kBetween);
        const std::string_view frame = withoutFolders(rest.substr(0, end));
        out += frame.substr(0, kLongestFrame);
        if (frame.size() > kLongestFrame) out += "\u2026";
        rest.remove_prefix(std::min(rest.size(), end + kBetween.size()));
    }
    return printable(out);
}

TablePtr stackUseTable(const MemoryView& view, std::vector<RowStack>* stacks)
{
    StackTableBuilder made("memory_by_stack", "Allocations by stack");
    const size_t peak = made.bytes("At peak", "active memory when total active memory peaks");
    const size_t share = made.percent("Share", "share of peak active memory");
    const size_t peakBlocks =
        made.count("Blocks at peak", "number of active blocks when total active memory peaks");
    const size_t blocks = made.count("Blocks", "allocations, including those from before recording");
    const size_t requested = made.bytes("Requested", "sum of the requested sizes of all allocations");
    const size_t most = made.bytes("Own peak", "the stack's own peak of active memory");
    const size_t left = made.bytes("Live at end", "allocated during the recording and still live at its end");
    const size_t stack = made.text("Stack", "innermost frames, from Python if it has any", true);
    made->markSums({"At peak", "Share", "Blocks at peak", "Blocks", "Requested", "Live at end"});
    const auto whole = static_cast<double>(view.device.peaks.active.levels.active);
    for (const StackUse& use : stackUses(view.device)) {
        made->addRow();
        made->setNumber(peak, use.peak_bytes);
        made->setNumber(share, permille(static_cast<double>(use.peak_bytes), whole));
        made->setNumber(peakBlocks, static_cast<int64_t>(use.peakBlocks));
        made->setNumber(blocks, static_cast<int64_t>(use.blocks));
        if (view.snapshot.recording(view.device.device).hasRequested)
            made->setNumber(requested, static_cast<int64_t>(use.requested_bytes));
        made->setNumber(most, use.most_bytes);
        made->setNumber(left, use.unfreed_bytes);
        made->setText(stack, stackRowText(view, use.stack));
        if (stacks != nullptr) stacks->push_back({use.stack});
    }
    return made.take();
}

TablePtr leakSuspectTable(const MemoryView& view, std::span<const MemoryMoment> steps, const TrendRule& rule,
                          std::vector<RowStack>* stacks)
{
    constexpr size_t kMaxSuspects = 100'000;
    StackTableBuilder made("memory_leak_suspects", "Leak suspects");
    const size_t growth = made.bytes("Growth", "growth from the end of the first step to the end of the "
                                               "last");
    const size_t slope = made.bytes("Per step", "slope of the least-squares line over the steps");
    const size_t error = made.bytes("Error", "standard error of the slope");
    const size_t rises = made.count("Rises", "number of steps after which memory rose");
    const size_t verdict = made.text("Trend", "leak: enough steps, and a slope above the threshold");
    const size_t unfreed = made.bytes("Never freed", "allocated during the recording and not freed in it");
    const size_t blocks = made.count("Blocks", "blocks never freed");
    const size_t stack = made.text("Stack", "innermost frames, from Python if it has any", true);
    made->markSums({"Growth", "Per step", "Never freed", "Blocks"});
    std::map<MemoryStackId, UnfreedStack> left;
    for (const UnfreedStack& each : unfreedStacks(view.device, {1, view.device.lastMoment() + 1}))
        left[each.stack] = each;
    const auto addLeft = [&](const UnfreedStack& each) {
        made->setNumber(unfreed, each.size_bytes);
        made->setNumber(blocks, static_cast<int64_t>(each.blocks));
        made->setText(stack, stackRowText(view, each.stack));
        if (stacks != nullptr) stacks->push_back({each.stack});
    };
    for (const GrowingStack& each : growingStacks(view.device, steps, 0, rule, kMaxSuspects)) {
        made->addRow();
        made->setNumber(growth, each.growth_bytes);
        made->setNumber(slope, std::llround(each.trend.slope_gbPerStep * 1e9));
        made->setNumber(error, std::llround(each.trend.slopeError_gbPerStep * 1e9));
        made->setNumber(rises, each.rises);
        made->setText(verdict, each.trend.isLeak             ? "leak"
                               : each.trend.hasEnoughSamples ? "no leak"
                                                             : "too few steps");
        const auto found = left.find(each.stack);
        addLeft(found == left.end() ? UnfreedStack{each.stack, 0, 0, 0, 0} : found->second);
        if (found != left.end()) left.erase(found);
    }
    std::vector<UnfreedStack> rest;
    for (const auto& [id, each] : left)
        rest.push_back(each);
    std::ranges::stable_sort(rest, std::greater(), &UnfreedStack::size_bytes);
    for (const UnfreedStack& each : rest) {
        made->addRow();
        addLeft(each);
    }
    return made.take();
}

TablePtr differenceTable(const MemoryView& before, const MemoryView& after, std::vector<RowStack>* stacks)
{
    StackTableBuilder made("memory_compare", "Growth by stack");
    const size_t change = made.bytes("Change", "after minus before");
    const size_t first = made.bytes("Before", "active memory before");
    const size_t last = made.bytes("After", "active memory after");
    const size_t firstBlocks = made.count("Blocks before", "active blocks before");
    const size_t lastBlocks = made.count("Blocks after", "active blocks after");
    const size_t stack = made.text("Stack", "innermost frames, from Python if it has any", true);
    made->markSums({"Change", "Before", "After", "Blocks before", "Blocks after"});
    for (const StackChange& each : snapshotDifference(before, after).stacks) {
        made->addRow();
        made->setNumber(change, each.change_bytes());
        made->setNumber(first, each.before_bytes);
        made->setNumber(last, each.after_bytes);
        made->setNumber(firstBlocks, static_cast<int64_t>(each.beforeBlocks));
        made->setNumber(lastBlocks, static_cast<int64_t>(each.afterBlocks));
        const bool isBefore = each.afterBlocks == 0;
        made->setText(stack, isBefore ? stackRowText(before, each.before) : stackRowText(after, each.after));
        if (stacks != nullptr) stacks->push_back({isBefore ? each.before : each.after, isBefore});
    }
    return made.take();
}

TablePtr imbalanceTable(std::span<const MemoryView> views, std::span<const std::string> names)
{
    StackTableBuilder made("memory_ranks", "Peaks by rank");
    const size_t name = made.text("Snapshot", "rank, host and device");
    const size_t active = made.bytes("Peak active", "peak of active memory");
    const size_t over =
        made.percent("Over mean", "difference from the mean of the active peaks of all snapshots");
    const size_t reserved = made.bytes("Peak reserved", "peak of memory reserved by the allocator");
    const size_t requested = made.bytes("Peak requested", "peak of requested memory");
    const size_t end = made.bytes("Active at end", "active at the end of the recording");
    // GPU memory is compared only with GPU memory.
    std::vector<MemoryView> compared;
    std::vector<size_t> viewIndex;
    for (size_t i = 0; i < views.size(); ++i) {
        const MemoryView& view = views[i];
        if (view.snapshot.subjectOf(view.device.device).kind != MemoryKind::device) continue;
        compared.push_back(view);
        viewIndex.push_back(i);
    }
    for (const RankMemory& rank : memoryImbalance(compared).ranks) {
        const DeviceReplay& device = compared[rank.view].device;
        made->addRow();
        made->setText(name, names[viewIndex[rank.view]]);
        made->setNumber(active, rank.peaks.active.levels.active);
        made->setNumber(over, std::llround(1000 * rank.excessOverMean));
        if (device.segments.isKnown) made->setNumber(reserved, rank.peaks.reserved.levels.reserved);
        if (compared[rank.view].snapshot.recording(device.device).hasRequested)
            made->setNumber(requested, rank.peaks.requested.levels.requested);
        made->setNumber(end, device.levelsAt(device.lastMoment()).active);
    }
    return made.take();
}

TablePtr pinnedSegmentTable(const MemoryView& view)
{
    StackTableBuilder made("memory_pinned", "Segments that live blocks prevent from being released");
    const size_t address = made.text("Segment", "start address, hexadecimal");
    const size_t free_ = made.bytes("Free in segment", "free bytes that cannot be released while blocks of "
                                                       "the segment are live");
    const size_t active = made.bytes("Active", "active bytes that prevent the release of the segment");
    const size_t share = made.percent("Free", "free share of the segment");
    const size_t blocks = made.count("Blocks", "active blocks in the segment");
    const size_t stack = made.text("Held by", "stack of the segment's largest block", true);
    made->markSums({"Free in segment", "Active", "Blocks"});
    const AllocatorState state = stateAt(view.device, view.moment);
    for (const PinnedSegment& pinned : pinnedSegments(state)) {
        const PlacedSegment& segment = state.segments[pinned.segment];
        const auto placed = state.blocksOf(segment);
        made->addRow();
        made->setText(address, addressText(segment.address));
        made->setNumber(free_, static_cast<int64_t>(pinned.free_bytes));
        made->setNumber(active, static_cast<int64_t>(pinned.active_bytes));
        made->setNumber(
            share, permille(static_cast<double>(pinned.free_bytes), static_cast<double>(segment.size_bytes)));
        made->setNumber(blocks, segment.blockCount);
        const auto largest = std::ranges::max_element(placed, {}, &PlacedBlock::size_bytes);
        if (largest != placed.end())
            made->setText(stack, stackRowText(view, view.device.blocks.stack[largest->life.value]));
    }
    return made.take();
}

Result<TablePtr> fragmentationTable(const MemoryView& view, size_t columns, const Progress& progress)
{
    StackTableBuilder made("memory_fragmentation", "Free pool memory over time");
    const size_t entry = made.count("Entry", "number of history entries up to this point");
    const size_t reserved = made.bytes("Reserved", "reserved by the allocator");
    const size_t unused = made.bytes("Free", "free in the pool, in chunks between blocks");
    const size_t share = made.percent("Share", "free memory as a share of reserved memory");
    const size_t largest = made.bytes("Largest free chunk", "largest request that fits without new memory");
    const size_t gaps = made.count("Free chunks", "number of free chunks");
    const size_t pinned = made.bytes("Pinned", "free bytes in segments that a live block prevents from "
                                               "being released");
    std::vector<MemoryMoment> moments;
    for (const MemoryColumn& column : columnsOfMoments(0, view.device.lastMoment(), columns))
        if (moments.empty() || column.last > moments.back()) moments.push_back(column.last);
    for (const Fragmentation& at : LOCKSTEP_TRY(fragmentationOverTime(view.device, moments, progress))) {
        made->addRow();
        made->setNumber(entry, at.moment);
        made->setNumber(reserved, static_cast<int64_t>(at.reserved_bytes));
        made->setNumber(unused, static_cast<int64_t>(at.free_bytes));
        made->setNumber(share,
                        permille(static_cast<double>(at.free_bytes), static_cast<double>(at.reserved_bytes)));
        made->setNumber(largest, static_cast<int64_t>(at.largestGap_bytes));
        made->setNumber(gaps, static_cast<int64_t>(at.gaps));
        made->setNumber(pinned, static_cast<int64_t>(at.pinned_bytes));
    }
    return made.take();
}

TablePtr allocatorSettingTable(std::span<const Fact> facts)
{
    StackTableBuilder made("memory_settings", "Allocator settings");
    const size_t name = made.text("Setting", "name in the file");
    const size_t value = made.text("Value", "value in the file", true);
    for (const auto& [key, text] : facts) {
        if (!key.starts_with("allocator")) continue;
        made->addRow();
        made->setText(name, key);
        made->setText(value, text);
    }
    return made.take();
}

} // namespace lockstep
