// SPDX-License-Identifier: Apache-2.0
#include "ui/async/save_job.h"

#include <algorithm>

#include "core/readers/workspace_file/workspace_file.h"
#include "ui/async/ui_log.h"

namespace lockstep {

namespace {

Status savePacked(const std::filesystem::path& path, const Workspace& workspace,
                  const SaveJob::Sections& sections, const Progress& progress)
{
    return saveWorkspaceFile(path, workspace, sections, progress);
}

} // namespace

SaveJob::SaveJob(Workers workers, QObject* parent, Write write)
    : QObject(parent), m_write(write ? std::move(write) : Write(savePacked)),
      m_job(
          [this](const Status& outcome) {
              m_poll.stop();
              if (outcome) {
                  qCInfo(uiLog, "saved %s", m_path.c_str());
              } else {
                  qCWarning(uiLog, "save failed: %s", outcome.error().message.c_str());
              }
              emit finished(m_path, outcome);
          },
          std::move(workers))
{
    m_poll.setInterval(50);
    connect(&m_poll, &QTimer::timeout, this, &SaveJob::progressed);
}

SaveJob::~SaveJob() = default;

void SaveJob::start(const std::filesystem::path& path, const Workspace& workspace, const Sections& sections)
{
    m_path = path;
    m_counts = std::make_shared<ProgressCounts>();
    m_stop = std::stop_source();
    m_job.start([path, workspace, sections, write = m_write, counts = m_counts,
                 stop = m_stop](const Progress& progress) mutable {
        const std::stop_callback outdated(progress.stopToken(), [&stop] { stop.request_stop(); });
        const auto report = [counts](uint64_t done, uint64_t total) {
            counts->done.store(done, std::memory_order_relaxed);
            counts->total.store(total, std::memory_order_relaxed);
        };
        return write(path, workspace, sections, Progress(stop.get_token(), report, progress.workers()));
    });
    m_poll.start();
}

void SaveJob::cancel()
{
    m_stop.request_stop();
    m_poll.stop();
}

std::optional<double> SaveJob::fraction() const
{
    const uint64_t total = m_counts->total.load(std::memory_order_relaxed);
    if (total == 0) return std::nullopt;
    const auto done = static_cast<double>(m_counts->done.load(std::memory_order_relaxed));
    return std::clamp(done / static_cast<double>(total), 0.0, 1.0);
}

} // namespace lockstep
