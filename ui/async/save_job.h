// SPDX-License-Identifier: Apache-2.0
// SaveJob: the writing of a workspace file off the UI thread, one at a time. Its reports are frozen and
// shared, so work goes on while they are written. Lives on the UI thread; what it writes is whole or not
// there (core/readers/workspace_file).
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

    // write replaces saveWorkspaceFile() in tests.
    explicit SaveJob(Workers workers, QObject* parent = nullptr, Write write = {});
    ~SaveJob() override;

    // A save that is under way is stopped first; its file stays as it was.
    void start(const std::filesystem::path& path, const Workspace& workspace, const Sections& sections);
    // finished() still comes, with an error of kind canceled unless the file was already written.
    void cancel();
    bool isRunning() const { return m_job.isRunning(); }
    const std::filesystem::path& path() const { return m_path; }
    // 0..1 of the reports; empty before the first is written.
    std::optional<double> fraction() const;

  signals:
    void progressed(); // at most 20 times a second
    void finished(const std::filesystem::path& path, const Status& outcome);

  private:
    struct Told {
        std::atomic<uint64_t> done = 0;
        std::atomic<uint64_t> total = 0;
    };

    Write m_write;
    std::filesystem::path m_path;
    std::stop_source m_stop;
    std::shared_ptr<Told> m_told = std::make_shared<Told>();
    QTimer m_poll;
    LatestJob<void> m_job;
};

} // namespace lockstep
