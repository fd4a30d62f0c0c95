// SPDX-License-Identifier: Apache-2.0
// Mark: a place that a person wants to find again, with or without words: a moment, a range, a slice or an
// area. Anchored in the clocks of the reports it was set in, so that it stays where it was when reports are
// aligned otherwise, or opened elsewhere. Set by the window, kept in a MarkList, put onto a scene by a
// MarkPlacer. Values.
#pragma once

#include "core/scene/report_anchor.h"
#include "core/scene/scene.h"

namespace lockstep {

enum class MarkKind : uint8_t { time, range, slice, area };
// "time", "range", "slice", "area".
std::string_view markKindName(MarkKind kind);
std::optional<MarkKind> markKindNamed(std::string_view name);

// The axis that a mark was set on: of use where its moment is of no report.
struct AxisAnchor {
    std::optional<int64_t> utcAtZero_ns; // Unix-epoch ns; absent where the axis had no UTC
    std::string basis;                   // what the axis rested on, one sentence

    friend auto operator<=>(const AxisAnchor&, const AxisAnchor&) = default;
};

// One end of a mark.
struct MomentAnchor {
    TraceTime aligned;                          // on the axis it was set on
    std::shared_ptr<const ReportAnchor> report; // whose lane it was set in; null: the axis itself
    TraceTime at;                               // on that report's clock

    friend bool operator==(const MomentAnchor& a, const MomentAnchor& b);
};

struct Mark {
    int64_t number = 0; // unique in its list, from 1; never used again there
    MarkKind kind = MarkKind::time;
    std::string text;                       // empty: a mark; else it is called a note
    int64_t madeAt_utc_ns = 0;              // Unix epoch
    MomentAnchor begin, end;                // equal for a time
    std::shared_ptr<const AxisAnchor> axis; // never null
    std::string track;                      // of a slice: which track of its report
    std::string name;                       // of a slice
    std::string lane;                       // as it was called: "node0 · rank 0 › stream 7"; may be empty
    std::vector<std::string> lanes;         // of an area: keys of its lanes

    bool isNote() const { return !text.empty(); }
    friend bool operator==(const Mark& a, const Mark& b);
};

// "mark 3" or "note 3".
std::string markName(const Mark& mark);

// Makes marks of what is on screen; number and texts are the caller's. `now`: Unix-epoch ns.
// An invalid report: the axis itself.
Mark markOfTime(const Scene& scene, TraceTime aligned, ReportKey report, int64_t now);
Mark markOfRange(const Scene& scene, TimeRange aligned, ReportKey began, ReportKey ended, int64_t now);
// The slice must be of a shown report.
Mark markOfSlice(const Scene& scene, SliceRef slice, int64_t now);
Mark markOfArea(const Scene& scene, TimeRange aligned, std::vector<std::string> lanes, int64_t now);

// How a mark was put onto a scene.
enum class MarkPlacing : uint8_t {
    exact,           // by the report that it was set in
    byName,          // by a report that only has its name
    byOwner,         // by another report of its process
    byUtc,           // set on the axis, whose UTC is known then and now
    byAxis,          // set on the axis, which had no UTC then and has none now
    sliceNotFound,   // its report is there, at this place; the slice is not
    otherAxis,       // not placed: the axis then and now have nothing in common
    reportNotOpen,   // not placed
    reportAmbiguous, // not placed: several open reports could be it
};
// One or two words, for a column: "yes", "by name", "report not open" ...
std::string_view markPlacingName(MarkPlacing placing);

struct PlacedMark {
    MarkPlacing placing = MarkPlacing::reportNotOpen;
    std::optional<TimeRange> aligned; // begin == end for a time; absent: it is nowhere on this axis
    ReportKey report;                 // that it begins in; invalid: none
    SliceRef slice;                   // of a slice that was found

    friend bool operator==(const PlacedMark&, const PlacedMark&) = default;
};

// Puts marks onto one scene, which outlives it. Thousands a millisecond; looks the reports up at the first
// mark that is of one.
class MarkPlacer {
  public:
    explicit MarkPlacer(const Scene& scene) : m_scene(scene) {}

    PlacedMark place(const Mark& mark);
    // Why it is not quite where it was, or nowhere, as a sentence; "" for exact.
    std::string explain(const Mark& mark, const PlacedMark& placed) const;

  private:
    struct Moment {
        std::optional<TraceTime> aligned;
        ReportKey report;
        MarkPlacing placing;
    };
    ReportFinder::Found find(const std::shared_ptr<const ReportAnchor>& anchor);
    Moment place(const MomentAnchor& moment, const AxisAnchor& axis);
    SliceId findSlice(const Mark& mark, ReportKey report);

    const Scene& m_scene;
    std::optional<ReportFinder> m_finder;
    std::map<const ReportAnchor*, ReportFinder::Found> m_found;
    std::map<std::pair<ReportKey, std::string>, TrackId> m_tracks; // by report and text
    std::map<ReportKey, bool> m_hasTracks;
};

// What tells a track of its report from the others, whatever order they were read in.
std::string trackText(const Report& report, const Track& track);

} // namespace lockstep
