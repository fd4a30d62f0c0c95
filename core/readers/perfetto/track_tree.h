// SPDX-License-Identifier: Apache-2.0
// TrackTree: the tracks of a Perfetto trace as its descriptors state them, and the report's tracks they
// become. Tracks nest by parent; a report's do not, so a nested track is named by its path below the process
// or thread.
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
        bool isIncremental = false; // samples are differences to the one before on their sequence
    };

    explicit TrackTree(ReportBuilder& builder) : m_builder(builder) {}

    // TrackDescriptor: uuid = 1, name = 2, process = 3, thread = 4, parent_uuid = 5, counter = 8, static_name
    // = 10, atrace_name = 13. A later one of the same uuid adds to the earlier. False where it
    // breaks the wire format; what came before is used.
    bool add(std::string_view message);

    // The report's track for slices of `uuid`; made on first use. 0 is the trace's own track.
    TrackId sliceTrack(uint64_t uuid);
    CounterTrackId counterTrack(uint64_t uuid);
    // Whose track it is, or the track that it lies below; invalid where none is named.
    std::pair<ProcessId, ThreadId> actorsOf(uint64_t uuid);
    // The counter properties stated for `uuid`; the defaults for none.
    const Counter& counter(uint64_t uuid) const;
    // False when no descriptor named `uuid` before; from then on the track stands without one.
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
        std::string path; // names from below the process or thread down to the track
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
