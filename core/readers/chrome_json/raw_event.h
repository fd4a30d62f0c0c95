// SPDX-License-Identifier: Apache-2.0
// RawEvent: one object of the event array before interpretation: the fields of the Trace Event Format and the
// few arguments that rows use. Strings are views that are valid until the parser advances.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "core/readers/collective_arguments.h"
#include "core/trace/row_facts.h"

namespace lockstep {

// A pid or tid. Usually a number, but a string in span rows and in traces from other writers.
struct ActorText {
    int64_t number = 0;
    std::string_view text; // valid if isText
    bool isText = false;
};

// One entry of args: the unescaped key, and the value as written; strings unescaped and without their quotes.
struct RawArgument {
    std::string_view key;
    std::string_view value;
    bool isText = false;
};

// args of GPU, API and memory rows. Quotes in the comments show Kineto's spelling. The has... member of an
// absent argument is false.
struct EventArguments {
    uint64_t correlation = 0;    // "correlation"; 0 = absent, because CUPTI numbers from 1
    int64_t stream = 0;          // "stream"
    int64_t device = 0;          // "device"
    int64_t context = 0;         // "context"
    FactList facts;              // details for RowFacts, except "correlation"
    int64_t deviceType = 0;      // "Device Type": 0 CPU, 1 CUDA
    int64_t deviceId = 0;        // "Device Id"
    int64_t allocated_bytes = 0; // "Total Allocated"
    int64_t reserved_bytes = 0;  // "Total Reserved"
    uint64_t size_bytes = 0;     // "bytes"
    uint64_t address = 0;        // "Addr"
    int64_t change_bytes = 0;    // "Bytes": positive if allocated, negative if freed
    uint64_t eventIndex = 0;     // "Ev Idx": the profiler's own order
    uint64_t connection = 0;     // Ascend: "connection_id", of a call and of its tasks; 0 = absent
    uint64_t elements = 0;       // Ascend: "count" of a communication
    std::string_view taskType;   // Ascend: "Task Type"
    std::string_view level;      // Ascend: "level" of a call
    std::string_view dataType;   // Ascend: "data_type"
    std::string_view externalId; // "External id": connects kernels with record_param_comms
    bool hasStream = false;
    bool hasDevice = false;
    bool hasDeviceId = false;
    bool hasAllocated = false;
    bool hasReserved = false;
    bool hasSize = false;
    bool hasAddress = false;
    bool hasChange = false;
};

struct RawEvent {
    uint64_t offset = 0; // offset of the object in the uncompressed text
    char phase = 0;      // ph; 0 = absent
    bool hasStart = false;
    bool hasDuration = false;
    bool badStart = false;    // true if ts exists but is not a number
    bool badDuration = false; // the same for dur
    int64_t start_ns = 0;     // ts, from its decimal text in microseconds
    int64_t duration_ns = 0;  // the same for dur
    std::string_view category;
    std::string_view name;
    // id, or the value of id2: digits or a string as written, without quotes
    std::string_view id;
    std::string_view scope;            // scope of an async id
    std::string_view bindId;           // bind_id: ID of the flow to which a slice belongs
    bool flowsIn = false;              // flow_in
    bool flowsOut = false;             // flow_out
    bool bindsEnclosing = false;       // true if bp is "e"
    std::span<const RawArgument> list; // all entries of args, for phases C and M only
    ActorText pid;
    ActorText tid;
    EventArguments args;
    // for NCCL kernels and record_param_comms; otherwise null
    const CollectiveArguments* collective = nullptr;
};

} // namespace lockstep
