// SPDX-License-Identifier: Apache-2.0
#include "core/timeline/lane_kinds/slice_lane.h"

#include <algorithm>
#include <cmath>
#include <ostream>

#include "core/base/text.h"
#include "core/lanes/lane_label.h"
#include "core/lanes/phase_lanes.h"
#include "core/timeline/elide.h"
#include "core/timeline/lane_kinds/registry.h"

namespace lockstep {

namespace {

// PhaseLane: the reinforcement-learning phases of a process. Bubbles are hatched above the phases. A bubble
// is a time when the process's devices were idle while the devices of another role were working. A click
// selects the range that defines the phase.
class PhaseLane final : public SliceLane {
  public:
    std::string_view name() const override { return "phases"; }
    bool handles(const Lane& lane, bool isCollapsed) const override;
    std::string value(const Scene& scene, uint32_t lane) const override;
    void place(LaneFrame& frame, const LanePlace& place) const override;
    void fill(const LaneFrame& frame, const RowJob& job, DisplayRow& row) const override;
    void draw(const FrameMetrics& metrics, DisplayRow& row) const override;
    bool hit(const DisplayRow& row, int x, int y, Hit& hit) const override;
    std::vector<std::string> hover(const Scene& scene, const DisplayList& list,
                                   const Hit& hit) const override;
    bool matchesName(const Lane& lane, const NameMatcher& isMatch) const override;
    void write(std::ostream& out, const DisplayRow& row) const override;
};

// The rows of a lane overlap: first come the phases of each report, then the bubbles of all reports.
constexpr uint16_t kPhaseRow = 0, kBubbleRow = 1;

Ink phaseInk(RlPhase phase)
{
    Ink ink;
    ink.kind = Ink::Kind::phase;
    ink.value = static_cast<uint32_t>(phase);
    return ink;
}

Ink bubbleInk()
{
    Ink ink;
    ink.kind = Ink::Kind::bubble;
    return ink;
}

const std::vector<PhaseSegment>& segmentsOf(const Lane& lane)
{
    return lane.data.as<PhaseLaneData>()->segments;
}

const ProcessBubbles* bubblesOf(const Scene& scene, uint32_t lane)
{
    return scene.bubbles->of(*scene.tree, scene.tree->parentOf(lane));
}

// Returns the first range that ends after a time.
template<class T, class RangeOf>
size_t firstEndingAfter(const std::vector<T>& all, TraceTime at, const RangeOf& rangeOf)
{
    return static_cast<size_t>(
        std::ranges::upper_bound(all, at, {}, [&](const T& one) { return rangeOf(one).end; }) - all.begin());
}

// Calls add(i, begin, end) for visible ranges, left to right, each at least one pixel wide and to the right
// of the previous one. If several are in one pixel, the first is used. O(width * log all).
template<class T, class RangeOf, class Add>
void forEachVisible(const std::vector<T>& all, const PixelScale& scale, const RangeOf& rangeOf,
                    const Add& add)
{
    int free = 0;
    for (size_t i = firstEndingAfter(all, scale.range().begin, rangeOf);
         i < all.size() && rangeOf(all[i]).begin < scale.range().end && free < scale.width();) {
        const int begin = std::max(free, scale.pixelOf(rangeOf(all[i]).begin));
        const int end = std::min(scale.width(), std::max(begin + 1, scale.pixelOf(rangeOf(all[i]).end)));
        add(i, begin, end);
        free = std::max(free, end);
        i = std::max(i + 1, firstEndingAfter(all, scale.startOf(free), rangeOf));
    }
}

// Returns the width of a label with its margins.
struct LabelExtent {
    int begin = 0, end = 0;

    bool overlaps(LabelExtent other) const { return begin < other.end && other.begin < end; }
};

void addPhaseLabel(DisplayRow& row, std::string_view name, Ink on, int middle)
{
    if (name.empty()) return;
    RowLabel& label = row.labels.emplace_back();
    label.x = middle;
    label.y = row.height / 2;
    label.on = on;
    label.label = static_cast<uint32_t>(row.text.size());
    label.labelLength = static_cast<uint32_t>(name.size());
    row.text += name;
}

// The phases on a lane within a frame.
class PhaseBoxes {
  public:
    PhaseBoxes(const LaneFrame& frame, const Lane& lane) : m_frame(frame), m_segments(segmentsOf(lane)) {}

    // Calls add(segment, begin, end, label), where label is the part of the name that fits.
    template<class Add>
    void forEach(const Add& add) const
    {
        const int padding = m_frame.metrics.labelPadding;
        const auto rangeOf = [](const PhaseSegment& segment) { return segment.range; };
        forEachVisible(m_segments, m_frame.list.scale, rangeOf, [&](size_t i, int begin, int end) {
            const PhaseSegment& segment = m_segments[i];
            const auto* const hidden = m_frame.view.hidden.get();
            if (hidden != nullptr && hidden->has(m_frame.scene, segment.slice)) return;
            const auto room = static_cast<float>(end - begin - 2 * padding);
            add(segment, begin, end, elideEnd(rlPhaseName(segment.phase), room, *m_frame.view.font));
        });
    }

    int middleOf(int begin, const std::string& label) const
    {
        return begin + m_frame.metrics.labelPadding + widthOf(label) / 2;
    }
    int widthOf(const std::string& label) const
    {
        return static_cast<int>(std::ceil(m_frame.view.font->widthOf(label)));
    }
    // Returns the pixel ranges that the labels take, from left to right.
    std::vector<LabelExtent> labelExtents() const
    {
        std::vector<LabelExtent> taken;
        forEach([&](const PhaseSegment&, int begin, int, const std::string& label) {
            if (!label.empty())
                taken.push_back({begin, begin + 2 * m_frame.metrics.labelPadding + widthOf(label)});
        });
        return taken;
    }
    // Returns the background of a label, which is a phase or no phase. Returns nullopt if the label would
    // cover several phases.
    std::optional<Ink> backgroundOf(LabelExtent room) const
    {
        std::optional<Ink> background = bubbleInk();
        forEach([&](const PhaseSegment& segment, int begin, int end, const std::string&) {
            if (!room.overlaps({begin, end})) return;
            const bool containsAll = begin <= room.begin && room.end <= end;
            background = containsAll ? std::optional(phaseInk(segment.phase)) : std::nullopt;
        });
        return background;
    }

  private:
    const LaneFrame& m_frame;
    const std::vector<PhaseSegment>& m_segments;
};

// The bubbles on a row. Their hatching leaves out the labels.
class BubbleBoxes {
  public:
    BubbleBoxes(const LaneFrame& frame, const Lane& lane, DisplayRow& row)
        : m_frame(frame), m_phases(frame, lane), m_row(row), m_taken(m_phases.labelExtents())
    {
    }

    void add(const ProcessBubbles& bubbles)
    {
        const PixelScale& scale = m_frame.list.scale;
        const auto rangeOf = [](const TimeRange& range) { return range; };
        forEachVisible(bubbles.ranges, scale, rangeOf, [&](size_t i, int begin, int end) {
            const TimeRange pixel = scale.pixelRange(begin);
            // A pixel that is idle for less than half of its time is not drawn.
            if (end - begin == 1 && 2 * bubbles.lengthWithin(pixel).ns < pixel.length().ns) return;
            SliceBox& box = m_row.boxes.emplace_back();
            box.begin = begin;
            box.end = end;
            box.nameHash = static_cast<uint32_t>(i);
            addLengthLabel(durationText(bubbles.ranges[i].length()), begin, end);
        });
        hatch();
    }

  private:
    // Places the label in the center of the bubble, otherwise at its end, unless the name of a phase is
    // already there.
    void addLengthLabel(const std::string& length, int begin, int end)
    {
        const int padding = m_frame.metrics.labelPadding;
        for (const std::string& label : {"bubble " + length, length}) {
            const int room = m_phases.widthOf(label) + 2 * padding;
            if (room + 2 * padding > end - begin) continue;
            for (const int left : {(begin + end - room) / 2, end - padding - room}) {
                const LabelExtent stretch{left, left + room};
                const auto isTaken = [&](LabelExtent taken) { return taken.overlaps(stretch); };
                const auto background = m_phases.backgroundOf(stretch);
                if (!background || std::ranges::any_of(m_taken, isTaken)) continue;
                addPhaseLabel(m_row, label, *background, left + room / 2);
                m_lengthLabels.push_back(stretch);
                return;
            }
        }
    }

    void hatch()
    {
        std::vector<LabelExtent> plain = m_taken;
        plain.insert(plain.end(), m_lengthLabels.begin(), m_lengthLabels.end());
        std::ranges::sort(plain, {}, &LabelExtent::begin);
        size_t next = 0;
        for (const SliceBox& box : m_row.boxes) {
            int from = box.begin;
            while (next < plain.size() && plain[next].end <= from)
                ++next;
            for (size_t i = next; i < plain.size() && plain[i].begin < box.end; ++i) {
                addSpan(from, plain[i].begin);
                from = std::max(from, plain[i].end);
            }
            addSpan(from, box.end);
        }
    }

    void addSpan(int begin, int end)
    {
        if (begin >= end) return;
        Span& span = m_row.spans.emplace_back();
        span.begin = static_cast<uint16_t>(begin);
        span.end = static_cast<uint16_t>(end);
        span.bottom = static_cast<uint16_t>(m_row.height);
        span.ink = bubbleInk();
    }

    const LaneFrame& m_frame;
    PhaseBoxes m_phases;
    DisplayRow& m_row;
    std::vector<LabelExtent> m_taken, m_lengthLabels;
};

} // namespace

bool PhaseLane::handles(const Lane& lane, bool) const
{
    return lane.data.is<PhaseLaneData>();
}

std::string PhaseLane::value(const Scene& scene, uint32_t lane) const
{
    const ProcessBubbles* const bubbles = bubblesOf(scene, lane);
    if (bubbles == nullptr || bubbles->ranges.empty()) return {};
    return "bubble " + percentText(bubbles->total.ns, bubbles->recorded.ns);
}

void PhaseLane::place(LaneFrame& frame, const LanePlace& place) const
{
    const Lane& lane = frame.laneAt(place.lane.lane);
    const TimeRange seen = frame.list.scale.range();
    std::vector<ReportKey> reports;
    const std::vector<PhaseSegment>& segments = segmentsOf(lane);
    for (size_t i = firstEndingAfter(segments, seen.begin, [](const PhaseSegment& s) { return s.range; });
         i < segments.size() && segments[i].range.begin < seen.end; ++i) {
        const ReportKey report = segments[i].slice.report;
        if (std::ranges::find(reports, report) == reports.end()) reports.push_back(report);
    }
    const auto addRowOf = [&](ReportKey report, uint16_t depth) {
        DisplayRow& row = addRow(frame, place, place.y, place.lane.height - frame.metrics.line);
        row.track = {report, {}};
        row.depth = depth;
        addJob(frame, place, {}, depth);
    };
    for (const ReportKey report : reports)
        addRowOf(report, kPhaseRow);
    addRowOf(lane.report, kBubbleRow); // at least one row, so that the lane receives clicks
}

void PhaseLane::fill(const LaneFrame& frame, const RowJob& job, DisplayRow& row) const
{
    const Lane& lane = frame.laneAt(job.lane());
    row.isSearched = frame.view.hits != nullptr;
    if (job.depth == kBubbleRow) {
        const ProcessBubbles* const bubbles = bubblesOf(frame.scene, job.lane());
        if (bubbles != nullptr) BubbleBoxes(frame, lane, row).add(*bubbles);
        return;
    }
    const PhaseBoxes boxes(frame, lane);
    boxes.forEach([&](const PhaseSegment& segment, int begin, int end, const std::string& label) {
        if (segment.slice.report != row.track.report) return;
        SliceBox& box = row.boxes.emplace_back();
        box.begin = begin;
        box.end = end;
        box.slice = segment.slice.slice;
        box.category = SliceCategory::nvtx;
        box.nameHash = static_cast<uint32_t>(segment.phase);
        box.isHit = row.isSearched && frame.view.hits->has(segment.slice);
        box.isDimmed = row.isSearched && !box.isHit;
        addPhaseLabel(row, label, phaseInk(segment.phase), boxes.middleOf(begin, label));
    });
}

// Bubbles are drawn where there are no labels.
void PhaseLane::draw(const FrameMetrics& metrics, DisplayRow& row) const
{
    if (row.depth == kBubbleRow) return;
    row.isFlat = !row.isSearched;
    drawBoxes(metrics, row);
    for (Span& span : row.spans)
        span.ink.kind = Ink::Kind::phase;
    if (row.isSearched) drawHits(metrics, row);
}

bool PhaseLane::hit(const DisplayRow& row, int x, int y, Hit& hit) const
{
    if (!SliceLane::hit(row, x, y, hit)) return false;
    if (row.depth == kBubbleRow) hit.part = Hit::Part::shape;
    hit.x = x;
    return true;
}

std::vector<std::string> PhaseLane::hover(const Scene& scene, const DisplayList& list, const Hit& hit) const
{
    std::vector<std::string> lines;
    if (hit.part == Hit::Part::box) {
        lines = SliceLane::hover(scene, list, hit);
        const std::vector<PhaseSegment>& segments = segmentsOf(scene.tree->lane(hit.lane));
        const auto found = std::ranges::find(segments, hit.slice, &PhaseSegment::slice);
        if (found != segments.end())
            lines.insert(lines.begin() + 1, "phase " + std::string(rlPhaseName(found->phase)));
    }
    const ProcessBubbles* const bubbles = bubblesOf(scene, hit.lane);
    if (bubbles == nullptr || (hit.part != Hit::Part::box && hit.part != Hit::Part::shape)) return lines;
    const TraceTime at = list.scale.startOf(hit.x);
    const size_t i = firstEndingAfter(bubbles->ranges, at, [](const TimeRange& range) { return range; });
    if (i == bubbles->ranges.size() || bubbles->ranges[i].begin >= list.scale.startOf(hit.x + 1))
        return lines;
    lines.push_back("bubble of " + durationText(bubbles->ranges[i].length()) +
                    ": its devices were idle while those of " + bubbles->others + " worked");
    lines.push_back("all bubbles of this role: " + durationText(bubbles->total) + ", " +
                    percentText(bubbles->total.ns, bubbles->recorded.ns) + " of its recorded time; " +
                    "idle periods under " + durationText(BusyRow::kMinIdle) + " are ignored");
    if (!bubbles->isDeviceKnown)
        lines.push_back("no file identifies the devices: the other work may have run on the same device");
    if (hit.part == Hit::Part::shape) lines.push_back(scene.tree->pathOf(hit.lane));
    return lines;
}

bool PhaseLane::matchesName(const Lane& lane, const NameMatcher& isMatch) const
{
    return isMatch(lane.label);
}

void PhaseLane::write(std::ostream& out, const DisplayRow& row) const
{
    for (const SliceBox& box : row.boxes) {
        out << "    [" << box.begin << ", " << box.end << ") "
            << (row.depth == kBubbleRow ? "bubble" : rlPhaseName(static_cast<RlPhase>(box.nameHash))) << '\n';
    }
    for (const RowLabel& label : row.labels)
        out << "    at " << label.x << " \"" << row.text.substr(label.label, label.labelLength) << "\"\n";
}

const LaneKind& phaseLane()
{
    static const PhaseLane kLane{};
    return kLane;
}

} // namespace lockstep
