// SPDX-License-Identifier: Apache-2.0
// RunHistory is the state of a run according to the event log when its last supervisor died.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "capture/agent/run_folder.h"
#include "core/base/json_fields.h"

namespace lockstep::agent {

struct RunHistory {
    struct Log {
        uint64_t to = 0;     // number of bytes already reported
        bool isOpen = false; // the last line is over-long
        // End of the last line whose finding was reported; the findings in a chunk are reported before the
        // chunk.
        uint64_t findingsTo = 0;
    };
    struct CommandHistory {
        bool isStartReported = false;
        bool isExitReported = false;
        Log out, err;
        std::optional<int64_t> step;
        std::string stepMark;
    };
    struct Report {
        uint64_t size_bytes = 0;
        bool isComplete = false;
        std::string reason;
    };

    bool hasStarted = false;
    bool hasEnded = false;
    int64_t started_ns = 0; // Unix epoch; time of the run's first event
    std::optional<std::pair<int64_t, double>>
        stop; // time (Unix-epoch ns) and grace period (seconds) of a recorded stop
    std::map<size_t, CommandHistory> commands;
    std::map<std::string, Report> reports; // keyed by path (bytes)
    std::set<std::string> failures;        // failures already reported
    size_t launches = 0;                   // launches of a script that are reported
    // Number of bytes already read of each log of the capture library.
    std::map<std::string, uint64_t> captureLogs;

    void recall(const Json& event);
};

// Cost: one pass over the log.
RunHistory readRunHistory(const RunFolder& folder);

// Converts bytes to hexadecimal text ("no" becomes "6e6f") and back. Invalid hexadecimal text gives "".
std::string hexOf(std::string_view bytes);
std::string bytesOfHex(std::string_view hex);

} // namespace lockstep::agent
