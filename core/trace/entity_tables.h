// SPDX-License-Identifier: Apache-2.0
// The things slices belong to: processes, threads, GPUs, and the tracks on which slices and counters lie.
// Rows are named by ids; texts are StringIds of the same report. Filled by a ReportBuilder, immutable in a
// Report.
#pragma once

#include <cstdint>
#include <optional>

#include "core/base/ids.h"
#include "core/base/time.h"
#include "core/trace/identity.h"

namespace lockstep {

struct Process {
    uint64_t key = 0; // unique in the report: nsys globalPid, else the pid
    int64_t pid = 0;  // as the profiled machine numbered it; negative for pseudo processes
    StringId name;
    Identity identity; // what is known of this process beyond its report's identity (a report may hold
                       // several ranks)
};

struct Thread {
    ProcessId process;
    int64_t tid = 0;
    StringId name;
};

struct Device {
    ProcessId process; // the process that numbers it so; invalid when the numbering is the machine's
    int ordinal = 0;   // CUDA ordinal in that process, after CUDA_VISIBLE_DEVICES
    StringId name;     // e.g. "NVIDIA H100 80GB HBM3"; empty when the file does not say
    StringId uuid;
    uint64_t memory_bytes = 0; // 0 = unknown
    int multiprocessors = 0;   // 0 = unknown
};

enum class TrackKind : uint8_t {
    gpuStream,     // kernels, copies, memsets of one stream
    gpuGraph,      // whole-graph rows of one stream
    gpuSync,       // synchronization rows of one stream
    gpuAnnotation, // annotations projected on one stream
    nvtx,          // one NVTX domain of one thread
    cudaApi,
    ops, // framework ops and user annotations of one thread
    python,
    osRuntime,
    scheduling,
    libraryApi, // cuDNN, cuBLAS, MPI, UCX
    overhead,
    memoryEvents,
    diagnostics,
    other,
    graphEvents, // of one thread: CUDA graphs and their nodes captured, made, copied; at the end: kinds are
                 // stored by number
    count
};

// Who and what a track is. Unique in a report: two rows with the same key belong to the same track.
struct TrackKey {
    TrackKind kind = TrackKind::other;
    ProcessId process;   // invalid only for tracks of the whole machine
    ThreadId thread;     // invalid for GPU tracks
    DeviceId device;     // invalid for CPU tracks
    int64_t lane = 0;    // stream id, NVTX domain id, async id ...
    int64_t context = 0; // CUDA context id (green contexts have their own); 0 where contexts are unknown

    friend bool operator==(const TrackKey&, const TrackKey&) = default;
};

struct Track {
    TrackKey key;
    StringId name;      // what the file calls it: NVTX domain, stream name; may be empty
    SliceId firstSlice; // its slices are rows [firstSlice, firstSlice + sliceCount), sorted by start
    uint32_t sliceCount = 0;
    uint16_t depthCount = 0; // rows needed to draw it: largest depth + 1
};

// How a counter's samples join up.
enum class CounterShape : uint8_t { steps /* holds until the next sample */, points };

struct CounterTrack {
    StringId name; // e.g. "SMs Active [Throughput %]"
    StringId unit; // "B", "%", "MHz"; may be empty
    ProcessId process;
    DeviceId device;
    CounterShape shape = CounterShape::steps;
    uint32_t firstSample = 0; // samples are rows [firstSample, firstSample + sampleCount), sorted by time
    uint32_t sampleCount = 0;
};

} // namespace lockstep
