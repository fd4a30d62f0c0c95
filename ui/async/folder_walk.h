// SPDX-License-Identifier: Apache-2.0
// FolderWalk sorts paths into files and folders and searches the folders for reports. It works off the UI
// thread, because a file system may be slow or unresponsive. Files are reported at once; the contents of
// folders are reported when their search has ended. Several walks may run at a time; each emits its own
// signals. Owned by the part that opens files; lives on the UI thread.
#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <stop_token>
#include <utility>
#include <vector>

#include <QObject>
#include <QThreadPool>
#include <QTimer>

#include "core/readers/report_search.h"
#include "ui/async/handover.h"

namespace lockstep {

struct NamedFile {
    std::filesystem::path path; // stands for the whole recording if it is divided into files
    FoundFile file;             // as returned by unexaminedFile()
};

class FolderWalk : public QObject {
    Q_OBJECT

  public:
    explicit FolderWalk(Workers workers, QObject* parent = nullptr);
    // Cancels the running walks and blocks until they have stopped.
    ~FolderWalk() override;

    // Starts a walk. Emits filesListed() if some of the paths are files, and found() if some are folders.
    void start(const std::vector<std::filesystem::path>& paths);
    // Cancels the walks; found() is still emitted, with an error of kind canceled.
    void cancel() { m_stop.request_stop(); }
    bool isRunning() const { return m_running > 0; }
    // Returns how many files the most recent walk has searched, and how many it has to search in total; {0,
    // 0} if no walk is running.
    std::pair<uint64_t, uint64_t> done() const;

  signals:
    void progressed(); // at most 20 times per second
    void filesListed(const std::vector<lockstep::NamedFile>& files);
    void found(const Result<FoundReports>& found);

  private:
    struct Sorted {
        std::vector<NamedFile> files;
        std::vector<std::filesystem::path> folders;
    };

    void take(const Result<Sorted>& sorted);
    void walk(const std::vector<std::filesystem::path>& folders);

    // Progress shared with the worker, which may outlive the walk.
    struct ProgressCounts {
        std::atomic<uint64_t> done = 0;
        std::atomic<uint64_t> total = 0;
    };

    Workers m_workers;
    int m_running = 0;
    std::stop_source m_stop;
    std::shared_ptr<ProgressCounts> m_counts;
    QTimer m_poll;
    Handover m_handover{*this};
    // Last member, because its destructor blocks until the work ends, before the other members are destroyed.
    QThreadPool m_pool;
};

} // namespace lockstep
