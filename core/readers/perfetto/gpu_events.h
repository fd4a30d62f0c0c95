// SPDX-License-Identifier: Apache-2.0
// Reads GPU work and GPU counters of a Perfetto trace, which are not track events: GpuRenderStageEvent, with
// interned kernel names and a hardware queue per stream, and GpuCounterEvent. Field numbers are those of
// protos/perfetto/trace/gpu (Perfetto, 2026).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/readers/perfetto/packet_walk.h"

namespace lockstep {

struct GpuStage {
    std::string name;  // of the event, else its kernel, else its stage
    std::string stage; // "Kernel", "Memcpy"
    int64_t duration_ns = 0;
    int64_t gpu = 0;
    int64_t pid = 0; // 0: not stated
    int64_t context = 0;
    int64_t stream = 0;
    std::vector<std::pair<std::string, std::string>> arguments; // extra_data, then the launch
    bool isBroken = false;

    // The value of an argument; empty where there is none.
    std::string_view argument(std::string_view name) const;
};

struct GpuCounterValues {
    int64_t gpu = 0;
    std::vector<std::pair<std::string, double>> values; // by the counter's name
    bool isBroken = false;
};

// The sequence of a packet of these kinds must outlive the call.
GpuStage readGpuStage(const TrackEventPacket& packet);
GpuCounterValues readGpuCounters(const TrackEventPacket& packet);

} // namespace lockstep
