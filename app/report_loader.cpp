#include "app/report_loader.h"

#include <algorithm>
#include <atomic>
#include <fstream>

#include <unistd.h>

#include "core/base/parallel.h"
#include "core/base/sha256.h"
#include "core/base/text.h"
#include "core/readers/reader.h"

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

Result<std::shared_ptr<const Report>> loadOne(const std::filesystem::path& path, uint64_t limit_bytes,
                                              const LoadOptions& options, const Progress& progress)
{
    const uint64_t resident_bytes = residentMemory_bytes();
    if (resident_bytes > limit_bytes) {
        return makeError(ErrorKind::io, path.string() +
                                            ": not opened, the reports before it fill the memory limit of " +
                                            byteText(static_cast<int64_t>(limit_bytes)) +
                                            "; raise --memory-limit or give fewer inputs");
    }
    auto report = LOCKSTEP_TRY(readReport(path, progress));
    const auto stated = options.identities != nullptr ? options.identities->statedFor(path) : std::nullopt;
    return stated ? withIdentity(std::move(report), *stated) : report;
}

} // namespace

Result<LoadedInputs> loadInputs(const std::vector<std::filesystem::path>& paths, const LoadOptions& options,
                                const Progress& progress)
{
    const uint64_t limit_bytes =
        options.memoryLimit_bytes > 0 ? options.memoryLimit_bytes : machineMemory_bytes() / 10 * 7;
    std::vector<Result<std::shared_ptr<const Report>>> loaded(paths.size(), std::shared_ptr<const Report>());
    const size_t sideBySide = std::min(paths.size(), workerCount());
    if (sideBySide > 0) {
        const WorkerShare share(sideBySide);
        std::atomic<size_t> done = 0;
        parallelFor(
            paths.size(),
            [&](size_t i, size_t) {
                if (progress.isCanceled()) return;
                loaded[i] = loadOne(paths[i], limit_bytes, options, Progress(progress.stopToken()));
                if (options.onLoaded) options.onLoaded(++done, paths.size());
            },
            sideBySide);
    }
    LOCKSTEP_TRY(progress.check());
    LoadedInputs out;
    for (size_t i = 0; i < paths.size(); ++i) {
        InputFile file;
        file.path = paths[i];
        std::error_code ignored;
        const uintmax_t size = std::filesystem::file_size(paths[i], ignored);
        file.size_bytes = ignored ? 0 : size;
        if (loaded[i]) {
            file.report = ReportId(out.workspace.size());
            out.workspace.add(std::move(*loaded[i]));
        } else {
            file.error = loaded[i].error();
        }
        out.files.push_back(std::move(file));
    }
    return out;
}

Result<bool> addDigests(std::vector<InputFile>& files, const Progress& progress)
{
    parallelFor(files.size(), [&](size_t i, size_t) {
        auto digest = sha256OfFile(files[i].path, progress);
        if (digest) files[i].sha256 = std::move(*digest);
    });
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
