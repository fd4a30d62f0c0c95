// SPDX-License-Identifier: Apache-2.0
// ExportController saves what the window shows: the timeline as a picture, an HTML report, a trace for other
// viewers, and the table of a panel. Files are written off the UI thread, completely or not at all, and never
// replace an open report. Owned by the timeline. UI thread.
#pragma once

#include <filesystem>
#include <functional>
#include <vector>

#include <QObject>

#include "app/window/window_parts.h"
#include "core/analysis/input_file.h"
#include "ui/async/latest_job.h"

namespace lockstep {

class TableView;
class TimelineView;

class ExportController : public QObject {
    Q_OBJECT

  public:
    ExportController(TimelineView& timeline, const WindowParts& parts);

    bool isBusy() const { return m_job.isRunning(); }

  private:
    // Writes the file. Returns a note for the user, for example about missing parts, or "".
    using Write = std::function<Result<QString>(const std::filesystem::path&, const Progress&)>;
    struct Written {
        std::filesystem::path path;
        QString note; // what Write returned
    };

    void connectActions();
    void exportPicture(bool isWhole);
    void exportReport();
    void exportTrace();
    void saveTable();
    TableView* tableInFront() const;
    // Asks for a file. `filters` are name filters such as "PNG picture (*.png)"; the first one is
    // preselected.
    void promptForFile(const QString& title, const QString& name, const QStringList& filters,
                       const std::function<void(const std::filesystem::path&)>& chosen);
    void write(const std::filesystem::path& path, const Write& write);
    void take(const Result<Written>& written);
    std::vector<InputFile> inputs() const;

    TimelineView& m_timeline;
    WindowParts m_parts;
    LatestJob<Written> m_job;
};

} // namespace lockstep
