// SPDX-License-Identifier: Apache-2.0
// TimelineView is the timeline as one widget: minimap, ruler and lanes. The timeline page sets the scenes.
// The visible range and the selection are those of a ViewState, which panels may change as well. All other
// classes in ui/timeline are internal to TimelineView. All times are aligned. UI thread.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>

#include <QBasicTimer>
#include <QElapsedTimer>
#include <QString>
#include <QWidget>

#include "core/timeline/hit_test.h"
#include "ui/timeline/ruler_bar.h"
#include "ui/timeline/timeline_key_map.h"
#include "ui/timeline/timeline_state.h"

class QMenu;
class QPushButton;
class QScrollBar;
class QVariantAnimation;

namespace lockstep {

class DistantReportBar;
class HoverCard;
class LaneOrderButton;
class MarkStore;
class MarksBar;
class NoteEditor;
class Notices;
class MinimapBar;
class SliceCommands;
class TimelineCanvas;
class ViewState;

// TimelineHalf configures a view that is a pane of a comparison.
struct TimelineHalf {
    QString label;          // label of the overview
    TraceTime zero;         // zero of the ruler
    TimeRange reach, whole; // aligned; the user can also scroll to `reach`; fitAll() shows `whole`
    bool hasRuler = true;
};

class TimelineView : public QWidget {
    Q_OBJECT

  public:
    // `view` owns the visible range and the selection. It and `notices` must outlive this widget.
    TimelineView(ViewState& view, Notices& notices, Workers workers, QWidget* parent = nullptr);
    ~TimelineView() override;

    // Replaces the scene (never null). Visible range, lane state and selection are preserved where possible.
    void setScene(ScenePtr scene);
    ViewState& viewState() const { return m_view; }
    Notices& notices() const { return m_notices; }
    void setTheme(const Theme& theme); // one of themeOf()
    const Theme& theme() const { return *m_state.theme; }
    void setKeys(const TimelineKeyMap& keys);
    const TimelineKeyMap& keys() const { return m_keys; }
    // Returns true if run() carries the command out itself, false if run() emits commandRequested().
    static bool canRun(CommandId command);
    // Runs a command of the timeline. Returns false if there is nothing that it could apply to.
    bool run(CommandId command);
    void setRulerTime(const RulerTime& time);
    void setReducedMotion(bool reduced);
    // Sets which gaps are collapsed. Gaps that the user expanded stay expanded.
    void setGapRule(const GapRule& rule);
    // Returns the expanded gaps in aligned time, for the workspace file.
    std::vector<TimeRange> openedGaps() const { return m_state.window.opened(); }
    void setOpenedGaps(std::vector<TimeRange> gaps);
    // Returns the bar that informs the user of a distant report.
    DistantReportBar* distantReportBar() const { return m_distantReport; }

    // Returns the zoom history, oldest first; the current range is last.
    std::vector<TimeRange> zoomTrail() const { return m_state.window.trail(); }
    void zoomTo(TimeRange aligned);
    // Shows the range without animation and without an undo step, for callers that move the view
    // continuously.
    void showAtOnce(TimeRange aligned);
    void fitAll();
    // Zooms to the selected range; if there is none, to the selected slice or block. If the view already
    // shows exactly that, or if nothing is selected, zooms to fit.
    void fitSelection();
    void undoZoom();
    void redoZoom();

    // Selects the slice; an invalid slice clears the selection. If `reveal` is true, also expands and scrolls
    // to the lane and moves the view to the slice.
    void select(SliceRef slice, bool reveal);
    // Expands the ancestors of the lane, scrolls to it and makes it the current lane. An unknown key does
    // nothing.
    void showLane(const QString& key);
    // Removes the preview of a shift that the user did not accept.
    void cancelShift();

    // Shows only lanes whose path matches; "" shows all. Returns false and changes nothing if `regex` is not
    // a valid regular expression.
    bool setLaneFilter(const QString& regex);
    const QString& laneFilter() const { return m_laneFilter; }
    LaneState laneState() const { return m_state.laneState(); }
    void setLaneState(const LaneState& state);
    const LaneTree& laneTree() const { return m_state.tree(); }
    const Scene& scene() const { return m_state.scene(); }
    // Returns the current lane, which receives keyboard commands. If the index is beyond the end of the tree,
    // no lane is current.
    uint32_t currentLane() const { return m_state.focusedLane; }
    // Sets the hits of the window's search, which are marked in lanes, headers and overview; null for no
    // search.
    void setHits(std::shared_ptr<const HitRows> hits);
    // Shows the markers of `store` and adds new ones to it. `store` must outlive this widget.
    void showMarks(MarkStore& store);
    // Adds a marker at the selection; without a selection, at the time under the cursor; without a cursor, in
    // the middle of the view. If there is already a marker at that position, removes it instead.
    void toggleMark();
    // Adds a marker with a note at the position that toggleMark() uses, and opens an editor for the note.
    void writeNote();
    // Selects the slice or range of the marker and shows it.
    void goToMark(int64_t number);
    // Moves the view to a range or a point in time (an empty range), unless that range is already visible,
    // and draws a line there for a moment. If isZoomedTo is true, the range fills the view; around a point in
    // time, a twentieth of the visible range does.
    void showPlace(TimeRange aligned, bool isZoomedTo = false);
    // Turns measuring on or off. While measuring, clicks in the lanes set the endpoints of the tape; see
    // Tape.
    void setMeasuring(bool measures);
    const Tape& tape() const { return m_state.tape; }
    int scrolledBy() const { return m_state.scroll; } // device pixels
    void scrollTo(int y);
    // The commands for the selected slice, from its menu and keys.
    SliceCommands& sliceCommands() const { return *m_sliceCommands; }
    // Highlights the slices and dims all others, until the user presses Esc, light(nullptr) is called, or the
    // open reports change.
    void light(SliceList slices);
    const SliceList& highlighted() const { return m_state.highlighted; }
    // Zooms to the selected slice or block, regardless of the selected range.
    void zoomToSelected();
    // Pins or unpins the lane that shows the slice.
    void pinLaneOf(SliceRef slice);
    // Applies a user's change to the lane state and emits lanesEdited().
    void editLanes(const std::function<void(LaneState&)>& edit);
    // Returns the chip with the number of hidden names. A click on the chip shows the slices again. The chip
    // is hidden if no names are hidden.
    QPushButton* hiddenNamesChip() const { return m_hiddenChip; }
    // Returns the chip with the number of hidden lanes. A click on the chip shows the lanes again.
    QPushButton* hiddenLanesChip() const { return m_hiddenLanesChip; }
    // Returns the button that shows and changes how lanes are grouped and sorted.
    LaneOrderButton* orderButton() const { return m_orderButton; }

    // Turns the view into a pane of a comparison or, with nullopt, back into a full timeline. A pane does not
    // collapse gaps and reserves room for its scroll bar.
    void setHalf(const std::optional<TimelineHalf>& half);
    // Places a second overview below this view's own overview, and a title above the lanes. They stay until
    // they are replaced or moved to another view. nullptr for none.
    void hold(QWidget* secondOverview, QWidget* title);
    // Returns the overview, which may be held by another view; reclaimOverview() returns it to this view.
    QWidget* overview() const;
    void reclaimOverview();
    const TimelineState& state() const { return m_state; }
    void setHeaderWidth(double atScaleOne);
    // Return rectangles in widget pixels: lanesRect() for the lanes with their headers, the other for a slice
    // whose lane is shown. The slice may be outside the visible range.
    QRect lanesRect() const;
    QRect placeOf(SliceRef slice) const;

    // Adds lines of text, which the window provides, to the hover card while the mouse is over this slice.
    void setHoverText(SliceRef slice, const QString& arguments);
    // Return what is on screen, for tests and accessibility.
    const DisplayList& displayList();
    QStringList hoverLines() const;

  signals:
    void sliceHovered(SliceRef slice, TraceTime aligned); // invalid if there is no slice
    void framed(TimeRange visible);                       // at every change, also during an animation
    void scrolledTo(int y);                               // device pixels
    void headerWidthChanged(double atScaleOne);
    void laneStateChanged();
    void rulerTimeChanged(const RulerTime& time); // emitted for changes by the user
    void navigated();                             // the view moved, but not by showAtOnce() or a new scene
    void lanesEdited(const LaneState& before,
                     const LaneState& after); // emitted for changes by the user, before laneStateChanged()
    void gapsEdited();                        // the user expanded or collapsed gaps
    void markChosen(int64_t number);          // the marker was clicked
    void commandRequested(CommandId command); // a command that the window carries out
    void hiddenNamesChanged(const QStringList& names); // hidden names that occur in visible slices
    // Emitted when a lane group was dragged along the time axis. The reports of the group are shown shifted
    // until the next setScene() or cancelShift().
    void shiftRequested(const std::vector<ReportKey>& reports, Duration by);

  protected:
    void keyPressEvent(QKeyEvent* event) override;
    void changeEvent(QEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void timerEvent(QTimerEvent* event) override;
    void showEvent(QShowEvent* event) override;
    bool event(QEvent* event) override;

  private:
    void connectParts();
    void connectView();
    void connectMouse();
    void refresh();
    void refreshLanes();
    void updateScale();
    void updateScrollBar();

    void moveTo(TimeRange goal, bool animate);
    void settle(TimeRange shown);
    void setGoal(TimeRange goal);
    void rememberPlace();
    void zoomAt(TraceTime at, double factor);
    void panBy(Duration by, bool animate = false);
    void centreOn(TraceTime at);
    ViewWindow goalWindow() const;
    void setGapOpen(TimeRange gap, bool isOpen);
    void editGap(TimeRange gap, bool isOpen);
    void toggleGaps();
    void chooseRulerTime(const RulerTime& time);
    // Expands the gaps that contain the ends of `place`.
    void openGapsOf(TimeRange place);

    void hover(const Hit& hit, QPoint position);
    void endHover();
    QStringList linesFor(const Hit& hit) const;
    QString distanceText(SliceRef slice) const;
    void dragArea(Area area, ReportKey from, ReportKey to, bool isAdding, bool isFinal);
    std::vector<AreaLane> lanesBetween(const std::string& first, const std::string& last) const;
    void togglePick(const Hit& hit);
    bool cancelArea();
    void selectSlices(SliceList slices);
    void dragLane(uint32_t lane, Duration by, QPoint position, bool isFinal);
    void click(const Hit& hit);
    void doubleClick(const Hit& hit);

    struct Handler {
        CommandId command;
        bool (*run)(TimelineView&);
    };
    static std::span<const Handler> handlers();
    Duration keyPan() const;
    void stepInLane(bool isForward);
    void stepToSameName(SliceRef (*next)(const Scene&, SliceRef));
    void followFlow(SliceRef (*next)(const Workspace&, SliceRef));
    void moveFocus(int by);
    void scrollByHalfPages(int by);
    bool openFocused();
    void pinFocused();
    bool cancel();
    ReportKey hoveredReport() const;
    void flash(TraceTime at);
    bool canMark();
    Mark markHere() const;
    void saveNote(Mark mark, int64_t known, const QString& words);
    void setTapeEnd(const Hit& hit, TraceTime at);
    void moveTapeEnd(bool isForward);
    void saveTape();
    void step(SliceRef next);
    void focusLane(int by);
    // Moves to another rank of the rank map in the current lane. Returns false if there is no rank in that
    // direction or no map.
    bool moveMark(int by);
    void showMark();
    bool openMarked();
    bool exitMap();
    void connectSlices();
    void connectOrder();
    void showOrder();
    void dragRowHeight(const std::string& lane, int height, bool isFinal);
    void chooseRowHeight(int height);
    void addRowHeights(QMenu& menu, const std::string& lane);
    // `moved` and `over` are lane keys.
    void dropLane(const std::string& moved, const std::string& over);
    void moveFocusedLane(int by);
    void showOnlyFocusedLane();
    void showHiddenLanes();
    void foldAll(bool areFolded);
    void chooseNextRowHeight();
    void openMenuByKey();
    bool clearHighlight();
    void showHiddenNames();
    void showHiddenLanesCount();
    void placeChips();
    void toggleFold(uint32_t lane);
    bool press(const Hit& hit);
    void scrollToLane(uint32_t lane);
    void showLaneMenu(uint32_t lane, QPoint global);
    void addHiddenLanes(QMenu& menu);
    void addMapChoices(QMenu& menu);
    void addMemoryChoices(QMenu& menu);
    uint32_t laneOfSlice(SliceRef slice) const;
    void revealSlice(SliceRef slice);
    // Clears one level of the selection: first the areas and the range; if there are none, the individually
    // selected slices; if there are none, the current slice or block. Returns false if nothing is selected.
    bool deselect();
    TraceTime zoomCentre() const;

    ViewState& m_view;
    Notices& m_notices;
    TimelineState m_state;
    TimelineKeyMap m_keys;
    MinimapBar* m_minimap;
    RulerBar* m_ruler;
    MarksBar* m_marksBar;
    DistantReportBar* m_distantReport;
    TimelineCanvas* m_canvas;
    QScrollBar* m_scrollBar;
    HoverCard* m_card;
    NoteEditor* m_noteEditor;
    SliceCommands* m_sliceCommands = nullptr;
    QPushButton* m_hiddenChip = nullptr;
    LaneOrderButton* m_orderButton = nullptr;
    QPushButton* m_hiddenLanesChip = nullptr;
    // The hidden lanes before and after the last "Show only this lane".
    struct Isolation {
        std::set<std::string> before, after;
    };
    std::optional<Isolation> m_isolation;
    QStringList m_hiddenNames; // value that was last emitted
    QString m_laneFilter;
    MarkStore* m_store = nullptr;
    QVariantAnimation* m_animation;
    TimeRange m_from;
    bool m_movesView = false; // true while this widget sets the visible range of m_view
    bool m_reducedMotion = false;
    QElapsedTimer m_lastZoom;
    QBasicTimer m_flashEnd;
    SliceRef m_hoveredSlice;
    Hit m_hoverHit;
    QPoint m_hoverAt;
    QString m_hoverText;
    GapRule m_gapRule;
    std::optional<TimelineHalf> m_half;
    QWidget* m_secondOverview = nullptr;
    QWidget* m_paneTitle = nullptr;
    std::optional<Selection> m_selectionBeforeDrag; // selection before the current area drag began
    std::optional<LaneState> m_lanesBeforeEdgeDrag; // lane state before the current edge drag began
    // Rank map that the user left with Esc; Up and Down then go to other lanes.
    uint32_t m_exitedMap = kNoLane;
};

} // namespace lockstep
