// SPDX-License-Identifier: Apache-2.0
#include "core/readers/nsys_sqlite/nccl_call.h"

#include <algorithm>
#include <array>

#include "core/base/text.h"

namespace lockstep {

namespace {

// Longer words precede the words that are a prefix of them.
constexpr std::array<std::string_view, 13> kOperations{
    "AllReduce", "AllGather", "AllToAll", "AlltoAll", "ReduceScatter", "Reduce", "Broadcast",
    "Bcast",     "SendRecv",  "Send",     "Recv",     "Gather",        "Scatter"};

std::string_view operationIn(std::string_view text)
{
    for (const std::string_view operation : kOperations) {
        if (text.starts_with(operation)) return operation;
    }
    return {};
}

uint32_t small(uint64_t number)
{
    return number < CollectiveOp::kAbsent ? static_cast<uint32_t>(number) : CollectiveOp::kAbsent;
}

bool contains(std::string_view text, std::string_view part)
{
    return text.find(part) != std::string_view::npos;
}

void take(const PayloadField& field, NcclCall& call, bool& hasCommunicator)
{
    const std::string name = lowerAscii(field.name);
    if (contains(name, "data type") || contains(name, "datatype")) {
        call.dataType = field.text;
        return;
    }
    if (!field.number) return;
    const uint64_t number = *field.number;
    if (contains(name, "communicator") || contains(name, "commhash") || contains(name, "comm hash")) {
        call.communicator = number;
        hasCommunicator = true;
    } else if (contains(name, "size [bytes]") || contains(name, "message size")) {
        call.message_bytes = number;
    } else if (contains(name, "no. of ranks") || name == "nranks" || name == "commsize") {
        call.rankCount = small(number);
    } else if (contains(name, "peer") || contains(name, "root")) {
        call.peer = small(number);
    } else if (name == "rank" || name == "commrank") {
        call.rank = small(number);
    } else if (contains(name, "seqnum") || name == "seq") {
        call.sequence = number;
    } else if (name == "count") {
        call.elements = number;
    }
}

} // namespace

std::optional<NcclCall> ncclCallOf(std::string_view text, std::span<const PayloadField> fields)
{
    NcclCall call;
    bool hasCommunicator = false;
    for (const PayloadField& field : fields)
        take(field, call, hasCommunicator);
    if (!hasCommunicator) return std::nullopt;
    if (text.starts_with("nccl")) text.remove_prefix(4);
    const std::string_view operation = operationIn(text);
    call.isOperation = !operation.empty();
    call.isPointToPoint = operation == "Send" || operation == "Recv" || operation == "SendRecv";
    return call;
}

std::optional<NcclKernelName> ncclKernelName(std::string_view name)
{
    if (!name.starts_with("nccl")) return std::nullopt;
    name = name.substr(4, name.find_first_of("(<") - 4);
    for (const std::string_view prefix : {"DevKernel_", "Kernel_"}) {
        if (name.starts_with(prefix)) name.remove_prefix(prefix.size());
    }
    NcclKernelName parts;
    parts.operation = operationIn(name);
    if (parts.operation.empty()) return std::nullopt;
    if (!contains(parts.operation, "Reduce")) return parts;
    // The type is the word after the name of the reduction.
    const std::string lower = lowerAscii(name);
    for (const std::string_view reduction :
         {"_sum_", "_prod_", "_max_", "_min_", "_minmax_", "_premulsum_", "_sumpostdiv_"}) {
        const size_t at = lower.find(reduction);
        if (at == std::string::npos) continue;
        parts.dataType = name.substr(at + reduction.size());
        for (const std::string_view tail :
             {"_RING", "_TREE", "_NVLS", "_COLLNET", "_PAT", "_LL", "_SIMPLE"}) {
            parts.dataType = parts.dataType.substr(0, parts.dataType.find(tail));
        }
        return parts;
    }
    return parts;
}

} // namespace lockstep
