// SPDX-License-Identifier: Apache-2.0
// FolderWalk: finds what paths stand for, off the UI thread, as a file system may be slow or not answer at
// all: files are told at once, folders once they were looked through for reports. Several walks may be under
// way; each answers by itself. Owned by whoever opens files, lives on the UI thread.
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
    std::filesystem::path path;
    FoundFile file; // as unseenFile()
};

class FolderWalk : public QObject {
    Q_OBJECT

  public:
    explicit FolderWalk(Workers workers, QObject* parent = nullptr);
    // Asks the running ones to stop and waits until they have.
    ~FolderWalk() override;

    // named() when there are files among them, or what is no folder; found() when there are folders.
    void start(const std::vector<std::filesystem::path>& paths);
    // found() still comes, with an error of kind canceled.
    void cancel() { m_stop.request_stop(); }
    bool isRunning() const { return m_running > 0; }
    // Files looked at and all files of the folder begun last; {0, 0} while none is looked through.
    std::pair<uint64_t, uint64_t> done() const;

  signals:
    void progressed(); // at most 20 times a second
    void named(const std::vector<lockstep::NamedFile>& files);
    void found(const Result<FoundReports>& found);

  private:
    struct Sorted {
        std::vector<NamedFile> files;
        std::vector<std::filesystem::path> folders;
    };

    void take(const Result<Sorted>& sorted);
    void walk(const std::vector<std::filesystem::path>& folders);

    // Shared with the worker, which may tell its progress after the walk is gone.
    struct Told {
        std::atomic<uint64_t> done = 0;
        std::atomic<uint64_t> total = 0;
    };

    Workers m_workers;
    int m_running = 0;
    std::stop_source m_stop;
    std::shared_ptr<Told> m_told;
    QTimer m_poll;
    Handover m_handover{*this};
    QThreadPool m_pool; // last: joins its work before the rest goes
};

} // namespace lockstep
