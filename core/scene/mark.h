// SPDX-License-Identifier: Apache-2.0
// Mark: a marker for a place that a user wants to find again (a time, a range, a slice or an area), with or
// without a note. A marker is anchored to the clocks of its reports, so that it keeps its place when reports
// are realigned or opened elsewhere. Set by the window, stored in a MarkList, placed on a scene by a
// MarkPlacer. Value types.
#pragma once

#include "core/scene/report_anchor.h"
#include "core/scene/scene.h"

namespace lockstep {

enum class MarkKind : uint8_t { time, range, slice, area };
// Returns "time", "range", "slice" or "area".
std::string_view markKindName(MarkKind kind);
std::optional<MarkKind> markKindFromName(std::string_view name);

// The axis on which a marker was set. Required if the marker's time does not belong to any report.
struct AxisAnchor {
    std::optional<int64_t> utcAtZero_ns; // Unix time in ns; nullopt if the axis had no UTC
    std::string basis;                   // basis of the axis as one sentence

    friend auto operator<=>(const AxisAnchor&, const AxisAnchor&) = default;
};

// One end of a marker.
struct MomentAnchor {
    TraceTime aligned; // time on the axis on which the marker was set
    std::shared_ptr<const ReportAnchor>
        report;   // report in whose lane the marker was set; null for the axis itself
    TraceTime at; // time on the clock of that report

    friend bool operator==(const MomentAnchor& a, const MomentAnchor& b);
};

struct Mark {
    int64_t number = 0; // ID: unique in its list, one-based, never reused in that list
    MarkKind kind = MarkKind::time;
    std::string text;                       // text of the note; empty for a marker without a note
    int64_t createdAt_utc_ns = 0;           // time of creation, Unix time in ns
    MomentAnchor begin, end;                // equal if the marker is a single time
    std::shared_ptr<const AxisAnchor> axis; // never null
    std::string track;                      // for a slice: the track of the slice in the report
    std::string name;                       // for a slice: the name of the slice
    // lane label when the marker was set: "node0 · rank 0 › stream 7"; may be empty
    std::string lane;
    std::vector<std::string> lanes; // for an area: the keys of its lanes

    bool isNote() const { return !text.empty(); }
    friend bool operator==(const Mark& a, const Mark& b);
};

// Returns "marker 3" or "note 3".
std::string markName(const Mark& mark);

// Create markers for places on screen; the caller sets number and text. `now` is the Unix time in ns. If the
// report is invalid, the marker belongs to the axis itself.
Mark markOfTime(const Scene& scene, TraceTime aligned, ReportKey report, int64_t now);
Mark markOfRange(const Scene& scene, TimeRange aligned, ReportKey began, ReportKey ended, int64_t now);
// The slice must belong to a shown report.
Mark markOfSlice(const Scene& scene, SliceRef slice, int64_t now);
Mark markOfArea(const Scene& scene, TimeRange aligned, std::vector<std::string> lanes, int64_t now);

// How a marker was placed on a scene.
enum class MarkPlacement : uint8_t {
    exact,            // by the report in which it was set
    byName,           // by a report with the same name
    byOwner,          // by a different report of the same process
    byUtc,            // set on the axis; UTC is known both for the original axis and for the current one
    byAxis,           // set on the axis; UTC is unknown both for the original axis and for the current one
    sliceNotFound,    // the report is open and the time is valid, but the slice was not found
    incompatibleAxis, // not placed: the original axis and the current axis cannot be compared
    reportNotOpen,    // not placed
    reportAmbiguous,  // not placed: several open reports match
};
// Returns one or two words for a column: "yes", "by name", "report not open" ...
std::string_view markPlacementName(MarkPlacement placement);

struct PlacedMark {
    MarkPlacement placement = MarkPlacement::reportNotOpen;
    std::optional<TimeRange> aligned; // begin == end for a single time; nullopt if not on this axis
    ReportKey report;                 // report in which the marker begins; invalid if there is none
    SliceRef slice;                   // for a slice, if it was found

    friend bool operator==(const PlacedMark&, const PlacedMark&) = default;
};

// MarkPlacer places markers on one scene, which must outlive the placer. It places thousands of markers per
// millisecond. The reports are indexed when the first marker that belongs to a report is placed.
class MarkPlacer {
  public:
    explicit MarkPlacer(const Scene& scene) : m_scene(scene) {}

    PlacedMark place(const Mark& mark);
    // Returns a sentence that explains why the marker is displaced or not placed; "" if it is placed exactly.
    std::string explain(const Mark& mark, const PlacedMark& placed) const;

  private:
    struct Moment {
        std::optional<TraceTime> aligned;
        ReportKey report;
        MarkPlacement placement;
    };
    ReportFinder::Found find(const std::shared_ptr<const ReportAnchor>& anchor);
    Moment place(const MomentAnchor& moment, const AxisAnchor& axis);
    SliceRef findSlice(const Mark& mark, ReportKey report);
    SliceId findIn(const Mark& mark, ReportKey report);
    const std::vector<ReportKey>& chunksOf(ReportKey report);

    const Scene& m_scene;
    std::optional<ReportFinder> m_finder;
    std::map<const ReportAnchor*, ReportFinder::Found> m_found;
    std::map<std::pair<ReportKey, std::string>, TrackId> m_tracks; // by (report, track text)
    std::map<ReportKey, bool> m_hasTracks;
    std::map<ReportKey, std::vector<ReportKey>> m_chunks;
};

// Returns a string that distinguishes a track from the other tracks in its report, regardless of the order in
// which tracks were read.
std::string trackText(const Report& report, const Track& track);

} // namespace lockstep
