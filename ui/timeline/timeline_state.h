// SPDX-License-Identifier: Apache-2.0
// TimelineState: everything the timeline's widgets show and change together: the scene with its lanes,
// the visible range, the selection. Owned by the TimelineView (or a picture), read by its parts. GUI thread.
#pragma once

#include <QString>

#include "core/lanes/lane_filter.h"
#include "core/timeline/hit_rows.h"
#include "core/timeline/layout.h"
#include "core/timeline/mark_layout.h"
#include "core/timeline/snap.h"
#include "core/timeline/view_window.h"
#include "ui/style/theme.h"

namespace lockstep {

// The rank of a map that the keyboard has in hand: by what it is, as its place on the map changes.
struct MarkedRank {
    std::string map;     // the map's lane, by its key; "" = none is marked
    std::string process; // the rank's lane; "" = no report of it is open
    std::optional<int> number;
};

// The two-point ruler; see ui/timeline/tape.h.
struct Tape {
    bool isOn = false; // the next click in the lanes sets an end
    std::optional<EdgePoint> first, second;

    // The ends in the order of time; empty until both are set.
    std::optional<TimeRange> range() const;
    // "1.204 ms ± 4.1 µs: begin of gemm → end of ncclAllReduce"; what to do next until both are set.
    QString text(const Scene& scene) const;
};

class TimelineState {
  public:
    // Keeps lanes' state, selection and visible range as far as they still make sense. Never null.
    void setScene(ScenePtr scene);
    void setLaneState(LaneState state);
    void setFilter(LaneFilter filter);
    // Device pixels of one pixel at scale 1, for fonts and rows.
    void setScale(double scale);
    // Of the lanes, headers included: how wide a folded gap is.
    void setViewWidth(int width);
    void setGapRule(const GapRule& rule);
    // Device pixels that lanes have: a rank map is no taller than can be seen at once.
    void setViewHeight(int height);

    // As it is on screen: with what is being moved by hand where it would be.
    const Scene& scene() const { return *m_scene; }
    const ScenePtr& sharedScene() const { return m_scene; }
    const LaneTree& tree() const { return *m_scene->tree; }
    const LaneFlow& flow() const { return m_flow; }
    const LaneState& laneState() const { return m_laneState; }
    const LaneFilter& filter() const { return m_filter; }
    // Names that lanes do not show; null: no shown slice has one of them.
    const std::shared_ptr<const HiddenNames>& hidden() const { return m_hidden; }
    double scale() const { return m_scale; }
    int px(double atScaleOne) const;
    TimeRange extent() const { return m_extent; } // of the scene, aligned
    // Beyond what there is: what can be seen as well. Empty: nothing.
    void setReach(TimeRange reach);
    // Extends the bounds of the time axis to a range outside the run, such as a row with a damaged stamp.
    void reachTo(TimeRange range);
    void forgetReach(); // Undoes reachTo().

    FrameView frameView(PixelSize size) const;
    // On the aligned axis; empty for an invalid slice.
    std::optional<TimeRange> rangeOf(SliceRef slice) const;

    // Sets selection.slice and, where it is part of a collective, its parts in other reports.
    void select(SliceRef slice);
    // Sets selection.block instead.
    void selectBlock(const BlockRef& block);
    // Of the selected slice, or of the life of the selected block; empty where nothing is selected or no time
    // known.
    std::optional<TimeRange> selectedLife() const;
    // The map that is the current lane; nullptr where that is none. Holds until lanes change.
    std::shared_ptr<const RankMap> focusedMap() const;
    // Of its ranks; empty where none is marked, or the marked one is on it no more.
    std::optional<uint32_t> markedRank() const;
    void markRank(uint32_t rank);
    // Shows reports as if they were moved by this much from where the alignment has them, until the next
    // scene or a preview of zero.
    void previewShift(const std::vector<ReportKey>& reports, Duration by);
    // The reports with rows in a lane or below it.
    std::vector<ReportKey> reportsUnder(uint32_t lane) const;

    ViewWindow window;
    Selection selection;
    std::optional<TraceTime> cursor;     // aligned: where the mouse is
    std::shared_ptr<const HitRows> hits; // of the search; null: nothing is searched for
    SliceList lit;                       // of a chain or path; null: nothing is
    const Theme* theme = &lightTheme();
    Workers workers;          // who makes frames
    int scroll = 0;           // device pixels
    double headerWidth = 260; // at scale 1
    uint32_t focusedLane = kNoLane;
    bool isLaneFound = false; // it was searched for: marked also while the keyboard is elsewhere
    MarkedRank marked;        // counts while its map is the current lane
    Tape tape;
    const MarkLayout* marks = nullptr; // what the row of marks shows; null: there is none
    std::optional<TraceTime> zero;     // what the ruler counts from; none: what the axis does
    QString overviewLabel;             // "": of the whole run

  private:
    void rebuildFlow();
    void moveAxis(Duration by);
    SliceList slicesIn(const Scene& next) const;
    TimeRange bounds() const { return m_extent.unitedWith(m_reach).unitedWith(m_asked); }

    ScenePtr m_scene = std::make_shared<const Scene>();
    ScenePtr m_unmoved; // the scene itself while m_scene shows a preview; else null
    LaneState m_laneState;
    std::shared_ptr<const HiddenNames> m_hidden; // of the lanes' state, in the scene
    LaneFilter m_filter;
    std::vector<bool> m_matching; // by lane: what the filter lets through
    LaneFlow m_flow;
    LabelFont m_font;
    TimeRange m_extent, m_reach;
    TimeRange m_asked; // that reachTo() added
    GapRule m_gapRule;
    double m_bandPart = 0;
    double m_scale = 0;
    int m_mapHeight = 512;   // at scale 1
    uint64_t m_previews = 0; // that were shown
};

} // namespace lockstep
