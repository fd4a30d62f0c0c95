// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <filesystem>

#include <sys/stat.h>
#include <unistd.h>

#include "capture/agent/agent_commands.h"
#include "capture/agent/command_monitor.h"
#include "capture/agent/heartbeat.h"
#include "capture/agent/node_plan.h"
#include "capture/agent/run_folder.h"

namespace lockstep::agent {

namespace {

namespace fs = std::filesystem;

// Returns the number of bytes that a folder uses on disk; links are not followed.
int64_t bytesBelow(const fs::path& folder)
{
    int64_t total_bytes = 0;
    std::error_code error;
    for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error)) {
        struct stat status = {};
        if (::lstat(entry->path().c_str(), &status) == 0) total_bytes += int64_t(status.st_blocks) * 512;
    }
    return total_bytes;
}

bool hasLiveCommands(const RunFolder& folder)
{
    std::error_code error;
    for (size_t i = 0; fs::exists(folder.commandFolder(i), error); ++i) {
        if (hasLiveProcesses(folder.commandFolder(i))) return true;
    }
    return false;
}

} // namespace

// Prints {"removed_bytes": N}; N is 0 if the folder does not exist. Rejects a folder that is not a run folder
// or that contains reports. Also rejects a run whose supervisor or processes are alive.
int removeCommand(Arguments arguments)
{
    if (arguments.size() != 1) return complain("remove needs a run folder", 2);
    const fs::path path = fs::absolute(arguments[0]).lexically_normal();
    const RunFolder folder(path);
    std::error_code error;
    int64_t removed_bytes = 0;
    if (fs::symlink_status(path, error).type() != fs::file_type::not_found) {
        if (fs::is_symlink(path, error) || !fs::is_regular_file(folder.planFile(), error))
            return complain(path.string() + ": not a run folder", 1);
        if (folder.supervisor() || hasLiveCommands(folder))
            return complain(path.string() + ": the run has not ended", 1);
        const auto roots = reportRootsOfRun(folder);
        for (const std::string& root : roots.value_or(std::vector<std::string>())) {
            if (fs::exists(root, error) && (root + "/").starts_with(path.string() + "/"))
                return complain(root + ": reports are stored inside the run folder; move them first", 1);
        }
        const Heartbeat signs;
        removed_bytes = bytesBelow(path);
        fs::remove_all(path, error);
        if (error) return complain(path.string() + ": cannot remove: " + error.message(), 1);
        ::rmdir(path.parent_path()
                    .c_str()); // fails if other hosts of the run still have folders in it on this machine
    }
    std::printf("{\"removed_bytes\":%lld}\n", static_cast<long long>(removed_bytes));
    return 0;
}

} // namespace lockstep::agent
