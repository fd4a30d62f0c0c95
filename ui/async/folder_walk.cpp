// SPDX-License-Identifier: Apache-2.0
#include "ui/async/folder_walk.h"

#include <set>

#include "core/readers/recording_parts.h"
#include "ui/async/latest_job.h"

namespace lockstep {

FolderWalk::FolderWalk(Workers workers, QObject* parent) : QObject(parent), m_workers(std::move(workers))
{
    m_poll.setInterval(50);
    connect(&m_poll, &QTimer::timeout, this, &FolderWalk::progressed);
}

FolderWalk::~FolderWalk()
{
    m_stop.request_stop();
}

void FolderWalk::start(const std::vector<std::filesystem::path>& paths)
{
    ++m_running;
    if (m_stop.stop_requested()) m_stop = std::stop_source();
    const auto run = [paths, stop = m_stop.get_token()]() -> Result<Sorted> {
        return guardedResult<Sorted>([&]() -> Result<Sorted> {
            Sorted sorted;
            std::set<std::filesystem::path> known;
            for (const auto& path : paths) {
                LOCKSTEP_TRY(Progress(stop).check());
                std::error_code ignored;
                if (std::filesystem::is_directory(path, ignored)) {
                    sorted.folders.push_back(path);
                } else {
                    const std::filesystem::path whole = recordingOf(path);
                    if (known.insert(whole).second) sorted.files.push_back({whole, unexaminedFile(whole)});
                }
            }
            return sorted;
        });
    };
    m_handover.run(m_pool, run, [this](const Result<Sorted>& sorted) { take(sorted); });
}

void FolderWalk::take(const Result<Sorted>& sorted)
{
    --m_running;
    if (!sorted) return emit found(tl::make_unexpected(sorted.error()));
    if (!sorted->folders.empty()) walk(sorted->folders);
    if (!sorted->files.empty()) emit filesListed(sorted->files);
}

void FolderWalk::walk(const std::vector<std::filesystem::path>& folders)
{
    ++m_running;
    m_counts = std::make_shared<ProgressCounts>();
    m_poll.start();
    const auto run = [folders, stop = m_stop.get_token(), counts = m_counts,
                      workers = m_workers]() -> Result<FoundReports> {
        const auto report = [counts](uint64_t done, uint64_t total) {
            counts->done.store(done, std::memory_order_relaxed);
            counts->total.store(total, std::memory_order_relaxed);
        };
        const Progress progress(stop, report, workers);
        return guardedResult<FoundReports>([&] { return findReports(folders, progress); });
    };
    m_handover.run(m_pool, run, [this](const Result<FoundReports>& outcome) {
        if (--m_running == 0) m_poll.stop(); // the next walk restarts the timer
        emit found(outcome);
    });
}

std::pair<uint64_t, uint64_t> FolderWalk::done() const
{
    if (!m_poll.isActive()) return {0, 0};
    return {m_counts->done.load(std::memory_order_relaxed), m_counts->total.load(std::memory_order_relaxed)};
}

} // namespace lockstep
