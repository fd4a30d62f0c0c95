// SPDX-License-Identifier: Apache-2.0
#include "app/run/run_workspace.h"

#include <map>
#include <set>

#include "app/cli/output_target.h"
#include "core/align/alignment.h"
#include "core/analysis/analysis.h"
#include "core/base/mapped_file.h"
#include "core/base/private_file.h"
#include "core/export/table_writer.h"
#include "core/readers/reader.h"
#include "core/readers/recording_parts.h"
#include "core/readers/workspace_file/workspace_file.h"
#include "core/trace/process_groups.h"

namespace lockstep {

namespace fs = std::filesystem;

namespace {

// Adds a report. The host is certain; rank, role and step are derived from the file's name and location.
void addReport(Workspace& workspace, const std::shared_ptr<const Report>& report, const LedgerEntry& entry,
               const ReportIdentity& identity, const std::string& run)
{
    const std::string source = "collected from " + entry.host;
    Identity stated = identity.stated, planned = identity.planned;
    // If the report itself records a run, that run is kept. Otherwise the report belongs to the run from
    // which it was collected.
    if (report->identity.run.confidence < Confidence::stated)
        stated.run.learn(run, "run record", Confidence::stated);
    // A file on a shared disk may have been written by a different host than the one from which it was
    // fetched.
    const bool isWriterKnown = entry.alsoAt.empty() || report->identity.host.confidence >= Confidence::stated;
    if (isWriterKnown) {
        stated.host.learn(entry.host, source, Confidence::confirmed);
    } else {
        planned.host.learn(entry.host, source, Confidence::guessed);
    }
    if (entry.rank) planned.rank.learn(static_cast<int>(*entry.rank), source, Confidence::guessed);
    const bool isOneRole = !entry.role.empty() && entry.role.find(',') == std::string::npos;
    if (isOneRole) planned.role.learn(entry.role, source, Confidence::guessed);
    if (entry.steps.size() == 1)
        planned.step.learn(static_cast<int>(entry.steps.front()), source, Confidence::guessed);
    workspace.add(report, stated, planned, identity.processEdits);
}

Status openCollected(const RunRecord& record, const Ledger& ledger, Workspace& workspace,
                     WrittenWorkspace& written, const Progress& progress)
{
    size_t done = 0;
    std::set<fs::path> opened;
    for (const LedgerEntry& entry : ledger.entries()) {
        LOCKSTEP_TRY(progress.check());
        progress.report(++done, ledger.entries().size());
        if (entry.localPath.empty()) continue;
        const fs::path path = recordingOf(entry.localPath);
        if (!opened.insert(path).second) continue; // another file of the same recording
        auto reports = readReports(path, progress);
        if (!reports) {
            if (reports.error().kind == ErrorKind::canceled) return tl::make_unexpected(reports.error());
            written.problems.push_back(reports.error());
            continue;
        }
        for (const ReportKey key : reports->keys()) {
            addReport(workspace, reports->shared(key), entry, reports->reportIdentity(key), record.id);
            ++written.reports;
        }
    }
    return {};
}

Status openHostLogs(const RunRecord& record, Workspace& workspace, WrittenWorkspace& written,
                    const Progress& progress)
{
    for (const HostRecord& host : record.hosts) {
        LOCKSTEP_TRY(progress.check());
        std::error_code error;
        const fs::path log = eventFileOf(record, host.host);
        if (fs::file_size(log, error) == 0 || error) continue;
        auto report = readReport(log, progress);
        if (!report) {
            written.problems.push_back(report.error());
            continue;
        }
        Identity stated;
        stated.host.learn(host.host, "run record", Confidence::confirmed);
        stated.run.learn(record.id, "run record", Confidence::confirmed);
        workspace.add(*report, stated);
        ++written.hostLogs;
    }
    return {};
}

std::string fileText(const fs::path& path)
{
    const auto file = MappedFile::open(path);
    return file ? std::string(file->text()) : std::string();
}

} // namespace

Result<WrittenWorkspace> writeRunWorkspace(const RunRecord& record, const Ledger& ledger,
                                           const fs::path& output, const Progress& progress)
{
    WrittenWorkspace written;
    Workspace workspace;
    LOCKSTEP_TRY(openCollected(record, ledger, workspace, written, progress));
    LOCKSTEP_TRY(openHostLogs(record, workspace, written, progress));
    completeIdentities(workspace);
    const ScenePtr scene = makeHeadlessScene(workspace, LOCKSTEP_TRY(alignReports(workspace, {}, progress)));
    written.basis = scene->alignment.basis;
    std::map<std::string, std::string> sections{
        {runSection::kSession, fileText(runFolderOf(record) / "session.yaml")},
        {runSection::kPlan, fileText(runFolderOf(record) / "plan.json")},
        {runSection::kRecord, jsonFromRunRecord(record)},
        {runSection::kLedger, jsonFromLedger(ledger)}};
    const Table table = LOCKSTEP_TRY(runAnalysis("alignment", *scene, {}, progress));
    const Table* const tables[] = {&table};
    std::string& text = sections[runSection::kAlignment];
    writeTables(tables, TableFormat::json, {}, [&text](std::string_view piece) { text += piece; });
    LOCKSTEP_TRY(makePrivateFolders(output.parent_path()));
    written.backup = LOCKSTEP_TRY(backUpWorkspace(output, written.reports > 0));
    const Status saved = saveWorkspaceFile(output, workspace, sections, progress);
    if (saved) return written;
    std::error_code ignored;
    if (!written.backup.empty())
        fs::remove(written.backup, ignored); // the existing workspace was not replaced
    return tl::make_unexpected(saved.error());
}

} // namespace lockstep
