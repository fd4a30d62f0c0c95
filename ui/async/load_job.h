// SPDX-License-Identifier: Apache-2.0
// LoadJob: the opening of one file on a thread pool, from its path to the frozen reports with their level of
// detail. Made and owned by whoever opens files, lives on the UI thread. It must outlive its run: cancel()
// and wait for finished() before deleting it, or destroy the pool first.
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
    std::vector<ProcessStatement> statedProcesses;
};

// What a file held: one report, or all of a workspace with the sections kept beside them.
struct OpenedFile {
    std::vector<OpenedReport> reports; // in the file's order
    bool isWorkspace = false;
    std::map<std::string, std::string> sections; // of a workspace; see workspace_file.h
};

// Reads a file by its content and builds the level of detail of its reports. Any thread; errors as
// readContents().
Result<OpenedFile> openFile(const std::filesystem::path& path, const Progress& progress);

class LoadJob : public QObject {
    Q_OBJECT

  public:
    using Open = std::function<Result<OpenedFile>(const std::filesystem::path&, const Progress&)>;

    explicit LoadJob(std::filesystem::path path, QObject* parent = nullptr);

    // Called once. open replaces openFile() in tests.
    // place: where the reports go.
    void start(QThreadPool& pool, const Workers& workers, Open open = openFile, ColumnPlace place = {});
    // finished() still comes, with an error of kind canceled unless the reports were already there.
    void cancel() { m_stop.request_stop(); }
    const std::filesystem::path& path() const { return m_path; }
    // 0..1 of the file's bytes; empty while the reader has not told yet.
    std::optional<double> fraction() const;

  signals:
    void finished(const Result<OpenedFile>& outcome);

  private:
    // Shared with the workers, which may tell their progress after the outcome was handed over.
    struct Told {
        std::atomic<uint64_t> done = 0;
        std::atomic<uint64_t> total = 0;
    };

    std::filesystem::path m_path;
    std::stop_source m_stop;
    std::shared_ptr<Told> m_told = std::make_shared<Told>();
    Handover m_handover{*this};
};

} // namespace lockstep
