// SPDX-License-Identifier: Apache-2.0
// CollectiveArguments: what PyTorch states about one communication in the arguments of its NCCL kernel and of
// the record_param_comms op around the call, by Kineto's spelling of all eras: names and sizes since October
// 2023 ("Process Group ID" until April 2024, "Process Group Name" since), "Seq" and "Comms Id" since March
// 2026. Filled by the readers of formats that carry these arguments. One thread.
#pragma once

#include <string_view>

#include "core/base/string_pool.h"
#include "core/trace/collective_op.h"

namespace lockstep {

// The name of the op that PyTorch records around every call of a communication.
inline constexpr std::string_view kRecordOfComms = "record_param_comms";

class CollectiveArguments {
  public:
    // Takes one argument: key as written, value a scalar without its quotes or a list as JSON text. False
    // when the key says nothing of a communication. The texts must live until op(). A number that cannot be
    // read counts as not stated.
    bool take(std::string_view key, std::string_view value);
    bool isEmpty() const { return m_isEmpty; }
    void clear() { *this = CollectiveArguments(); }

    // What was taken, its texts as ids of `strings`; op.slice stays invalid. message_bytes is the input's
    // elements by the size of its type.
    CollectiveOp op(StringPool& strings) const;

  private:
    bool takeText(std::string_view key, std::string_view value);
    bool takeNumber(std::string_view key, std::string_view value);

    CollectiveOp m_op; // numbers; its texts are the views below
    std::string_view m_collective;
    std::string_view m_group;
    std::string_view m_groupRanks;
    std::string_view m_dataType;
    uint32_t m_source = CollectiveOp::kAbsent;      // "Src Rank"
    uint32_t m_destination = CollectiveOp::kAbsent; // "Dst Rank"
    bool m_isEmpty = true;
};

// Bytes of one element of a type by its PyTorch name ("BFloat16", "c10::Half"); 0 when the name is not known.
uint64_t elementBytes(std::string_view dataType);

// Gives `op` what `other` states and it does not itself. Both of one string pool.
void fillAbsent(CollectiveOp& op, const CollectiveOp& other);

} // namespace lockstep
