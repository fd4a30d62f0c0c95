// SPDX-License-Identifier: Apache-2.0
// NcclCall: the properties of one NCCL call, from its NVTX range (string and payload fields) or from the name
// of its GPU kernel. Pure; any thread.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/readers/nsys_sqlite/payload_schemas.h"
#include "core/trace/collective_op.h"

namespace lockstep {

struct NcclCall {
    // False for calls without data, such as ncclCommInitRank, which provide only the size and rank of a
    // communicator.
    bool isOperation = false;
    bool isPointToPoint = false;
    uint64_t communicator = 0; // NCCL's hash of the communicator, equal on all ranks of the communicator
    std::string dataType;
    uint32_t rankCount = CollectiveOp::kAbsent;
    uint32_t rank = CollectiveOp::kAbsent; // within the communicator
    // within the communicator; the root, if the operation has one
    uint32_t peer = CollectiveOp::kAbsent;
    uint64_t message_bytes = CollectiveOp::kAbsentCount; // size for one rank, as recorded by NCCL
    uint64_t elements = CollectiveOp::kAbsentCount;
    uint64_t sequence = CollectiveOp::kAbsentCount;
};

// Parses a call. `text` is the text of the range ("ncclAllReduce"). Fields are recognized by parts of their
// names, because the names vary with NCCL's version: "NCCL communicator ID", "Message size [bytes]", "Peer
// rank", "Root", "No. of ranks". Returns nullopt if the communicator is missing.
std::optional<NcclCall> ncclCallOf(std::string_view text, std::span<const PayloadField> fields);

// The parts of an NCCL kernel's name, all of them views into the name.
struct NcclKernelName {
    std::string_view operation; // "AllReduce"
    std::string_view dataType;  // "f32", "bf16"; "" if the GPU kernel only moves bytes
};

// Parses "ncclDevKernel_AllReduce_Sum_f32_RING_LL", "ncclKernel_AllReduce_RING_LL_Sum_float" or
// "ncclAllReduceRingLLKernel_sum_f32". Returns nullopt for other GPU kernels.
std::optional<NcclKernelName> ncclKernelName(std::string_view name);

} // namespace lockstep
