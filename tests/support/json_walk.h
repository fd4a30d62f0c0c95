// SPDX-License-Identifier: Apache-2.0
// Reads a trace file without code of the reader: zlib, then one simdjson DOM. Used to check row counts and
// timestamps of the reader.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace lockstep::test {

struct WalkedEvent {
    std::string phase;
    std::string category;
    std::string name;
    std::string task; // "Task Type" of args
    bool hasCorrelation = false;
    int64_t correlation = 0;
};

// Returns all events of a file that is valid JSON; empty if it cannot be read.
std::vector<WalkedEvent> walkTrace(const std::filesystem::path& path);
// Returns the uncompressed text of a plain or gzip file.
std::string traceText(const std::filesystem::path& path);
// Counts events by the words of Report::rowCounts.
std::map<std::string, uint64_t> countsOf(const std::vector<WalkedEvent>& events);

} // namespace lockstep::test
