// SPDX-License-Identifier: Apache-2.0
// Defines the entities to which slices belong: processes, threads, GPUs, and the tracks of slices and
// counters. Rows are identified by IDs; strings are StringIds of the same report. Filled by a ReportBuilder,
// immutable in a Report.
#pragma once

#include <cstdint>
#include <optional>

#include "core/base/ids.h"
#include "core/base/time.h"
#include "core/trace/identity.h"

namespace lockstep {

struct Process {
    uint64_t key = 0; // unique in the report: globalPid for nsys, otherwise the pid
    int64_t pid = 0;  // pid on the profiled machine; negative for pseudo processes
    StringId name;
    // What is known about this process in addition to the report's identity. A report may contain several
    // ranks.
    Identity identity;
};

struct Thread {
    ProcessId process;
    int64_t tid = 0;
    StringId name;
};

struct Device {
    // The process to which this ordinal applies; invalid if the ordinal numbers the devices of the machine.
    ProcessId process;
    int ordinal = 0; // CUDA ordinal in that process, i.e. after CUDA_VISIBLE_DEVICES is applied
    StringId name;   // e.g. "NVIDIA H100 80GB HBM3"; empty if unknown
    StringId uuid;
    uint64_t memory_bytes = 0; // 0 = unknown
    int multiprocessors = 0;   // 0 = unknown
};

enum class TrackKind : uint8_t {
    gpuStream,     // kernels, copies and memsets of one stream
    gpuGraph,      // rows for whole graphs of one stream
    gpuSync,       // synchronization rows of one stream
    gpuAnnotation, // annotations projected onto one stream
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
    graphEvents, // capture, creation and cloning of CUDA graphs and their nodes, per thread
    samples,     // samples of reinforcement learning, see SampleTables
    count        // new kinds are added at the end, because files store kinds by number
};

// Identity of a track, unique in a report. Two rows with the same key belong to the same track.
struct TrackKey {
    TrackKind kind = TrackKind::other;
    ProcessId process;   // invalid only for tracks of the whole machine
    ThreadId thread;     // invalid for GPU tracks
    DeviceId device;     // invalid for CPU tracks
    int64_t lane = 0;    // stream ID, NVTX domain ID, async ID ...
    int64_t context = 0; // CUDA context ID (green contexts have their own); 0 if unknown

    friend bool operator==(const TrackKey&, const TrackKey&) = default;
};

struct Track {
    TrackKey key;
    StringId name;      // name in the file, such as an NVTX domain or stream name; may be empty
    SliceId firstSlice; // its slices are rows [firstSlice, firstSlice + sliceCount), sorted by start
    uint32_t sliceCount = 0;
    uint16_t depthCount = 0; // number of rows needed to draw the track: largest depth + 1
};

// How the samples of a counter are connected.
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
