// SPDX-License-Identifier: Apache-2.0
// FramePool interns frames and stacks while a snapshot is decoded. A stack shared in the file is decoded
// once. Belongs to one decoder, one thread.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "core/readers/memory_snapshot/value_tree.h"
#include "core/trace/memory_snapshot_table.h"
#include "core/trace/report_builder.h"

namespace lockstep {

class FramePool {
  public:
    FramePool(const ValueTree& values, ReportBuilder& builder, MemorySnapshot& out);

    // Returns the stack for a list of frame dictionaries; invalid if the list is empty or absent.
    MemoryStackId stack(ValueId frames);

  private:
    struct FrameHash {
        size_t operator()(const MemoryFrame& frame) const noexcept;
    };

    MemoryFrameId frame(ValueId dict);
    MemoryStackId intern(const std::vector<MemoryFrameId>& frames);

    const ValueTree& m_values;
    ReportBuilder& m_builder;
    MemorySnapshot& m_out;
    std::unordered_map<ValueId, MemoryStackId> m_byList;
    std::unordered_map<ValueId, MemoryFrameId> m_byDict;
    std::unordered_map<MemoryFrame, MemoryFrameId, FrameHash> m_byContent;
    std::unordered_multimap<uint64_t, MemoryStackId> m_byHash;
};

} // namespace lockstep
