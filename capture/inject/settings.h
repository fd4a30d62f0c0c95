// SPDX-License-Identifier: Apache-2.0
// CaptureSettings: what is to be recorded, where to and at what cost; read once when the library is loaded. A
// setting NAME is looked for as LOCKSTEP_CAPTURE_NAME, then as LOCKSTEP_NAME, then under its name in small
// letters in the JSON object of the file that LOCKSTEP_CONFIG names. FORMAT.md lists them for people.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "capture/inject/capture_gate.h"

namespace lockstep::capture {

struct CaptureSettings {
    bool isEnabled = true;        // ENABLE
    std::string output = ".";     // OUTPUT: the folder for reports, absolute; made where it is missing
    std::string log;              // LOG: JSON lines of what went wrong; else OUTPUT/lockstep_capture.log
    std::string run;              // RUN: the run's name, for the report
    std::string host;             // HOST: what to call this host instead of its own name
    std::optional<int> rank;      // RANK, else the launcher's: FORMAT.md has the order
    std::optional<int> localRank; // LOCAL_RANK likewise
    std::optional<int> worldSize; // WORLD_SIZE likewise
    GateSettings gate;            // RANGE, STEPS, STEPS_ARE, RANKS, ALL_RANKS, DISCRETE, CONTINUOUS, ROLE
    uint64_t memory_bytes = 256u << 20;    // MEMORY: rings and GPU buffers together
    uint64_t block_bytes = 256u << 10;     // BLOCK_BYTES: unpacked size at which a block is written
    int64_t blockAge_ns = 200'000'000;     // BLOCK_AGE_MS: and the age
    bool blocksWhenFull = false;           // WHEN_FULL: drop or block
    int64_t longestBlock_ns = 100'000'000; // LONGEST_BLOCK_MS: a thread waits no longer for room
    bool takesCuda = true;                 // CUDA
    bool tracesWholeGraphs = false;        // GRAPH_TRACE: node, or graph: a launch of a CUDA graph is one row
    std::string cupti;                     // CUPTI: path of libcupti, else it is looked for
    bool recordsChildren = true;           // CHILDREN: forked children write spools of their own
    bool savesOnEarlyExit = true;          // EARLY_EXIT: what _exit() would lose is written first
    std::vector<std::string> environment;  // ENVIRONMENT: names of variables to keep; none otherwise
    std::string problems;                  // what could not be understood, for the log
};

// From this process's environment. Never throws for what the environment holds; std::bad_alloc.
CaptureSettings readSettings();

// The top-level fields of a flat JSON object as texts: lists are joined with commas. Empty when it is no
// object.
std::map<std::string, std::string> flatJson(std::string_view text);
// "1,2,5-7" or "[1, 2]"; false when it is anything else.
bool readNumbers(std::string_view text, std::vector<int64_t>& numbers);

} // namespace lockstep::capture
