// SPDX-License-Identifier: Apache-2.0
#include "capture/agent/process_tree.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>

namespace lockstep::agent {

namespace {

struct ProcessEntry {
    LiveProcess process;
    int parent = 0;
};

// Field 2 of /proc/PID/stat stands in brackets and may hold anything, blanks and brackets included.
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
    std::vector<int> parents{root};
    while (!parents.empty()) {
        const auto [begin, end] = byParent.equal_range(parents.back());
        parents.pop_back();
        for (auto child = begin; child != end; ++child) {
            found.push_back(child->second);
            parents.push_back(child->second.pid);
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
