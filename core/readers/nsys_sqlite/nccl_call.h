// SPDX-License-Identifier: Apache-2.0
// NcclCall: what one call of NCCL says of itself, taken from its NVTX range (text and payload fields) or from
// the name of the kernel it became. Pure; any thread.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/readers/nsys_sqlite/payload_schemas.h"
#include "core/trace/collective_op.h"

namespace lockstep {

struct NcclCall {
    // False for calls that move nothing: ncclCommInitRank and the like, which tell a communicator's size and
    // rank.
    bool isOperation = false;
    bool isPointToPoint = false;
    uint64_t communicator = 0; // NCCL's hash of it: equal on all its ranks
    std::string dataType;
    uint32_t rankCount = CollectiveOp::kAbsent;
    uint32_t rank = CollectiveOp::kAbsent; // within the communicator
    uint32_t peer = CollectiveOp::kAbsent; // within the communicator; the root where there is one
    uint64_t message_bytes = CollectiveOp::kAbsentCount; // as NCCL states it: of one rank
    uint64_t elements = CollectiveOp::kAbsentCount;
    uint64_t sequence = CollectiveOp::kAbsentCount;
};

// `text` is the range's ("ncclAllReduce"). Fields are told by parts of their names, which change with NCCL's
// version: "NCCL communicator ID", "Message size [bytes]", "Peer rank", "Root", "No. of ranks". Empty without
// a communicator.
std::optional<NcclCall> ncclCallOf(std::string_view text, std::span<const PayloadField> fields);

// An NCCL kernel's name in parts, all views into it.
struct NcclKernelName {
    std::string_view operation; // "AllReduce"
    std::string_view dataType;  // "f32", "bf16"; "" where the kernel only moves bytes
};

// "ncclDevKernel_AllReduce_Sum_f32_RING_LL", "ncclKernel_AllReduce_RING_LL_Sum_float",
// "ncclAllReduceRingLLKernel_sum_f32". Empty for names of other kernels.
std::optional<NcclKernelName> ncclKernelName(std::string_view name);

} // namespace lockstep
