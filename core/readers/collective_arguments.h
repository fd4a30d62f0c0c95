// SPDX-License-Identifier: Apache-2.0
// CollectiveArguments: the arguments that describe one communication in PyTorch's NCCL kernel rows and the
// record_param_comms op around the call, in Kineto's spelling of all versions: names and sizes since October
// 2023 ("Process Group ID" until April 2024, "Process Group Name" since), "Seq" and "Comms Id" since March
// 2026. Filled by the readers of formats with these arguments. One thread.
#pragma once

#include <string_view>

#include "core/base/string_pool.h"
#include "core/trace/collective_op.h"

namespace lockstep {

// Name of the op that PyTorch records for every communication call.
inline constexpr std::string_view kRecordOfComms = "record_param_comms";

class CollectiveArguments {
  public:
    // Adds one argument: key as written, value as a scalar without quotes or a list as JSON text. Returns
    // false if the key does not describe a communication. The views must be valid until op() is called. A
    // number that cannot be parsed counts as absent.
    bool take(std::string_view key, std::string_view value);
    bool isEmpty() const { return m_isEmpty; }
    void clear() { *this = CollectiveArguments(); }

    // Returns the collected operation, with strings as IDs of `strings`; op.slice stays invalid.
    // message_bytes is the number of input elements times the element size.
    CollectiveOp op(StringPool& strings) const;

  private:
    bool takeText(std::string_view key, std::string_view value);
    bool takeNumber(std::string_view key, std::string_view value);

    CollectiveOp m_op; // contains only the numbers; the strings are the views below
    std::string_view m_collective;
    std::string_view m_group;
    std::string_view m_groupRanks;
    std::string_view m_dataType;
    uint32_t m_source = CollectiveOp::kAbsent;      // "Src Rank"
    uint32_t m_destination = CollectiveOp::kAbsent; // "Dst Rank"
    bool m_isEmpty = true;
};

// Fills absent fields of `op` from `other`. Both must use the same string pool.
void fillAbsent(CollectiveOp& op, const CollectiveOp& other);

} // namespace lockstep
