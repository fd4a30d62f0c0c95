// SPDX-License-Identifier: Apache-2.0
// A plain walk of a trace file that shares nothing with the reader: zlib, then one simdjson DOM. What the
// reader's row counts and stamps are compared with.
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
    std::string task; // args' "Task Type"
    bool hasCorrelation = false;
    int64_t correlation = 0;
};

// All events of a file that is valid JSON; empty when it cannot be read.
std::vector<WalkedEvent> walkTrace(const std::filesystem::path& path);
// The uncompressed text of a plain or gzip file.
std::string traceText(const std::filesystem::path& path);
// Events by the words of Report::rowCounts.
std::map<std::string, uint64_t> countsOf(const std::vector<WalkedEvent>& events);

} // namespace lockstep::test
