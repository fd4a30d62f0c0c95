// SPDX-License-Identifier: Apache-2.0
// Reads GPU work and GPU counters of a Perfetto trace, which are not track events. They are
// GpuRenderStageEvent, with interned kernel names and a hardware queue per stream, and GpuCounterEvent. Field
// numbers are those of protos/perfetto/trace/gpu (Perfetto, 2026).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/readers/perfetto/packet_walk.h"

namespace lockstep {

struct GpuStage {
    // name of the event, otherwise the name of its GPU kernel, otherwise the name of its stage
    std::string name;
    std::string stage; // "Kernel", "Memcpy"
    int64_t duration_ns = 0;
    int64_t gpu = 0;
    int64_t pid = 0; // 0 if unknown
    int64_t context = 0;
    int64_t stream = 0;
    std::vector<std::pair<std::string, std::string>> arguments; // extra_data, followed by the launch
    bool isBroken = false;

    // Returns the value of an argument, or an empty string.
    std::string_view argument(std::string_view name) const;
};

struct GpuCounterValues {
    int64_t gpu = 0;
    std::vector<std::pair<std::string, double>> values; // by the name of the counter
    bool isBroken = false;
};

// Reads GPU work. The packet's sequence must outlive the call.
GpuStage readGpuStage(const TrackEventPacket& packet);
GpuCounterValues readGpuCounters(const TrackEventPacket& packet);

} // namespace lockstep
