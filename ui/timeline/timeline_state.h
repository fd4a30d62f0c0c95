// SPDX-License-Identifier: Apache-2.0
// TimelineState holds what the timeline's widgets share besides the ViewState: the scene with its lanes,
// their layout and look, and the time axis as currently drawn. Owned by the TimelineView (or by the export of
// an image) and read by the parts of the view. UI thread.
#pragma once

#include <QString>

#include "core/align/collective_peers.h"
#include "core/lanes/lane_filter.h"
#include "core/timeline/hit_rows.h"
#include "core/timeline/layout.h"
#include "core/timeline/mark_layout.h"
#include "core/timeline/snap.h"
#include "core/timeline/view_window.h"
#include "core/timeline/zoom_history.h"
#include "ui/style/theme.h"

namespace lockstep {

class ViewState;

// MarkedRank is the current rank of a rank map. It is identified by keys, because its position on the map
// changes.
struct MarkedRank {
    std::string map;     // key of the map's lane; "" if no rank is current
    std::string process; // key of the rank's lane; "" if no report of the rank is open
    std::optional<int> number;
};

// Tape is the two-point ruler; see ui/timeline/tape.h for its painting.
struct Tape {
    bool isOn = false; // true: the next click in the lanes sets an endpoint
    std::optional<EdgePoint> first, second;

    // Returns the endpoints in time order, or nullopt until both are set.
    std::optional<TimeRange> range() const;
    // Returns "1.204 ms ± 4.1 µs: begin of gemm → end of ncclAllReduce", or what to do next until both ends
    // are set.
    QString text(const Scene& scene) const;
};

class TimelineState {
  public:
    // `view` owns the selection and must outlive the state. It is null in an image, which shows no selection.
    explicit TimelineState(const ViewState* view = nullptr) : m_view(view) {}

    // Replaces the scene (never null). Lane state and visible range are preserved if they are still valid in
    // the new scene. Returns the selection as it is in the new scene.
    Selection setScene(ScenePtr scene);
    void setLaneState(LaneState state);
    void setFilter(LaneFilter filter);
    // Sets the number of device pixels per pixel at scale 1, for fonts and rows.
    void setScale(double scale);
    // Sets the width of the lanes including headers, in device pixels. The width determines how wide
    // collapsed gaps are.
    void setViewWidth(int width);
    void setGapRule(const GapRule& rule);
    // Sets the height of the lanes in device pixels. Rank maps are not higher than this.
    void setViewHeight(int height);

    // Returns the scene as displayed, including the preview of a shift.
    const Scene& scene() const { return *m_scene; }
    const ScenePtr& sharedScene() const { return m_scene; }
    const LaneTree& tree() const { return *m_scene->tree; }
    const LaneFlow& flow() const { return m_flow; }
    const LaneState& laneState() const { return m_laneState; }
    const LaneFilter& filter() const { return m_filter; }
    // Returns the names hidden in the lanes; null if no visible slice has such a name.
    const std::shared_ptr<const HiddenNames>& hidden() const { return m_hidden; }
    double scale() const { return m_scale; }
    int px(double atScaleOne) const;
    TimeRange extent() const { return m_extent; } // extent of the scene, aligned
    // Sets a range to which the user can scroll in addition to the extent of the scene; empty for none.
    void setReach(TimeRange reach);
    // Extends the bounds of the time axis to a range outside the run, such as that of a row with a corrupt
    // timestamp.
    void reachTo(TimeRange range);
    void undoReachTo(); // undoes reachTo()

    FrameView frameView(PixelSize size) const;

    const Selection& selection() const;
    // Finds the other slices of the collective, or of the batches of requests, to which the selected slice
    // belongs. Call when the selected slice or the scene has changed.
    void findPeers();
    // Makes a rank of focusedMap() the current rank.
    void markRank(uint32_t rank);
    // Shows the reports shifted by `by` from their alignment, until the next scene or a preview of zero.
    void previewShift(const std::vector<ReportKey>& reports, Duration by);

    ViewWindow window;                   // shows ViewState::visible() at the end of an animation
    ZoomHistory zoomHistory;             // ranges that the window showed
    std::optional<TraceTime> cursor;     // aligned time under the mouse, over this timeline
    std::shared_ptr<const HitRows> hits; // search hits to mark; null if there is no search
    SliceList highlighted;               // highlighted slices; null for none
    const Theme* theme = &lightTheme();
    Workers workers;          // worker threads that make frames
    int scroll = 0;           // vertical scroll position, device pixels
    double headerWidth = 260; // at scale 1
    uint32_t focusedLane = kNoLane;
    // True if a search found the lane; it is then framed even without keyboard focus.
    bool isLaneFound = false;
    MarkedRank marked; // the current rank; applies only while the lane of its map is the current lane
    Tape tape;
    std::optional<TraceTime> flash;    // a line is drawn here for a moment
    const MarkLayout* marks = nullptr; // layout of the marker row; null if there is none
    std::optional<TraceTime> zero;     // zero of the ruler in a comparison pane; nullopt for the axis zero
    QString overviewLabel;             // label of the overview; "" means the whole run

  private:
    void rebuildFlow();
    void moveAxis(Selection& selection, Duration by);
    SliceList slicesIn(const Scene& next) const;
    TimeRange bounds() const { return m_extent.unitedWith(m_reach).unitedWith(m_reachedTo); }

    const ViewState* m_view;
    CollectivePeers m_peers;
    SliceList m_served; // see Selection::served
    ScenePtr m_scene = std::make_shared<const Scene>();
    ScenePtr m_unmoved; // the scene without the shift while m_scene is a preview, otherwise null
    LaneState m_laneState;
    std::shared_ptr<const HiddenNames> m_hidden; // derived from m_laneState
    LaneFilter m_filter;
    std::vector<bool> m_matching; // for each lane, true if the filter accepts the lane
    LaneFlow m_flow;
    LabelFont m_font;
    TimeRange m_extent, m_reach;
    TimeRange m_reachedTo; // range added by reachTo()
    GapRule m_gapRule;
    double m_bandPart = 0;
    double m_scale = 0;
    int m_mapHeight = 512;   // at scale 1
    uint64_t m_previews = 0; // number of previews so far
};

// Returns the range of the slice in aligned time; nullopt for an invalid slice.
std::optional<TimeRange> rangeOf(const Scene& scene, SliceRef slice);
// Returns the range of the selected slice or the lifetime of the selected block; nullopt if neither is
// selected or the time is unknown.
std::optional<TimeRange> selectedLife(const TimelineState& state);
// Returns the rank map in the current lane, or nullptr. Valid until lanes change.
std::shared_ptr<const RankMap> focusedMap(const TimelineState& state);
// Returns the index of the current rank in the focused map; nullopt if no rank is current or the rank is no
// longer on the map.
std::optional<uint32_t> markedRank(const TimelineState& state);
// Returns the reports with rows in the lane or below it.
std::vector<ReportKey> reportsUnder(const LaneTree& tree, uint32_t lane);

} // namespace lockstep
