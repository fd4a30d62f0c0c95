// SPDX-License-Identifier: Apache-2.0
#include "app/window/compare_controller.h"

#include <QFileDialog>

#include "app/window/command_actions.h"
#include "app/window/panel_docks.h"
#include "app/window/settings.h"
#include "app/window/workspace_controller.h"
#include "core/compare/slice_pairs.h"
#include "ui/compare/changes_panel.h"
#include "ui/compare/compare_view.h"
#include "ui/panels/notice_bar.h"
#include "ui/panels/reports_panel.h"
#include "ui/panels/top_strip.h"
#include "ui/timeline/timeline_view.h"
#include "ui/window/notices.h"
#include "ui/window/view_state.h"

namespace lockstep {

CompareController::CompareController(CompareView& view, TimelineView& timeline, const WindowParts& parts)
    : QObject(&view), m_view(view), m_timeline(timeline), m_parts(parts),
      m_panel(parts.docks.at<ChangesPanel>()), m_sides(
                                                   [this](Result<Sides> sides) {
                                                       if (sides) showDialog(*std::move(sides));
                                                   },
                                                   parts.workers),
      m_otherSides(
          [this](Result<std::vector<CandidateSide>> sides) {
              if (sides && m_dialog != nullptr) m_dialog->setOther(*std::move(sides), m_otherName);
          },
          parts.workers),
      m_job([this](Result<std::shared_ptr<const ComparedSides>> made) { take(std::move(made)); },
            parts.workers)
{
    connect(&view, &CompareView::closeRequested, this, &CompareController::close);
    connect(&view, &CompareView::swapRequested, this, &CompareController::swap);
    connect(&view, &CompareView::choiceRequested, this, [this] { chooseSides(); });
    connect(&m_panel, &ChangesPanel::jumpRequested, this, &CompareController::jump);
    connect(&parts.docks.at<ReportsPanel>(), &ReportsPanel::compareRequested, this,
            &CompareController::chooseSides);
    connect(&parts.strip, &TopStrip::laneFilterChanged, this, [this](const QString& regex) {
        if (m_view.isComparing()) m_view.other().lanes().setFilter(regex);
    });
    // The slice that a panel links to may exist only in the other pane.
    connect(&parts.view, &ViewState::revealRequested, this, [this](SliceRef slice) {
        if (!m_view.isComparing() || m_timeline.scene().holds(slice)) return;
        if (m_choice && !m_choice->first.isOther && !m_choice->second.isOther &&
            m_view.other().scene().holds(slice))
            m_view.goTo(1 - m_view.ownHalf(), slice);
    });
    connectActions();
}

CompareController::~CompareController() = default;

void CompareController::connectActions()
{
    const auto on = [this](CommandId id, auto&& run) {
        connect(m_parts.actions.at(id), &QAction::triggered, this, run);
    };
    const auto ifComparing = [this](auto&& run) {
        return [this, run] {
            if (m_choice) return run();
            m_parts.notices.post(tr("No comparison is open. Start one with View > Compare with\u2026"));
        };
    };
    on(CommandId::compareWith, [this] { chooseSides(); });
    on(CommandId::swapHalves, ifComparing([this] { swap(); }));
    on(CommandId::unlinkHalves, ifComparing([this] { m_view.setLinked(!m_view.isLinked()); }));
    on(CommandId::closeComparison, ifComparing([this] { close(); }));
    on(CommandId::showChanges, ifComparing([this] { m_parts.docks.raise(m_panel); }));
}

bool CompareController::isBusy() const
{
    return m_sides.isRunning() || m_otherSides.isRunning() || m_job.isRunning() || m_view.isBusy() ||
           (m_other != nullptr && m_other->isBusy());
}

void CompareController::chooseSides(const std::vector<ReportKey>& a, const std::vector<ReportKey>& b)
{
    if (m_dialog != nullptr) return m_dialog->activateWindow();
    const ScenePtr scene = m_parts.reports.scene();
    if (scene->shown.isEmpty())
        return m_parts.notices.post(tr("No report is visible. Open or show a report first."));
    m_proposed = {a, b};
    for (std::vector<ReportKey>& reports : m_proposed) {
        const size_t all = reports.size();
        const size_t hidden = std::erase_if(reports, [&](ReportKey key) { return !scene->shown.has(key); });
        std::ranges::sort(reports);
        if (hidden == 0) continue;
        m_parts.notices.post(
            hidden == all
                ? tr("The chosen reports are hidden. Show them before comparing.")
                : tr("%1 of %2 chosen reports were left out because they are hidden").arg(hidden).arg(all));
        if (hidden == all) return;
    }
    m_sides.start(
        [scene, at = selectedTime(), proposed = m_proposed](const Progress& progress) -> Result<Sides> {
            return Sides{LOCKSTEP_TRY(candidateSides(*scene, progress, proposed)), stepAt(*scene, at)};
        });
}

void CompareController::showDialog(Sides offered)
{
    std::vector<CandidateSide>& sides = offered.sides;
    if (sides.empty() || m_dialog != nullptr) return;
    const auto requestedSide = [&](const std::vector<ReportKey>& reports) {
        return std::ranges::find(sides, reports, &CandidateSide::reports);
    };
    std::optional<SideChoice> a, b;
    if (const auto requested = requestedSide(m_proposed[0]); requested != sides.end()) {
        a = SideChoice{false, *requested, std::nullopt};
        auto against = requestedSide(m_proposed[1]);
        if (against == sides.end()) // a different side of the same kind
            against = std::ranges::find_if(sides, [&](const CandidateSide& side) {
                return side.kind == requested->kind && side.reports != requested->reports;
            });
        b = SideChoice{false, against != sides.end() ? *against : sides.front(), std::nullopt};
    } else if (m_choice)
        std::tie(a, b) = std::tie(m_choice->first, m_choice->second);
    m_dialog = new CompareDialog(std::move(sides), offered.selectedStep, &m_parts.window);
    connect(m_dialog, &CompareDialog::chosen, this, &CompareController::compare);
    connect(m_dialog, &CompareDialog::fileRequested, this, &CompareController::promptForFile);
    if (m_otherScene != nullptr) offerOther();
    m_dialog->choose(a, b);
    m_dialog->open();
}

// Returns the start of the selected slice, otherwise the middle of the view.
TraceTime CompareController::selectedTime() const
{
    const Scene& scene = *m_parts.reports.scene();
    const TimeRange visible = m_parts.view.visible();
    const SliceRef slice = m_parts.view.slice();
    if (!scene.holds(slice)) return visible.begin + Duration{visible.length().ns / 2};
    return scene.alignment.map(slice.report)
        .alignedFromTrace(scene.shown.report(slice.report).slices.start(slice.slice));
}

void CompareController::promptForFile(bool isFolder)
{
    auto* const dialog =
        new QFileDialog(m_dialog, tr("Compare with"), m_parts.settings.value("open/folder").toString());
    dialog->setObjectName("compareFile");
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(isFolder ? QFileDialog::Directory : QFileDialog::ExistingFiles);
    connect(dialog, &QFileDialog::filesSelected, this, [this](const QStringList& files) {
        std::vector<std::filesystem::path> paths;
        for (const QString& file : files)
            paths.emplace_back(file.toStdString());
        openOther(paths);
    });
    dialog->open();
}

// Opens files in addition to the open reports, with their own time axis. They stay open until other files are
// opened for a comparison or the comparison ends.
void CompareController::openOther(const std::vector<std::filesystem::path>& paths)
{
    if (paths.empty()) return;
    if (m_choice && (m_choice->first.isOther || m_choice->second.isOther)) {
        m_view.end(); // a compared report was closed
        close();
    }
    m_otherScene.reset();
    m_other.reset();
    m_otherWork = std::make_unique<WorkDocument>();
    m_other = std::make_unique<WorkspaceController>(*m_otherWork, m_parts.workers, m_parts.memory);
    m_otherName = QString::fromStdString(paths.front().filename().string());
    if (paths.size() > 1)
        m_otherName = tr("%1 and %2 more").arg(m_otherName, QString::number(paths.size() - 1));
    connect(m_other.get(), &WorkspaceController::sceneChanged, this, &CompareController::updateOther);
    connect(&m_other->reports(), &ReportList::changed, this, &CompareController::updateOther,
            Qt::QueuedConnection);
    connect(m_other.get(), &WorkspaceController::failed, this, [this](const QString& reason) {
        if (m_dialog != nullptr) m_dialog->showHint(reason, true);
    });
    connect(m_other.get(), &WorkspaceController::choiceNeeded, this, [this](const FoundReports& found) {
        std::vector<size_t> all(found.reports.size());
        for (size_t i = 0; i < all.size(); ++i)
            all[i] = i;
        m_other->openFound(found, all);
    });
    if (m_dialog != nullptr) m_dialog->showHint(tr("Opening %1\u2026").arg(m_otherName), false);
    m_other->open(paths);
}

void CompareController::updateOther()
{
    if (m_other == nullptr || m_other->isBusy()) return;
    QStringList failed;
    HelpTopic help = HelpTopic::none; // help topic of the first error
    for (const ReportEntry& entry : m_other->reports().entries()) {
        if (entry.state != ReportState::failed && entry.state != ReportState::held) continue;
        if (failed.isEmpty()) help = entry.error.help;
        failed << QString::fromStdString(entry.error.message);
    }
    const ScenePtr scene = m_other->scene();
    if (scene->shown.isEmpty()) {
        if (m_dialog != nullptr)
            m_dialog->showHint(
                failed.isEmpty() ? tr("No reports found in %1").arg(m_otherName) : failed.join("; "), true);
        return;
    }
    if (scene == m_otherScene) return;
    m_otherScene = scene;
    if (m_choice && (m_choice->first.isOther || m_choice->second.isOther)) return make();
    offerOther();
    if (!failed.isEmpty())
        m_parts.notice.showNotice(NoticeBar::Tone::warn,
                                  tr("%n report(s) to compare with could not be opened: %1", nullptr,
                                     static_cast<int>(failed.size()))
                                      .arg(failed.front()),
                                  {}, help);
}

void CompareController::offerOther()
{
    m_otherSides.start(
        [scene = m_otherScene](const Progress& progress) { return candidateSides(*scene, progress); });
}

void CompareController::compare(const SideChoice& a, const SideChoice& b)
{
    m_choice.emplace(a, b);
    make();
}

std::optional<SideRequest> CompareController::requestOf(const SideChoice& choice) const
{
    SideRequest request;
    request.scene = choice.isOther ? m_otherScene : m_parts.reports.scene();
    if (request.scene == nullptr) return std::nullopt;
    if (choice.side.kind != CandidateSide::Kind::all) {
        for (const ReportKey key : choice.side.reports)
            if (request.scene->shown.has(key)) request.reports.push_back(key);
        if (request.reports.empty()) return std::nullopt;
    }
    request.step = choice.step;
    const bool isAllHere = !choice.isOther && choice.side.kind == CandidateSide::Kind::all;
    const QString name = choice.isOther             ? m_otherName
                         : isAllHere && choice.step ? QString()
                                                    : sideName(choice.side);
    request.name = name.toStdString();
    return request;
}

void CompareController::make()
{
    if (!m_choice) return;
    const auto a = requestOf(m_choice->first), b = requestOf(m_choice->second);
    if (!a || !b) {
        close();
        return m_parts.notices.post(tr("Comparison closed: the reports on one side are no longer open"));
    }
    m_job.start([a = *a, b = *b](const Progress& progress) { return compareSides(a, b, progress); });
}

void CompareController::take(Result<std::shared_ptr<const ComparedSides>> made)
{
    if (!made) {
        const Error error = made.error();
        close();
        return m_parts.notice.showNotice(NoticeBar::Tone::warn,
                                         tr("Cannot compare: %1").arg(error.message.c_str()), {}, error.help);
    }
    // The window's own timeline is the pane with the open reports; if both panes consist of open reports, the
    // timeline stays in the same pane.
    const bool isFirst = !m_view.isComparing();
    if (isFirst) m_ownPane = 0;
    if (m_choice->first.isOther != m_choice->second.isOther) m_ownPane = m_choice->first.isOther ? 1 : 0;
    m_view.compare(*made, m_ownPane);
    const bool isOfWindow = !m_choice->first.isOther && !m_choice->second.isOther;
    if (isOfWindow && isFirst) m_view.other().marks().setStore(m_parts.marks);
    m_parts.docks.setPresent(m_panel, true);
    m_panel.setHalves(*made);
    if (isFirst) m_parts.docks.raise(m_panel);
    m_parts.notices.post(QString::fromStdString(slicePairsText((*made)->pairs)));
    if (isFirst) m_timeline.setFocus();
    emit compared();
}

bool CompareController::applyScene(const ScenePtr& scene)
{
    if (!m_choice) return false;
    if (scene->shown.isEmpty()) {
        close();
        return false;
    }
    make();
    return m_choice.has_value();
}

void CompareController::swap()
{
    if (!m_choice) return;
    std::swap(m_choice->first, m_choice->second);
    m_ownPane = 1 - m_ownPane;
    make();
}

void CompareController::close()
{
    m_job.cancel();
    const bool wasComparing = m_view.isComparing();
    m_choice.reset();
    m_view.end();
    m_panel.setHalves(nullptr);
    m_parts.docks.setPresent(m_panel, false);
    if (m_dialog == nullptr) {
        m_otherScene.reset();
        m_other.reset();
    }
    if (!wasComparing) return;
    const ScenePtr scene = m_parts.reports.scene();
    if (m_timeline.state().sharedScene() != scene) m_timeline.setScene(scene);
    m_timeline.setFocus();
    emit compared();
}

// Goes to the longest instance of a row in each pane. If a and b are paired slices, selects the pair.
void CompareController::jump(SliceRef a, SliceRef b)
{
    if (!m_view.isComparing()) return;
    if (b.isValid()) m_view.goTo(1, b);
    if (a.isValid() && !(m_view.pair() && m_view.pair()->a == a)) m_view.goTo(0, a);
    m_view.half(0).navigation().zoomToSelected();
}

} // namespace lockstep
