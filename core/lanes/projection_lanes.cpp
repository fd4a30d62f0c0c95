// SPDX-License-Identifier: Apache-2.0
// Builds the lane of a GPU for the NVTX ranges that are projected onto it. Part of ProcessLanesBuilder.
#include <algorithm>

#include "core/lanes/lane_label.h"
#include "core/lanes/lane_packing.h"
#include "core/lanes/process_lanes_builder.h"

namespace lockstep {

namespace {

constexpr uint32_t kExpandedRows = 4; // a lane with more rows starts collapsed

bool isOfNvtx(const Report& report, const RangeProjection& projection)
{
    return report.slices.kind[projection.row(0).sliceAt(0).value] != RowKind::userAnnotation;
}

} // namespace

// Returns the projections in the report of `member` onto this GPU, for all processes of the lanes that are
// in the report. The main thread comes first.
std::vector<uint32_t> ProcessLanesBuilder::projectionsOn(const Member& member, DeviceId device) const
{
    const Report& report = *member.report;
    const auto projections = member.lod->projections();
    std::vector<uint32_t> out;
    for (uint32_t i = 0; i < projections.size(); ++i) {
        const bool isOfMember = std::ranges::any_of(members(), [&](const Member& other) {
            return other.key == member.key && other.process == projections[i].process();
        });
        if (isOfMember && projections[i].device() == device) out.push_back(i);
    }
    std::ranges::stable_partition(out, [&](uint32_t i) {
        const Thread& thread = report.threads[projections[i].thread().value];
        return thread.process.isValid() && report.processes[thread.process.value].pid == thread.tid;
    });
    return out;
}

// Adds one lane per GPU and tool: the rows of each thread are below those of the previous one, so ranges of
// different threads never appear to be nested in each other. Deep lanes, and those of runs with many
// processes, start collapsed and then take up one row.
void ProcessLanesBuilder::addProjections(uint32_t parent, const Gpu& gpu)
{
    std::map<std::string, std::vector<std::pair<const Member*, DeviceId>>> byTool;
    for (const auto& [of, device] : gpu.devices) {
        if (!projectionsOn(*of, device).empty()) byTool[toolLabel(*of->report)].emplace_back(of, device);
    }
    for (const auto& [tool, devices] : byTool)
        addProjectionLane(parent, devices, byTool.size() > 1 ? tool : std::string());
}

void ProcessLanesBuilder::addProjectionLane(uint32_t parent,
                                            const std::vector<std::pair<const Member*, DeviceId>>& devices,
                                            const std::string& suffix)
{
    std::vector<RowSource> sources;
    std::vector<LaneBlock> blocks; // one per report
    std::vector<size_t> blockOf;
    bool hasNvtx = false;
    for (const auto& [of, device] : devices) {
        const size_t block = blocks.size();
        for (const uint32_t i : projectionsOn(*of, device)) {
            const RangeProjection& projection = of->lod->projections()[i];
            RowSource source{.kind = RowSource::Kind::projection, .report = of->key, .projection = i};
            source.extent = projection.extent();
            hasNvtx = hasNvtx || isOfNvtx(*of->report, projection);
            const TimeRange extent = alignedExtent(source);
            if (blocks.size() == block) blocks.push_back({extent, 0, 0, recordingOf(*of)});
            source.row = blocks[block].height;
            blocks[block].height += projection.depthCount();
            blocks[block].extent = blocks[block].extent.unitedWith(extent);
            blockOf.push_back(block);
            sources.push_back(source);
        }
    }
    std::string label = hasNvtx ? "NVTX (projected)" : "annotations (projected)";
    appendLabelPart(label, suffix);
    const std::string tool = toolLabel(*devices.front().first->report);
    Lane& lane = at(add(LaneSubject::projection, parent, "projected " + tool, label));
    lane.rowCount = packBlocks(blocks);
    lane.startsCollapsed = lane.rowCount > (source().foldsThreads ? 1 : kExpandedRows);
    for (size_t i = 0; i < sources.size(); ++i)
        sources[i].row += blocks[blockOf[i]].row;
    sortInTime(sources);
    for (RowSource source : sources) {
        const RangeProjection& projection = memberOf(source).lod->projections()[source.projection];
        lane.isSummaryOfOne = source.row == 0 && (lane.summary.empty() || lane.isSummaryOfOne);
        source.row = 0;
        for (source.depth = 0; source.depth < projection.depthCount(); ++source.depth) {
            if (!projection.isOutermost(source.depth)) continue;
            lane.isSummaryOfOne = lane.isSummaryOfOne && source.depth == 0;
            lane.summary.push_back(source);
        }
    }
    lane.sources = std::move(sources);
}

} // namespace lockstep
