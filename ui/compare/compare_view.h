// SPDX-License-Identifier: Apache-2.0
// CompareView holds the timeline of a window and, during a comparison, a second pane above or below it. The
// panes share one ruler, each has an overview, and a lane between them shows their differences. Lanes of both
// panes collapse and scroll together, and zoom and pan are coupled. The timeline page creates the view;
// compareSides() creates the halves. UI thread.
#pragma once

#include <array>
#include <memory>
#include <optional>

#include <QWidget>

#include "core/compare/compared_sides.h"
#include "ui/style/theme.h"

namespace lockstep {

class CompareBar;
class DeltaLane;
class PairOverlay;
class SideTitle;
struct ComparisonLook;
class TimelineView;
class ViewState;

class CompareView : public QWidget {
    Q_OBJECT

  public:
    // `own` becomes a child of this view.
    CompareView(TimelineView& own, Workers workers, QWidget* parent = nullptr);
    ~CompareView() override;

    // Shows the halves, with the window's own timeline as half `own` (0: A, the upper pane). If halves are
    // already shown, the new ones replace them and the visible range is preserved.
    void compare(std::shared_ptr<const ComparedSides> halves, int own);
    // Ends the comparison. The window's timeline keeps the scene of its half until a new scene is set.
    void end();
    bool isComparing() const { return m_halves != nullptr; }
    const std::shared_ptr<const ComparedSides>& halves() const { return m_halves; }
    int ownHalf() const { return m_ownHalf; }

    // Returns the timeline of a half (0: A, 1: B). Call only during a comparison.
    TimelineView& half(int index) const { return index == m_ownHalf ? m_own : *m_other; }
    TimelineView& other() const { return *m_other; }
    CompareBar& bar() const { return *m_bar; }
    DeltaLane& delta() const { return *m_delta; }
    const SideTitle& title(int index) const { return *m_titles[static_cast<size_t>(index)]; }
    const std::optional<SlicePair>& pair() const { return m_pair; }

    void setTheme(const Theme& theme);
    void updateKeys(); // adopts changed key bindings of the window's timeline
    void setCoupling(CouplingRule rule);
    void setLinked(bool isLinked);
    void setSameZoom(bool isOn);
    bool isLinked() const { return m_isLinked; }
    // Selects a slice of one half and its partner in the other half, and scrolls both into view.
    void goTo(int index, SliceRef slice);
    bool isBusy() const;
    QSize minimumSizeHint() const override;

  signals:
    void closeRequested();
    void swapRequested();
    void choiceRequested();

  protected:
    void resizeEvent(QResizeEvent* event) override;
    bool event(QEvent* event) override;

  private:
    void connectBar();
    void makeOther();
    void forwardOther();
    void connectHalf(TimelineView& view);
    void setHalves();
    void arrange();
    // Update the other pane after one pane moved, scrolled, collapsed lanes or selected a slice.
    void followFrame(int index, TimeRange visible);
    void followScroll(int index);
    void scrollOther(int index);
    void followLanes(int index);
    void followSlice(int index, SliceRef slice);
    int halfIndexOf(const TimelineView& view) const { return &view == &m_own ? m_ownHalf : 1 - m_ownHalf; }
    TimeRange coupled(int from, TimeRange visible) const;
    void placeOverlay();
    ComparisonLook look() const;
    void showRulers();

    TimelineView& m_own;
    Workers m_workers;
    const Theme* m_theme;
    CompareBar* m_bar;
    DeltaLane* m_delta;
    std::array<SideTitle*, 2> m_titles;
    PairOverlay* m_overlay;
    std::unique_ptr<ViewState> m_otherView; // owns the visible range and the selection of m_other
    TimelineView* m_other = nullptr;
    std::shared_ptr<const ComparedSides> m_halves; // null if there is no comparison
    Coupling m_coupling;
    CouplingRule m_rule = CouplingRule::step;
    int m_ownHalf = 0;
    TimeRange m_before; // visible range of the window's timeline before the comparison
    bool m_isLinked = true, m_hasSameZoom = true;
    bool m_isFollowing = false; // true while this view changes a pane: signals of the panes are ignored
    std::optional<SlicePair> m_pair;
};

} // namespace lockstep
