// SPDX-License-Identifier: Apache-2.0
// Memory pointing: details about a point in time, a block or a kernel, from the histories in a scene's memory
// lanes. Provides the properties and lines that hover cards and the Details panel show, from the same replays
// that the lanes draw. Input and output times are aligned. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/progress.h"
#include "core/lanes/lane_state.h"
#include "core/scene/scene.h"
#include "core/timeline/selection.h"

namespace lockstep {

// The history of one device in one report, with the lane that shows this history. Valid as long as the scene.
struct MemoryPlace {
    uint32_t lane = kNoLane;
    const RowSource* source = nullptr; // source within the lane
    const Report* report = nullptr;
    const ReportMemory* memory = nullptr;
    const ClockMap* map = nullptr;

    const DeviceReplay& device() const { return memory->replay.devices[source->memoryDevice]; }
    const DeviceMemory& levels() const { return memory->devices[source->memoryDevice]; }
    MemoryAxis axis() const { return memory->axis(source->memoryDevice, source->extent); }
    MemoryMoment momentAt(TraceTime aligned) const { return axis().momentAt(map->traceFromAligned(aligned)); }
    TraceTime timeOf(MemoryMoment moment) const { return map->alignedFromTrace(axis().timeOf(moment)); }
};

// Returns the history of this report in a lane; nullopt if the lane does not show the report.
std::optional<MemoryPlace> memoryPlaceOf(const Scene& scene, uint32_t lane, ReportKey report);
// Returns the history that contains a block; nullopt if no lane shows it.
std::optional<MemoryPlace> memoryPlaceOf(const Scene& scene, const BlockRef& block);
// Returns the histories for the GPU of a track, in lane order.
std::vector<MemoryPlace> gpuMemoryOf(const Scene& scene, TrackRef track);

// Returns the largest active block in a group (kMemoryGroups: in all groups); ties: the block that was
// allocated first. Returns nullopt if no block is active. O(blocks).
std::optional<BlockLifeId> largestBlock(const MemoryPlace& place, MemoryMoment moment, uint8_t group,
                                        MemoryLook look);

// Returns the name of a group: a category, a stack by its innermost frames, or "other stacks".
std::string memoryGroupName(const MemoryPlace& place, uint8_t group, MemoryLook look);
// Returns the category that determines the group's color.
SliceCategory memoryGroupColor(const MemoryPlace& place, uint8_t group, MemoryLook look);

// Returns "folder/file.py:12 function", innermost first, for at most `most` frames, followed by the number of
// remaining frames. If there is no stack, returns one line that states this. Paths are either complete or
// limited to their last two components.
std::vector<std::string> stackLines(const MemoryPlace& place, MemoryStackId stack, size_t most,
                                    bool hasFullPaths = false);

// A property and its value as strings, for hover cards and panels.
struct MemoryFact {
    std::string name;
    std::string value;
};
// Returns size, requested size, allocation and free times, age, address, pool, stream, and user metadata, and
// states which values are uncertain.
std::vector<MemoryFact> blockFacts(const MemoryPlace& place, BlockLifeId life);

// Returns the aligned lifetime [allocated, freed) of a block, limited to the recorded time. Returns nullopt
// if the file has no timestamps.
std::optional<TimeRange> lifeOf(const MemoryPlace& place, BlockLifeId life);

// The kernels in one report that run on the block's GPU during the block's lifetime.
struct KernelsOfLife {
    ReportKey report;
    uint64_t count = 0;
    SliceRef first, last; // sorted by start
    Duration busy;        // time during the lifetime in which at least one kernel was running
};
// Returns the kernels separately for each report, so that a kernel recorded by two tools is not counted
// twice. O(slices on the GPU's tracks). The only possible error is `canceled`.
Result<std::vector<KernelsOfLife>> kernelsDuring(const Scene& scene, const BlockRef& block,
                                                 const Progress& progress);

// The position in a history that corresponds to the start of a slice.
struct MomentAtStart {
    MemoryPlace place;
    MemoryMoment moment = 0;
    std::string uncertainty; // why the result is uncertain; may be empty
    bool isKnown = false;    // false: there is no result; `uncertainty` states the reason
};
// Returns one entry per history for the GPU that ran the slice; empty if there is none. O(lanes).
std::vector<MomentAtStart> momentsAtStart(const Scene& scene, SliceRef slice);

// Live memory at the time a slice starts.
struct MemoryAtStart {
    std::string of;          // label of the lane
    std::string uncertainty; // why the result is uncertain; may be empty
    bool isKnown = false;    // false: there is no result; `uncertainty` states the reason
    MemoryLevels levels;
    struct Part {
        std::string stack; // innermost frames
        int64_t size_bytes = 0;
        uint64_t blocks = 0;
    };
    std::vector<Part> parts; // the largest stacks, followed by the rest; all add up to the active memory
};
inline constexpr size_t kMaxStackParts = 10; // maximum number of stacks, not counting the rest
// Returns one entry per history for the GPU that ran the slice; empty if there is none.
std::vector<MemoryAtStart> memoryAtStart(const Scene& scene, SliceRef slice);

} // namespace lockstep
