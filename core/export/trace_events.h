// SPDX-License-Identifier: Apache-2.0
// emitTraceEvents() passes the events in a scene's visible reports to a TraceEventSink, which writes a format
// for other tools. Times are on the aligned axis, categories and arguments follow PyTorch, and each process
// in each report has its own ID. Thread: any.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/progress.h"
#include "core/scene/scene.h"

namespace lockstep {

struct TraceLane {
    int64_t pid = 0;
    int64_t tid = 0;        // thread ID from the file, stream ID on a device, or an assigned number
    bool hasThread = false; // true: tid is a thread ID
    std::string name;       // "GPU 0 stream 7", "CUDA API"
};

using TraceArgument = std::pair<std::string_view, std::variant<int64_t, std::string_view>>;

// TraceArrow is one end of an arrow, located at the start of the slice.
struct TraceArrow {
    uint64_t number = 0; // ID of the arrow; one-based, across all reports; the same at both ends
    LinkKind kind = LinkKind::flow;
    bool isEnd = false;
};

struct TraceSlice {
    std::string_view category;
    std::string_view name;
    int64_t start_ns = 0; // aligned time
    int64_t end_ns = 0;
    bool isInstant = false;
    std::vector<TraceArgument> arguments; // strings are valid only during the call
    std::vector<TraceArrow> arrows;
};

class TraceEventSink {
  public:
    virtual ~TraceEventSink() = default;
    virtual void process(int64_t pid, const std::string& name) = 0;
    virtual void thread(int64_t pid, int64_t tid, std::string_view name) = 0;
    // Starts a lane. Its slices follow in order of start, each slice before the slices nested in it.
    virtual void lane(const TraceLane& lane) = 0;
    virtual void slice(const TraceSlice& slice) = 0;
    // Starts a counter. The counter's samples follow; all their values are finite.
    virtual void counter(int64_t pid, const std::string& name, std::string_view unit) = 0;
    virtual void sample(int64_t time_ns, double value) = 0;
};

// Passes all events to the sink. The only possible error is `canceled`.
Status emitTraceEvents(const Scene& scene, TraceEventSink& sink, const Progress& progress);

} // namespace lockstep
