// SPDX-License-Identifier: Apache-2.0
#include "capture/agent/process_tree.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <utility>

namespace lockstep::agent {

namespace {

struct ProcessEntry {
    LiveProcess process;
    int parent = 0;
};

// Field 2 of /proc/PID/stat is in parentheses and may contain anything, including blanks and parentheses.
bool readEntry(const std::filesystem::path& folder, ProcessEntry& entry)
{
    std::ifstream file(folder / "stat");
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const size_t begin = text.find('('), end = text.rfind(')');
    if (begin == std::string::npos || end == std::string::npos || end < begin) return false;
    entry.process.name = text.substr(begin + 1, end - begin - 1);
    std::istringstream fields(text.substr(end + 1));
    std::string state;
    return fields >> state >> entry.parent && state != "Z" && state != "X";
}

// Detects Ray's own processes. Those that run in Python are identified by their script.
bool isRayService(const LiveProcess& process, const std::filesystem::path& folder)
{
    if (process.name == "raylet" || process.name == "gcs_server" || process.name.starts_with("ray::"))
        return true;
    std::ifstream file(folder / "cmdline");
    const std::string words{std::istreambuf_iterator<char>(file), {}};
    return std::ranges::any_of(std::array{"/ray/dashboard/", "/ray/_private/", "/ray/autoscaler/"},
                               [&](const char* part) { return words.find(part) != std::string::npos; });
}

} // namespace

std::vector<LiveProcess> descendantsOf(int root)
{
    std::multimap<int, LiveProcess> byParent;
    std::error_code error;
    for (std::filesystem::directory_iterator at("/proc", error), end; !error && at != end;
         at.increment(error)) {
        ProcessEntry entry;
        entry.process.pid = std::atoi(at->path().filename().c_str());
        if (entry.process.pid > 0 && readEntry(at->path(), entry))
            byParent.emplace(entry.parent, entry.process);
    }
    std::vector<LiveProcess> found;
    // Process ID, and whether the process is a service.
    std::vector<std::pair<int, bool>> parents{{root, false}};
    while (!parents.empty()) {
        const auto [parent, isService] = parents.back();
        const auto [begin, end] = byParent.equal_range(parent);
        parents.pop_back();
        for (auto child = begin; child != end; ++child) {
            LiveProcess process = child->second;
            const std::filesystem::path folder = "/proc/" + std::to_string(process.pid);
            process.isService = isService || isRayService(process, folder);
            parents.emplace_back(process.pid, process.isService);
            found.push_back(std::move(process));
        }
        byParent.erase(begin, end);
    }
    return found;
}

bool isReportWriter(const LiveProcess& process)
{
    return process.name.starts_with("QdstrmImporter") || process.name.starts_with("nsys");
}

} // namespace lockstep::agent
