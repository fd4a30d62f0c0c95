// SPDX-License-Identifier: Apache-2.0
// walkTraceEvents(): a scene's shown reports event by event, in the words of traces that other tools read: on
// the aligned axis, PyTorch's categories and arguments, each process of each report under a number of its
// own. What writes a format is a TraceEventSink. Any thread.
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
    int64_t tid = 0;        // as the file has it; a device's stream; else a number of its own
    bool hasThread = false; // tid is a thread's
    std::string name;       // "GPU 0 stream 7", "CUDA API"
};

using TraceArgument = std::pair<std::string_view, std::variant<int64_t, std::string_view>>;

// One end of an arrow, at the start of the slice.
struct TraceArrow {
    uint64_t number = 0; // from 1, over all reports; of both ends
    LinkKind kind = LinkKind::flow;
    bool isEnd = false;
};

struct TraceSlice {
    std::string_view category;
    std::string_view name;
    int64_t start_ns = 0; // aligned
    int64_t end_ns = 0;
    bool isInstant = false;
    std::vector<TraceArgument> arguments; // texts live as long as the call
    std::vector<TraceArrow> arrows;
};

class TraceEventSink {
  public:
    virtual ~TraceEventSink() = default;
    virtual void process(int64_t pid, const std::string& name) = 0;
    virtual void thread(int64_t pid, int64_t tid, std::string_view name) = 0;
    // What follows are its slices, in order of start, a longer one before what lies in it.
    virtual void lane(const TraceLane& lane) = 0;
    virtual void slice(const TraceSlice& slice) = 0;
    // What follows are its samples; only finite ones.
    virtual void counter(int64_t pid, const std::string& name, std::string_view unit) = 0;
    virtual void sample(int64_t time_ns, double value) = 0;
};

// canceled.
Status walkTraceEvents(const Scene& scene, TraceEventSink& sink, const Progress& progress);

} // namespace lockstep
