// SPDX-License-Identifier: Apache-2.0
// Memory pointing: what the histories of a scene's memory lanes say of a moment, a block or a kernel: the
// facts and lines behind cards and the Details panel. Pure; answers come from the replays that the lanes draw
// from. Times in and out are aligned.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/progress.h"
#include "core/scene/scene.h"
#include "core/timeline/hit_test.h"
#include "core/timeline/selection.h"

namespace lockstep {

// The history of one device of one report, where a lane shows it. Holds as long as the scene.
struct MemoryPlace {
    uint32_t lane = kNoLane;
    const RowSource* source = nullptr; // of the lane
    const Report* report = nullptr;
    const ReportMemory* memory = nullptr;
    const ClockMap* map = nullptr;

    const DeviceReplay& device() const { return memory->replay.devices[source->memoryDevice]; }
    const DeviceMemory& levels() const { return memory->devices[source->memoryDevice]; }
    MemoryAxis axis() const { return memory->axis(source->memoryDevice, source->extent); }
    MemoryMoment momentAt(TraceTime aligned) const { return axis().momentAt(map->traceFromAligned(aligned)); }
    TraceTime timeOf(MemoryMoment moment) const { return map->alignedFromTrace(axis().timeOf(moment)); }
};

// Of a lane's sources the one of that report; empty where the lane shows none.
std::optional<MemoryPlace> memoryPlaceOf(const Scene& scene, uint32_t lane, ReportKey report);
// That shows a block; empty where none does.
std::optional<MemoryPlace> memoryPlaceOf(const Scene& scene, const BlockRef& block);
// The histories of the GPU that a track lies on, in the order of their lanes.
std::vector<MemoryPlace> memoryBeside(const Scene& scene, TrackRef track);

// Of the active blocks of a group (kMemoryGroups: of all) the largest, of equal ones the first born. Empty
// where none is active. O(blocks).
std::optional<BlockLifeId> largestBlock(const MemoryPlace& place, MemoryMoment moment, uint8_t group,
                                        MemoryLook look);

// What a click on a memory lane selects: the largest block of the area under it, at the moment that the pixel
// shows. Invalid elsewhere.
BlockRef blockAt(const Scene& scene, const DisplayList& list, const Hit& hit);

// What a group is called: a category, or a stack by its innermost frames; "other stacks".
std::string memoryGroupName(const MemoryPlace& place, uint8_t group, MemoryLook look);
// The category that colours it.
SliceCategory memoryGroupColor(const MemoryPlace& place, uint8_t group, MemoryLook look);

// "folder/file.py:12 function", innermost first; at most `most` frames, then how many more there are. Of no
// stack one line that says so. Of paths the last two parts, or all.
std::vector<std::string> stackLines(const MemoryPlace& place, MemoryStackId stack, size_t most,
                                    bool hasWholePaths = false);

// A fact and its words, for cards and panels.
struct MemoryFact {
    std::string name;
    std::string value;
};
// Size, asked for, when born and freed, age, address, pool, stream, user metadata, flags of doubt.
std::vector<MemoryFact> blockFacts(const MemoryPlace& place, BlockLifeId life);

// When a block lives, aligned, [born, freed): to the end of what is known where it is never freed, from its
// beginning where it was there before. Empty where the file has no times.
std::optional<TimeRange> lifeOf(const MemoryPlace& place, BlockLifeId life);

// The kernels of one report on the block's GPU that run while it lives.
struct KernelsOfLife {
    ReportKey report;
    uint64_t count = 0;
    SliceRef first, last; // by their starts
    Duration busy;        // the union of their times within the life
};
// By report, so that two tools that saw the same kernel do not count it twice. O(slices of the GPU's tracks).
// canceled is the only error.
Result<std::vector<KernelsOfLife>> kernelsDuring(const Scene& scene, const BlockRef& block,
                                                 const Progress& progress);

// Where in a history a slice starts.
struct MomentAtStart {
    MemoryPlace place;
    MemoryMoment moment = 0;
    std::string doubt;    // what keeps the answer from being sure; may be empty
    bool isKnown = false; // false: doubt says why there is no answer
};
// For each history of the GPU that the slice ran on; empty for what is not on a GPU that has one. O(lanes).
std::vector<MomentAtStart> momentsAtStart(const Scene& scene, SliceRef slice);

// Live memory when a slice starts.
struct MemoryAtStart {
    std::string of;       // the lane
    std::string doubt;    // what keeps the answer from being sure; may be empty
    bool isKnown = false; // false: doubt says why there is no answer
    MemoryLevels levels;
    struct Part {
        std::string stack; // its innermost frames
        int64_t size_bytes = 0;
        uint64_t blocks = 0;
    };
    std::vector<Part> parts; // the largest, then the rest; they add up to the active bytes
};
inline constexpr size_t kMostStackParts = 10; // besides the rest
// For each history of the GPU that the slice ran on; empty for what is not on a GPU that has one.
std::vector<MemoryAtStart> memoryAtStart(const Scene& scene, SliceRef slice);

} // namespace lockstep
