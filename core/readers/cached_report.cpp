// SPDX-License-Identifier: Apache-2.0
#include "core/readers/cached_report.h"

#include <array>
#include <charconv>

#include <fcntl.h>
#include <sys/stat.h>

#include "core/base/block_file.h"
#include "core/base/sha256.h"
#include "core/readers/workspace_file/workspace_file.h"

namespace lockstep {

namespace {

namespace fs = std::filesystem;

std::string hexOf(uint64_t number)
{
    std::array<char, 16> digits{};
    digits.fill('0');
    std::array<char, 16> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), number, 16).ptr;
    std::copy_backward(text.data(), end, digits.end());
    return {digits.data(), digits.size()};
}

// Returns a string with a file's size, time and inode. The string changes when the file changes.
std::string stateOf(const fs::path& path)
{
    struct stat found = {};
    if (::stat(path.c_str(), &found) != 0) return {};
    std::string out;
    for (const auto number :
         {int64_t(found.st_dev), int64_t(found.st_ino), int64_t(found.st_size), int64_t(found.st_mtim.tv_sec),
          int64_t(found.st_mtim.tv_nsec), int64_t(found.st_ctim.tv_sec), int64_t(found.st_ctim.tv_nsec)})
        out += std::to_string(number) + " ";
    return out;
}

std::string stateOf(const std::vector<fs::path>& files)
{
    std::string out;
    for (const fs::path& file : files) {
        const std::string state = stateOf(file);
        if (state.empty()) return {};
        out += state;
    }
    return out;
}

// Removes the cached reports of a path except `exception`.
void removeOthers(const fs::path& folder, const std::string& ofPath, const std::string& exception)
{
    std::error_code failed;
    for (fs::directory_iterator entry(folder, failed), end; !failed && entry != end;
         entry.increment(failed)) {
        const std::string other = entry->path().filename().string();
        if (!other.starts_with(ofPath) || other == exception) continue;
        std::error_code ignored;
        fs::remove(entry->path(), ignored);
    }
}

} // namespace

Result<CachedReport> CachedReport::of(const std::vector<fs::path>& files, const Progress& progress)
{
    const SpillFolder::Options& options = progress.place().folder()->options();
    CachedReport out;
    out.m_files = files;
    out.m_state = stateOf(files);
    const auto digest = options.comparesContent ? sha256OfFiles(files, progress) : Result<std::string>("");
    LOCKSTEP_TRY(progress.check());
    if (out.m_state.empty() || !digest) return out;
    std::error_code failed;
    const fs::path& path = files.front();
    const fs::path whole = fs::weakly_canonical(path, failed);
    // The version is included, because a different version of the program may read the file differently.
    const std::string state = "Lockstep " LOCKSTEP_VERSION " " + std::to_string(kWorkspaceFormat) + " " +
                              stateOf("/proc/self/exe") + (options.comparesContent ? *digest : out.m_state);
    const std::string ofPath = hexOf(checksumOf(failed ? path.string() : whole.string())) + "-";
    const std::string name = ofPath + hexOf(checksumOf(state)) + std::string(kWorkspaceSuffix);
    removeOthers(options.folder, ofPath, name);
    out.m_cacheFile = options.folder / name;
    return out;
}

Result<std::optional<FileContents>> CachedReport::open(const Progress& progress, FinishReport finish) const
{
    std::error_code failed;
    if (m_cacheFile.empty() || !fs::exists(m_cacheFile, failed)) return std::optional<FileContents>();
    auto contents = openWorkspaceFile(m_cacheFile, progress, finish);
    LOCKSTEP_TRY(progress.check());
    if (!contents || contents->workspace.size() != 1) {
        fs::remove(m_cacheFile, failed);
        return std::optional<FileContents>();
    }
    ::utimensat(AT_FDCWD, m_cacheFile.c_str(), nullptr, 0); // updates the time of last use
    contents->isWorkspace = false;
    return std::optional(*std::move(contents));
}

Status CachedReport::store(const FileContents& contents, const Progress& progress) const
{
    if (m_cacheFile.empty() || contents.workspace.size() != 1 || stateOf(m_files) != m_state) return {};
    SpillFile& file = *progress.place().persistent();
    LOCKSTEP_TRY(appendWorkspace(file, contents.workspace, progress));
    LOCKSTEP_TRY(progress.check());
    if (!file.name(m_cacheFile)) return {};
    file.seal(); // later openings rely on its content
    const SpillFolder& folder = *progress.place().folder();
    folder.prune(folder.max_bytes(), m_cacheFile);
    return {};
}

} // namespace lockstep
