// SPDX-License-Identifier: Apache-2.0
#include "app/window/export_controller.h"

#include <algorithm>
#include <array>
#include <memory>

#include <QApplication>
#include <QFileDialog>
#include <QFileInfo>

#include "app/cli/output_target.h"
#include "app/cli/report_document.h"
#include "app/cli/report_loader.h"
#include "app/window/command_actions.h"
#include "app/window/panel_docks.h"
#include "app/window/picture_export.h"
#include "app/window/settings.h"
#include "app/window/workspace_controller.h"
#include "core/base/output_file.h"
#include "core/export/chrome_trace.h"
#include "core/export/perfetto_trace.h"
#include "core/sql/scene_file.h"
#include "ui/panels/notice_bar.h"
#include "ui/panels/table_file.h"
#include "ui/panels/table_view.h"
#include "ui/style/picture_bytes.h"
#include "ui/timeline/timeline_picture.h"
#include "ui/timeline/timeline_view.h"
#include "ui/window/notices.h"
#include "ui/window/panel.h"
#include "ui/window/view_state.h"

namespace lockstep {

namespace {

namespace fs = std::filesystem;

PictureFormat pictureFormatOf(const fs::path& path)
{
    if (path.extension() == ".svg") return PictureFormat::svg;
    return path.extension() == ".pdf" ? PictureFormat::pdf : PictureFormat::png;
}

TableFormat tableFormatOf(const fs::path& path)
{
    for (const TableFormat format : {TableFormat::json, TableFormat::markdown, TableFormat::tsv}) {
        if (path.extension() == "." + std::string(fileExtension(format))) return format;
    }
    return TableFormat::csv;
}

// Calls fill(sink) to write the file.
Status writeFile(const fs::path& path, const std::function<Status(const TextSink&)>& fill)
{
    OutputFile file = LOCKSTEP_TRY(OutputFile::create(path));
    LOCKSTEP_TRY(fill([&file](std::string_view bytes) { file.write(bytes); }));
    return file.commit();
}

Status writeBytes(const fs::path& path, std::string_view bytes)
{
    return writeFile(path, [bytes](const TextSink& sink) -> Status {
        sink(bytes);
        return {};
    });
}

Status writeTrace(const fs::path& path, const ScenePtr& scene, const Progress& progress)
{
    if (path.extension() == ".sqlite") return saveSceneFile(path, scene, progress);
    return writeFile(path, [&](const TextSink& sink) {
        return path.extension() == ".json" ? writeChromeTrace(*scene, sink, progress)
                                           : writePerfettoTrace(*scene, sink, progress);
    });
}

// `grabbed`: the timeline as the widget draws it; null if the picture shows more than that.
Status writePicture(const fs::path& path, const QImage& grabbed, const ScenePtr& scene,
                    const PictureOptions& options)
{
    switch (pictureFormatOf(path)) {
    case PictureFormat::pdf:
        return writeBytes(path, LOCKSTEP_TRY(timelinePdf(scene, options)));
    case PictureFormat::svg:
        LOCKSTEP_TRY(writeTimelineSvg(path, scene, options));
        return {};
    case PictureFormat::png:
        break;
    }
    const QImage image = grabbed.isNull() ? LOCKSTEP_TRY(timelineImage(scene, options)) : grabbed;
    return writeBytes(path, LOCKSTEP_TRY(pngBytes(image)));
}

bool hasMemory(const Scene& scene)
{
    return std::ranges::any_of(scene.shown.keys(),
                               [&](ReportKey key) { return scene.shown.report(key).memory != nullptr; });
}

} // namespace

ExportController::ExportController(TimelineView& timeline, const WindowParts& parts)
    : QObject(&timeline), m_timeline(timeline), m_parts(parts),
      m_job([this](const Result<Written>& written) { take(written); }, parts.workers)
{
    connectActions();
}

void ExportController::connectActions()
{
    const auto on = [this](CommandId id, auto&& run) {
        connect(m_parts.actions.at(id), &QAction::triggered, this, run);
    };
    const auto ifIdle = [this](auto&& run) {
        return [this, run] {
            if (!m_job.isRunning()) return run();
            m_parts.notices.post(tr("Another export is still running"));
        };
    };
    const auto ifOpen = [this, ifIdle](auto&& run) {
        return ifIdle([this, run] {
            if (!m_parts.reports.scene()->shown.isEmpty()) return run();
            m_parts.notices.post(tr("Nothing to export. Open a report first."));
        });
    };
    on(CommandId::exportPicture, ifOpen([this] { exportPicture(false); }));
    on(CommandId::exportAllLanes, ifOpen([this] { exportPicture(true); }));
    on(CommandId::exportReport, ifOpen([this] { exportReport(); }));
    on(CommandId::exportTrace, ifOpen([this] { exportTrace(); }));
    on(CommandId::saveTable, ifIdle([this] { saveTable(); }));
}

void ExportController::promptForFile(const QString& title, const QString& name, const QStringList& filters,
                                     const std::function<void(const fs::path&)>& chosen)
{
    auto* const dialog =
        new QFileDialog(&m_parts.window, title, m_parts.settings.value("open/folder").toString());
    dialog->setObjectName("exportFile");
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setNameFilters(filters);
    const auto suffixOf = [](const QString& filter) { return filter.section("(*.", 1).section(')', 0, 0); };
    dialog->setDefaultSuffix(suffixOf(filters.front()));
    dialog->selectFile(name + '.' + suffixOf(filters.front()));
    connect(dialog, &QFileDialog::filterSelected, dialog, [dialog, suffixOf](const QString& filter) {
        const QString chosenName = QFileInfo(dialog->selectedFiles().value(0)).completeBaseName();
        dialog->setDefaultSuffix(suffixOf(filter));
        dialog->selectFile(chosenName + '.' + suffixOf(filter));
    });
    connect(dialog, &QFileDialog::fileSelected, this, [this, dialog, chosen](const QString& file) {
        m_parts.settings.remember("open/folder", dialog->directory().absolutePath());
        chosen(file.toStdString());
    });
    dialog->open();
}

void ExportController::write(const fs::path& path, const Write& write)
{
    std::vector<fs::path> open;
    for (const InputFile& input : inputs())
        open.push_back(input.path);
    m_parts.notice.showProgress(
        tr("Exporting %1\u2026").arg(QString::fromStdString(path.filename().string())), std::nullopt,
        [this] { m_job.cancel(); });
    m_job.start([path, write, open](const Progress& progress) -> Result<Written> {
        // The dialog has asked whether to replace an existing file; an open report is never replaced.
        LOCKSTEP_TRY(checkOutputTarget(path, OutputKind::document, open, true));
        return Written{path, LOCKSTEP_TRY(write(path, progress))};
    });
}

void ExportController::take(const Result<Written>& written)
{
    if (m_parts.notice.isProgress()) m_parts.notice.clear();
    if (!written)
        return m_parts.notice.showNotice(
            NoticeBar::Tone::bad,
            tr("Couldn't export: %1").arg(QString::fromStdString(written.error().message)), {},
            written.error().help);
    const QString saved = tr("Saved as %1").arg(QString::fromStdString(written->path.string()));
    if (written->note.isEmpty()) return m_parts.notices.post(saved);
    m_parts.notice.showNotice(NoticeBar::Tone::warn, saved + ". " + written->note);
}

void ExportController::exportPicture(bool isWhole)
{
    // On the UI thread, because only the widget can draw itself.
    const QImage grabbed = isWhole ? QImage() : m_timeline.grab().toImage();
    PictureOptions options;
    const TimelineState& state = m_timeline.state();
    options.dark = state.theme->isDark;
    options.lanesRegex = m_timeline.lanes().filter().toStdString();
    options.laneState = state.laneState();
    // A pane of a comparison does not collapse gaps.
    options.gaps = state.zero ? GapRule{.isOn = false} : m_parts.settings.gapRule();
    options.openedGaps = m_timeline.state().window.opened();
    options.range = m_parts.view.visible();
    options.scale = state.scale();
    options.scroll = isWhole ? 0 : state.scroll;
    options.utc = m_parts.settings.rulerTime().from == RulerTime::From::utc;
    options.workers = m_parts.workers;
    const QSize size = m_timeline.size() * m_timeline.devicePixelRatioF();
    options.size = isWhole ? QSize(size.width(), 0) : size;
    promptForFile(
        isWhole ? tr("Export picture of all lanes") : tr("Export picture"), "timeline",
        {tr("PNG picture (*.png)"), tr("SVG drawing (*.svg)"), tr("PDF document (*.pdf)")},
        [this, grabbed, options, scene = state.sharedScene()](const fs::path& path) {
            write(path, [grabbed, options, scene](const fs::path& file, const Progress&) -> Result<QString> {
                LOCKSTEP_TRY(writePicture(file, grabbed, scene, options));
                return QString();
            });
        });
}

std::vector<InputFile> ExportController::inputs() const
{
    std::vector<InputFile> files;
    for (const ReportEntry& entry : m_parts.reports.reports().entries()) {
        InputFile file;
        file.path = entry.container.empty() ? entry.path : entry.container;
        if (entry.state == ReportState::open) file.report = entry.key;
        if (entry.state == ReportState::failed) file.error = entry.error;
        std::error_code ignored;
        const uintmax_t size = fs::file_size(file.path, ignored);
        file.size_bytes = ignored ? 0 : size;
        files.push_back(std::move(file));
    }
    return files;
}

void ExportController::exportReport()
{
    promptForFile(
        tr("Export HTML report"), "report", {tr("HTML report (*.html)")},
        [this, scene = m_parts.reports.scene(), files = inputs()](const fs::path& path) {
            write(path, [scene, files](const fs::path& file, const Progress& progress) -> Result<QString> {
                std::vector<InputFile> digested = files;
                LOCKSTEP_TRY(addDigests(digested, progress));
                const ReportDocument made =
                    LOCKSTEP_TRY(reportDocument(CommandLine(), scene, digested, drawTimeline, progress));
                LOCKSTEP_TRY(writeBytes(file, made.html));
                QStringList missing;
                for (const std::string& each : made.missing)
                    missing << QString::fromStdString(each);
                return missing.isEmpty() ? QString()
                                         : tr("Missing in the report: %1").arg(missing.join("; "));
            });
        });
}

void ExportController::exportTrace()
{
    promptForFile(
        tr("Export trace"), "trace",
        {tr("Perfetto trace (*.pftrace)"), tr("Chrome trace (*.json)"), tr("SQLite database (*.sqlite)")},
        [this, scene = m_parts.reports.scene()](const fs::path& path) {
            write(path, [scene](const fs::path& file, const Progress& progress) -> Result<QString> {
                LOCKSTEP_TRY(writeTrace(file, scene, progress));
                return hasMemory(*scene) ? tr("The trace does not include data from memory snapshots.")
                                         : QString();
            });
        });
}

// Returns the table with the keyboard focus, otherwise a visible table of the panel in front.
TableView* ExportController::tableInFront() const
{
    for (QWidget* at = QApplication::focusWidget(); at != nullptr; at = at->parentWidget()) {
        if (auto* const table = qobject_cast<TableView*>(at)) return table;
    }
    const Panel* panel = m_parts.docks.inFocus();
    if (panel == nullptr) panel = m_parts.docks.inFront();
    if (panel == nullptr) return nullptr;
    for (TableView* const table : panel->findChildren<TableView*>()) {
        if (table->isVisible()) return table;
    }
    return nullptr;
}

void ExportController::saveTable()
{
    const TableView* const view = tableInFront();
    if (view == nullptr || view->model()->columnCount() == 0)
        return m_parts.notices.post(tr("No table to save. Open a panel with a table first."));
    auto table =
        std::make_shared<const Table>(tableOfRows(*view->model(), view->accessibleName().toStdString()));
    promptForFile(
        tr("Save table"), "table",
        {tr("CSV (*.csv)"), tr("JSON (*.json)"), tr("Markdown (*.md)"), tr("Tab-separated (*.tsv)")},
        [this, table](const fs::path& path) {
            write(path, [table](const fs::path& file, const Progress&) -> Result<QString> {
                const std::array<const Table*, 1> tables{table.get()};
                LOCKSTEP_TRY(writeFile(file, [&](const TextSink& sink) -> Status {
                    writeTables(tables, tableFormatOf(file), {}, sink);
                    return {};
                }));
                return QString();
            });
        });
}

} // namespace lockstep
