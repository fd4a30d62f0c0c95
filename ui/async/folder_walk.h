// FolderWalk: the looking through of folders for reports, off the UI thread. Several may be under way; each
// answers by itself. Owned by whoever opens files, lives on the UI thread.
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

namespace lockstep {

class FolderWalk : public QObject {
    Q_OBJECT

  public:
    explicit FolderWalk(QObject* parent = nullptr);
    // Asks the running ones to stop and waits until they have.
    ~FolderWalk() override;

    void start(const std::vector<std::filesystem::path>& folders);
    // found() still comes, with an error of kind canceled.
    void cancel() { m_stop.request_stop(); }
    bool isRunning() const { return m_running > 0; }
    // Files looked at and all files of the folder begun last; {0, 0} while none is looked through.
    std::pair<uint64_t, uint64_t> done() const;

  signals:
    void progressed(); // at most 20 times a second
    void found(const Result<FoundReports>& found);

  private:
    // Shared with the worker, which may tell its progress after the walk is gone.
    struct Told {
        std::atomic<uint64_t> done = 0;
        std::atomic<uint64_t> total = 0;
    };

    int m_running = 0;
    std::stop_source m_stop;
    std::shared_ptr<Told> m_told;
    QTimer m_poll;
    QThreadPool m_pool; // last: joins its work before the rest goes
};

} // namespace lockstep
