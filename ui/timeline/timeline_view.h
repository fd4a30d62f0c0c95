// SPDX-License-Identifier: Apache-2.0
// TimelineView: the timeline as one widget: minimap, ruler, lanes. Its page gives it scenes and the window's
// ViewState; everything else of ui/timeline is its own. Aligned times throughout. GUI thread.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include <QElapsedTimer>
#include <QString>
#include <QWidget>

#include "core/timeline/hit_test.h"
#include "ui/timeline/ruler_bar.h"
#include "ui/timeline/slice_command.h"
#include "ui/timeline/timeline_command.h"
#include "ui/timeline/timeline_state.h"

class QMenu;
class QPushButton;
class QScrollBar;
class QVariantAnimation;

namespace lockstep {

class FarReportBar;
class HoverCard;
class LaneOrderButton;
class MarkStore;
class MarksBar;
class NoteEditor;
class MinimapBar;
class SliceCommands;
class TimelineCanvas;
class ViewState;

// What a view is told while it is half of a comparison.
struct TimelineHalf {
    QString label;          // of its overview
    TraceTime zero;         // what its ruler counts from
    TimeRange reach, whole; // aligned: what can be seen as well; what everything means to fitAll()
    bool hasRuler = true;
};

class TimelineView : public QWidget {
    Q_OBJECT

  public:
    explicit TimelineView(Workers workers, QWidget* parent = nullptr);
    ~TimelineView() override;

    // Keeps visible range, lanes' state and selection where possible. Never null.
    void setScene(ScenePtr scene);
    // From now on goes where the view is told to and tells it where the user goes. view outlives this.
    void follow(ViewState& view);
    void setTheme(const Theme& theme); // one of themeOf()
    const Theme& theme() const { return *m_state.theme; }
    void setKeys(const TimelineKeys& keys);
    const TimelineKeys& keys() const { return m_keys; }
    // As if the first of these was pressed, in the words of timelineCommands().
    void runCommand(const char* keys);
    void setRulerTime(const RulerTime& time);
    void setReducedMotion(bool reduced);
    // Which silence is folded; what was opened stays open.
    void setGapRule(const GapRule& rule);
    // Which were opened, aligned: for the workspace file.
    std::vector<TimeRange> openedGaps() const { return m_state.window.opened(); }
    void setOpenedGaps(std::vector<TimeRange> gaps);
    // Says where a report lies alone, far away.
    FarReportBar* farReportBar() const { return m_farReport; }

    // Where the view is or, while it moves, will be.
    TimeRange visibleRange() const;
    // The places the zooms led through, oldest first, the current one last.
    std::vector<TimeRange> zoomTrail() const { return m_state.window.trail(); }
    void zoomTo(TimeRange aligned);
    // Without a movement, and without a step for undoZoom(): for a view that is moved on again and again.
    void showAtOnce(TimeRange aligned);
    void fitAll();
    // The selected range, else slice; when that is visible already, or nothing is selected, everything.
    void fitSelection();
    void undoZoom();
    void redoZoom();

    SliceRef selectedSlice() const { return m_state.selection.slice; }
    // reveal: unfolds and scrolls to its lane and moves the view so that it can be seen. An invalid slice
    // deselects.
    void select(SliceRef slice, bool reveal);
    // A block of a memory lane, instead of a slice; an invalid one deselects.
    const BlockRef& selectedBlock() const { return m_state.selection.block; }
    void selectBlock(const BlockRef& block);
    // Unfolds what keeps the lane from being seen, scrolls there and takes it in hand; nothing for an unknown
    // key.
    void showLane(const QString& key);
    std::optional<TimeRange> selectedRange() const { return m_state.selection.range; }
    // from, to: the reports whose lanes it was drawn from and to; invalid = the axis itself.
    void selectRange(std::optional<TimeRange> range, ReportKey from = {}, ReportKey to = {});
    // Areas of time and lanes instead, and slices picked one by one beside them. from, to: as above, of the
    // area drawn last. Nothing of either: only the range goes that the areas made.
    const std::vector<Area>& selectedAreas() const { return m_state.selection.areas; }
    const SliceList& selectedSlices() const { return m_state.selection.slices; }
    void selectAreas(std::vector<Area> areas, SliceList slices, ReportKey from = {}, ReportKey to = {});
    // The selected range's length and what it is good to: "12.3 µs ± 4.1 µs"; "" without a range.
    QString measureText() const;
    // Takes back the preview of a shift that was not accepted.
    void cancelShift();

    // Only lanes whose path matches are shown; "" shows all. False for no regular expression: nothing
    // changes.
    bool setLaneFilter(const QString& regex);
    const QString& laneFilter() const { return m_laneFilter; }
    LaneState laneState() const { return m_state.laneState(); }
    void setLaneState(const LaneState& state);
    const LaneTree& laneTree() const { return m_state.tree(); }
    const Scene& scene() const { return m_state.scene(); }
    // That the keyboard has in hand; beyond the tree: none.
    uint32_t laneInHand() const { return m_state.focusedLane; }
    // Hits of the window's search: marked in lanes, headers and overview; null: nothing is searched for.
    void setHits(std::shared_ptr<const HitRows> hits);
    // From now on shows the marks of the store, which outlives this, and sets new ones in it.
    void showMarks(MarkStore& store);
    // Marks what is selected, else the time under the cursor, else the middle; a mark there is taken away.
    void toggleMark();
    // The same with words, which are asked for in place.
    void writeNote();
    // Selects what it is of and brings it into sight.
    void goToMark(int64_t number);
    // Brings a moment (an empty range) or a range into sight; where it is there already nothing moves.
    void showPlace(TimeRange aligned);
    // While it is on, clicks in the lanes set the ends of a measure; see Tape.
    void setMeasuring(bool measures);
    const Tape& tape() const { return m_state.tape; }
    int scrolledBy() const { return m_state.scroll; } // device pixels
    void scrollTo(int y);
    // What a link or a stored view is of: the time under the cursor is not.
    const Selection& selection() const { return m_state.selection; }

    // What is done with the slice in hand, by its menu and keys.
    SliceCommands& sliceCommands() const { return *m_sliceCommands; }
    // Washes all but these, until Escape or nullptr; reports that go take it with them.
    void light(SliceList slices);
    const SliceList& lit() const { return m_state.lit; }
    // Fits the slice in hand, whatever range is selected.
    void zoomToSelected();
    // Pins or unpins the lane that shows it.
    void pinLaneOf(SliceRef slice);
    // Changes lanes as the user asked, and tells.
    void editLanes(const std::function<void(LaneState&)>& edit);
    // Says how many names lanes do not show; a click shows them again. Hidden where none is.
    QPushButton* hiddenNamesChip() const { return m_hiddenChip; }
    // Says how lanes are grouped and sorted, and changes it.
    LaneOrderButton* orderButton() const { return m_orderButton; }

    // From now on, or (none) a whole timeline again. A half folds no gaps and keeps room for its scroll bar.
    void setHalf(const std::optional<TimelineHalf>& half);
    // Guests of the view, until they are given others or taken elsewhere: a second overview below its own,
    // and a title above the lanes; nullptr: none.
    void hold(QWidget* secondOverview, QWidget* title);
    // May be held by another view; takeOverview() brings it back.
    QWidget* overview() const;
    void takeOverview();
    const TimelineState& state() const { return m_state; }
    void setHeaderWidth(double atScaleOne);
    // In pixels of this widget: all lanes with their headers; and a slice whose lane is shown, wherever it
    // is.
    QRect lanesRect() const;
    QRect placeOf(SliceRef slice) const;

    // More lines for the card over this slice, as long as the mouse is on it: what the window looked up.
    void setHoverText(SliceRef slice, const QString& arguments);
    // What is on screen; for tests and for accessibility.
    const DisplayList& displayList();
    QStringList hoverLines() const;

  signals:
    void sliceHovered(SliceRef slice, TraceTime aligned); // an invalid slice: no slice there
    void hoverTimeChanged(std::optional<TraceTime> aligned);
    void sliceSelected(SliceRef slice);        // by the user or select(); an invalid one: deselected
    void blockSelected(const BlockRef& block); // the same
    void rangeSelected(std::optional<TimeRange> range);
    void areasSelected();                      // before the range that goes with them
    void areaFinished();                       // the mouse let go of one
    void visibleRangeChanged(TimeRange range); // when a movement has ended
    void framed(TimeRange visible);            // whenever it is another, also while it moves
    void scrolledTo(int y);                    // device pixels
    void headerWidthChanged(double atScaleOne);
    void laneStateChanged();
    void rulerTimeChanged(const RulerTime& time); // by the user
    void sentElsewhere(); // by the user, or by another part for the user; not by showAtOnce() or a scene
    void lanesEdited(const LaneState& before,
                     const LaneState& after);          // by the user, before laneStateChanged()
    void told(const QString& text);                    // what came of a key, for the status line
    void markChosen(int64_t number);                   // its sign was clicked
    void goToRequested();                              // G was pressed
    void storeLanesRequested();                        // Shift+Y was pressed: under a name
    void viewRequested(int number);                    // 1 to 9 was pressed
    void newestRequested();                            // End was pressed: to the newest, where there is one
    void sliceCommandRequested(SliceCommand command);  // of panels, about the slice in hand
    void hiddenNamesChanged(const QStringList& names); // those that some shown slice has
    // A lane group was dragged along the axis: its reports are shown there until the next setScene() or
    // cancelShift().
    void shiftRequested(const std::vector<ReportKey>& reports, Duration by);

  protected:
    void keyPressEvent(QKeyEvent* event) override;
    void changeEvent(QEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;
    bool event(QEvent* event) override;

  private:
    void connectParts();
    void connectMouse();
    void refresh();
    void refreshLanes();
    void updateScale();
    void updateScrollBar();

    void moveTo(TimeRange goal, bool animate);
    void settle();
    void rememberPlace();
    void zoomAt(TraceTime at, double factor);
    void panBy(Duration by, bool animate = false);
    void centreOn(TraceTime at);
    ViewWindow goalWindow() const;
    void setGapOpen(TimeRange gap, bool isOpen);
    void toggleGaps();
    void chooseRulerTime(const RulerTime& time);
    // What is to be seen within one.
    void openGapsOf(TimeRange place);

    void hover(const Hit& hit, QPoint position);
    void leaveHover();
    QStringList linesFor(const Hit& hit) const;
    QString distanceText(SliceRef slice) const;
    void dragArea(Area area, ReportKey from, ReportKey to, bool isAdding, bool isFinal);
    std::vector<AreaLane> lanesBetween(const std::string& first, const std::string& last) const;
    void togglePick(const Hit& hit);
    bool cancelArea();
    void dragLane(uint32_t lane, Duration by, QPoint position, bool isFinal);
    void click(const Hit& hit);
    void doubleClick(const Hit& hit);

    bool pressKey(int key, Qt::KeyboardModifiers modifiers);
    bool pressZoomKey(int key, Qt::KeyboardModifiers modifiers);
    bool pressLaneKey(int key);
    bool pressMarkKey(int key, Qt::KeyboardModifiers modifiers);
    ReportKey hoveredReport() const;
    bool canMark();
    Mark markHere() const;
    void keepNote(Mark mark, int64_t known, const QString& words);
    void setTapeEnd(const Hit& hit, TraceTime at);
    void moveTapeEnd(bool isForward);
    void keepTape();
    void step(SliceRef next);
    void focusLane(int by);
    // In the map that is the current lane: to the next rank; false past its ends and where none is in hand.
    bool moveMark(int by);
    void showMark();
    bool openMarked();
    bool leaveMap();
    void connectSlices();
    void connectOrder();
    void showOrder();
    void dragRowHeight(const std::string& lane, int height, bool isFinal);
    void chooseRowHeight(int height);
    void addRowHeights(QMenu& menu, const std::string& lane);
    // moved, over: keys of lanes.
    void dropLane(const std::string& moved, const std::string& over);
    bool pressOrderKey(int key, Qt::KeyboardModifiers modifiers);
    bool pressSliceKey(int key, Qt::KeyboardModifiers modifiers);
    void openMenuByKey();
    bool unlight();
    void showHiddenNames();
    void toggleFold(uint32_t lane);
    bool press(const Hit& hit);
    void scrollToLane(uint32_t lane);
    void showLaneMenu(uint32_t lane, QPoint global);
    void addHiddenLanes(QMenu& menu);
    void addMapChoices(QMenu& menu);
    void addMemoryChoices(QMenu& menu);
    uint32_t laneOfSlice(SliceRef slice) const;
    void revealSlice(SliceRef slice);
    // First areas and range, then slices; false where nothing is selected.
    bool deselect();
    TraceTime zoomCentre() const;

    TimelineState m_state;
    TimelineKeys m_keys;
    MinimapBar* m_minimap;
    RulerBar* m_ruler;
    MarksBar* m_marksBar;
    FarReportBar* m_farReport;
    TimelineCanvas* m_canvas;
    QScrollBar* m_scrollBar;
    HoverCard* m_card;
    NoteEditor* m_noteEditor;
    SliceCommands* m_sliceCommands = nullptr;
    QPushButton* m_hiddenChip = nullptr;
    LaneOrderButton* m_orderButton = nullptr;
    QStringList m_hiddenNames; // as last told
    QString m_laneFilter;
    MarkStore* m_store = nullptr;
    QVariantAnimation* m_animation;
    TimeRange m_from;
    TimeRange m_goal;
    bool m_reducedMotion = false;
    QElapsedTimer m_lastZoom;
    std::optional<TraceTime> m_hoverTime;
    SliceRef m_hoveredSlice;
    Hit m_hoverHit;
    QPoint m_hoverAt;
    QString m_hoverText;
    GapRule m_gapRule;
    std::optional<TimelineHalf> m_half;
    QWidget* m_heldOverview = nullptr;
    QWidget* m_heldTitle = nullptr;
    std::optional<Selection> m_beforeDrag; // of an area, while one is dragged
    std::optional<LaneState> m_beforeEdge; // of a lane's edge, while it is dragged
    uint32_t m_leftMap = kNoLane;          // Up and Down go on to other lanes from it
};

} // namespace lockstep
