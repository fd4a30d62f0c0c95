// SPDX-License-Identifier: Apache-2.0
#include "core/timeline/lane_kinds/sample_lines.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "core/timeline/elide.h"

namespace lockstep {

namespace {

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
SamplePiece pieceOf(const PixelScale& scale, TimeRange range, SliceId slice)
{
    if (range.end < scale.range().begin || range.begin >= scale.range().end) return {0, 0, slice};
    const int begin = scale.pixelOf(range.begin);
    return {begin, std::min(scale.width(), std::max(begin + 1, scale.pixelOf(range.end))), slice};
}

SamplePiece pieceOf(const PixelScale& scale, const Report& report, SliceId slice)
{
    return pieceOf(scale, report.slices.range(slice), slice);
}

// Returns the parts of a sample in drawing order.
std::vector<LineSpan> lineSpansOf(const Report& report, SampleId sample)
{
    std::vector<LineSpan> spans;
    for (const uint32_t row : report.samples.spansOf(sample)) {
        const SampleSpan& span = report.samples.spans[row];
        const auto part = samplePartOf(span.kind);
        if (part && !report.slices.isInstant(span.slice))
            spans.push_back({report.slices.range(span.slice), span.slice, *part});
    }
    std::ranges::stable_sort(spans, std::ranges::greater(), &LineSpan::part);
    return spans;
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
        m_line.pieceCount = 0;
        m_line.whole = pieceOf(m_scale, m_report, slice());
        size_t last = SIZE_MAX;
        if (m_line.whole.begin < m_line.whole.end) addSpan(m_line.whole, SamplePart::other, last);
    }

    void addParts(std::span<const LineSpan> spans)
    {
        m_line.firstPiece = m_data.pieces.size();
        if (m_line.whole.begin >= m_line.whole.end) return;
        const size_t firstSpan = m_row.spans.size();
        size_t last = SIZE_MAX;
        for (size_t i = 0; i < spans.size(); ++i) {
            if (i > 0 && spans[i].part != spans[i - 1].part) last = SIZE_MAX;
            addPiece(spans[i], last);
        }
        m_line.pieceCount = m_data.pieces.size() - m_line.firstPiece;
        addLabel(m_report.nameOf(slice()), firstSpan);
    }

  private:
    static constexpr uint8_t kDimmed = 90; // of 255, for spans that a search does not find

    SliceId slice() const { return m_report.samples.samples[m_sample.value].slice; }

    void addPiece(const LineSpan& of, size_t& last)
    {
        const SamplePiece piece = pieceOf(m_scale, of.range, of.slice);
        if (piece.begin >= piece.end) return;
        // Of many short spans in a pixel, the first one is enough, unless a search finds only some of them.
        const SamplePiece* const before = last == SIZE_MAX ? nullptr : &m_data.pieces.back();
        const bool isHidden = before != nullptr && before->begin == piece.begin && before->end == piece.end &&
                              piece.end == piece.begin + 1;
        if (isHidden && m_frame.view.hits == nullptr) return;
        m_data.pieces.push_back(piece);
        addSpan(piece, of.part, last);
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

// Outlines spans in the lines of a row. Spans that follow each other in a line share one outline, and so do
// equal ones in thin lines, such as those of a batch, because outlines of their own would cover them.
class LineOutlines {
  public:
    LineOutlines(const Scene& scene, const DisplayRow& row, const SampleRowData& data, DisplayList& list)
        : m_scene(scene), m_row(row), m_list(list), m_lines(data.lines)
    {
        const std::vector<LaneSample>& samples =
            scene.tree->lane(row.lane).data.as<SampleLaneData>()->samples;
        for (size_t i = 0; i < m_lines.size(); ++i) {
            const LaneSample& at = samples[m_lines[i].sample];
            m_lineOf[{at.report, at.sample}] = i;
        }
    }

    void add(SliceRef of, bool isSelected)
    {
        if (!m_scene.holds(of) || m_scene.shown.report(of.report).samples.empty()) return;
        const Report& report = m_scene.shown.report(of.report);
        if (of.report != m_report) {
            m_report = of.report;
            const ClockMap& map = m_scene.alignment.map(of.report);
            m_scale = m_list.scale.onClock([&](TimeRange at) { return map.traceFromAligned(at); });
        }
        const SamplePiece piece = pieceOf(m_scale, report, of.slice);
        if (piece.begin >= piece.end) return;
        const SampleSpan* const span = report.samples.spanOf(of.slice);
        size_t line = m_lines.size();
        if (span != nullptr) {
            const auto found = m_lineOf.find({of.report, span->sample});
            if (found != m_lineOf.end()) line = found->second;
        } else {
            const auto isWhole = [&](const SampleLine& at) {
                return at.report == of.report && at.whole.slice == of.slice;
            };
            line = static_cast<size_t>(std::ranges::find_if(m_lines, isWhole) - m_lines.begin());
        }
        if (line == m_lines.size()) return;
        const int end = std::min(m_list.timeWidth(), std::max(piece.end, piece.begin + kMinBoxWidth));
        m_outlines.push_back({m_lines[line].top, m_lines[line].bottom, piece.begin, end, of, isSelected});
    }

    void finish()
    {
        unite([](const Outline& at) { return std::tuple(at.isSelected, at.top, at.begin); },
              [](Outline& at, const Outline& next) {
                  if (next.isSelected || next.top != at.top || next.begin > at.end) return false;
                  at.end = std::max(at.end, next.end);
                  return true;
              });
        unite([](const Outline& at) { return std::tuple(at.isSelected, at.begin, at.end, at.top); },
              [this](Outline& at, const Outline& next) {
                  const bool isSame = next.isSelected == at.isSelected && next.begin == at.begin &&
                                      next.end == at.end && next.top <= at.bottom;
                  if (!isSame || next.bottom - next.top >= least()) return false;
                  at.bottom = next.bottom;
                  return true;
              });
        for (const Outline& outline : m_outlines)
            mark(outline);
    }

  private:
    struct Outline {
        int top = 0, bottom = 0; // in pixels from the row's top
        int begin = 0, end = 0;  // in pixels from the first time pixel
        SliceRef slice;
        bool isSelected = false;
    };

    // Sorts the outlines, and unites each with those after it as long as `takes` returns true.
    void unite(const auto& order, const auto& takes)
    {
        std::ranges::sort(m_outlines, {}, order);
        size_t kept = 0;
        for (size_t i = 1; i < m_outlines.size(); ++i) {
            if (!takes(m_outlines[kept], m_outlines[i])) m_outlines[++kept] = m_outlines[i];
        }
        if (!m_outlines.empty()) m_outlines.resize(kept + 1);
    }

    int least() const { return 5 * m_list.metrics.line; } // a thinner line has no room for an outline

    void mark(const Outline& outline)
    {
        const int height = std::max(outline.bottom - outline.top, std::min(least(), m_row.height));
        const int top = std::clamp((outline.top + outline.bottom - height) / 2, 0, m_row.height - height);
        m_list.marks.push_back({m_list.headerWidth + outline.begin, m_row.y + top,
                                outline.end - outline.begin, height, outline.isSelected, outline.slice,
                                true});
    }

    const Scene& m_scene;
    const DisplayRow& m_row;
    DisplayList& m_list;
    const std::vector<SampleLine>& m_lines;
    std::map<std::pair<ReportKey, SampleId>, size_t> m_lineOf;
    std::vector<Outline> m_outlines;
    ReportKey m_report;
    PixelScale m_scale;
};

} // namespace

Ink partInk(SamplePart part)
{
    Ink ink;
    ink.kind = Ink::Kind::samplePart;
    ink.value = static_cast<uint32_t>(part);
    return ink;
}

bool showsUpdatesOf(const Scene& scene, const Lane& lane, ReportKey report)
{
    return !scene.shown.report(report).samples.weightUpdates.empty() &&
           (report == lane.report || scene.alignment.map(report).isPlaced());
}

void fillSampleLines(const LaneFrame& frame, const Lane& lane, DisplayRow& row)
{
    const std::vector<LaneSample>& samples = lane.data.as<SampleLaneData>()->samples;
    SampleRowData& data = row.data.ensure<SampleRowData>();
    data.pieces.clear();
    data.bands.clear();
    const auto lineOf = [&](size_t i) -> const LaneSample& { return samples[data.lines[i].sample]; };
    if (data.spansOf != row.contentKey.get() || data.lines.empty() ||
        data.lines.back().bottom != row.height) {
        data.lines = linesFor(samples.size(), row.height);
        data.spans.assign(data.lines.size(), {});
        frame.view.workers.run(data.lines.size(), [&](size_t i, size_t) {
            data.spans[i] = lineSpansOf(frame.scene.shown.report(lineOf(i).report), lineOf(i).sample);
        });
        data.spansOf = row.contentKey.get();
    }
    row.hasAreas = true;
    for (size_t i = 0; i < data.lines.size(); ++i)
        LineOfSample(frame, row, data, data.lines[i], lineOf(i)).addWhole();
    addBands(frame, lane, row, data.bands);
    for (size_t i = 0; i < data.lines.size(); ++i)
        LineOfSample(frame, row, data, data.lines[i], lineOf(i)).addParts(data.spans[i]);
}

void outlineInSampleLines(const Scene& scene, const DisplayRow& row, SliceRef selected,
                          std::span<const SliceRef> others, DisplayList& list)
{
    const auto* const data = row.data.as<SampleRowData>();
    if (data == nullptr) return;
    for (const UpdateBand& band : data->bands) {
        if (band.slice == selected)
            list.marks.push_back({list.headerWidth + band.begin, row.y,
                                  std::max(kMinBoxWidth, band.end - band.begin), row.height, true, selected,
                                  true});
    }
    LineOutlines outlines(scene, row, *data, list);
    for (const SliceRef& other : others)
        outlines.add(other, false);
    outlines.add(selected, true);
    outlines.finish();
}

} // namespace lockstep
