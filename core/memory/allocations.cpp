// SPDX-License-Identifier: Apache-2.0
#include "core/memory/allocations.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <unordered_map>

#include "core/base/text.h"
#include "core/memory/replay_watch.h"

namespace lockstep {

namespace {

// Returns the row of a stack. Row 0 is for blocks without a stack (an invalid ID is the maximum value, so
// adding 1 gives 0).
size_t slotOf(MemoryStackId stack)
{
    return static_cast<size_t>(stack.value + 1);
}

size_t slotCount(const BlockLifeTable& blocks)
{
    size_t slots = 1;
    for (const MemoryStackId stack : blocks.stack)
        slots = std::max(slots, slotOf(stack) + 1);
    return slots;
}

bool isIn(const std::vector<bool>& set, MemoryStackId stack)
{
    return stack.isValid() && stack.value < set.size() && set[stack.value];
}

} // namespace

std::vector<StackUse> stackUses(const DeviceReplay& device, const Progress& progress)
{
    ReplayWatch watch(progress, 0);
    const BlockLifeTable& blocks = device.blocks;
    std::vector<StackUse> uses(slotCount(blocks));
    std::vector<int64_t> now(uses.size(), 0);
    for (size_t life = 0; life < blocks.size(); ++life) {
        StackUse& use = uses[slotOf(blocks.stack[life])];
        const auto size = static_cast<int64_t>(blocks.size_bytes[life]);
        use.stack = blocks.stack[life];
        ++use.blocks;
        use.requested_bytes += blocks.requested_bytes[life];
        if (blocks.isActiveAt(life, device.peaks.active.moment)) {
            use.peak_bytes += size;
            ++use.peakBlocks;
        }
        if (!blocks.isPreexisting(life) && blocks.isNeverFreed(life)) {
            use.unfreed_bytes += size;
            ++use.unfreedBlocks;
        }
        if (blocks.isPreexisting(life)) now[slotOf(use.stack)] += size;
    }
    for (size_t slot = 0; slot < uses.size(); ++slot)
        uses[slot].most_bytes = now[slot];
    size_t implied = 0;
    for (MemoryMoment moment = 1; moment <= device.lastMoment(); ++moment) {
        if (watch.advanceAndCheckStop()) break;
        for (; implied < device.impliedFrees.size() && device.impliedFrees[implied].first == moment;
             ++implied) {
            const uint32_t ended = device.impliedFrees[implied].second;
            now[slotOf(blocks.stack[ended])] -= static_cast<int64_t>(blocks.size_bytes[ended]);
        }
        const BlockEvent event = device.eventAt(moment);
        if (!event.isAllocation && !event.isFree) continue;
        const size_t slot = slotOf(blocks.stack[event.life.value]);
        const auto size = static_cast<int64_t>(blocks.size_bytes[event.life.value]);
        now[slot] += event.isAllocation ? size : -size;
        if (now[slot] <= uses[slot].most_bytes) continue;
        uses[slot].most_bytes = now[slot];
        uses[slot].mostAt = moment;
    }
    std::erase_if(uses, [](const StackUse& use) { return use.blocks == 0; });
    std::ranges::sort(uses, [](const StackUse& a, const StackUse& b) {
        return std::tuple(b.peak_bytes, b.most_bytes, a.stack.value) <
               std::tuple(a.peak_bytes, a.most_bytes, b.stack.value);
    });
    return uses;
}

namespace {

class FlameMaker {
  public:
    FlameMaker(const MemorySnapshot& snapshot, const FlameRequest& request)
        : m_snapshot(snapshot), m_request(request)
    {
        m_nodes.emplace_back();
    }

    void add(const StackLevel& level)
    {
        const std::span<const MemoryFrameId> frames = m_snapshot.stack(level.stack);
        const bool isFound = std::ranges::any_of(frames, [&](MemoryFrameId frame) {
            return frame.value < m_request.isSearchedFor.size() && m_request.isSearchedFor[frame.value];
        });
        uint32_t node = 0;
        count(node, level, isFound);
        if (frames.empty()) count(node = childOf(node, MemoryFrameId()), level, isFound);
        const bool isAllKept = std::ranges::all_of(frames, [&](MemoryFrameId f) { return isOmitted(f); });
        for (size_t i = 0; i < frames.size(); ++i) {
            const MemoryFrameId frame = m_request.isInverted ? frames[i] : frames[frames.size() - 1 - i];
            if (isAllKept || !isOmitted(frame)) count(node = childOf(node, frame), level, isFound);
        }
    }

    // Reorders the nodes from breadth-first order so that siblings are adjacent and sorted by size.
    std::vector<FlameNode> finish()
    {
        std::vector<uint32_t> order(m_nodes.size());
        for (uint32_t i = 0; i < order.size(); ++i)
            order[i] = i;
        std::vector<uint32_t> place(m_nodes.size(), 0);
        std::vector<FlameNode> out;
        out.reserve(m_nodes.size());
        std::ranges::sort(order, {}, [&](uint32_t i) { return m_nodes[i].depth; });
        for (size_t begin = 0; begin < order.size();) {
            const uint32_t depth = m_nodes[order[begin]].depth;
            size_t end = begin;
            while (end < order.size() && m_nodes[order[end]].depth == depth)
                ++end;
            std::sort(order.begin() + static_cast<ptrdiff_t>(begin),
                      order.begin() + static_cast<ptrdiff_t>(end), [&](uint32_t a, uint32_t b) {
                          const FlameNode &x = m_nodes[a], &y = m_nodes[b];
                          return std::tuple(place[x.parent], y.size_bytes, x.frame.value) <
                                 std::tuple(place[y.parent], x.size_bytes, y.frame.value);
                      });
            for (; begin < end; ++begin) {
                place[order[begin]] = static_cast<uint32_t>(begin);
                FlameNode node = m_nodes[order[begin]];
                node.parent = place[node.parent];
                out.push_back(node);
            }
        }
        return out;
    }

  private:
    uint32_t childOf(uint32_t parent, MemoryFrameId frame)
    {
        const uint64_t key = uint64_t(parent) << 32 | frame.value;
        const auto [at, isNew] = m_children.try_emplace(key, static_cast<uint32_t>(m_nodes.size()));
        if (isNew) {
            FlameNode node;
            node.frame = frame;
            node.parent = parent;
            node.depth = m_nodes[parent].depth + 1;
            m_nodes.push_back(node);
        }
        return at->second;
    }

    bool isOmitted(MemoryFrameId frame) const
    {
        return frame.value < m_request.isOmitted.size() && m_request.isOmitted[frame.value];
    }

    void count(uint32_t node, const StackLevel& level, bool isFound)
    {
        if (!m_request.categories.empty()) {
            const MemoryCategory category = categoryOf(m_request.categories, level.stack);
            MemoryCategory& all = m_nodes[node].category;
            all = m_nodes[node].blocks == 0 || all == category ? category : MemoryCategory::count;
        }
        m_nodes[node].size_bytes += level.size_bytes;
        m_nodes[node].blocks += level.blocks;
        if (isFound) m_nodes[node].found_bytes += level.size_bytes;
    }

    const MemorySnapshot& m_snapshot;
    const FlameRequest& m_request;
    std::vector<FlameNode> m_nodes;
    std::unordered_map<uint64_t, uint32_t> m_children; // (parent, frame) -> node
};

} // namespace

std::vector<FlameNode> flameTree(const DeviceReplay& device, const MemorySnapshot& snapshot,
                                 const FlameRequest& request)
{
    FlameMaker maker(snapshot, request);
    for (const StackLevel& level : stackLevels(device, request.moment)) {
        if (request.isShown.empty() || isIn(request.isShown, level.stack)) maker.add(level);
    }
    return maker.finish();
}

std::vector<FlameFrame> framesOf(std::span<const FlameNode> nodes)
{
    std::vector<FlameFrame> frames;
    frames.reserve(nodes.size());
    for (const FlameNode& node : nodes)
        frames.push_back({node.parent, node.depth, node.size_bytes, node.blocks});
    return frames;
}

std::vector<bool> framesWith(const MemorySnapshot& snapshot, const StringPool& strings, std::string_view text)
{
    const std::string wanted = lowerAscii(text);
    std::vector<bool> out(snapshot.frames.size());
    for (size_t i = 0; i < out.size(); ++i) {
        const MemoryFrame& frame = snapshot.frames[i];
        const std::string line = std::string(strings.at(frame.file)) + ":" + std::to_string(frame.line) +
                                 " " + std::string(strings.at(frame.function));
        out[i] = lowerAscii(line).find(wanted) != std::string::npos;
    }
    return out;
}

bool isInternalFrame(const MemoryFrame& frame, const StringPool& strings)
{
    // The same rules as in torch/utils/viz/MemoryViz.js.
    constexpr std::array<std::string_view, 8> kFunctions{"unwind::unwind",  "CapturedTraceback::gather",
                                                         "gather_with_cpp", "_start",
                                                         "__libc_start",    "PyEval_",
                                                         "PyObject_",       "PyFunction_"};
    constexpr std::array<std::string_view, 10> kFiles{"core/boxing",
                                                      "/Register",
                                                      "/Redispatch",
                                                      "pythonrun.c",
                                                      "Modules/main.c",
                                                      "Objects/call.c",
                                                      "Objects/methodobject.c",
                                                      "pycore_ceval.h",
                                                      "ceval.c",
                                                      "cpython/abstract.h"};
    const std::string_view function = strings.at(frame.function), file = strings.at(frame.file);
    const auto begins = [&](std::string_view word) { return function.starts_with(word); };
    const auto holds = [&](std::string_view word) { return file.find(word) != std::string_view::npos; };
    // Matches symbols of the interpreter that have no line number, and source files of the interpreter.
    const auto isSource = [&](std::string_view folder) {
        return file.ends_with(".c") && file.find(folder) != std::string_view::npos;
    };
    const bool isInterpreter =
        (!file.ends_with(".py") && (begins("_Py") || begins("Py") || begins("__libc_"))) ||
        isSource("Python/") || isSource("Objects/") || isSource("Modules/");
    return isInterpreter || std::ranges::any_of(kFunctions, begins) || std::ranges::any_of(kFiles, holds) ||
           function.find("unwind::unwind") != std::string_view::npos ||
           function.find("CapturedTraceback::gather") != std::string_view::npos;
}

std::vector<bool> internalFrames(const MemorySnapshot& snapshot, const StringPool& strings)
{
    std::vector<bool> out(snapshot.frames.size());
    for (size_t i = 0; i < out.size(); ++i)
        out[i] = isInternalFrame(snapshot.frames[i], strings);
    return out;
}

std::vector<bool> stacksWith(const MemorySnapshot& snapshot, const std::vector<bool>& frames)
{
    std::vector<bool> out(snapshot.stackCount());
    for (size_t stack = 0; stack < out.size(); ++stack) {
        const auto frameIds = snapshot.stack(MemoryStackId(stack));
        out[stack] = std::ranges::any_of(frameIds, [&](MemoryFrameId frame) {
            return frame.value < frames.size() && frames[frame.value];
        });
    }
    return out;
}

MemoryPeak peakWithout(const DeviceReplay& device, const std::vector<bool>& isExcluded)
{
    const BlockLifeTable& blocks = device.blocks;
    MemoryLevels without; // levels without the excluded stacks
    const auto change = [&](uint32_t life, int64_t sign, bool isActive, bool isAllocated) {
        if (!isIn(isExcluded, blocks.stack[life])) return;
        const auto size = sign * static_cast<int64_t>(blocks.size_bytes[life]);
        if (isAllocated) without.allocated += size;
        if (!isActive) return;
        without.active += size;
        without.requested += sign * static_cast<int64_t>(blocks.requested_bytes[life]);
    };
    for (uint32_t life = 0; life < blocks.size() && blocks.isPreexisting(life); ++life)
        change(life, 1, true, blocks.freeRequested[life] > 0);
    std::optional<MemoryPeak> peak;
    size_t implied = 0;
    device.forEachMoment(0, device.lastMoment(), [&](MemoryMoment moment, MemoryLevels levels) {
        for (; implied < device.impliedFrees.size() && device.impliedFrees[implied].first == moment;
             ++implied) {
            const uint32_t ended = device.impliedFrees[implied].second;
            change(ended, -1, true, blocks.freeRequested[ended] == moment);
        }
        if (moment > 0) {
            const BlockEvent event = device.eventAt(moment);
            if (event.isAllocation) change(event.life.value, 1, true, true);
            if (event.isFree || event.isFreeRequest)
                change(event.life.value, -1, event.isFree, event.isFreeRequest);
        }
        levels.active -= without.active;
        levels.allocated -= without.allocated;
        levels.requested -= without.requested;
        if (!peak || levels.active > peak->levels.active) peak = MemoryPeak{moment, levels};
    });
    return *peak;
}

std::vector<StackLevel> stackLevels(const DeviceReplay& device, MemoryMoment moment)
{
    std::vector<StackLevel> levels(slotCount(device.blocks));
    for (const BlockLifeId life : device.activeAt(moment)) {
        const MemoryStackId stack = device.blocks.stack[life.value];
        StackLevel& level = levels[slotOf(stack)];
        level.stack = stack;
        level.size_bytes += static_cast<int64_t>(device.blocks.size_bytes[life.value]);
        ++level.blocks;
    }
    std::erase_if(levels, [](const StackLevel& level) { return level.blocks == 0; });
    std::ranges::sort(levels, [](const StackLevel& a, const StackLevel& b) {
        return std::tuple(b.size_bytes, a.stack.value) < std::tuple(a.size_bytes, b.stack.value);
    });
    return levels;
}

} // namespace lockstep
