// SPDX-License-Identifier: Apache-2.0
// LaneTool changes which lanes a timeline shows and how: the filter, hidden, pinned and collapsed lanes,
// their order and row heights, and the current lane, which receives keyboard commands. The lane state itself
// is in TimelineState. UI thread.
#pragma once

#include <optional>
#include <set>

#include <QObject>

#include "ui/timeline/timeline_context.h"

class QMenu;
class QPushButton;

namespace lockstep {

class LaneOrderButton;

class LaneTool : public QObject, public TimelineTool {
    Q_OBJECT

  public:
    explicit LaneTool(TimelineContext& context); // must outlive the tool

    // Shows only lanes whose path matches; "" shows all. Returns false and changes nothing if `regex` is not
    // a valid regular expression.
    bool setFilter(const QString& regex);
    const QString& filter() const { return m_filter; }
    const LaneState& laneState() const { return m_state.laneState(); }
    void setLaneState(const LaneState& state);
    // Applies a user's change to the lane state.
    void editLanes(const std::function<void(LaneState&)>& edit);
    // Expands the ancestors of the lane, scrolls to it and makes it the current lane. An unknown key does
    // nothing.
    void showLane(const QString& key);
    // Returns the lane that shows the slice, or kNoLane.
    uint32_t laneOf(SliceRef slice) const;
    bool isPinned(uint32_t lane) const;
    void togglePinned(uint32_t lane);
    void toggleFold(uint32_t lane);
    // Handles a click on a text of the lane or on a rank of its map. Returns false if the click hit neither.
    bool activate(const Hit& hit);
    // Sets the row height, in pixels at scale 1, of the lane with this key; 0 restores the height from before
    // the drag. The calls up to the one with isFinal are one step of undo.
    void dragRowHeight(const std::string& lane, int height, bool isFinal);
    void resetRowHeight(const std::string& lane);
    // Moves a lane onto another one. Both arguments are lane keys.
    void dropLane(const std::string& moved, const std::string& over);
    void setHeaderWidth(double atScaleOne);
    // Updates the chips after the scene or the keys changed.
    void showChips();

    // Returns the button that shows and changes how lanes are grouped and sorted.
    LaneOrderButton* orderButton() const { return m_orderButton; }

    bool openMenu(const Hit& hit, QPoint global) override;

  signals:
    void laneStateChanged();
    // Emitted for changes by the user, before laneStateChanged().
    void lanesEdited(const LaneState& before, const LaneState& after);
    void headerWidthChanged(double atScaleOne);
    void hiddenNamesChanged(const QStringList& names); // hidden names that occur in visible slices
    // Emitted when the menu of a lane is about to open; receivers may add actions. `lane` is the lane's key.
    void menuOpening(const std::string& lane, QMenu& menu);

  private:
    void addCommands();
    void connectOrder();
    QPushButton* makeChip(const char* name, CommandId command);
    void finishEdit(const LaneState& before);
    bool hasFocused() const { return m_state.focusedLane < m_state.tree().size(); }
    void moveFocus(int by);
    void moveFocused(int by);
    void pinFocused();
    void showOnlyFocused();
    void foldAll(bool areFolded);
    void scrollByHalfPages(int by);
    void openMenuOfFocused();
    void chooseRowHeight(int height);
    void showOrder();
    void showHiddenNames();
    void showHiddenLanes();
    void placeChips();

    TimelineContext& m_context;
    TimelineState& m_state;
    LaneOrderButton* m_orderButton;
    QPushButton *m_lanesChip, *m_namesChip;
    // The hidden lanes before and after the last "Show only this lane".
    struct Isolation {
        std::set<std::string> before, after;
    };
    std::optional<Isolation> m_isolation;
    std::optional<LaneState> m_beforeEdgeDrag; // lane state before the current edge drag began
    QStringList m_hiddenNames;                 // value that was last emitted
    QString m_filter;
};

} // namespace lockstep
