// SPDX-License-Identifier: Apache-2.0
// CollectiveOp: the communication that one NCCL row took part in, stored next to its slice for clock
// alignment and straggler tables. One row per slice with such information, sorted by slice. Readers fill it
// from the arguments of Kineto kernel rows ("Collective name", "Seq", ...) and from NVTX payloads of NCCL. 88
// bytes.
#pragma once

#include <cstdint>

#include "core/base/ids.h"

namespace lockstep {

struct CollectiveOp {
    static constexpr uint64_t kAbsentCount = ~uint64_t(0);
    static constexpr uint32_t kAbsent = ~uint32_t(0);

    SliceId slice;       // the GPU kernel, or the range if only the host call (NVTX) is known
    StringId collective; // as in the file: "allreduce", "_allgather_base", "ncclAllReduce"; invalid = unknown
    // process group name ("0", "dp"), or a communicator ID as a string; equal on all ranks
    StringId group;
    // "[0, 1, 2]", as in the file, or from distributedInfo if the list is elided in the file
    StringId groupRanks;
    StringId dataType; // "Float", "BFloat16"
    uint32_t groupSize = kAbsent;
    uint32_t rankInGroup = kAbsent;
    uint32_t rankStart = kAbsent;  // "Global rank start"
    uint32_t rankStride = kAbsent; // "Global rank stride"
    uint32_t peer = kAbsent;       // global rank of the peer of a send or receive, or of the root if recorded
    uint64_t inElements = kAbsentCount;
    uint64_t outElements = kAbsentCount;
    uint64_t message_bytes = kAbsentCount;
    // "Seq": sequence number of the operation within its group, equal on all ranks
    uint64_t sequence = kAbsentCount;
    uint64_t commsId =
        // "Comms Id": hash of group, Seq and layout; identifies one operation, not a communicator.
        kAbsentCount;
    // sends and receives have a sequence ("Seq") separate from that of collectives
    bool isPointToPoint = false;

    friend bool operator==(const CollectiveOp&, const CollectiveOp&) = default;
};

} // namespace lockstep
