// SPDX-License-Identifier: Apache-2.0
#include "ui/timeline/slice_commands.h"

#include <algorithm>

#include <QClipboard>
#include <QGuiApplication>

#include "core/base/text.h"
#include "core/search/event_facts.h"
#include "core/search/related_slices.h"
#include "core/timeline/last_arrival.h"
#include "ui/events/event_columns.h"
#include "ui/timeline/hover_card.h"
#include "ui/timeline/lane_tool.h"
#include "ui/timeline/marks_tool.h"
#include "ui/timeline/navigation_tool.h"
#include "ui/timeline/selection_tool.h"
#include "ui/timeline/slice_menu.h"
#include "ui/timeline/timeline_canvas.h"
#include "ui/window/notices.h"
#include "ui/window/view_state.h"

namespace lockstep {

namespace {

QString countText(uint64_t count)
{
    return QString::fromStdString(groupedText(static_cast<int64_t>(count)));
}

// Returns text such as "rank 0 · stream 7 · +65.600 ms · 5.184 ms".
QString factsText(const EventFacts& facts)
{
    QStringList parts;
    if (facts.rank) parts << SliceCommands::tr("rank %1").arg(*facts.rank);
    parts << QString::fromStdString(facts.lane);
    parts << '+' + QString::fromStdString(durationText(facts.start - TraceTime{0}, 6));
    parts << (facts.isInstant ? SliceCommands::tr("instant")
                              : QString::fromStdString(durationText(facts.duration, 4)));
    return parts.join(QString::fromUtf8(" \u00B7 "));
}

// Shortens a name in the middle to the length that a message has room for.
QString shortName(const QString& name)
{
    constexpr int kMax = 60;
    return name.size() <= kMax ? name : name.left(kMax / 2) + QChar(0x2026) + name.right(kMax / 2 - 1);
}

// %1: the number of slices, such as "124 slices". %2: the name of the slices.
QString allSelectedText(NameScope scope)
{
    return scope == NameScope::lane   ? SliceCommands::tr("Selected %1 named %2 in this lane")
           : scope == NameScope::rank ? SliceCommands::tr("Selected %1 named %2 on this rank")
                                      : SliceCommands::tr("Selected %1 named %2 in all lanes");
}

// %1: number of selected slices. %2: number of all slices with the name. %3: the name.
QString firstSelectedText(NameScope scope)
{
    return scope == NameScope::lane
               ? SliceCommands::tr(
                     "Selected the first %1 of %2 slices named %3 in this lane (selection limit reached)")
           : scope == NameScope::rank
               ? SliceCommands::tr(
                     "Selected the first %1 of %2 slices named %3 on this rank (selection limit reached)")
               : SliceCommands::tr(
                     "Selected the first %1 of %2 slices named %3 in all lanes (selection limit reached)");
}

} // namespace

SliceCommands::SliceCommands(TimelineContext& context, NavigationTool& navigation, LaneTool& lanes,
                             SelectionTool& selection, MarksTool& marks)
    : m_context(context), m_state(context.state), m_view(context.view), m_notices(context.notices),
      m_navigation(navigation), m_lanes(lanes), m_selection(selection), m_marks(marks),
      m_counting([this](const Result<SliceResult<NameCounts>>& made) {
          if (made && m_menu != nullptr) m_menu->setCounts(made->what);
      }),
      m_selecting([this](const Result<SliceResult<Selecting>>& made) { applySelection(made); },
                  m_state.workers),
      m_finding([this](const Result<SliceResult<SameSlices>>& made) { applySame(made); }, m_state.workers),
      m_pathJob([this](const Result<SliceResult<StepPath>>& made) { applyPath(made); }, m_state.workers)
{
    using Id = CommandId;
    for (const CommandSpec& spec : commandSpecs()) {
        // The keys of these commands apply without a selected slice, so other tools handle them.
        const bool isGeneral =
            spec.id == Id::showHiddenNames || spec.id == Id::writeNote || spec.id == Id::pinLane;
        if (spec.slice != SliceGroup::none && !isGeneral) on(spec.id, [this, id = spec.id] { runMenu(id); });
    }
    on(Id::contextMenu, [this] { return openMenuOfSelected(); });
    on(Id::cancel, [this] { return clearHighlight(); });
}

SliceMenu* SliceCommands::menu() const
{
    return m_menu;
}

bool SliceCommands::isBusy() const
{
    return m_counting.isRunning() || m_selecting.isRunning() || m_finding.isRunning() ||
           m_pathJob.isRunning();
}

QString SliceCommands::selectedSliceName() const
{
    const SliceRef slice = m_view.slice();
    return QString::fromUtf8(m_state.scene().shown.report(slice.report).nameOf(slice.slice));
}

bool SliceCommands::openMenu(const Hit& hit, QPoint global)
{
    if (!hit.slice.isValid()) return false;
    m_context.takeFocus();
    m_context.card->hide();
    m_state.focusedLane = hit.lane;
    m_selection.select(hit.slice, false);
    openMenuAt(global);
    return true;
}

// Opens the menu at the position at which a right click would open it.
bool SliceCommands::openMenuOfSelected()
{
    if (!m_state.scene().holds(m_view.slice())) return false;
    m_context.card->hide();
    m_selection.reveal(m_view.slice());
    const DisplayList& list = m_context.canvas->displayList();
    QPoint global = m_context.onScreen(list.headerWidth, list.pinnedHeight);
    for (const DisplayMark& mark : list.marks) {
        if (mark.isSelected)
            global = m_context.onScreen(mark.x + std::min(mark.width, 40) / 2, mark.y + mark.height);
    }
    openMenuAt(global);
    return true;
}

void SliceCommands::openMenuAt(QPoint global)
{
    const SliceRef slice = m_view.slice();
    if (!m_state.scene().holds(slice)) return;
    const EventFacts facts = eventFacts(m_state.scene(), slice);
    m_menu = new SliceMenu({selectedSliceName(), factsText(facts), facts.kind == RowKind::kernel,
                            facts.category == SliceCategory::communication,
                            m_lanes.isPinned(m_lanes.laneOf(slice)), m_state.laneState().hiddenNames.size(),
                            m_context.keys},
                           &m_context.owner);
    connect(m_menu, &SliceMenu::chosen, this, &SliceCommands::runMenu);
    m_counting.start(
        [scene = m_state.sharedScene(), slice](const Progress&) -> Result<SliceResult<NameCounts>> {
            return SliceResult<NameCounts>{scene, slice, countSameName(*scene, slice)};
        });
    m_menu->popup(global);
}

void SliceCommands::highlight(SliceList slices)
{
    if (slices == m_state.highlighted) return;
    m_state.highlighted = std::move(slices);
    m_context.canvas->refresh();
}

bool SliceCommands::clearHighlight()
{
    if (m_state.highlighted == nullptr) return false;
    highlight(nullptr);
    return true;
}

void SliceCommands::runMenu(CommandId command)
{
    using Id = CommandId;
    if (command == Id::showHiddenNames)
        return m_lanes.editLanes([](LaneState& lanes) { lanes.hiddenNames.clear(); });
    if (!m_state.scene().holds(m_view.slice()))
        return m_notices.post(tr("No slice selected. Click one first."));
    switch (command) {
    case Id::copyName:
        return copy(false);
    case Id::copyRow:
        return copy(true);
    case Id::zoomToSlice:
        return m_navigation.zoomToSelected();
    case Id::selectNameOnLane:
        return selectName(NameScope::lane);
    case Id::selectNameOnRank:
        return selectName(NameScope::rank);
    case Id::selectNameEverywhere:
        return selectName(NameScope::everywhere);
    case Id::selectSameOnOtherRanks:
        return findSame();
    case Id::highlightChain:
        return highlightChain();
    case Id::criticalPath:
        return highlightPath();
    case Id::lastArrival:
        return goToLastArrival();
    case Id::hideName:
        return hideName();
    case Id::writeNote:
        return m_marks.writeNote();
    case Id::pinLane:
        return m_lanes.togglePinned(m_lanes.laneOf(m_view.slice()));
    default:
        emit commandRequested(command); // handled by the panels
    }
}

void SliceCommands::copy(bool asRow)
{
    QString text = selectedSliceName();
    if (asRow) {
        const EventFacts facts = eventFacts(m_state.scene(), m_view.slice());
        QStringList heads, cells;
        for (const EventColumn column : {EventColumn::start, EventColumn::duration, EventColumn::name,
                                         EventColumn::rank, EventColumn::node, EventColumn::lane}) {
            const bool isTime = column == EventColumn::start || column == EventColumn::duration;
            heads << eventColumn(column).title + QString(isTime ? " (ns)" : "");
            cells << eventCellCopy(column, 0, facts, nullptr);
        }
        text = heads.join('\t') + '\n' + cells.join('\t');
    }
    QGuiApplication::clipboard()->setText(text);
    m_notices.post(asRow ? tr("Table row copied (with header)") : tr("Name copied"));
}

void SliceCommands::selectName(NameScope scope)
{
    m_selecting.start([scene = m_state.sharedScene(), slice = m_view.slice(),
                       scope](const Progress& progress) -> Result<SliceResult<Selecting>> {
        SameNameSlices found = LOCKSTEP_TRY(slicesOfSameName(*scene, slice, scope, kMaxSameName, progress));
        return SliceResult<Selecting>{scene, slice, {scope, std::move(found)}};
    });
}

void SliceCommands::applySelection(const Result<SliceResult<Selecting>>& made)
{
    if (!made) return reportFailure(made.error());
    if (!checkSameReports(made->scene)) return;
    const auto& [scope, found] = made->what;
    m_view.setAreas({}, found.slices);
    m_view.finishArea();
    const QString name =
        shortName(QString::fromUtf8(made->scene->shown.report(made->of.report).nameOf(made->of.slice)));
    const uint64_t held = found.slices == nullptr ? 0 : found.slices->size();
    if (held < found.count)
        return m_notices.post(firstSelectedText(scope).arg(countText(held), countText(found.count), name));
    m_notices.post(
        allSelectedText(scope).arg(held == 1 ? tr("1 slice") : tr("%1 slices").arg(countText(held)), name));
}

void SliceCommands::findSame()
{
    m_finding.start([scene = m_state.sharedScene(),
                     slice = m_view.slice()](const Progress& progress) -> Result<SliceResult<SameSlices>> {
        SameSlices same = LOCKSTEP_TRY(sameSlices(*scene, slice, progress));
        return SliceResult<SameSlices>{scene, slice, std::move(same)};
    });
}

void SliceCommands::applySame(const Result<SliceResult<SameSlices>>& made)
{
    if (!made) return reportFailure(made.error());
    if (!checkSameReports(made->scene)) return;
    std::vector<SliceRef> slices{made->of};
    for (const SameSlice& same : made->what.found)
        slices.push_back(same.slice);
    if (slices.size() > 1) {
        m_view.setAreas({}, sliceListOf(std::move(slices)));
        m_view.finishArea();
    }
    m_notices.post(tr("Same slice elsewhere: %1").arg(sameSlicesText(*made->scene, made->what).c_str()));
}

void SliceCommands::highlightChain()
{
    const SliceChain chain = chainOf(m_state.scene(), m_view.slice());
    if (chain.isAlone()) {
        highlight(nullptr);
        return m_notices.post(
            tr("No launch chain: the report does not link this slice to any other slice or matched "
               "collective"));
    }
    highlight(chain.slices);
    const int folded = foldedCount(chain.slices);
    const QString text =
        folded == 0 ? tr("Launch chain: %1. Press Esc to clear.")
                    : tr("Launch chain: %1; %n slice(s) in collapsed or hidden lanes. Press Esc to clear.",
                         nullptr, folded);
    m_notices.post(text.arg(chainText(m_state.scene(), chain).c_str()));
}

int SliceCommands::foldedCount(const SliceList& slices) const
{
    constexpr size_t kMaxLookedFor = 4'096;
    if (slices == nullptr || slices->size() > kMaxLookedFor) return 0;
    const FrameView view = m_state.frameView({1, 1});
    const auto isFolded = [&](SliceRef slice) {
        const auto position = slicePosition(m_state.scene(), view, slice);
        return !position || !position->isShown;
    };
    return static_cast<int>(std::ranges::count_if(*slices, isFolded));
}

void SliceCommands::highlightPath()
{
    m_notices.post(tr("Finding the critical path of the step\u2026"));
    m_pathJob.start([scene = m_state.sharedScene(),
                     slice = m_view.slice()](const Progress& progress) -> Result<SliceResult<StepPath>> {
        StepPath path = LOCKSTEP_TRY(stepPathThrough(*scene, slice, progress));
        return SliceResult<StepPath>{scene, slice, std::move(path)};
    });
}

void SliceCommands::applyPath(const Result<SliceResult<StepPath>>& made)
{
    if (!made) return reportFailure(made.error());
    if (!checkSameReports(made->scene)) return;
    const StepPath& path = made->what;
    if (path.slices == nullptr)
        return m_notices.post(
            tr("No critical path for %1: no recorded slice is on the path").arg(path.step.c_str()));
    highlight(path.slices);
    const auto length = [](int64_t ns) { return QString::fromStdString(durationText({ns}, 4)); };
    const QString inFocus = path.containsSlice
                                ? tr("this slice and its wait: %1").arg(length(path.sliceTime_ns))
                                : tr("this slice is not on it");
    m_notices.post(
        tr("Critical path of %1: %2, %3; %4; dependencies inferred from times: %5. Press Esc to clear.")
            .arg(path.step.c_str(), length(path.length_ns),
                 path.segments == 1 ? tr("1 segment") : tr("%1 segments").arg(countText(path.segments)),
                 inFocus, countText(static_cast<uint64_t>(path.inferred))));
}

// Keeps the zoom, because the slices belong to one collective, so the slices on other ranks are close in
// time.
void SliceCommands::goToLastArrival()
{
    const LastArrival last = lastArrivalOf(m_state.scene(), m_view.slice());
    if (last.slice.isValid() && !last.isItself) m_selection.select(last.slice, true);
    const QString text = QString::fromStdString(last.text);
    m_notices.post(!last.slice.isValid() ? tr("Can't tell which rank arrived last: %1").arg(text)
                   : last.isItself       ? tr("This slice arrived last: %1").arg(text)
                                         : text);
}

void SliceCommands::hideName()
{
    const QString name = selectedSliceName();
    m_selection.select({}, false);
    m_lanes.editLanes([&](LaneState& lanes) { lanes.hiddenNames.insert(name.toStdString()); });
    const QString key = m_context.keys.shown(CommandId::showHiddenNames);
    m_notices.post(
        key.isEmpty()
            ? tr("Slices named %1 are hidden in the lanes; tables still count them. Click the chip above "
                 "the lanes to show them.")
                  .arg(shortName(name))
            : tr("Slices named %1 are hidden in the lanes; tables still count them. Press %2 to show them.")
                  .arg(shortName(name), key));
}

bool SliceCommands::checkSameReports(const ScenePtr& scene)
{
    const bool isSame = scene->shown.hasSameReports(m_state.scene().shown);
    if (!isSame) m_notices.post(tr("The open reports changed. Run the command again."));
    return isSame;
}

void SliceCommands::reportFailure(const Error& error)
{
    if (error.kind == ErrorKind::canceled) return;
    m_notices.post(tr("Not possible: %1").arg(error.message.c_str()));
}

} // namespace lockstep
