#include "core/readers/nsys_report/nsys_install.h"

#include <algorithm>
#include <array>
#include <set>

#include <unistd.h>

#include "core/readers/nsys_report/child_process.h"

namespace lockstep {

namespace {

namespace fs = std::filesystem;

// Folders of `parent` whose name begins with `prefix`, in order of name.
std::vector<fs::path> foldersIn(const fs::path& parent, std::string_view prefix)
{
    std::vector<fs::path> found;
    std::error_code error;
    for (fs::directory_iterator entry(parent, error), end; !error && entry != end; entry.increment(error)) {
        if (entry->path().filename().string().starts_with(prefix) && entry->is_directory(error)) {
            found.push_back(entry->path());
        }
    }
    std::ranges::sort(found);
    return found;
}

// An install keeps its program in bin, or beside its target or host libraries.
void addInstall(const fs::path& install, std::vector<fs::path>& folders)
{
    folders.push_back(install);
    for (const char* const inner : {"bin", "target-linux-x64", "target-linux-sbsa-armv8", "host-linux-x64"}) {
        folders.push_back(install / inner);
    }
}

} // namespace

std::vector<fs::path> nsysFolders(std::string_view pathVariable, const fs::path& root)
{
    std::vector<fs::path> folders;
    while (!pathVariable.empty()) {
        const size_t end = std::min(pathVariable.find(':'), pathVariable.size());
        if (end > 0) folders.emplace_back(pathVariable.substr(0, end));
        pathVariable.remove_prefix(std::min(end + 1, pathVariable.size()));
    }
    for (const char* const parent : {"opt/nvidia", "usr/local", "usr/lib", "opt"}) {
        for (const fs::path& product : foldersIn(root / parent, "nsight-systems")) {
            addInstall(product, folders);
            for (const fs::path& version : foldersIn(product, ""))
                addInstall(version, folders);
        }
    }
    for (const fs::path& cuda : foldersIn(root / "usr/local", "cuda"))
        addInstall(cuda, folders);
    std::set<fs::path> seen;
    std::erase_if(folders, [&](const fs::path& folder) { return !seen.insert(folder).second; });
    return folders;
}

std::optional<NsysInstall> newestNsys(std::span<const fs::path> folders, const std::stop_token& stop)
{
    std::optional<NsysInstall> newest;
    std::set<fs::path> tried;
    for (const fs::path& folder : folders) {
        const fs::path program = folder / "nsys";
        std::error_code error;
        const fs::path real = fs::canonical(program, error);
        if (error || !fs::is_regular_file(real, error) || ::access(real.c_str(), X_OK) != 0) continue;
        if (!tried.insert(real).second || stop.stop_requested()) continue;
        const auto answer = runChild(program, {"--version"}, stop);
        if (!answer || answer->status != 0) continue;
        const auto version = findNsysVersion(answer->output);
        if (version && (!newest || newest->version < *version)) newest = {program, *version};
    }
    return newest;
}

} // namespace lockstep
