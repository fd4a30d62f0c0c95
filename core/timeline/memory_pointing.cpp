// SPDX-License-Identifier: Apache-2.0
#include "core/timeline/memory_pointing.h"

#include <algorithm>
#include <map>

#include "core/align/alignment_report.h"
#include "core/base/text.h"
#include "core/lanes/lane_label.h"
#include "core/lanes/memory_lanes.h"
#include "core/memory/allocations.h"

namespace lockstep {

namespace {

MemoryPlace placeAt(const Scene& scene, uint32_t lane, const RowSource& source)
{
    return {lane, &source, &scene.shown.report(source.report), scene.lods[source.report]->memory(),
            &scene.alignment.map(source.report)};
}

std::string bytesText(uint64_t size_bytes)
{
    return byteText(static_cast<int64_t>(std::min<uint64_t>(size_bytes, INT64_MAX)));
}

std::string countText(uint64_t count, std::string_view one)
{
    return groupedText(static_cast<int64_t>(count)) + " " + std::string(one) + (count == 1 ? "" : "s");
}

// Returns the GPU lane that contains a lane, or kNoLane.
uint32_t gpuAbove(const LaneTree& tree, uint32_t lane)
{
    while (lane != kNoLane && tree.lane(lane).subject != LaneSubject::gpu)
        lane = tree.parentOf(lane);
    return lane;
}

} // namespace

std::optional<MemoryPlace> memoryPlaceOf(const Scene& scene, uint32_t lane, ReportKey report)
{
    if (lane >= scene.tree->size()) return std::nullopt;
    for (const RowSource& source : scene.tree->lane(lane).sources) {
        if (source.kind == RowSource::Kind::memory && source.report == report)
            return placeAt(scene, lane, source);
    }
    return std::nullopt;
}

std::optional<MemoryPlace> memoryPlaceOf(const Scene& scene, const BlockRef& block)
{
    if (!block.isValid() || !scene.shown.has(block.report)) return std::nullopt;
    for (uint32_t lane = 0; lane < scene.tree->size(); ++lane) {
        if (!scene.tree->lane(lane).data.is<MemoryLaneData>()) continue;
        for (const RowSource& source : scene.tree->lane(lane).sources) {
            if (source.report != block.report || source.memoryDevice != block.device) continue;
            const MemoryPlace place = placeAt(scene, lane, source);
            if (block.life.value < place.device().blocks.size()) return place;
        }
    }
    return std::nullopt;
}

std::vector<MemoryPlace> gpuMemoryOf(const Scene& scene, TrackRef track)
{
    std::vector<MemoryPlace> out;
    const uint32_t gpu = gpuAbove(*scene.tree, scene.tree->laneOf(track));
    if (gpu == kNoLane) return out;
    for (const uint32_t child : scene.tree->childrenOf(gpu)) {
        if (!scene.tree->lane(child).data.is<MemoryLaneData>()) continue;
        for (const RowSource& source : scene.tree->lane(child).sources)
            out.push_back(placeAt(scene, child, source));
    }
    return out;
}

std::optional<BlockLifeId> largestBlock(const MemoryPlace& place, MemoryMoment moment, uint8_t group,
                                        MemoryLook look)
{
    const BlockLifeTable& blocks = place.device().blocks;
    const MemoryLod& lod = look == MemoryLook::stack ? place.levels().byStack : place.levels().byCategory;
    // Blocks are sorted by allocation.
    const auto end =
        static_cast<size_t>(std::ranges::upper_bound(blocks.allocated, moment) - blocks.allocated.begin());
    std::optional<BlockLifeId> best;
    for (size_t life = 0; life < end; ++life) {
        if (blocks.freed[life] <= moment) continue;
        if (group < kMemoryGroups && lod.groupOf(BlockLifeId(life)) != group) continue;
        if (!best || blocks.size_bytes[life] > blocks.size_bytes[best->value]) best = BlockLifeId(life);
    }
    return best;
}

namespace {

std::string frameText(const MemoryPlace& place, MemoryFrameId id, bool hasWholePath)
{
    const MemoryFrame& frame = place.memory->replay.snapshot->frames[id.value];
    std::string_view file = place.report->strings.at(frame.file);
    size_t slash = file.rfind('/');
    if (slash != file.npos && slash > 0) slash = file.rfind('/', slash - 1);
    if (slash != file.npos && !hasWholePath) file.remove_prefix(slash + 1);
    std::string text(file);
    if (frame.line > 0) text += ":" + std::to_string(frame.line);
    const std::string_view function = place.report->strings.at(frame.function);
    if (!function.empty()) text += (text.empty() ? "" : " ") + std::string(function);
    return text.empty() ? "unnamed frame" : text;
}

} // namespace

std::vector<std::string> stackLines(const MemoryPlace& place, MemoryStackId stack, size_t most,
                                    bool hasFullPaths)
{
    const auto frames = place.memory->replay.snapshot->stack(stack);
    if (frames.empty()) return {"no stack was recorded"};
    std::vector<std::string> lines;
    for (size_t i = 0; i < std::min(most, frames.size()); ++i)
        lines.push_back(frameText(place, frames[i], hasFullPaths));
    if (frames.size() > most) lines.push_back("\u2026 " + countText(frames.size() - most, "more frame"));
    return lines;
}

std::string memoryGroupName(const MemoryPlace& place, uint8_t group, MemoryLook look)
{
    if (look == MemoryLook::category)
        return std::string(memoryCategoryName(static_cast<MemoryCategory>(group)));
    const std::vector<MemoryStackId>& stacks = place.levels().stacks.stacks;
    if (group >= stacks.size()) return "other stacks";
    // A call in the program itself is more informative than the tensor operation that is the innermost frame.
    const auto frames = place.memory->replay.snapshot->stack(stacks[group]);
    for (const MemoryFrameId frame : frames) {
        const std::string_view file =
            place.report->strings.at(place.memory->replay.snapshot->frames[frame.value].file);
        if (file.ends_with(".py") && file.find("/torch/") == file.npos) return frameText(place, frame, false);
    }
    return frames.empty() ? "no stack" : frameText(place, frames.front(), false);
}

SliceCategory memoryGroupColor(const MemoryPlace& place, uint8_t group, MemoryLook look)
{
    auto category = static_cast<MemoryCategory>(group);
    if (look == MemoryLook::stack) {
        const std::vector<MemoryStackId>& stacks = place.levels().stacks.stacks;
        category = group < stacks.size() ? categoryOf(place.memory->categories, stacks[group])
                                         : MemoryCategory::other;
    }
    switch (category) {
    case MemoryCategory::weights:
        return SliceCategory::compute;
    case MemoryCategory::optimizer:
        return SliceCategory::synchronization;
    case MemoryCategory::gradients:
        return SliceCategory::cudaApi;
    case MemoryCategory::activations:
        return SliceCategory::communication;
    case MemoryCategory::kvCache:
        return SliceCategory::python;
    case MemoryCategory::communication:
        return SliceCategory::copyOnDevice;
    case MemoryCategory::other:
    case MemoryCategory::noStack:
    case MemoryCategory::count:
        break;
    }
    return SliceCategory::memset;
}

std::optional<TimeRange> lifeOf(const MemoryPlace& place, BlockLifeId life)
{
    const MemoryAxis axis = place.axis();
    if (axis.isByIndex()) return std::nullopt;
    const BlockLifeTable& blocks = axis.device.blocks;
    const TraceTime allocated = axis.timeOf(blocks.allocated[life.value]);
    const bool isFreed = !blocks.isNeverFreed(life.value);
    const TraceTime freed = isFreed ? axis.timeOf(blocks.freed[life.value]) : axis.extent.end;
    return place.map->alignedFromTrace(TimeRange{allocated, std::max(allocated + Duration{1}, freed)});
}

std::vector<MemoryFact> blockFacts(const MemoryPlace& place, BlockLifeId life)
{
    const DeviceReplay& device = place.device();
    const BlockLifeTable& blocks = device.blocks;
    const AllocatorReplay& replay = place.memory->replay;
    const size_t row = life.value;
    std::vector<MemoryFact> facts;
    const uint64_t size = blocks.size_bytes[row], requested = blocks.requested_bytes[row];
    facts.push_back(
        {"size",
         bytesText(size) + (size >= 1024 ? "  (" + groupedText(static_cast<int64_t>(size)) + " B)" : "")});
    if (requested != size) facts.push_back({"requested", bytesText(requested)});
    if ((blocks.flags[row] & blockFlag::kRest) != 0)
        facts.push_back({"uncertain", "not a single block: the file records only the total of this memory"});
    const MemoryRecording& recording = place.report->memory->recording(device.device);
    if (!recording.hasBlocks)
        facts.push_back({"uncertain", "share of a total: the file records no individual allocations"});
    if ((blocks.flags[row] & blockFlag::kSizeGuessed) != 0)
        facts.push_back({"uncertain", "may be up to 1 MiB larger: the file does not record the exact size"});
    const MemoryAxis axis = place.axis();
    const auto when = [&](MemoryMoment moment) {
        const std::string entry = "entry " + groupedText(moment) + " of " + groupedText(device.lastMoment());
        if (axis.isByIndex()) return entry;
        return durationText(place.timeOf(moment) - TraceTime{0}, 9) + "  (" + entry + ")";
    };
    facts.push_back(
        {"allocated", blocks.isPreexisting(row) ? "before the recording" : when(blocks.allocated[row])});
    const bool isFreeRequested = blocks.freeRequested[row] != kNeverFreed && blocks.freeRequested[row] != 0 &&
                                 blocks.freeRequested[row] != blocks.freed[row];
    if (isFreeRequested) facts.push_back({"free requested", when(blocks.freeRequested[row])});
    facts.push_back(
        {"freed", blocks.isNeverFreed(row) ? "not during the recording" : when(blocks.freed[row])});
    if ((blocks.flags[row] & blockFlag::kFreeGuessed) != 0)
        facts.push_back({"uncertain", "no free was recorded: its address was reused"});
    if (!axis.isByIndex()) {
        const bool isWhole = !blocks.isPreexisting(row) && !blocks.isNeverFreed(row);
        facts.push_back(
            {"lived", (isWhole ? "" : "at least ") + durationText(lifeOf(place, life)->length())});
    }
    std::array<char, 24> address{};
    std::snprintf(address.data(), address.size(), "0x%llx",
                  static_cast<unsigned long long>(blocks.address[row]));
    if (recording.hasAddresses && (blocks.flags[row] & blockFlag::kRest) == 0)
        facts.push_back({"address", address.data()});
    if (const auto stream = replay.streamOf(device, life))
        facts.push_back({"stream", *stream == 0 ? "default" : std::to_string(*stream)});
    if (const auto pool = replay.poolOf(device, life); pool && *pool != std::array<uint64_t, 2>{})
        facts.push_back({"private pool", std::to_string((*pool)[0]) + ", " + std::to_string((*pool)[1])});
    const auto addString = [&](const char* name, StringId text) {
        if (text != StringId(0u)) facts.push_back({name, std::string(place.report->strings.at(text))});
    };
    addString("user metadata", replay.metadataOf(device, life));
    addString("torch.compile frame", replay.compileContextOf(device, life));
    facts.push_back(
        {"category (guessed from the stack)",
         std::string(memoryCategoryName(categoryOf(place.memory->categories, blocks.stack[row])))});
    return facts;
}

Result<std::vector<KernelsOfLife>> kernelsDuring(const Scene& scene, const BlockRef& block,
                                                 const Progress& progress)
{
    std::vector<KernelsOfLife> out;
    const auto place = memoryPlaceOf(scene, block);
    const auto life = place ? lifeOf(*place, block.life) : std::nullopt;
    if (!life) return out;
    const uint32_t gpu = gpuAbove(*scene.tree, place->lane);
    if (gpu == kNoLane) return out;
    std::map<ReportKey, std::vector<SliceId>> kernels;
    for (const uint32_t child : scene.tree->childrenOf(gpu)) {
        for (const RowSource& source : scene.tree->lane(child).sources) {
            if (source.kind != RowSource::Kind::track) continue;
            LOCKSTEP_TRY(progress.check());
            const Report& report = scene.shown.report(source.report);
            const TimeRange range = scene.alignment.map(source.report).traceFromAligned(*life);
            const Track& track = report.track(source.track);
            const SliceTable& slices = report.slices;
            for (uint32_t i = 0; i < track.sliceCount; ++i) {
                const uint32_t slice = track.firstSlice.value + i;
                if (slices.start_ns[slice] >= range.end.ns) break; // sorted by start
                const int64_t end_ns = slices.start_ns[slice] + slices.duration_ns[slice];
                if (slices.kind[slice] != RowKind::kernel || end_ns <= range.begin.ns) continue;
                kernels[source.report].push_back(SliceId(slice));
            }
        }
    }
    for (auto& [key, found] : kernels) {
        const SliceTable& slices = scene.shown.report(key).slices;
        const TimeRange range = scene.alignment.map(key).traceFromAligned(*life);
        std::ranges::stable_sort(found, {}, [&](SliceId slice) { return slices.start_ns[slice.value]; });
        KernelsOfLife& of = out.emplace_back();
        of.report = key;
        of.count = found.size();
        of.first = {key, found.front()};
        of.last = {key, found.back()};
        int64_t reached = range.begin.ns;
        for (const SliceId slice : found) {
            const int64_t start = std::max(slices.start_ns[slice.value], reached);
            const int64_t end =
                std::min(slices.start_ns[slice.value] + slices.duration_ns[slice.value], range.end.ns);
            of.busy.ns += std::max<int64_t>(0, end - start);
            reached = std::max(reached, end);
        }
    }
    return out;
}

namespace {

std::string uncertaintyOf(const Scene& scene, const MemoryPlace& place, ReportKey other)
{
    if (place.source->report == other) return {};
    if (!place.map->isPlaced() || !scene.alignment.map(other).isPlaced())
        return "the clocks of the two files are not aligned with each other";
    const PairError error = scene.alignment.errorBetween(place.source->report, other);
    const auto limit_ns = error.guaranteed_ns ? error.guaranteed_ns : error.likely_ns;
    if (!limit_ns) return "the clock error between the two files is unknown";
    return *limit_ns == 0 ? "" : "the clocks of the two files agree within \u00B1 " + errorText(*limit_ns);
}

} // namespace

std::vector<MomentAtStart> momentsAtStart(const Scene& scene, SliceRef slice)
{
    std::vector<MomentAtStart> out;
    if (!scene.holds(slice)) return out;
    const Report& report = scene.shown.report(slice.report);
    const TraceTime start =
        scene.alignment.map(slice.report).alignedFromTrace(report.slices.start(slice.slice));
    for (const MemoryPlace& place : gpuMemoryOf(scene, {slice.report, report.trackOf(slice.slice)})) {
        MomentAtStart& at = out.emplace_back();
        at.place = place;
        const MemoryAxis axis = place.axis();
        const TraceTime time = place.map->traceFromAligned(start);
        if (axis.isByIndex()) {
            at.uncertainty = "the snapshot has no times: the blocks alive at that time are unknown";
        } else if (!axis.covers(time)) {
            at.uncertainty = time < axis.extent.begin
                                 ? "the slice starts before the snapshot's history begins"
                                 : "the slice starts after the snapshot was taken";
        } else {
            at.uncertainty = uncertaintyOf(scene, place, slice.report);
            at.isKnown = true;
            at.moment = axis.momentAt(time);
        }
    }
    return out;
}

std::vector<MemoryAtStart> memoryAtStart(const Scene& scene, SliceRef slice)
{
    std::vector<MemoryAtStart> out;
    for (const MomentAtStart& start : momentsAtStart(scene, slice)) {
        MemoryAtStart& at = out.emplace_back();
        at.of = scene.tree->lane(start.place.lane).label;
        at.uncertainty = start.uncertainty;
        at.isKnown = start.isKnown;
        if (!at.isKnown) continue;
        const DeviceReplay& device = start.place.device();
        at.levels = device.levelsAt(start.moment);
        MemoryAtStart::Part rest{"", 0, 0};
        uint64_t stacks = 0;
        for (const StackLevel& level : stackLevels(device, start.moment)) {
            if (at.parts.size() < kMaxStackParts) {
                at.parts.push_back(
                    {stackLines(start.place, level.stack, 1).front(), level.size_bytes, level.blocks});
                continue;
            }
            rest.size_bytes += level.size_bytes;
            rest.blocks += level.blocks;
            ++stacks;
        }
        if (stacks == 0) continue;
        rest.stack = countText(stacks, "other stack");
        at.parts.push_back(std::move(rest));
    }
    return out;
}

} // namespace lockstep
