// Finds the report files of a run on its node and says of each whether it is complete: the content is the proof, never
// the name. Looks at beginnings and ends only, so thousands of files cost milliseconds; sha256 is asked for apart.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::agent {

struct FoundReport {
    std::filesystem::path path;
    uint64_t size_bytes = 0;
    int64_t modified_ns = 0;  // Unix epoch, node's clock
    std::string kind;         // "nsys report", "nsys stream", "sqlite", "trace json", "memory snapshot", "capture spool"
    bool isComplete = false;
    std::string reason;       // why not complete; empty otherwise
};

// What a file is by its first and last bytes; kind is empty for what is no report. name decides nothing.
FoundReport examineReport(const std::filesystem::path& path);

// All reports below the roots ("~/" is the home folder; a "*" component stands for any one name), sorted by path.
// Folders that cannot be read are passed over. Symbolic links to folders are followed once.
std::vector<FoundReport> scanReports(const std::vector<std::string>& roots);

} // namespace lockstep::agent
