// SPDX-License-Identifier: Apache-2.0
#include "ui/async/load_job.h"

#include <algorithm>

#include "core/readers/reader.h"
#include "ui/async/latest_job.h"

namespace lockstep {

Result<OpenedFile> openFile(const std::filesystem::path& path, const Progress& progress)
{
    OpenedFile opened;
    FileContents contents = LOCKSTEP_TRY(readContents(path, progress));
    opened.isWorkspace = contents.isWorkspace;
    opened.sections = std::move(contents.sections);
    const Workspace& workspace = contents.workspace;
    for (const ReportKey key : workspace.keys()) {
        LOCKSTEP_TRY(progress.check());
        const auto& report = workspace.shared(key);
        const ReportIdentity& identity = workspace.reportIdentity(key);
        opened.reports.push_back(
            {report, buildLod(*report, progress), identity.stated, identity.planned, identity.processEdits});
    }
    LOCKSTEP_TRY(progress.check()); // fails if the disk became full while building
    return opened;
}

LoadJob::LoadJob(std::filesystem::path path, QObject* parent) : QObject(parent), m_path(std::move(path)) {}

void LoadJob::start(QThreadPool& pool, const Workers& workers, Open open, ColumnPlace place)
{
    const auto run = [path = m_path, open = std::move(open), stop = m_stop.get_token(), counts = m_counts,
                      workers, place = std::move(place)]() -> Result<OpenedFile> {
        const auto report = [counts](uint64_t done, uint64_t total) {
            counts->done.store(done, std::memory_order_relaxed);
            counts->total.store(total, std::memory_order_relaxed);
        };
        const Progress progress(stop, report, workers, place);
        LOCKSTEP_TRY(progress.check());
        return guardedResult<OpenedFile>([&] { return open(path, progress); });
    };
    m_handover.run(pool, run, [this](const Result<OpenedFile>& outcome) { emit finished(outcome); });
}

std::optional<double> LoadJob::fraction() const
{
    const uint64_t total = m_counts->total.load(std::memory_order_relaxed);
    if (total == 0) return std::nullopt;
    const auto done = static_cast<double>(m_counts->done.load(std::memory_order_relaxed));
    return std::clamp(done / static_cast<double>(total), 0.0, 1.0);
}

} // namespace lockstep
