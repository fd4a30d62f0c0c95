// SPDX-License-Identifier: Apache-2.0
#include "core/readers/kept_reports.h"

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

// Size, time and inode of a file: what changes when it does.
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

// "PATH-STATE.lockstep", both as hashes: of one path there is one at most.
struct KeptName {
    std::string ofPath;
    std::string ofState;

    std::string text() const { return ofPath + "-" + ofState + std::string(kWorkspaceEnding); }
};

Result<KeptName> nameOf(const fs::path& path, const SpillFolder& folder, const Progress& progress)
{
    std::error_code failed;
    const fs::path whole = fs::weakly_canonical(path, failed);
    std::string state = "Lockstep " LOCKSTEP_VERSION " " + std::to_string(kWorkspaceFormat) + " ";
    state += stateOf("/proc/self/exe"); // another program may read the same file in another way
    if (folder.options().comparesContent) {
        state += LOCKSTEP_TRY(sha256OfFile(path, progress));
    } else {
        state += stateOf(path);
    }
    return KeptName{hexOf(checksumOf(failed ? path.string() : whole.string())), hexOf(checksumOf(state))};
}

// What is kept of other states of the same path.
void removeOthers(const fs::path& folder, const KeptName& name)
{
    std::error_code failed;
    for (fs::directory_iterator entry(folder, failed), end; !failed && entry != end;
         entry.increment(failed)) {
        const std::string other = entry->path().filename().string();
        if (!other.starts_with(name.ofPath + "-") || other == name.text()) continue;
        std::error_code ignored;
        fs::remove(entry->path(), ignored);
    }
}

} // namespace

Result<std::optional<FileContents>> keptContents(const fs::path& path, const Progress& progress,
                                                 FinishReport finish)
{
    const SpillFolder& folder = *progress.place().folder();
    const auto name = nameOf(path, folder, progress);
    LOCKSTEP_TRY(progress.check());
    if (!name) return std::optional<FileContents>(); // the reader says what is the matter with the file
    removeOthers(folder.options().folder, *name);
    const fs::path kept = folder.options().folder / name->text();
    std::error_code failed;
    if (!fs::exists(kept, failed)) return std::optional<FileContents>();
    auto contents = openWorkspaceFile(kept, progress, finish);
    LOCKSTEP_TRY(progress.check());
    if (!contents || contents->workspace.size() != 1) {
        fs::remove(kept, failed);
        return std::optional<FileContents>();
    }
    ::utimensat(AT_FDCWD, kept.c_str(), nullptr, 0); // was used now
    contents->isWorkspace = false;
    return std::optional(*std::move(contents));
}

Status keepContents(const fs::path& path, const FileContents& contents, const Progress& progress)
{
    const ColumnPlace& place = progress.place();
    const SpillFolder& folder = *place.folder();
    const auto name = nameOf(path, folder, progress);
    LOCKSTEP_TRY(progress.check());
    if (!name || contents.isWorkspace || contents.workspace.size() != 1) return {};
    const Status written = appendWorkspace(*place.kept(), contents.workspace, progress);
    LOCKSTEP_TRY(progress.check());
    const fs::path kept = folder.options().folder / name->text();
    if (written && place.kept()->name(kept)) folder.prune(folder.most_bytes(), kept);
    return {};
}

} // namespace lockstep
