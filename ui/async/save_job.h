// SPDX-License-Identifier: Apache-2.0
// SaveJob writes a workspace file off the UI thread, one file at a time. The reports are immutable and
// shared, so the user can continue to work. The file is replaced atomically (see
// core/readers/workspace_file). Belongs to the UI thread.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include <QTimer>

#include "core/trace/workspace.h"
#include "ui/async/latest_job.h"

namespace lockstep {

class SaveJob : public QObject {
    Q_OBJECT

  public:
    using Sections = std::map<std::string, std::string>;
    using Write = std::function<Status(const std::filesystem::path&, const Workspace&, const Sections&,
                                       const Progress&)>;

    // `write` replaces saveWorkspaceFile() in tests.
    explicit SaveJob(Workers workers, QObject* parent = nullptr, Write write = {});
    ~SaveJob() override;

    // Starts writing. A save in progress is canceled first; the file that it was writing is left unchanged.
    void start(const std::filesystem::path& path, const Workspace& workspace, const Sections& sections);
    // Cancels the save. finished() is still emitted, with an error of kind canceled unless the file was
    // already written.
    void cancel();
    bool isRunning() const { return m_job.isRunning(); }
    const std::filesystem::path& path() const { return m_path; }
    // Returns the fraction of the reports written so far, 0..1; nullopt before the first progress.
    std::optional<double> fraction() const;

  signals:
    void progressed(); // at most 20 times per second
    void finished(const std::filesystem::path& path, const Status& outcome);

  private:
    struct ProgressCounts {
        std::atomic<uint64_t> done = 0;
        std::atomic<uint64_t> total = 0;
    };

    Write m_write;
    std::filesystem::path m_path;
    std::stop_source m_stop;
    std::shared_ptr<ProgressCounts> m_counts = std::make_shared<ProgressCounts>();
    QTimer m_poll;
    LatestJob<void> m_job;
};

} // namespace lockstep
