// SPDX-License-Identifier: Apache-2.0
#include "ui/compare/compare_view.h"

#include <algorithm>

#include <QCheckBox>
#include <QEvent>
#include <QLayout>
#include <QPushButton>
#include <QScopedValueRollback>

#include "core/base/text.h"
#include "ui/compare/compare_bar.h"
#include "ui/compare/delta_lane.h"
#include "ui/compare/pair_card.h"
#include "ui/compare/pair_overlay.h"
#include "ui/compare/side_title.h"
#include "ui/timeline/timeline_view.h"
#include "ui/window/notices.h"
#include "ui/window/view_state.h"

namespace lockstep {

CompareView::CompareView(TimelineView& own, Workers workers, QWidget* parent)
    : QWidget(parent), m_own(own), m_workers(workers), m_theme(own.state().theme),
      m_bar(new CompareBar(this)),
      m_delta(new DeltaLane(std::move(workers), this)), m_titles{new SideTitle(this), new SideTitle(this)},
      m_overlay(new PairOverlay(this))
{
    own.setParent(this);
    for (QWidget* const part :
         std::initializer_list<QWidget*>{m_bar, m_delta, m_titles[0], m_titles[1], m_overlay})
        part->hide();
    connectBar();
    connectHalf(own);
}

CompareView::~CompareView()
{
    delete m_other; // before the ViewState that it uses
}

void CompareView::connectBar()
{
    connect(m_bar, &CompareBar::couplingChosen, this, &CompareView::setCoupling);
    connect(m_bar, &CompareBar::sameZoomToggled, this, &CompareView::setSameZoom);
    connect(m_bar, &CompareBar::linkRequested, this, &CompareView::setLinked);
    connect(m_bar, &CompareBar::swapRequested, this, &CompareView::swapRequested);
    connect(m_bar, &CompareBar::closeRequested, this, &CompareView::closeRequested);
    connect(m_bar, &CompareBar::choiceRequested, this, &CompareView::choiceRequested);
}

// Connects the signals of a pane so that the other pane follows changes by the user. Changes made by this
// view are ignored.
void CompareView::connectHalf(TimelineView& view)
{
    connect(&view.navigation(), &NavigationTool::framed, this, [this, &view](TimeRange visible) {
        if (isComparing()) followFrame(halfIndexOf(view), visible);
    });
    connect(&view, &TimelineView::scrolledTo, this, [this, &view] {
        if (isComparing()) followScroll(halfIndexOf(view));
    });
    connect(&view.lanes(), &LaneTool::laneStateChanged, this, [this, &view] {
        if (isComparing()) followLanes(halfIndexOf(view));
    });
    connect(&view.viewState(), &ViewState::sliceChanged, &view, [this, &view] {
        const SliceRef slice = view.viewState().slice();
        const bool isOfOther = slice.isValid() && !view.scene().holds(slice);
        if (isComparing() && !m_isFollowing && !isOfOther) followSlice(halfIndexOf(view), slice);
    });
    connect(&view.lanes(), &LaneTool::headerWidthChanged, this, [this, &view](double width) {
        if (!isComparing()) return;
        half(1 - halfIndexOf(view)).lanes().setHeaderWidth(width);
        placeOverlay();
    });
}

void CompareView::makeOther()
{
    m_otherView = std::make_unique<ViewState>();
    m_other = new TimelineView(*m_otherView, m_own.notices(), m_workers, this);
    m_other->setObjectName("otherHalf");
    m_other->setAccessibleName(tr("Other pane of the comparison"));
    m_other->setTheme(*m_theme);
    m_other->setKeys(m_own.keys());
    m_other->lanes().setHeaderWidth(m_own.state().headerWidth);
    m_other->lanes().setFilter(m_own.lanes().filter());
    connectHalf(*m_other);
    forwardOther();
}

// Forwards requests from the other pane to the window. Shows a message if a request cannot be carried out.
void CompareView::forwardOther()
{
    connect(m_otherView.get(), &ViewState::cursorChanged, this, [this] {
        if (m_halves && m_halves->isOneAxis()) m_own.viewState().setCursor(m_otherView->cursor());
    });
    connect(m_other, &TimelineView::commandRequested, this, [this](CommandId command) {
        const bool isOfSlice = commandSpec(command).slice != SliceGroup::none;
        if (isOfSlice && !m_own.viewState().slice().isValid())
            return m_own.notices().post(
                tr("This slice has no match in the other pane, and the panels show that pane's "
                   "selection"));
        emit m_own.commandRequested(command);
    });
    connect(&m_other->laneDrag(), &LaneDragTool::shiftRequested, this, [this] {
        m_other->laneDrag().cancelShift();
        m_own.notices().post(tr("Close the comparison to shift reports along the time axis"));
    });
}

void CompareView::compare(std::shared_ptr<const ComparedSides> halves, int own)
{
    const QScopedValueRollback following(m_isFollowing, true);
    const bool isFirst = m_halves == nullptr;
    const bool isSwapped = !isFirst && own != m_ownHalf;
    if (isFirst) m_before = m_own.viewState().visible();
    m_halves = std::move(halves);
    m_ownHalf = own;
    if (m_other == nullptr) makeOther();
    m_pair.reset();
    m_coupling = m_halves->couplingBy(m_rule);
    const ScenePtr& ownScene = m_halves->sides[static_cast<size_t>(own)].scene;
    if (m_own.state().sharedScene() != ownScene) m_own.setScene(ownScene);
    m_other->setScene(m_halves->sides[static_cast<size_t>(1 - own)].scene);
    setHalves();
    if (isFirst || isSwapped) followLanes(own);
    for (size_t i = 0; i < 2; ++i) {
        const ComparedSide& half = m_halves->sides[i];
        const QString length = QString::fromStdString(durationText(half.range.length(), 6));
        m_titles[i]->setTexts(i == 0 ? "A" : "B",
                              QString::fromStdString(half.title) + QString::fromUtf8("   ") + length,
                              QString::fromStdString(half.facts));
    }
    m_bar->setTitles(QString::fromStdString(m_halves->sides[0].title),
                     QString::fromStdString(m_halves->sides[1].title));
    m_bar->setNotes(m_halves->pairs.notes);
    m_bar->showCoupling(m_rule, !m_halves->pairs.collectiveKnots.empty());
    m_bar->showLinked(m_isLinked, m_hasSameZoom);
    m_delta->setHalves(m_halves);
    for (QWidget* const part : std::initializer_list<QWidget*>{m_bar, m_delta, m_other, m_overlay})
        part->show();
    m_own.show();
    arrange();
    if (isFirst) half(0).navigation().showAtOnce(m_halves->whole(m_coupling));
    half(1).navigation().showAtOnce(coupled(0, half(0).viewState().visible()));
    followSlice(own, m_own.viewState().slice());
    if (m_isLinked) scrollOther(own);
    m_overlay->raise();
    placeOverlay();
}

void CompareView::end()
{
    if (!isComparing()) return;
    const bool hadFocus = m_other->hasFocus();
    m_halves.reset();
    m_pair.reset();
    for (int i = 0; i < 2; ++i)
        half(i).pane().insertWidgets(nullptr, nullptr);
    for (SideTitle* const title : m_titles) {
        title->setParent(this);
        title->hide();
    }
    for (TimelineView* const view : {&m_own, m_other})
        view->pane().reclaimOverview();
    m_own.pane().setHalf(std::nullopt);
    m_own.navigation().showAtOnce(m_before);
    delete std::exchange(m_other, nullptr);
    m_otherView.reset();
    m_delta->setHalves(nullptr);
    m_isLinked = m_hasSameZoom = true;
    m_rule = CouplingRule::step;
    m_ownHalf = 0;
    for (QWidget* const part : std::initializer_list<QWidget*>{m_bar, m_delta, m_overlay})
        part->hide();
    arrange();
    if (hadFocus) m_own.setFocus();
}

void CompareView::setHalves()
{
    for (int i = 0; i < 2; ++i) {
        half(i).pane().insertWidgets(i == 0 ? half(1).pane().overview() : nullptr,
                                     m_titles[static_cast<size_t>(i)]);
        TimelineHalf as;
        as.label = i == 0 ? tr("A  whole run") : tr("B  whole run");
        as.zero = m_halves->sides[static_cast<size_t>(i)].range.begin;
        as.reach = m_halves->reach(m_coupling, i);
        as.whole = m_halves->whole(m_coupling, i);
        as.hasRuler = i == 0 || !m_isLinked || !m_hasSameZoom;
        half(i).pane().setHalf(as);
    }
    half(0).pane().reclaimOverview();
}

void CompareView::showRulers()
{
    const QScopedValueRollback following(m_isFollowing, true);
    setHalves();
    arrange();
}

ComparisonLook CompareView::look() const
{
    const TimelineState& state = m_own.state();
    return {m_theme, state.scale(), state.px(state.headerWidth)};
}

// Lays out the panes so that their lanes have the same height, regardless of the bars above the lanes.
void CompareView::arrange()
{
    if (!isComparing()) return m_own.setGeometry(rect());
    const ComparisonLook style = look();
    for (SideTitle* const title : m_titles)
        title->setLook(style);
    m_delta->setLook(style);
    const int bar = m_bar->sizeHint().height(), delta = m_delta->sizeHint().height();
    const int rest = std::max(0, height() - bar - delta);
    m_bar->setGeometry(0, 0, width(), bar);
    int upper = rest / 2;
    // The height of the bars above the lanes depends on the height of the pane, so the layout needs several
    // passes to converge.
    for (int pass = 0; pass < 3; ++pass) {
        half(0).setGeometry(0, bar, width(), upper);
        half(1).setGeometry(0, bar + upper + delta, width(), rest - upper);
        for (const int i : {0, 1})
            half(i).layout()->activate();
        const int more = half(0).pane().lanesRect().top() - half(1).pane().lanesRect().top();
        upper = std::clamp((rest + more) / 2, 0, rest);
    }
    m_delta->setGeometry(0, bar + upper, width(), delta);
    m_overlay->setGeometry(0, bar, width(), height() - bar);
    placeOverlay();
}

void CompareView::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    arrange();
}

bool CompareView::event(QEvent* event)
{
    // The row of markers may have appeared or disappeared, or the text size may have changed.
    if (event->type() == QEvent::LayoutRequest || event->type() == QEvent::FontChange) arrange();
    if (event->type() == QEvent::FocusIn)
        m_own.setFocus(); // not as a focus proxy, because Tab could then not leave the view
    return QWidget::event(event);
}

TimeRange CompareView::coupled(int from, TimeRange visible) const
{
    const Duration half{visible.length().ns / 2};
    if (m_hasSameZoom) return from == 0 ? m_coupling.toB(visible) : m_coupling.toA(visible);
    // With independent zoom, the centers of the panes stay aligned.
    const TraceTime middle = visible.begin + half;
    const TraceTime there = from == 0 ? m_coupling.toB(middle) : m_coupling.toA(middle);
    const Duration own{this->half(1 - from).viewState().visible().length().ns / 2};
    return {there - own, there + own};
}

void CompareView::followFrame(int index, TimeRange visible)
{
    if (!m_isFollowing && m_isLinked) {
        const QScopedValueRollback following(m_isFollowing, true);
        half(1 - index).navigation().showAtOnce(coupled(index, visible));
    }
    if (!m_isFollowing) placeOverlay();
}

void CompareView::followScroll(int index)
{
    if (!m_isFollowing && m_isLinked) {
        const QScopedValueRollback following(m_isFollowing, true);
        scrollOther(index);
    }
    placeOverlay();
}

// Scrolls the other pane so that the top lanes of both panes correspond. If the top lane has no counterpart,
// uses the nearest lane above it that has one.
void CompareView::scrollOther(int index)
{
    const TimelineView &from = half(index), &to = half(1 - index);
    const std::vector<PlacedLane>& lanes = from.state().flow().scrolling;
    const int y = from.state().scroll;
    auto at = std::ranges::upper_bound(lanes, y, {}, &PlacedLane::y);
    while (at != lanes.begin()) {
        --at;
        const std::string opposite = m_halves->pairedLane(index, from.state().tree().lane(at->lane).key);
        const uint32_t lane = opposite.empty() ? kNoLane : to.state().tree().find(opposite);
        const std::vector<PlacedLane>& there = to.state().flow().scrolling;
        const auto found = std::ranges::find(there, lane, &PlacedLane::lane);
        if (lane == kNoLane || found == there.end()) continue;
        return half(1 - index).scrollTo(found->y + (y - at->y));
    }
    half(1 - index).scrollTo(y);
}

void CompareView::followLanes(int index)
{
    const QScopedValueRollback following(m_isFollowing, true);
    TimelineView& to = half(1 - index);
    to.lanes().setLaneState(
        m_halves->pairedLaneState(index, half(index).lanes().laneState(), to.lanes().laneState()));
    placeOverlay();
}

void CompareView::followSlice(int index, SliceRef slice)
{
    if (m_halves == nullptr) return;
    const Scene& scene = *m_halves->sides[static_cast<size_t>(index)].scene;
    const SlicePair* const pair =
        index == 0 ? m_halves->pairs.ofA(scene, slice) : m_halves->pairs.ofB(scene, slice);
    m_pair = pair == nullptr ? std::nullopt : std::optional(*pair);
    {
        const QScopedValueRollback following(m_isFollowing, true);
        half(1 - index).selector().select(pair == nullptr ? SliceRef()
                                          : index == 0    ? pair->b
                                                          : pair->a,
                                          false);
    }
    if (m_pair && m_isLinked) { // expanding lanes to show the slice may have moved the panes
        followLanes(index);
        followScroll(index);
    }
    placeOverlay();
    if (!m_pair) return;
    m_own.notices().post(QString::fromStdString(changeText(*m_pair) + ", matched " + pairRuleText(*m_pair)));
}

void CompareView::goTo(int index, SliceRef slice)
{
    if (!isComparing()) return;
    half(index).selector().select(slice, true);
    followSlice(index, slice);
    if (!m_pair || !m_pair->isBoth()) return;
    const QScopedValueRollback following(m_isFollowing, true);
    half(1 - index).selector().select(index == 0 ? m_pair->b : m_pair->a, !m_isLinked);
    placeOverlay();
}

void CompareView::placeOverlay()
{
    if (!isComparing() || m_other == nullptr) return;
    PairOverlay::Content content;
    content.look = look();
    for (int i = 0; i < 2; ++i) {
        const ComparedSide& compared = m_halves->sides[static_cast<size_t>(i)];
        PairOverlay::Half& at = content.halves[static_cast<size_t>(i)];
        at = PairOverlay::Half::of(half(i), half(i).pos() - m_overlay->pos(), compared.range,
                                   !m_pair  ? SliceRef()
                                   : i == 0 ? m_pair->a
                                            : m_pair->b);
        at.endLabel = compared.step ? tr("step %1 ends").arg(*compared.step)
                      : i == 0      ? tr("A ends")
                                    : tr("B ends");
    }
    if (m_pair) content.card = pairCard(*m_halves, *m_pair);
    const int scrollBar = half(0).width() - half(0).pane().lanesRect().right() - 1;
    m_delta->showRange(half(0).state().window.visible(), scrollBar);
    m_overlay->setContent(std::move(content));
}

void CompareView::setTheme(const Theme& theme)
{
    m_theme = &theme;
    if (m_other != nullptr) m_other->setTheme(theme);
    m_bar->setTheme(theme);
    arrange();
}

void CompareView::updateKeys()
{
    if (m_other != nullptr) m_other->setKeys(m_own.keys());
}

void CompareView::setCoupling(CouplingRule rule)
{
    m_rule = rule;
    if (!isComparing()) return;
    m_coupling = m_halves->couplingBy(rule);
    m_bar->showCoupling(rule, !m_halves->pairs.collectiveKnots.empty());
    showRulers();
    followFrame(0, half(0).viewState().visible());
}

void CompareView::setLinked(bool isLinked)
{
    m_isLinked = isLinked;
    m_bar->showLinked(isLinked, m_hasSameZoom);
    if (!isComparing()) return;
    showRulers();
    if (!isLinked) return;
    followFrame(m_ownHalf, m_own.viewState().visible());
    followScroll(m_ownHalf);
}

void CompareView::setSameZoom(bool isOn)
{
    m_hasSameZoom = isOn;
    m_bar->showLinked(m_isLinked, isOn);
    if (!isComparing()) return;
    showRulers();
    followFrame(m_ownHalf, m_own.viewState().visible());
}

QSize CompareView::minimumSizeHint() const
{
    return m_own.minimumSizeHint();
}

bool CompareView::isBusy() const
{
    return m_delta->isBusy();
}

} // namespace lockstep
