// SPDX-License-Identifier: Apache-2.0
#include "core/timeline/lane_kind.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <ostream>

#include "core/base/text.h"
#include "core/lanes/sample_lanes.h"
#include "core/samples/tail.h"
#include "core/timeline/elide.h"
#include "core/timeline/lane_kinds/registry.h"

namespace lockstep {

namespace {

// A line of a sample lane, and what it shows from left to right; later pieces are drawn over earlier ones.
struct SampleLine {
    int top = 0, bottom = 0; // in pixels from the row's top
    size_t sample = 0;       // index in SampleLaneData::samples: of the samples in this line, the last to end
    size_t count = 0;        // samples in this line
    size_t firstPiece = 0, pieceCount = 0;
    ReportKey report; // of the sample
};

struct SamplePiece {
    int begin = 0, end = 0; // in pixels from the first time pixel
    SliceId slice;
};

struct SampleRowData {
    std::vector<SampleLine> lines;
    std::vector<SamplePiece> pieces;
};

struct SampleHitData {
    size_t sample = 0;
    size_t count = 1;
};

Ink partInk(SamplePart part)
{
    Ink ink;
    ink.kind = Ink::Kind::samplePart;
    ink.value = static_cast<uint32_t>(part);
    return ink;
}

const std::vector<LaneSample>& samplesOf(const Lane& lane)
{
    return lane.data.as<SampleLaneData>()->samples;
}

// SampleLane: the samples of a step, one line each, by the time at which they ended, with their parts in
// colors. If there are more samples than pixels, a line shows the last of several samples, so the tail is
// always visible. A click selects the span at this point.
class SampleLane final : public LaneKind {
  public:
    std::string_view name() const override { return "samples"; }
    bool handles(const Lane& lane, bool) const override { return lane.data.is<SampleLaneData>(); }
    int height(const PlacedLane& placed, const FrameMetrics& metrics) const override;
    uint32_t rowCount(const Lane& lane, bool isCollapsed) const override;
    bool hasRows() const override { return false; }
    void place(LaneFrame& frame, const LanePlace& place) const override;
    void fill(const LaneFrame& frame, const RowJob& job, DisplayRow& row) const override;
    bool hit(const DisplayRow& row, int x, int y, Hit& hit) const override;
    std::vector<std::string> hover(const Scene& scene, const DisplayList& list,
                                   const Hit& hit) const override;
    void write(std::ostream& out, const DisplayRow& row) const override;

  private:
    static void addLegend(LaneFrame& frame, const LanePlace& place);
};

// Divides the samples over the lines of a lane: as many lines as samples, at most one per pixel.
std::vector<SampleLine> linesFor(size_t samples, int height)
{
    const size_t count = std::min(samples, static_cast<size_t>(std::max(height, 1)));
    std::vector<SampleLine> lines(count);
    for (size_t i = 0; i < count; ++i) {
        SampleLine& line = lines[i];
        line.top = static_cast<int>(i * static_cast<size_t>(height) / count);
        line.bottom = static_cast<int>((i + 1) * static_cast<size_t>(height) / count);
        const size_t begin = i * samples / count, end = (i + 1) * samples / count;
        line.sample = end - 1;
        line.count = end - begin;
    }
    return lines;
}

// Adds the spans of one line.
class LineOfSample {
  public:
    LineOfSample(const LaneFrame& frame, DisplayRow& row, SampleRowData& data, SampleLine& line)
        : m_frame(frame), m_row(row), m_data(data), m_line(line)
    {
    }

    void add(const LaneSample& sample)
    {
        const Report& report = m_frame.scene.shown.report(sample.report);
        const PixelScale& scale = m_frame.scales[sample.report];
        m_line.report = sample.report;
        m_line.firstPiece = m_data.pieces.size();
        addPiece(scale, report, report.samples.samples[sample.sample.value].slice, SamplePart::other);
        m_parts.clear();
        for (const uint32_t row : report.samples.spansOf(sample.sample)) {
            const SampleSpan& span = report.samples.spans[row];
            const auto part = samplePartOf(span.kind);
            if (part && !report.slices.isInstant(span.slice)) m_parts.emplace_back(*part, span.slice);
        }
        std::ranges::stable_sort(m_parts, std::ranges::greater(), [](const auto& one) { return one.first; });
        for (const auto& [part, slice] : m_parts)
            addPiece(scale, report, slice, part);
        m_line.pieceCount = m_data.pieces.size() - m_line.firstPiece;
        addLabel(report.nameOf(report.samples.samples[sample.sample.value].slice));
    }

  private:
    static constexpr uint8_t kDimmed = 90; // of 255, for spans that a search does not find

    void addPiece(const PixelScale& scale, const Report& report, SliceId slice, SamplePart part)
    {
        const TimeRange range = report.slices.range(slice);
        if (range.end < scale.range().begin || range.begin >= scale.range().end) return;
        const int begin = scale.pixelOf(range.begin);
        const int end = std::min(scale.width(), std::max(begin + 1, scale.pixelOf(range.end)));
        if (begin >= end) return;
        m_data.pieces.push_back({begin, end, slice});
        // A line of pixels between two lines keeps them apart, if there is room.
        const int gap = m_line.bottom - m_line.top >= 4 ? 1 : 0;
        Span span;
        span.begin = static_cast<uint16_t>(begin);
        span.end = static_cast<uint16_t>(end);
        span.top = static_cast<uint16_t>(m_line.top);
        span.bottom = static_cast<uint16_t>(m_line.bottom - gap);
        span.ink = partInk(part);
        const auto* const hits = m_frame.view.hits.get();
        if (hits != nullptr && !hits->has({m_line.report, slice})) span.ink.part = kDimmed;
        addMerged(m_row.spans, span, m_last);
    }

    // Adds the name of the sample to its widest part, if the line is high enough for text.
    void addLabel(std::string_view name)
    {
        const LabelFont* const font = m_frame.view.font;
        const int height = m_line.bottom - m_line.top;
        if (height < m_frame.metrics.legendRow - 3 || font == nullptr) return;
        const Span* widest = nullptr;
        const auto widthOf = [](const Span& span) { return span.end - span.begin; };
        for (size_t i = m_firstSpan; i < m_row.spans.size(); ++i) {
            const Span& span = m_row.spans[i];
            const bool isPart = span.ink.value != partInk(SamplePart::other).value;
            if (isPart && (widest == nullptr || widthOf(span) > widthOf(*widest))) widest = &span;
        }
        if (widest == nullptr) return;
        const int padding = m_frame.metrics.labelPadding;
        const std::string text = elideEnd(name, static_cast<float>(widthOf(*widest) - 2 * padding), *font);
        if (text.empty()) return;
        RowLabel& label = m_row.labels.emplace_back();
        label.x = widest->begin + padding + static_cast<int>(std::ceil(font->widthOf(text))) / 2;
        label.y = (m_line.top + m_line.bottom - 1) / 2;
        label.on = widest->ink;
        label.label = static_cast<uint32_t>(m_row.text.size());
        label.labelLength = static_cast<uint32_t>(text.size());
        m_row.text += text;
    }

    const LaneFrame& m_frame;
    DisplayRow& m_row;
    SampleRowData& m_data;
    SampleLine& m_line;
    const size_t m_firstSpan = m_row.spans.size();
    std::vector<std::pair<SamplePart, SliceId>> m_parts;
    size_t m_last = SIZE_MAX;
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
    const int legend = metrics.rowHeight + 3 * metrics.legendRow; // has room for six parts
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
    for (const SamplePart part : kOrder) {
        if (part != SamplePart::other && !data.hasPart[static_cast<size_t>(part)]) continue;
        const int y = metrics.rowHeight + shown / kColumns * metrics.legendRow;
        if (y + metrics.legendRow > place.lane.height) return;
        LaneText& text = out.texts.emplace_back();
        text.x = left + shown++ % kColumns * width;
        text.y = place.y + y;
        text.width = width;
        text.height = metrics.legendRow;
        text.text = samplePartName(part);
        text.ink = partInk(part);
    }
}

void SampleLane::place(LaneFrame& frame, const LanePlace& place) const
{
    addLegend(frame, place);
    DisplayRow& row = addRow(frame, place, place.y, place.lane.height - frame.metrics.line);
    row.track = {frame.laneAt(place.lane.lane).report, {}};
    addJob(frame, place, {});
}

void SampleLane::fill(const LaneFrame& frame, const RowJob& job, DisplayRow& row) const
{
    const std::vector<LaneSample>& samples = samplesOf(frame.laneAt(job.lane()));
    SampleRowData& data = row.data.ensure<SampleRowData>();
    data.pieces.clear();
    data.lines = linesFor(samples.size(), row.height);
    row.hasAreas = true;
    for (SampleLine& line : data.lines)
        LineOfSample(frame, row, data, line).add(samples[line.sample]);
}

bool SampleLane::hit(const DisplayRow& row, int x, int y, Hit& hit) const
{
    const auto* const data = row.data.as<SampleRowData>();
    if (data == nullptr) return false;
    const auto line = std::ranges::upper_bound(data->lines, y - row.y, {}, &SampleLine::bottom);
    if (line == data->lines.end()) return false;
    const auto pieces = std::span(data->pieces).subspan(line->firstPiece, line->pieceCount);
    const auto isAt = [x](const SamplePiece& piece) { return piece.begin <= x && x < piece.end; };
    const auto found = std::find_if(pieces.rbegin(), pieces.rend(), isAt);
    if (found == pieces.rend()) return false;
    hit.part = Hit::Part::box;
    hit.count = 1;
    hit.occupancy = 255;
    hit.x = x;
    hit.slice = {line->report, found->slice};
    hit.data.set(SampleHitData{line->sample, line->count});
    return true;
}

std::vector<std::string> SampleLane::hover(const Scene& scene, const DisplayList&, const Hit& hit) const
{
    const auto* const data = hit.data.as<SampleHitData>();
    if (data == nullptr) return {};
    const std::vector<LaneSample>& samples = samplesOf(scene.tree->lane(hit.lane));
    if (data->sample >= samples.size()) return {};
    const LaneSample& at = samples[data->sample];
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
    if (hit.slice.slice != sample.slice) {
        const TimeRange range = report.slices.range(hit.slice.slice);
        lines.push_back(std::string(report.nameOf(hit.slice.slice)) + " " + durationText(range.length()));
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
    if (data->count > 1)
        lines.push_back("the last of " + groupedText(static_cast<int64_t>(data->count)) +
                        " samples in this line");
    return lines;
}

void SampleLane::write(std::ostream& out, const DisplayRow& row) const
{
    const auto* const data = row.data.as<SampleRowData>();
    if (data == nullptr) return;
    for (const SampleLine& line : data->lines) {
        out << "  line " << line.top << ".." << line.bottom << " sample " << line.sample << " of "
            << line.count;
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
