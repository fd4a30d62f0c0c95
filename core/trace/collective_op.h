// SPDX-License-Identifier: Apache-2.0
// CollectiveOp: what one NCCL row says of the communication it took part in, kept beside its slice for clock
// alignment and straggler tables. One row per slice that states any of it, sorted by slice. Filled by readers
// from the arguments of Kineto's kernel rows ("Collective name", "Seq" ...) and from NCCL's NVTX payloads. 88
// bytes.
#pragma once

#include <cstdint>

#include "core/base/ids.h"

namespace lockstep {

struct CollectiveOp {
    static constexpr uint64_t kAbsentCount = ~uint64_t(0);
    static constexpr uint32_t kAbsent = ~uint32_t(0);

    SliceId slice; // the kernel; where only the host call is known (NVTX), that range
    StringId
        collective; // "allreduce", "_allgather_base", "ncclAllReduce": the file's word; invalid = not stated
    StringId group; // process group name ("0", "dp"), or a communicator id as text; equal on all its ranks
    StringId groupRanks; // "[0, 1, 2]" as the file has it; the reader prefers distributedInfo's list to an
                         // elided one
    StringId dataType;   // "Float", "BFloat16"
    uint32_t groupSize = kAbsent;
    uint32_t rankInGroup = kAbsent;
    uint32_t rankStart = kAbsent;  // "Global rank start"
    uint32_t rankStride = kAbsent; // "Global rank stride"
    uint32_t peer =
        kAbsent; // global rank: of the other side of a send or receive, or the root where one is stated
    uint64_t inElements = kAbsentCount;
    uint64_t outElements = kAbsentCount;
    uint64_t message_bytes = kAbsentCount;
    uint64_t sequence = kAbsentCount; // "Seq": counts a group's operations, equal on all ranks
    uint64_t commsId =
        kAbsentCount; // "Comms Id": a hash of group, Seq and layout; unlike a communicator it names one op
    bool isPointToPoint = false; // send and receive count their Seq apart from the collectives

    friend bool operator==(const CollectiveOp&, const CollectiveOp&) = default;
};

} // namespace lockstep
