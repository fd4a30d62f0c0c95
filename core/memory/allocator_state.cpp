// SPDX-License-Identifier: Apache-2.0
#include "core/memory/allocator_state.h"

#include <algorithm>
#include <tuple>

#include "core/base/text.h"
#include "core/memory/allocations.h"

namespace lockstep {

namespace {

constexpr size_t kMaxHolders = 3;

std::vector<PlacedSegment> segmentsAt(const SegmentHistory& history, MemoryMoment moment)
{
    std::vector<PlacedSegment> out;
    for (const SegmentLife& life : history.lives) {
        if (!life.isReservedAt(moment)) continue;
        PlacedSegment segment;
        segment.address = life.address;
        segment.size_bytes = life.size_bytes;
        segment.stream = life.stream;
        segment.isExpandable = life.isExpandable;
        segment.dumpSegment = life.dumpSegment;
        out.push_back(segment);
    }
    std::ranges::sort(out, {}, &PlacedSegment::address);
    size_t kept = 0;
    for (const PlacedSegment& segment : out) {
        PlacedSegment* const last = kept > 0 ? &out[kept - 1] : nullptr;
        if (last != nullptr && last->isExpandable && segment.isExpandable && last->stream == segment.stream &&
            last->address + last->size_bytes == segment.address) {
            last->size_bytes += segment.size_bytes;
            last->dumpSegment = std::min(last->dumpSegment, segment.dumpSegment);
        } else {
            out[kept++] = segment;
        }
    }
    out.resize(kept);
    return out;
}

// Calls visit(size) for each gap between a segment's blocks, which are sorted by address.
template<class Visit>
void forEachGap(const PlacedSegment& segment, std::span<const PlacedBlock> blocks, Visit visit)
{
    uint64_t at = segment.address;
    for (const PlacedBlock& block : blocks) {
        if (block.address > at) visit(block.address - at);
        at = std::max(at, block.address + block.size_bytes);
    }
    const uint64_t end = segment.address + segment.size_bytes;
    if (end > at) visit(end - at);
}

// Assigns the segment's blocks, which begin at row `next`; returns the first row of the next segment.
size_t fillSegment(PlacedSegment& segment, std::span<const PlacedBlock> blocks, size_t next)
{
    segment.firstBlock = static_cast<uint32_t>(next);
    for (; next < blocks.size() && blocks[next].address - segment.address < segment.size_bytes; ++next) {
        segment.active_bytes += blocks[next].size_bytes;
        ++segment.blockCount;
    }
    forEachGap(segment, blocks.subspan(segment.firstBlock, segment.blockCount), [&](uint64_t size) {
        ++segment.gaps;
        segment.largestGap_bytes = std::max(segment.largestGap_bytes, size);
    });
    return next;
}

} // namespace

AllocatorState stateAt(const DeviceReplay& device, MemoryMoment moment)
{
    AllocatorState out;
    out.moment = moment;
    out.levels = device.levelsAt(moment);
    out.segments = segmentsAt(device.segments, moment);
    for (const BlockLifeId life : device.activeAt(moment)) {
        const size_t row = life.value;
        out.blocks.push_back({life, device.blocks.address[row], device.blocks.size_bytes[row],
                              device.blocks.requested_bytes[row],
                              device.blocks.freeRequested[row] <= moment});
    }
    std::ranges::stable_sort(out.blocks, {}, &PlacedBlock::address);
    const auto isInSegment = [&](const PlacedBlock& block) {
        const auto after = std::ranges::upper_bound(out.segments, block.address, {}, &PlacedSegment::address);
        if (after == out.segments.begin()) return false;
        const PlacedSegment& segment = *std::prev(after);
        return block.address - segment.address < segment.size_bytes;
    };
    const auto outsideSegments = std::ranges::stable_partition(out.blocks, isInSegment);
    out.outsideSegments = outsideSegments.size();
    size_t next = 0;
    const std::span placed(out.blocks.data(), out.blocks.size() - out.outsideSegments);
    for (PlacedSegment& segment : out.segments)
        next = fillSegment(segment, placed, next);
    return out;
}

Fragmentation fragmentationOf(const AllocatorState& state)
{
    Fragmentation out;
    out.moment = state.moment;
    double squares = 0;
    for (const PlacedSegment& segment : state.segments) {
        out.reserved_bytes += segment.size_bytes;
        out.gaps += segment.gaps;
        out.largestGap_bytes = std::max(out.largestGap_bytes, segment.largestGap_bytes);
        uint64_t free = 0;
        forEachGap(segment, state.blocksOf(segment), [&](uint64_t size) {
            free += size;
            squares += static_cast<double>(size) * static_cast<double>(size);
        });
        out.free_bytes += free;
        if (segment.blockCount > 0) out.pinned_bytes += free;
    }
    const auto reserved = static_cast<double>(out.reserved_bytes);
    out.gapConcentration = reserved > 0 ? squares / reserved / reserved : 0;
    return out;
}

Result<std::vector<Fragmentation>> fragmentationOverTime(const DeviceReplay& device,
                                                         std::span<const MemoryMoment> moments,
                                                         const Progress& progress)
{
    std::vector<Fragmentation> out;
    out.reserve(moments.size());
    for (const MemoryMoment moment : moments) {
        LOCKSTEP_TRY(progress.check());
        out.push_back(fragmentationOf(stateAt(device, std::min(moment, device.lastMoment()))));
    }
    return out;
}

std::vector<PinnedSegment> pinnedSegments(const AllocatorState& state)
{
    std::vector<PinnedSegment> out;
    for (size_t i = 0; i < state.segments.size(); ++i) {
        const PlacedSegment& segment = state.segments[i];
        if (segment.blockCount > 0 && segment.free_bytes() > 0)
            out.push_back({i, segment.free_bytes(), segment.active_bytes});
    }
    std::ranges::sort(out, [](const PinnedSegment& a, const PinnedSegment& b) {
        return std::tuple(b.free_bytes, a.segment) < std::tuple(a.free_bytes, b.segment);
    });
    return out;
}

std::vector<OutOfMemoryCause> outOfMemoryCauses(const AllocatorReplay& replay, const DeviceReplay& device,
                                                MemoryMoment after, size_t most)
{
    const MemoryEntryTable& entries = replay.snapshot->entries;
    std::vector<OutOfMemoryCause> out;
    for (MemoryMoment moment = after + 1; moment <= device.lastMoment() && out.size() < most; ++moment) {
        const uint32_t row = device.rows[moment - 1];
        if (entries.action[row] != MemoryAction::outOfMemory) continue;
        OutOfMemoryCause cause;
        cause.moment = moment;
        cause.requested_bytes = entries.size_bytes[row];
        cause.deviceFree_bytes = entries.address[row];
        cause.pool = fragmentationOf(stateAt(device, moment));
        for (const StackLevel& level : stackLevels(device, moment)) {
            if (cause.holders.size() == kMaxHolders) break;
            cause.holders.emplace_back(level.stack, level.size_bytes);
        }
        out.push_back(std::move(cause));
    }
    return out;
}

std::string outOfMemoryText(const OutOfMemoryCause& cause, const MemorySnapshot& snapshot,
                            const StringPool& strings)
{
    const auto bytes = [](uint64_t size) {
        return byteText(static_cast<int64_t>(std::min(size, kLargestTotal_bytes)));
    };
    std::string text =
        bytes(cause.requested_bytes) + " requested, " + bytes(cause.pool.free_bytes) + " free in the pool";
    if (cause.pool.gaps > 0) {
        text += " in " + groupedText(static_cast<int64_t>(cause.pool.gaps)) + " chunks, largest " +
                bytes(cause.pool.largestGap_bytes);
    }
    text += "; " + bytes(cause.deviceFree_bytes) + " free on the device";
    for (size_t i = 0; i < cause.holders.size(); ++i) {
        text += (i == 0 ? "; held by " : ", ") + stackText(snapshot, strings, cause.holders[i].first) + " " +
                byteText(cause.holders[i].second);
    }
    return text;
}

std::string stackText(const MemorySnapshot& snapshot, const StringPool& strings, MemoryStackId stack,
                      size_t most)
{
    const std::span<const MemoryFrameId> frames = snapshot.stack(stack);
    if (frames.empty()) return "no stack";
    // The line numbers of C++ frames are not useful to a user.
    const auto isPython = [&](MemoryFrameId id) {
        return strings.at(snapshot.frames[id.value].file).ends_with(".py");
    };
    const bool hasPython = std::ranges::any_of(frames, isPython);
    // Frames of the recorder and the interpreter are not part of the code that allocates.
    const auto isOwn = [&](MemoryFrameId id) { return !isInternalFrame(snapshot.frames[id.value], strings); };
    const bool hasOwn = std::ranges::any_of(frames, isOwn);
    std::string text;
    size_t shown = 0;
    for (const MemoryFrameId id : frames) {
        if (hasPython ? !isPython(id) : hasOwn && !isOwn(id)) continue;
        if (shown++ == most) break;
        const MemoryFrame& frame = snapshot.frames[id.value];
        text += text.empty() ? "" : " < ";
        if (const std::string_view file = strings.at(frame.file); !file.empty())
            text += std::string(file) + ":" + std::to_string(frame.line) + " ";
        text += strings.at(frame.function);
    }
    return text;
}

} // namespace lockstep
