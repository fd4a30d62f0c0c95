// SPDX-License-Identifier: Apache-2.0
// CompareView: the timeline of a window, and while something is compared the other half below or above it:
// one ruler, two overviews, what has moved between them, lanes that fold and scroll together, zoom and pan
// coupled. Made by the timeline's page; halves come from compareHalves(). UI thread.
#pragma once

#include <array>
#include <memory>
#include <optional>

#include <QWidget>

#include "core/timeline/compared_halves.h"
#include "ui/style/theme.h"

namespace lockstep {

class CompareBar;
class DeltaLane;
class PairOverlay;
class SideTitle;
struct ComparisonLook;
class TimelineView;

class CompareView : public QWidget {
    Q_OBJECT

  public:
    // own becomes its child.
    CompareView(TimelineView& own, Workers workers, QWidget* parent = nullptr);

    // Shows these, the window's own timeline as half `own` (0: A, above). What is seen stays where it can:
    // halves that take the place of others keep the view.
    void compare(std::shared_ptr<const ComparedHalves> halves, int own);
    // One timeline again. It shows the scene of its half until it is given another.
    void end();
    bool isComparing() const { return m_halves != nullptr; }
    const std::shared_ptr<const ComparedHalves>& halves() const { return m_halves; }
    int ownHalf() const { return m_ownHalf; }

    // 0: A, 1: B; while something is compared.
    TimelineView& half(int which) const { return which == m_ownHalf ? m_own : *m_other; }
    TimelineView& other() const { return *m_other; }
    CompareBar& bar() const { return *m_bar; }
    DeltaLane& delta() const { return *m_delta; }
    const PairOverlay& overlay() const { return *m_overlay; }
    const SideTitle& title(int which) const { return *m_titles[static_cast<size_t>(which)]; }
    const std::optional<SlicePair>& pair() const { return m_pair; }

    void setTheme(const Theme& theme);
    void takeKeys(); // those of the window's timeline are others now
    void setCoupling(CouplingRule rule);
    void setLinked(bool isLinked);
    void setSameZoom(bool isOn);
    bool isLinked() const { return m_isLinked; }
    // Selects a slice of a half, and its partner, and brings both into sight.
    void goTo(int which, SliceRef slice);
    bool isBusy() const;
    QSize minimumSizeHint() const override;

  signals:
    void closeRequested();
    void swapRequested();
    void choiceRequested();
    void told(const QString& text);

  protected:
    void resizeEvent(QResizeEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    bool event(QEvent* event) override;

  private:
    void connectBar();
    void makeOther();
    void forwardOther();
    void connectHalf(TimelineView& view);
    void setHalves();
    void arrange();
    // A half moved, scrolled, folded lanes or got a slice in hand: the other follows.
    void followFrame(int which, TimeRange visible);
    void followScroll(int which);
    void followLanes(int which);
    void takeSlice(int which, SliceRef slice);
    int whichIs(const TimelineView& view) const { return &view == &m_own ? m_ownHalf : 1 - m_ownHalf; }
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
    TimelineView* m_other = nullptr;
    std::shared_ptr<const ComparedHalves> m_halves; // null: nothing is compared
    Coupling m_coupling;
    CouplingRule m_rule = CouplingRule::step;
    int m_ownHalf = 0;
    TimeRange m_before; // what the window's timeline showed when nothing was compared
    bool m_isLinked = true, m_hasSameZoom = true;
    bool m_isFollowing = false; // what halves tell now is what they were told
    std::optional<SlicePair> m_pair;
};

} // namespace lockstep
