// SPDX-License-Identifier: Apache-2.0
// RunPast: how far the account of a run had come when its last supervisor died, read back from the event log.
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

struct RunPast {
    struct Log {
        uint64_t to = 0;     // bytes told
        bool isOpen = false; // in an over-long line
        uint64_t signsTo =
            0; // byte behind the last line whose sign was told: signs are told before their piece
    };
    struct CommandPast {
        bool isStartTold = false;
        bool isExitTold = false;
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
    int64_t started_ns = 0; // Unix epoch; of the run's first event
    std::optional<std::pair<int64_t, double>>
        stop; // Unix-epoch ns and grace in seconds of a stop that was told
    std::map<size_t, CommandPast> commands;
    std::map<std::string, Report> reports;       // by path (bytes)
    std::set<std::string> failures;              // words told
    std::map<std::string, uint64_t> captureLogs; // bytes told of each log of the capture library

    void recall(const Json& event);
};

// Cost: one pass over the log.
RunPast readPast(const RunFolder& folder);

// "6E6f" for "no", and back; what is no hexadecimal text gives "".
std::string hexOf(std::string_view bytes);
std::string bytesOfHex(std::string_view hex);

} // namespace lockstep::agent
