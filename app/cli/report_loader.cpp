// SPDX-License-Identifier: Apache-2.0
#include "app/cli/report_loader.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <numeric>

#include "app/cli/session_captures.h"
#include "core/base/sha256.h"
#include "core/readers/reader.h"
#include "core/readers/recording_parts.h"
#include "core/trace/process_groups.h"
#include "core/trace/repeated_work.h"

namespace lockstep {

namespace {

// InputReader reads inputs in parallel, in order and within the memory budget.
class InputReader {
  public:
    InputReader(const FoundReports& found, const LoadOptions& options, MemoryBudget& memory,
                const Progress& progress)
        : m_found(found), m_options(options), m_memory(memory), m_progress(progress),
          m_loaded(found.reports.size(), Workspace()), m_leases(found.reports.size())
    {
    }

    void run()
    {
        std::vector<size_t> waiting(m_loaded.size());
        std::iota(waiting.begin(), waiting.end(), size_t(0));
        while (!waiting.empty() && !m_progress.isCanceled()) {
            std::vector<size_t> left = readSome(waiting);
            // No input could be read, so no more memory will become available.
            if (left.size() == waiting.size()) break;
            waiting = std::move(left);
        }
    }

    std::vector<Result<Workspace>>& loaded() { return m_loaded; }
    std::vector<MemoryBudget::Lease>& leases() { return m_leases; }

  private:
    // Returns the inputs that did not fit into memory. Their errors are in m_loaded.
    std::vector<size_t> readSome(const std::vector<size_t>& waiting)
    {
        std::mutex mutex;
        size_t next = 0;
        std::vector<size_t> left;
        m_progress.workers().run(waiting.size(), [&](size_t, size_t) {
            size_t input = 0;
            ColumnPlace place;
            {
                const std::scoped_lock lock(mutex); // memory is assigned in input order
                if (m_progress.isCanceled()) return;
                input = waiting[next++];
                auto room = m_memory.room(m_found.files[input].memory_bytes, m_found.reports[input].string());
                if (!room) {
                    m_loaded[input] = tl::make_unexpected(room.error());
                    left.push_back(input);
                    return;
                }
                m_leases[input] = std::move(room->memory);
                place = std::move(room->place);
            }
            read(input, std::move(place));
        });
        return left;
    }

    void read(size_t input, ColumnPlace place)
    {
        const Progress quiet(m_progress.stopToken(), {}, m_progress.workers(), std::move(place));
        const auto& path = m_found.reports[input];
        m_loaded[input] = m_options.read ? m_options.read(path, quiet) : readReports(path, quiet);
        uint64_t used_bytes = 0;
        if (m_loaded[input]) {
            for (const ReportKey key : m_loaded[input]->keys())
                used_bytes += m_loaded[input]->report(key).residentBytes();
        }
        m_leases[input].resize(used_bytes);
        if (m_options.onLoaded) m_options.onLoaded(++m_done, m_loaded.size());
    }

    const FoundReports& m_found;
    const LoadOptions& m_options;
    MemoryBudget& m_memory;
    const Progress& m_progress;
    std::vector<Result<Workspace>> m_loaded;
    std::vector<MemoryBudget::Lease> m_leases;
    std::atomic<size_t> m_done = 0;
};

InputFile inputAt(const std::filesystem::path& path)
{
    InputFile file;
    file.path = path;
    std::error_code failed;
    const uintmax_t size = std::filesystem::file_size(path, failed);
    file.size_bytes = failed ? 0 : size;
    return file;
}

// Adds the reports of one input, with one entry per report.
void handleLoaded(const std::filesystem::path& path, Result<Workspace>& loaded, const LoadOptions& options,
                  SessionCaptures& sessions, LoadedInputs& out)
{
    InputFile file = inputAt(path);
    if (loaded && loaded->isEmpty())
        loaded = makeError(ErrorKind::notFound, path.string() + ": the workspace has no reports",
                           HelpTopic::workspace);
    if (!loaded) {
        file.error = loaded.error();
        out.files.push_back(std::move(file));
        return;
    }
    for (const ReportKey key : loaded->keys()) {
        const auto& report = loaded->shared(key);
        ReportIdentity identity = loaded->reportIdentity(key);
        inheritParts(identity.planned, sessions.plannedFor(*report));
        if (options.identities != nullptr) {
            // A report in a workspace is matched by the path of the workspace and by its own path. The match
            // of its own path has priority.
            overlayParts(identity.stated, options.identities->statedFor(path));
            overlayParts(identity.stated, options.identities->statedFor(report->provenance.path));
            for (const auto& name : {path, report->provenance.path}) {
                const auto own = options.identities->processEdits(name);
                identity.processEdits.insert(identity.processEdits.end(), own.begin(), own.end());
                if (name == report->provenance.path) break;
            }
        }
        file.report = out.workspace.add(report, identity.stated, identity.planned, identity.processEdits);
        out.files.push_back(file);
    }
}

// Omits merged traces whose source traces are loaded too.
void leaveOutRepeated(LoadedInputs& out)
{
    for (const RepeatedWork& repeated : findRepeatedWork(out.workspace)) {
        const auto file = std::ranges::find(out.files, repeated.report, &InputFile::report);
        if (file == out.files.end()) continue;
        file->sameAs = partsText(out.workspace, repeated);
        file->report = {};
    }
    out.workspace = withoutRepeatedWork(out.workspace);
}

} // namespace

Result<LoadedInputs> loadInputs(const FoundReports& found, const LoadOptions& options, MemoryBudget& memory,
                                const Progress& progress)
{
    InputReader reader(found, options, memory, progress);
    reader.run();
    LOCKSTEP_TRY(progress.check());
    LoadedInputs out;
    out.memory = std::move(reader.leases());
    SessionCaptures sessions;
    for (size_t i = 0; i < found.reports.size(); ++i)
        handleLoaded(found.reports[i], reader.loaded()[i], options, sessions, out);
    leaveOutRepeated(out);
    completeIdentities(out.workspace);
    for (const SkippedFile& file : found.skippedFiles) {
        if (file.sameAs.empty()) continue;
        InputFile copy = inputAt(file.path);
        copy.sameAs = file.sameAs.string();
        out.files.push_back(std::move(copy));
    }
    return out;
}

Status addDigests(std::vector<InputFile>& files, const Progress& progress)
{
    // The reports of one workspace file are adjacent.
    const auto repeats = [&](size_t i) { return i > 0 && files[i].path == files[i - 1].path; };
    progress.workers().run(files.size(), [&](size_t i, size_t) {
        if (repeats(i) || !files[i].sha256.empty()) return;
        auto digest = sha256OfFiles(filesOfRecording(files[i].path), progress);
        if (digest) files[i].sha256 = std::move(*digest);
    });
    for (size_t i = 0; i < files.size(); ++i) {
        if (repeats(i)) files[i].sha256 = files[i - 1].sha256;
    }
    return progress.check();
}

} // namespace lockstep
