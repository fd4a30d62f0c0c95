// SPDX-License-Identifier: Apache-2.0
#include "core/readers/nsys_report/nsys_install.h"

#include <algorithm>
#include <array>
#include <set>

#include <unistd.h>

#include "core/base/child_process.h"

namespace lockstep {

namespace {

namespace fs = std::filesystem;

// Returns the folders of `parent` whose name starts with `prefix`, sorted by name.
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

// The program of an installation is in bin, or next to the target or host libraries.
void addInstall(const fs::path& install, std::vector<fs::path>& folders)
{
    folders.push_back(install);
    for (const char* const inner : {"bin", "target-linux-x64", "target-linux-sbsa-armv8", "host-linux-x64"}) {
        folders.push_back(install / inner);
    }
}

std::string buildText(std::string_view output)
{
    const size_t begin = std::min(output.size(), output.find_first_of("0123456789"));
    const size_t end = std::min(output.size(), output.find_first_of(" \t\r\n", begin));
    return std::string(output.substr(begin, end - begin));
}

// Returns the programs that can be run and that report their version. Each program is returned only once,
// even if it has several names.
std::vector<NsysInstall> queryVersions(std::span<const fs::path> programs, const std::stop_token& stop)
{
    std::vector<NsysInstall> found;
    std::set<fs::path> tried;
    for (const fs::path& program : programs) {
        std::error_code error;
        const fs::path real = fs::canonical(program, error);
        if (error || !fs::is_regular_file(real, error) || ::access(real.c_str(), X_OK) != 0) continue;
        if (!tried.insert(real).second || stop.stop_requested()) continue;
        const auto output = runChild(program, {"--version"}, stop);
        if (!output || output->status != 0) continue;
        if (const auto version = findNsysVersion(output->output)) {
            found.push_back({program, *version, buildText(output->output)});
        }
    }
    return found;
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
    std::vector<fs::path> programs;
    for (const fs::path& folder : folders)
        programs.push_back(folder / "nsys");
    const std::vector<NsysInstall> found = queryVersions(programs, stop);
    const auto newest = std::ranges::max_element(found, {}, &NsysInstall::version);
    return newest == found.end() ? std::nullopt : std::optional(*newest);
}

std::vector<NsysInstall> streamImporters(std::span<const fs::path> folders, const std::stop_token& stop)
{
    std::vector<fs::path> programs;
    for (const fs::path& folder : folders) {
        programs.push_back(folder / "QdstrmImporter");
        // PATH may contain only a link to nsys; the installation is at the link's target.
        std::error_code error;
        const fs::path real = fs::canonical(folder / "nsys", error);
        for (const fs::path& place : {folder, real.parent_path()}) {
            if (place.empty()) continue;
            for (const fs::path& host : foldersIn(place / "..", "host-linux"))
                programs.push_back(host / "QdstrmImporter");
        }
    }
    return queryVersions(programs, stop);
}

} // namespace lockstep
