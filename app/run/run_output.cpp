// SPDX-License-Identifier: Apache-2.0
#include "app/run/run_output.h"

#include <cerrno>
#include <cstring>
#include <string>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace lockstep {

namespace fs = std::filesystem;

namespace {

// Size of the test file, which is the size of the smallest workspace. The test file is flushed, because some
// file systems report a full disk only when data is flushed.
constexpr size_t kTried_bytes = 256 << 10;

// Writes and removes a test file. Returns 0, or the errno of the first step that failed.
int tryToWrite(const std::string& path)
{
    const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0) return errno;
    const std::string bytes(kTried_bytes, ' ');
    int failure = 0;
    for (size_t done = 0; done < bytes.size() && failure == 0;) {
        const ssize_t put = ::write(fd, bytes.data() + done, bytes.size() - done);
        if (put > 0) done += static_cast<size_t>(put);
        if (put < 0 && errno != EINTR) failure = errno;
    }
    if (failure == 0 && ::fsync(fd) != 0) failure = errno;
    ::unlink(path.c_str());
    if (::close(fd) != 0 && failure == 0) failure = errno;
    return failure;
}

} // namespace

fs::path collectionFolderFor(const fs::path& workspace)
{
    fs::path folder = workspace.parent_path() / workspace.stem();
    if (folder == workspace) folder += ".reports";
    return folder;
}

Status checkRunOutput(const fs::path& workspace)
{
    const auto refusal = [&workspace](const std::string& reason) {
        return makeError(ErrorKind::io,
                         workspace.string() + ": cannot be written: " + reason + "; nothing was started",
                         HelpTopic::writeError);
    };
    std::error_code error;
    if (!workspace.has_filename()) return refusal("it is a folder; specify a file");
    if (fs::exists(workspace, error) && !fs::is_regular_file(workspace, error))
        return refusal(fs::is_directory(workspace, error) ? "it is a folder; specify a file"
                                                          : "it is not a regular file");
    const fs::path reports = collectionFolderFor(workspace);
    if (fs::exists(reports, error) && !fs::is_directory(reports, error))
        return refusal("the reports are collected into the folder " + reports.string() +
                       ", but a file has this name");
    fs::path folder = workspace.parent_path();
    while (!fs::exists(folder, error) && folder.has_relative_path())
        folder = folder.parent_path();
    if (!fs::is_directory(folder, error)) return refusal(folder.string() + " is not a folder");
    struct stat status = {};
    if (::lstat(workspace.c_str(), &status) != 0 && errno == ENAMETOOLONG)
        return refusal("the file name is too long");
    const std::string name = ".lockstep-" + std::to_string(::getpid()) + ".try";
    if (const int failure = tryToWrite((folder / name).string()); failure != 0)
        return refusal(folder.string() + ": " + std::strerror(failure));
    return {};
}

} // namespace lockstep
