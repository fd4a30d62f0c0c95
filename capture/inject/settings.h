// SPDX-License-Identifier: Apache-2.0
// CaptureSettings defines what is recorded, where, and at what cost. It is read once when the library is
// loaded. A setting NAME is read from LOCKSTEP_CAPTURE_NAME, otherwise from LOCKSTEP_NAME, otherwise from the
// key with its lower-case name in a JSON object. LOCKSTEP_CONFIG specifies the file with that object.
// FORMAT.md documents the settings for users.
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
    std::string output = ".";     // OUTPUT: folder for reports, absolute; created if missing
    std::string log;              // LOG: JSON lines of problems; default OUTPUT/lockstep_capture.log
    std::string run;              // RUN: name of the run, for the report
    std::string host;             // HOST: name to use for this host instead of its own name
    std::optional<int> rank;      // RANK, otherwise from the launcher; see FORMAT.md for the order
    std::optional<int> localRank; // LOCAL_RANK, read in the same way
    std::optional<int> worldSize; // WORLD_SIZE, read in the same way
    GateSettings gate;            // RANGE, STEPS, STEPS_ARE, RANKS, ALL_RANKS, DISCRETE, CONTINUOUS, ROLE
    uint64_t memory_bytes = 256u << 20;    // MEMORY: limit for rings and GPU buffers together
    uint64_t block_bytes = 256u << 10;     // BLOCK_BYTES: uncompressed size at which a block is written
    int64_t blockAge_ns = 200'000'000;     // BLOCK_AGE_MS: age at which a block is written
    bool blocksWhenFull = false;           // WHEN_FULL: drop or block
    int64_t longestBlock_ns = 100'000'000; // LONGEST_BLOCK_MS: maximum time for which a thread waits for room
    bool recordsCuda = true;               // CUDA
    bool tracesWholeGraphs = false;        // GRAPH_TRACE: node, or graph: one row per launch of a CUDA graph
    std::string cupti;                     // CUPTI: path of libcupti; "" = search
    bool recordsChildren = true;           // CHILDREN: forked children write their own capture files
    bool savesOnEarlyExit = true;          // EARLY_EXIT: first writes what _exit() would lose
    std::vector<std::string> environment;  // ENVIRONMENT: names of variables to store; no others are stored
    std::string problems;                  // invalid settings, for the log
};

// Reads the settings from the environment of this process. Does not throw on invalid values, but may throw
// std::bad_alloc.
CaptureSettings readSettings();

// Parses the JSON subset of a settings file: one object of strings, numbers, booleans and lists of them.
// Returns the top-level fields as strings, with list elements joined by commas. Returns
// an empty map if the text is not an object.
std::map<std::string, std::string> flatJson(std::string_view text);
// Parses "1,2,5-7" or "[1, 2]". Returns false for any other format.
bool readNumbers(std::string_view text, std::vector<int64_t>& numbers);

} // namespace lockstep::capture
