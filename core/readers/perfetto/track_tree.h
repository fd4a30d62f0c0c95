// SPDX-License-Identifier: Apache-2.0
// TrackTree: the tracks of a Perfetto trace from their descriptors, and the corresponding tracks of the
// report. Perfetto tracks are nested by parent. The tracks of a report are not nested, so a nested track is
// named after its path below the process or thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "core/trace/report_builder.h"

namespace lockstep {

class TrackTree {
  public:
    struct Counter {
        std::string unit;
        double multiplier = 1;
        // true if samples are differences from the previous sample in their sequence
        bool isIncremental = false;
    };

    explicit TrackTree(ReportBuilder& builder) : m_builder(builder) {}

    // Adds a TrackDescriptor: uuid = 1, name = 2, process = 3, thread = 4, parent_uuid = 5, counter = 8,
    // static_name = 10, atrace_name = 13. A later descriptor with the same uuid extends the earlier one.
    // Returns false if the message is malformed; the part before the error is used.
    bool add(std::string_view message);

    // Returns the report's track for slices of `uuid`; the track is created on first use. 0 is the track of
    // the trace itself.
    TrackId sliceTrack(uint64_t uuid);
    CounterTrackId counterTrack(uint64_t uuid);
    // Returns the process and thread of the track or of its ancestors; invalid if neither has any.
    std::pair<ProcessId, ThreadId> actorsOf(uint64_t uuid);
    // Returns the counter properties of `uuid`, or the defaults.
    const Counter& counter(uint64_t uuid) const;
    // Returns false if no descriptor has mentioned `uuid` yet; the track is then created without a
    // descriptor.
    bool require(uint64_t uuid) { return !m_nodes.try_emplace(uuid).second || uuid == 0; }
    size_t size() const { return m_nodes.size(); }

  private:
    struct Node {
        std::string name;
        uint64_t parent = 0;
        std::optional<int64_t> pid, tid;
        std::optional<Counter> counter;
        TrackId track;
        CounterTrackId counterTrack;
    };
    struct Place {
        std::string path; // names on the path from the process or thread down to the track
        ProcessId process;
        ThreadId thread;
        bool isThreadItself = false;
    };

    bool readProcess(std::string_view message, Node& node);
    bool readThread(std::string_view message, Node& node);
    bool readCounter(std::string_view message, Node& node);
    Place placeOf(uint64_t uuid);

    ReportBuilder& m_builder;
    std::unordered_map<uint64_t, Node> m_nodes;
};

} // namespace lockstep
