// SPDX-License-Identifier: Apache-2.0
#include "app/window/panel_registry.h"

#include <array>

#include <QCoreApplication>
#include <QMainWindow>
#include <QToolButton>

#include "app/run/run_workspace.h"
#include "app/window/command_actions.h"
#include "app/window/full_height_button.h"
#include "app/window/identity_controller.h"
#include "app/window/panel_docks.h"
#include "app/window/settings.h"
#include "app/window/workspace_controller.h"
#include "core/remote/ledger.h"
#include "ui/analysis/analysis_panel.h"
#include "ui/compare/changes_panel.h"
#include "ui/events/events_panel.h"
#include "ui/findings/findings_panel.h"
#include "ui/memory/memory_panel.h"
#include "ui/panels/alignment_panel.h"
#include "ui/panels/details_panel.h"
#include "ui/panels/kernel_panel.h"
#include "ui/panels/marks_panel.h"
#include "ui/panels/notes_panel.h"
#include "ui/panels/reports_panel.h"
#include "ui/run/run_head.h"
#include "ui/selection/selection_panel.h"
#include "ui/sql/sql_panel.h"
#include "ui/window/view_state.h"

namespace lockstep {

namespace {

// Returns "48 of 48 reports collected", with the number of missing reports if there are any.
QString ledgerFooter(const Ledger& ledger)
{
    const auto counts = ledger.counts();
    const size_t missing = counts[static_cast<size_t>(LedgerState::missing)];
    const QString footer = missing > 0 ? ReportsPanel::tr("%1 of %2 reports collected, %3 missing")
                                       : ReportsPanel::tr("%1 of %2 reports collected");
    const QString counted = footer.arg(arrivedCount(ledger)).arg(reportCount(ledger));
    return missing > 0 ? counted.arg(missing) : counted;
}

// Zooms to the extent of a report. Does nothing while the report is hidden.
void showReport(const WindowParts& parts, ReportKey key)
{
    const Scene& scene = *parts.reports.scene();
    if (!scene.shown.has(key)) return;
    parts.view.setVisible(scene.alignment.map(key).alignedFromTrace(scene.shown.report(key).extent));
}

template<class T>
Panel* ofView(const WindowParts& parts)
{
    return new T(parts.view);
}

template<class T>
Panel* ofList(const WindowParts& parts)
{
    return new T(parts.reports.reports());
}

Panel* makeReports(const WindowParts& parts)
{
    WorkspaceController& reports = parts.reports;
    auto* const panel = new ReportsPanel(reports.reports());
    QObject::connect(panel, &ReportsPanel::showRequested, &reports, &WorkspaceController::setShown);
    QObject::connect(panel, &ReportsPanel::closeRequested, &reports, &WorkspaceController::close);
    QObject::connect(panel, &ReportsPanel::cancelRequested, &reports, &WorkspaceController::cancel);
    QObject::connect(panel, &ReportsPanel::retryRequested, &reports, &WorkspaceController::retry);
    QObject::connect(panel, &ReportsPanel::dismissRequested, &reports, &WorkspaceController::dismiss);
    QObject::connect(panel, &ReportsPanel::reportActivated, panel,
                     [parts](ReportKey key) { showReport(parts, key); });
    QObject::connect(
        &reports, &WorkspaceController::workspaceOpened, panel,
        [panel](const std::filesystem::path&, const std::map<std::string, std::string>& sections) {
            const auto found = sections.find(runSection::kLedger);
            if (found == sections.end()) return;
            if (const auto ledger = ledgerFromJson(found->second)) panel->setFooter(ledgerFooter(*ledger));
        });
    QObject::connect(parts.actions.at(CommandId::showReports), &QAction::triggered, panel,
                     [parts, panel] { parts.docks.toggle(*panel); });
    return panel;
}

Panel* makeKernels(const WindowParts& parts)
{
    auto* const panel = new KernelPanel(parts.view, parts.workers);
    const std::array<std::pair<CommandId, ScopeChoice>, 3> choices{
        {{CommandId::kernelsVisible, ScopeChoice::visible},
         {CommandId::kernelsSelected, ScopeChoice::selected},
         {CommandId::kernelsWhole, ScopeChoice::whole}}};
    for (const auto& [action, choice] : choices) {
        QObject::connect(parts.actions.at(action), &QAction::triggered, panel,
                         [parts, panel, choice = choice] {
                             parts.view.setScopeChoice(choice);
                             parts.docks.raise(*panel);
                         });
    }
    return panel;
}

Panel* makeSelection(const WindowParts& parts)
{
    return new SelectionPanel(parts.view, parts.workers);
}

Panel* makeAnalyses(const WindowParts& parts)
{
    return new AnalysisPanel(parts.view, parts.workers);
}

Panel* makeEvents(const WindowParts& parts)
{
    auto* const panel = new EventsPanel(parts.view, parts.workers);
    panel->setColumnsText(parts.settings.value("columns/events").toString());
    QObject::connect(panel, &EventsPanel::columnsChanged, panel,
                     [parts](const QString& text) { parts.settings.remember("columns/events", text); });
    return panel;
}

Panel* makeSql(const WindowParts& parts)
{
    auto* const panel = new SqlPanel(parts.view);
    const auto read = [parts, panel] {
        panel->setHistoryText(parts.settings.value("sql/history").toString());
        panel->setSavedText(parts.settings.value("sql/saved").toString());
    };
    read();
    parts.settings.bind("sql/", panel, read); // the Settings page can clear them
    QObject::connect(panel, &SqlPanel::historyChanged, panel,
                     [parts](const QString& text) { parts.settings.remember("sql/history", text); });
    QObject::connect(panel, &SqlPanel::savedChanged, panel,
                     [parts](const QString& text) { parts.settings.remember("sql/saved", text); });
    return panel;
}

Panel* makeFindings(const WindowParts& parts)
{
    return new FindingsPanel(parts.view, parts.workers);
}

Panel* makeMemory(const WindowParts& parts)
{
    auto* const panel = new MemoryPanel(parts.view);
    // The timeline is hidden while the bottom panels fill the window.
    QObject::connect(panel, &MemoryPanel::timelineShown, &parts.docks, [parts] {
        if (parts.docks.isFullHeight()) parts.docks.toggleFullHeight();
    });
    return panel;
}

Panel* makeAlignment(const WindowParts& parts)
{
    auto* const panel = new AlignmentPanel(parts.document);
    QObject::connect(panel, &AlignmentPanel::reportActivated, panel,
                     [parts](ReportKey key) { showReport(parts, key); });
    QObject::connect(panel, &AlignmentPanel::timeActivated, panel, [parts](TraceTime at) {
        const Duration half{parts.view.visible().length().ns / 2};
        parts.view.setVisible({at - half, at + half});
    });
    return panel;
}

Panel* makeIdentities(const WindowParts& parts)
{
    auto* const panel = new IdentityPanel(parts.reports.reports());
    new IdentityController(*panel, parts); // owned by the panel
    return panel;
}

Panel* makeMarks(const WindowParts& parts)
{
    return new MarksPanel(parts.marks);
}

Panel* makeChanges(const WindowParts& parts)
{
    return new ChangesPanel(parts.workers);
}

struct PanelLine {
    const char* savedName; // identifies the dock in saved layouts; must never change, unlike the title
    Panel* (*make)(const WindowParts& parts);
    CommandId raise = CommandId::count; // the command that raises the panel; `count` for none
};

// The entries are in tab order.
constexpr std::array kPanels{
    PanelLine{"dock Reports", makeReports},
    PanelLine{"dock Details", ofView<DetailsPanel>, CommandId::showDetails},
    PanelLine{"dock Selection", makeSelection, CommandId::showSelection},
    PanelLine{"dock Kernels", makeKernels},
    PanelLine{"dock What changed", makeChanges}, // present only during a comparison
    PanelLine{"dock Analyses", makeAnalyses, CommandId::showAnalyses},
    PanelLine{"dock Events", makeEvents, CommandId::showEvents},
    PanelLine{"dock Memory", makeMemory, CommandId::showMemory},
    PanelLine{"dock Alignment", makeAlignment, CommandId::showAlignment},
    PanelLine{"dock Identities", makeIdentities, CommandId::showIdentities},
    PanelLine{"dock Findings", makeFindings, CommandId::showFindings},
    PanelLine{"dock Notes", makeMarks, CommandId::showMarks},
    PanelLine{"dock Import notes", ofList<NotesPanel>, CommandId::showNotes},
    PanelLine{"dock SQL", makeSql, CommandId::showSql},
};

} // namespace

void addPanels(PanelDocks& docks, const WindowParts& parts)
{
    for (const PanelLine& line : kPanels) {
        Panel* const panel = line.make(parts);
        docks.add(panel, line.savedName);
        if (line.raise == CommandId::count) continue;
        QObject::connect(parts.actions.at(line.raise), &QAction::triggered, panel,
                         [&docks, panel] { docks.raise(*panel); });
    }
    docks.setPresent(docks.at<ChangesPanel>(), false);
    QObject::connect(parts.actions.at(CommandId::foldPanels), &QAction::triggered, &docks, &PanelDocks::fold);
    QAction* const fullHeight = parts.actions.at(CommandId::fullHeight);
    QObject::connect(fullHeight, &QAction::triggered, &docks, &PanelDocks::toggleFullHeight);
    auto* const help = new QToolButton;
    help->setText("?");
    help->setProperty("flat", true);
    help->setFocusPolicy(Qt::TabFocus);
    help->setToolTip(QCoreApplication::translate("lockstep::PanelRegistry", "Help for this panel"));
    help->setAccessibleName(help->toolTip());
    QObject::connect(help, &QToolButton::clicked, &docks, [&docks] {
        if (Panel* const panel = docks.inFront()) emit panel->helpRequested(panel->helpPage());
    });
    auto* const button = new FullHeightButton(*fullHeight, static_cast<QMainWindow&>(parts.window), help);
    QObject::connect(&docks, &PanelDocks::fullHeightChanged, button, &FullHeightButton::setFull);
}

} // namespace lockstep
