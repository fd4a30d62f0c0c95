// SPDX-License-Identifier: Apache-2.0
#include "core/timeline/lane_kind.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <ostream>

#include "core/base/text.h"
#include "core/lanes/sample_lanes.h"
#include "core/samples/tail.h"
#include "core/timeline/elide.h"
#include "core/timeline/lane_kinds/registry.h"

namespace lockstep {

namespace {

struct SamplePiece {
    int begin = 0, end = 0; // in pixels from the first time pixel; empty if it is not visible
    SliceId slice;
};

// A line of a sample lane, and what it shows; later pieces are drawn over earlier ones.
struct SampleLine {
    int top = 0, bottom = 0; // in pixels from the row's top
    size_t sample = 0;       // index in SampleLaneData::samples: the last of the samples in this line
    size_t count = 0;        // samples in this line
    SamplePiece whole;       // the sample, below its parts
    size_t firstPiece = 0, pieceCount = 0;
    ReportKey report; // of the sample
};

// A weight update, of any report.
struct UpdateBand {
    int begin = 0, end = 0; // in pixels from the first time pixel
    SliceRef slice;
};

struct SampleRowData {
    std::vector<UpdateBand> bands;
    std::vector<SampleLine> lines;
    std::vector<SamplePiece> pieces;
};

struct SampleHitData {
    size_t sample = 0;
    size_t count = 0;              // samples in the line; 0: the hit is on no sample
    std::vector<SliceRef> updates; // weight updates at this time
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
    bool hit(const DisplayRow& row, int x, int y, Hit& hit) const override;
    void outline(const Scene& scene, const DisplayRow& row, SliceRef selected,
                 std::span<const SliceRef> others, DisplayList& list) const override;
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

// Returns the pixels of a slice, at least one; empty if it is not visible.
SamplePiece pieceOf(const PixelScale& scale, const Report& report, SliceId slice)
{
    const TimeRange range = report.slices.range(slice);
    if (range.end < scale.range().begin || range.begin >= scale.range().end) return {0, 0, slice};
    const int begin = scale.pixelOf(range.begin);
    return {begin, std::min(scale.width(), std::max(begin + 1, scale.pixelOf(range.end))), slice};
}

// Adds the spans of one line: first the whole sample, then its parts, so that bands can be drawn between
// them.
class LineOfSample {
  public:
    LineOfSample(const LaneFrame& frame, DisplayRow& row, SampleRowData& data, SampleLine& line,
                 const LaneSample& sample)
        : m_frame(frame), m_row(row), m_data(data), m_line(line), m_sample(sample.sample),
          m_report(frame.scene.shown.report(sample.report)), m_scale(frame.scales[sample.report])
    {
        line.report = sample.report;
    }

    void addWhole()
    {
        m_line.whole = pieceOf(m_scale, m_report, slice());
        size_t last = SIZE_MAX;
        if (m_line.whole.begin < m_line.whole.end) addSpan(m_line.whole, SamplePart::other, last);
    }

    void addParts()
    {
        m_line.firstPiece = m_data.pieces.size();
        if (m_line.whole.begin >= m_line.whole.end) return;
        const size_t firstSpan = m_row.spans.size();
        std::array<std::vector<SliceId>, kSampleParts> slices;
        for (const uint32_t row : m_report.samples.spansOf(m_sample)) {
            const SampleSpan& span = m_report.samples.spans[row];
            const auto part = samplePartOf(span.kind);
            if (part && !m_report.slices.isInstant(span.slice))
                slices[static_cast<size_t>(*part)].push_back(span.slice);
        }
        size_t last = SIZE_MAX;
        for (size_t part = kSampleParts; part-- > 0;) {
            for (const SliceId slice : slices[part])
                addPiece(slice, static_cast<SamplePart>(part), last);
        }
        m_line.pieceCount = m_data.pieces.size() - m_line.firstPiece;
        addLabel(m_report.nameOf(slice()), firstSpan);
    }

  private:
    static constexpr uint8_t kDimmed = 90; // of 255, for spans that a search does not find

    SliceId slice() const { return m_report.samples.samples[m_sample.value].slice; }

    void addPiece(SliceId slice, SamplePart part, size_t& last)
    {
        const SamplePiece piece = pieceOf(m_scale, m_report, slice);
        if (piece.begin >= piece.end) return;
        // Of many short spans in a pixel, the first one is enough, unless a search finds only some of them.
        const SamplePiece* const before = last == SIZE_MAX ? nullptr : &m_data.pieces.back();
        const bool isHidden = before != nullptr && before->begin == piece.begin && before->end == piece.end &&
                              piece.end == piece.begin + 1;
        if (isHidden && m_frame.view.hits == nullptr) return;
        m_data.pieces.push_back(piece);
        addSpan(piece, part, last);
    }

    void addSpan(const SamplePiece& piece, SamplePart part, size_t& last)
    {
        // A line of pixels between two lines keeps them apart, if there is room.
        const int gap = m_line.bottom - m_line.top >= 4 ? 1 : 0;
        Span span;
        span.begin = static_cast<uint16_t>(piece.begin);
        span.end = static_cast<uint16_t>(piece.end);
        span.top = static_cast<uint16_t>(m_line.top);
        span.bottom = static_cast<uint16_t>(m_line.bottom - gap);
        span.ink = partInk(part);
        const auto* const hits = m_frame.view.hits.get();
        if (hits != nullptr && !hits->has({m_line.report, piece.slice})) span.ink.part = kDimmed;
        addMerged(m_row.spans, span, last);
    }

    // Adds the name of the sample to its widest part, if the line is high enough for text.
    void addLabel(std::string_view name, size_t firstSpan)
    {
        const LabelFont* const font = m_frame.view.font;
        const int height = m_line.bottom - m_line.top;
        if (height < m_frame.metrics.legendRow - 3 || font == nullptr) return;
        const auto widthOf = [](const Span& span) { return span.end - span.begin; };
        const auto widest = std::ranges::max_element(m_row.spans.begin() + static_cast<ptrdiff_t>(firstSpan),
                                                     m_row.spans.end(), {}, widthOf);
        if (widest == m_row.spans.end()) return;
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
    const SampleId m_sample;
    const Report& m_report;
    const PixelScale& m_scale;
};

// Returns whether a lane shows the weight updates of a report: of its own, and of those with an aligned
// clock.
bool showsUpdatesOf(const Scene& scene, const Lane& lane, ReportKey report)
{
    return !scene.shown.report(report).samples.weightUpdates.empty() &&
           (report == lane.report || scene.alignment.map(report).isPlaced());
}

// Adds the weight updates: hatched, between two lines.
void addBands(const LaneFrame& frame, const Lane& lane, DisplayRow& row, std::vector<UpdateBand>& bands)
{
    for (const ReportKey key : frame.scene.shown.keys()) {
        const Report& report = frame.scene.shown.report(key);
        if (!showsUpdatesOf(frame.scene, lane, key)) continue;
        for (const WeightUpdate& update : report.samples.weightUpdates) {
            const SamplePiece piece = pieceOf(frame.scales[key], report, update.slice);
            if (piece.begin < piece.end) bands.push_back({piece.begin, piece.end, {key, update.slice}});
        }
    }
    const int edge = frame.metrics.line;
    for (const UpdateBand& band : bands) {
        const auto add = [&](int begin, int end, Ink::Kind kind) {
            Span span;
            span.begin = static_cast<uint16_t>(begin);
            span.end = static_cast<uint16_t>(std::min(end, frame.width()));
            span.bottom = static_cast<uint16_t>(row.height);
            span.ink.kind = kind;
            if (span.begin < span.end) row.spans.push_back(span);
        };
        add(band.begin, band.end, Ink::Kind::update);
        add(band.begin, band.begin + edge, Ink::Kind::outline);
        add(std::max(band.begin, band.end - edge), band.end, Ink::Kind::outline);
    }
}

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

// The lines of a row by sample, and the marks that were added last to each.
class LineOutlines {
  public:
    LineOutlines(const Scene& scene, const DisplayRow& row, const SampleRowData& data, DisplayList& list)
        : m_scene(scene), m_row(row), m_list(list)
    {
        const std::vector<LaneSample>& samples = samplesOf(scene.tree->lane(row.lane));
        for (const SampleLine& line : data.lines)
            m_lines[{samples[line.sample].report, samples[line.sample].sample}] = {&line, -1};
    }

    void add(SliceRef of, bool isSelected)
    {
        if (!m_scene.holds(of)) return;
        const Report& report = m_scene.shown.report(of.report);
        if (report.samples.empty()) return;
        if (of.report != m_report) {
            m_report = of.report;
            const ClockMap& map = m_scene.alignment.map(of.report);
            m_scale = m_list.scale.onClock([&](TimeRange at) { return map.traceFromAligned(at); });
        }
        const SamplePiece piece = pieceOf(m_scale, report, of.slice);
        if (piece.begin >= piece.end) return;
        const SampleSpan* const span = report.samples.spanOf(of.slice);
        const auto isWhole = [&](const auto& line) {
            return line.first.first == of.report && line.second.line->whole.slice == of.slice;
        };
        const auto found = span != nullptr ? m_lines.find({of.report, span->sample})
                                           : std::ranges::find_if(m_lines, isWhole);
        if (found == m_lines.end()) return;
        auto& [line, last] = found->second;
        const int begin = isSelected ? piece.begin : std::max(piece.begin, last);
        const int end = std::min(m_list.timeWidth(), std::max(piece.end, piece.begin + kMinBoxWidth));
        if (begin >= end) return;
        last = end;
        // A line of a pixel is too thin for an outline.
        const int kLeast = 5 * m_list.metrics.line;
        const int height = std::max(line->bottom - line->top, std::min(kLeast, m_row.height));
        const int top =
            std::clamp((line->top + line->bottom - height) / 2, 0, std::max(0, m_row.height - height));
        m_list.marks.push_back(
            {m_list.headerWidth + begin, m_row.y + top, end - begin, height, isSelected, of});
    }

  private:
    struct Outlined {
        const SampleLine* line = nullptr;
        int last = -1; // end of the last outline, in pixels from the first time pixel
    };
    const Scene& m_scene;
    const DisplayRow& m_row;
    DisplayList& m_list;
    std::map<std::pair<ReportKey, SampleId>, Outlined> m_lines;
    ReportKey m_report;
    PixelScale m_scale;
};

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
    const Lane& lane = frame.laneAt(job.lane());
    const std::vector<LaneSample>& samples = samplesOf(lane);
    SampleRowData& data = row.data.ensure<SampleRowData>();
    data.pieces.clear();
    data.bands.clear();
    data.lines = linesFor(samples.size(), row.height);
    row.hasAreas = true;
    for (SampleLine& line : data.lines)
        LineOfSample(frame, row, data, line, samples[line.sample]).addWhole();
    addBands(frame, lane, row, data.bands);
    for (SampleLine& line : data.lines)
        LineOfSample(frame, row, data, line, samples[line.sample]).addParts();
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
    const auto* const data = row.data.as<SampleRowData>();
    if (data == nullptr) return;
    for (const UpdateBand& band : data->bands) {
        if (band.slice == selected)
            list.marks.push_back({list.headerWidth + band.begin, row.y,
                                  std::max(kMinBoxWidth, band.end - band.begin), row.height, true, selected});
    }
    LineOutlines outlines(scene, row, *data, list);
    for (const SliceRef& other : others)
        outlines.add(other, false);
    outlines.add(selected, true);
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
