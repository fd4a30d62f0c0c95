// SPDX-License-Identifier: Apache-2.0
// SpoolCarry: what blocks of a spool need of those before them, when a part of the file is read by itself:
// what is open, what things are called, what the GPU holds. Small, whatever the file's size. Filled by each
// part that is read; a plain value.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/trace/slice_table.h"

namespace lockstep {

struct SpoolCarry {
    static constexpr size_t kMostGaps = 4096;

    // A range that has begun. Those of one thread and domain stand outermost first.
    struct Open {
        uint64_t thread = 0, domain = 0;
        std::optional<uint64_t> number; // of a start/end range; none: a pushed one
        int64_t start_ns = 0;
        SourceRow source;
        std::string name;
        uint64_t color = 0;
        uint16_t row = 0; // where it is drawn
        bool isCollective = false;
        std::optional<int64_t> cut_ns; // records are missing from here on, maybe its end among them
    };
    struct Schema {
        uint64_t domain = 0, number = 0;
        std::string json;
    };
    // Of an open range, or of the set-up of a communicator.
    struct Payload {
        SourceRow source;
        std::string name, binary; // as SpoolCollectives keeps it
    };
    struct GpuDevice {
        std::string name, uuid;
        uint64_t memory_bytes = 0;
        int multiprocessors = 0;
    };

    std::vector<std::string> metas; // the first and the last META that were read
    std::vector<Open> open;
    std::map<uint64_t, std::string> domains, threads; // their names
    std::vector<Schema> schemas;
    std::vector<Payload> payloads;
    std::map<uint64_t, GpuDevice> devices;
    std::map<uint64_t, uint64_t> deviceOfContext;
    std::map<std::pair<uint64_t, uint64_t>, int64_t> allocated_bytes; // by device and kind of memory
    uint64_t sequence = 0;                                            // the number of the next block
    uint64_t missing = 0;                                             // blocks before it that were not there
    std::vector<TimeRange> gaps;       // where those lay, in order, kMostGaps at most
    std::optional<int64_t> gapFrom_ns; // one that reaches to the next stamp
    int64_t last_ns = INT64_MIN;       // latest stamp so far; INT64_MIN: there is none
    std::map<uint64_t, uint64_t> lost; // by LockstepSpoolLoss: what LOST records counted

    // Adds one behind the others; of too many, the two that lie nearest become one.
    void addGap(TimeRange gap);
};

} // namespace lockstep
