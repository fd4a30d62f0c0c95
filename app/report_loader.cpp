#include "app/report_loader.h"

#include <algorithm>
#include <atomic>
#include <fstream>

#include <unistd.h>

#include "app/session_captures.h"
#include "core/base/parallel.h"
#include "core/base/sha256.h"
#include "core/base/text.h"
#include "core/readers/reader.h"
#include "core/trace/process_groups.h"

namespace lockstep {

namespace {

// While reports load side by side, each may use only its share of the workers.
class WorkerShare {
  public:
    explicit WorkerShare(size_t loads) : m_all(workerCount())
    {
        setWorkerCount(std::max<size_t>(1, m_all / loads));
    }
    WorkerShare(const WorkerShare&) = delete;
    WorkerShare& operator=(const WorkerShare&) = delete;
    ~WorkerShare() { setWorkerCount(m_all); }

    size_t all() const { return m_all; }

  private:
    size_t m_all;
};

Result<Workspace> loadOne(const std::filesystem::path& path, uint64_t limit_bytes, const Progress& progress)
{
    const uint64_t resident_bytes = residentMemory_bytes();
    if (resident_bytes > limit_bytes) {
        return makeError(ErrorKind::io, path.string() +
                                            ": not opened, the reports before it fill the memory limit of " +
                                            byteText(static_cast<int64_t>(limit_bytes)) +
                                            "; raise --memory-limit or give fewer inputs");
    }
    return readReports(path, progress);
}

// Adds what was read of one input, with an entry for each of its reports.
void takeLoaded(const std::filesystem::path& path, Result<Workspace>& loaded, const LoadOptions& options,
                SessionCaptures& sessions, LoadedInputs& out)
{
    InputFile file;
    file.path = path;
    std::error_code ignored;
    const uintmax_t size = std::filesystem::file_size(path, ignored);
    file.size_bytes = ignored ? 0 : size;
    if (loaded && loaded->isEmpty())
        loaded = makeError(ErrorKind::notFound, path.string() + ": a workspace without reports");
    if (!loaded) {
        file.error = loaded.error();
        out.files.push_back(std::move(file));
        return;
    }
    for (const ReportKey key : loaded->keys()) {
        const auto& report = loaded->shared(key);
        ReportIdentity said = loaded->reportIdentity(key);
        inheritParts(said.planned, sessions.plannedFor(*report));
        if (options.identities != nullptr) {
            // A report inside a workspace answers to the workspace's name and to its own.
            overlayParts(said.stated, options.identities->statedFor(path));
            overlayParts(said.stated, options.identities->statedFor(report->provenance.path));
            for (const auto& name : {path, report->provenance.path}) {
                const auto own = options.identities->statedProcesses(name);
                said.statedProcesses.insert(said.statedProcesses.end(), own.begin(), own.end());
                if (name == report->provenance.path) break;
            }
        }
        file.report = out.workspace.add(report, said.stated, said.planned, said.statedProcesses);
        out.files.push_back(file);
    }
}

} // namespace

Result<LoadedInputs> loadInputs(const std::vector<std::filesystem::path>& paths, const LoadOptions& options,
                                const Progress& progress)
{
    const uint64_t limit_bytes =
        options.memoryLimit_bytes > 0 ? options.memoryLimit_bytes : machineMemory_bytes() / 10 * 7;
    std::vector<Result<Workspace>> loaded(paths.size(), Workspace());
    const size_t sideBySide = std::min(paths.size(), workerCount());
    if (sideBySide > 0) {
        const WorkerShare share(sideBySide);
        std::atomic<size_t> done = 0;
        parallelFor(
            paths.size(),
            [&](size_t i, size_t) {
                if (progress.isCanceled()) return;
                loaded[i] = loadOne(paths[i], limit_bytes, Progress(progress.stopToken()));
                if (options.onLoaded) options.onLoaded(++done, paths.size());
            },
            sideBySide);
    }
    LOCKSTEP_TRY(progress.check());
    LoadedInputs out;
    SessionCaptures sessions;
    for (size_t i = 0; i < paths.size(); ++i)
        takeLoaded(paths[i], loaded[i], options, sessions, out);
    settleIdentities(out.workspace);
    return out;
}

Status addDigests(std::vector<InputFile>& files, const Progress& progress)
{
    // The reports of one workspace file stand side by side.
    const auto repeats = [&](size_t i) { return i > 0 && files[i].path == files[i - 1].path; };
    parallelFor(files.size(), [&](size_t i, size_t) {
        if (repeats(i)) return;
        auto digest = sha256OfFile(files[i].path, progress);
        if (digest) files[i].sha256 = std::move(*digest);
    });
    for (size_t i = 0; i < files.size(); ++i) {
        if (repeats(i)) files[i].sha256 = files[i - 1].sha256;
    }
    return progress.check();
}

uint64_t residentMemory_bytes()
{
    std::ifstream file("/proc/self/statm");
    uint64_t total = 0, resident = 0;
    file >> total >> resident;
    return resident * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
}

uint64_t machineMemory_bytes()
{
    return static_cast<uint64_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
}

} // namespace lockstep
