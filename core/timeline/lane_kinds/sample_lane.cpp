// SPDX-License-Identifier: Apache-2.0
#include "core/timeline/lane_kind.h"

#include <algorithm>
#include <array>
#include <ostream>

#include "core/base/text.h"
#include "core/lanes/sample_lanes.h"
#include "core/samples/tail.h"
#include "core/timeline/elide.h"
#include "core/timeline/lane_kinds/registry.h"
#include "core/timeline/lane_kinds/sample_lines.h"

namespace lockstep {

namespace {

struct SampleHitData {
    size_t sample = 0;
    size_t count = 0;              // samples in the line; 0 if the hit is not on a sample
    std::vector<SliceRef> updates; // weight updates at this time
};

const std::vector<LaneSample>& samplesOf(const Lane& lane)
{
    return lane.data.as<SampleLaneData>()->samples;
}

// SampleLane: the samples of a step or of another group, one line each in the order that the user chose, with
// their parts in colors. If there are more samples than pixels, a line shows the last of several samples, so
// the tail is always visible. Weight updates of all reports are bands below the parts. A click selects the
// span at this point.
class SampleLane final : public LaneKind {
  public:
    std::string_view name() const override { return "samples"; }
    bool handles(const Lane& lane, bool) const override { return lane.data.is<SampleLaneData>(); }
    int height(const PlacedLane& placed, const FrameMetrics& metrics) const override;
    uint32_t rowCount(const Lane& lane, bool isCollapsed) const override;
    bool hasRows() const override { return false; }
    void place(LaneFrame& frame, const LanePlace& place) const override;
    void fill(const LaneFrame& frame, const RowJob& job, DisplayRow& row) const override;
    bool isWide() const override { return true; }
    bool hit(const DisplayRow& row, int x, int y, Hit& hit) const override;
    void outline(const Scene& scene, const DisplayRow& row, SliceRef selected,
                 std::span<const SliceRef> others, DisplayList& list) const override;
    std::vector<std::string> hover(const Scene& scene, const DisplayList& list,
                                   const Hit& hit) const override;
    void write(std::ostream& out, const DisplayRow& row) const override;

  private:
    static void addLegend(LaneFrame& frame, const LanePlace& place);
};

std::string partsText(const SamplePartTimes& parts)
{
    std::string text;
    for (size_t part = 0; part < kSampleParts; ++part) {
        if (parts[part] <= 0) continue;
        text += (text.empty() ? "" : "   ") + std::string(samplePartName(static_cast<SamplePart>(part))) +
                " " + durationText({parts[part]});
    }
    return text;
}

// Returns "weight update to version 12   1.2 s   16 GB".
std::string updateText(const Report& report, SliceId slice)
{
    const auto& updates = report.samples.weightUpdates;
    const auto found = std::ranges::lower_bound(updates, slice, {}, &WeightUpdate::slice);
    std::string text = "weight update";
    if (found == updates.end() || found->slice != slice) return text;
    if (found->version != kUnrecorded) text += " to version " + std::to_string(found->version);
    text += "   " + durationText(report.slices.range(slice).length());
    if (found->size_bytes != kUnrecorded) text += "   " + byteText(found->size_bytes);
    return text;
}

} // namespace

uint32_t SampleLane::rowCount(const Lane& lane, bool isCollapsed) const
{
    return isCollapsed ? 1 : static_cast<uint32_t>(std::min<size_t>(samplesOf(lane).size(), 100'000));
}

int SampleLane::height(const PlacedLane& placed, const FrameMetrics& metrics) const
{
    if (placed.isCollapsed) return metrics.memoryFolded;
    const auto samples = static_cast<int64_t>(placed.rowsShown);
    const int64_t all = std::min<int64_t>(samples * metrics.pitch(), metrics.mapHeight);
    const int legend = metrics.rowHeight + 4 * metrics.legendRow; // has room for eight entries
    return static_cast<int>(std::max<int64_t>(all, legend)) + metrics.line;
}

// The legend is in the header, below the name, as far as there is room for it. It lists the parts that occur.
void SampleLane::addLegend(LaneFrame& frame, const LanePlace& place)
{
    static constexpr std::array kOrder{SamplePart::queue,  SamplePart::prefill,  SamplePart::generate,
                                       SamplePart::decode, SamplePart::transfer, SamplePart::tool,
                                       SamplePart::reward, SamplePart::other};
    const auto& data = *frame.laneAt(place.lane.lane).data.as<SampleLaneData>();
    DisplayLane& out = frame.list.lanes.back();
    const FrameMetrics& metrics = frame.metrics;
    const int left = out.indent + metrics.triangle;
    constexpr int kColumns = 2;
    const int width = (frame.list.headerWidth - metrics.headerPadding - left) / kColumns;
    int shown = 0;
    const auto add = [&](std::string_view name, const Ink& ink) {
        const int y = metrics.rowHeight + shown / kColumns * metrics.legendRow;
        if (y + metrics.legendRow > place.lane.height) return;
        LaneText& text = out.texts.emplace_back();
        text.x = left + shown++ % kColumns * width;
        text.y = place.y + y;
        text.width = width;
        text.height = metrics.legendRow;
        text.text = elideEnd(name, static_cast<float>(width - metrics.legendRow), *frame.view.font);
        text.ink = ink;
    };
    for (const SamplePart part : kOrder) {
        if (part == SamplePart::other || data.hasPart[static_cast<size_t>(part)])
            add(samplePartName(part), partInk(part));
    }
    const Lane& lane = frame.laneAt(place.lane.lane);
    const auto hasUpdates = [&](ReportKey key) { return showsUpdatesOf(frame.scene, lane, key); };
    if (std::ranges::any_of(frame.scene.shown.keys(), hasUpdates)) {
        Ink ink;
        ink.kind = Ink::Kind::update;
        add("weight update", ink);
    }
}

void SampleLane::place(LaneFrame& frame, const LanePlace& place) const
{
    addLegend(frame, place);
    DisplayRow& row = addRow(frame, place, place.y, place.lane.height - frame.metrics.line);
    const Lane& lane = frame.laneAt(place.lane.lane);
    row.track = {lane.report, {}};
    row.contentKey = {frame.scene.tree, &lane};
    addJob(frame, place, {});
}

void SampleLane::fill(const LaneFrame& frame, const RowJob& job, DisplayRow& row) const
{
    fillSampleLines(frame, frame.laneAt(job.lane()), row);
}

bool SampleLane::hit(const DisplayRow& row, int x, int y, Hit& hit) const
{
    const auto* const data = row.data.as<SampleRowData>();
    if (data == nullptr) return false;
    const auto isAt = [x](const auto& piece) { return piece.begin <= x && x < piece.end; };
    SampleHitData out;
    for (const UpdateBand& band : data->bands) {
        if (isAt(band)) out.updates.push_back(band.slice);
    }
    const auto line = std::ranges::upper_bound(data->lines, y - row.y, {}, &SampleLine::bottom);
    if (line != data->lines.end() && isAt(line->whole)) {
        const auto pieces = std::span(data->pieces).subspan(line->firstPiece, line->pieceCount);
        const auto found = std::find_if(pieces.rbegin(), pieces.rend(), isAt);
        hit.slice = {line->report, found == pieces.rend() ? line->whole.slice : found->slice};
        out.sample = line->sample;
        out.count = line->count;
    } else if (!out.updates.empty()) {
        hit.slice = out.updates.back();
    } else {
        return false;
    }
    hit.part = Hit::Part::box;
    hit.count = 1;
    hit.occupancy = 255;
    hit.x = x;
    hit.data.set(std::move(out));
    return true;
}

void SampleLane::outline(const Scene& scene, const DisplayRow& row, SliceRef selected,
                         std::span<const SliceRef> others, DisplayList& list) const
{
    outlineInSampleLines(scene, row, selected, others, list);
}

namespace {

// Returns the lines about the sample itself.
std::vector<std::string> sampleLines(const Scene& scene, const LaneSample& at, SliceId slice, size_t count)
{
    const Report& report = scene.shown.report(at.report);
    const Sample& sample = report.samples.samples[at.sample.value];
    const auto text = [&](StringId id) { return id.isValid() ? std::string(report.strings.at(id)) : ""; };
    std::string title(report.nameOf(sample.slice));
    if (sample.group.isValid()) title += " \u00B7 group " + text(sample.group);
    if (sample.replica.isValid()) title += " \u00B7 " + text(sample.replica);
    std::vector<std::string> lines{title};
    lines.push_back(durationText(at.time.length()) + "   start " +
                    durationText(at.time.begin - TraceTime{0}, 9) +
                    (sample.isPlaced() ? "" : "   (had not ended)"));
    if (slice != sample.slice) {
        const TimeRange range = report.slices.range(slice);
        lines.push_back(std::string(report.nameOf(slice)) + " " + durationText(range.length()));
    }
    if (sample.isPlaced()) {
        const TimedSample timed = timedSample(report, at.sample, scene.alignment.map(at.report));
        lines.push_back(partsText(timed.parts));
    }
    std::string facts;
    if (sample.outputTokens >= 0) facts = groupedText(sample.outputTokens) + " tokens";
    if (sample.statusText.isValid()) facts += (facts.empty() ? "" : "   ") + text(sample.statusText);
    if (sample.preemptions > 0) facts += "   preempted " + groupedText(sample.preemptions) + " times";
    if (!facts.empty()) lines.push_back(facts);
    if (count > 1)
        lines.push_back("the last of " + groupedText(static_cast<int64_t>(count)) + " samples in this line");
    return lines;
}

} // namespace

std::vector<std::string> SampleLane::hover(const Scene& scene, const DisplayList&, const Hit& hit) const
{
    const auto* const data = hit.data.as<SampleHitData>();
    if (data == nullptr) return {};
    const std::vector<LaneSample>& samples = samplesOf(scene.tree->lane(hit.lane));
    if (data->sample >= samples.size()) return {};
    std::vector<std::string> lines;
    if (data->count > 0) lines = sampleLines(scene, samples[data->sample], hit.slice.slice, data->count);
    for (const SliceRef& update : data->updates)
        lines.push_back(updateText(scene.shown.report(update.report), update.slice));
    return lines;
}

void SampleLane::write(std::ostream& out, const DisplayRow& row) const
{
    const auto* const data = row.data.as<SampleRowData>();
    if (data == nullptr) return;
    for (const UpdateBand& band : data->bands)
        out << "  weight update " << band.begin << ".." << band.end << "\n";
    for (const SampleLine& line : data->lines) {
        out << "  line " << line.top << ".." << line.bottom << " sample " << line.sample << " of "
            << line.count;
        if (line.whole.begin < line.whole.end) out << " " << line.whole.begin << ".." << line.whole.end;
        for (size_t i = line.firstPiece; i < line.firstPiece + line.pieceCount; ++i)
            out << " " << data->pieces[i].begin << ".." << data->pieces[i].end;
        out << "\n";
    }
}

const LaneKind& sampleLane()
{
    static const SampleLane kLane{};
    return kLane;
}

} // namespace lockstep
