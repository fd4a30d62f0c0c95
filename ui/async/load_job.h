// SPDX-License-Identifier: Apache-2.0
// LoadJob opens one file on a thread pool: it reads the file at a path and makes immutable reports with
// level-of-detail data. Created and owned by the part that opens files. Belongs to the UI thread. The job
// must outlive its work: call cancel() and wait for finished() before deleting it, or destroy the pool first.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include <QObject>

#include "core/base/progress.h"
#include "core/lanes/report_lod.h"
#include "core/trace/report_identity.h"
#include "ui/async/handover.h"

class QThreadPool;

namespace lockstep {

struct OpenedReport {
    std::shared_ptr<const Report> report;
    std::shared_ptr<const ReportLod> lod;
    Identity stated, planned; // see ReportIdentity
    std::vector<ProcessEdit> processEdits;
};

// OpenedFile is the content of a file: one report, or all reports of a workspace together with its other
// sections.
struct OpenedFile {
    std::vector<OpenedReport> reports; // in file order
    bool isWorkspace = false;
    std::map<std::string, std::string> sections; // sections of a workspace file; see workspace_file.h
};

// Reads a file, detecting its type by content, and builds the level-of-detail data of its reports. Any
// thread. Errors: same as readContents().
Result<OpenedFile> openFile(const std::filesystem::path& path, const Progress& progress);

class LoadJob : public QObject {
    Q_OBJECT

  public:
    using Open = std::function<Result<OpenedFile>(const std::filesystem::path&, const Progress&)>;

    explicit LoadJob(std::filesystem::path path, QObject* parent = nullptr);

    // Starts the job; call once. `open` replaces openFile() in tests. `place` is where the columns of the
    // reports are stored.
    void start(QThreadPool& pool, const Workers& workers, Open open = openFile, ColumnPlace place = {});
    // Cancels the job. finished() is still emitted, with an error of kind canceled unless the reports were
    // already opened.
    void cancel() { m_stop.request_stop(); }
    const std::filesystem::path& path() const { return m_path; }
    // Returns the fraction of the file's bytes read so far, 0..1; nullopt before the first progress.
    std::optional<double> fraction() const;

  signals:
    void finished(const Result<OpenedFile>& outcome);

  private:
    // Progress shared with the workers, which may report after the result was delivered.
    struct ProgressCounts {
        std::atomic<uint64_t> done = 0;
        std::atomic<uint64_t> total = 0;
    };

    std::filesystem::path m_path;
    std::stop_source m_stop;
    std::shared_ptr<ProgressCounts> m_counts = std::make_shared<ProgressCounts>();
    Handover m_handover{*this};
};

} // namespace lockstep
