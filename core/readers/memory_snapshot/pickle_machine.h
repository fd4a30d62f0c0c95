// SPDX-License-Identifier: Apache-2.0
// PickleMachine: one pass over one pickle. Used by readPickle() and readPickleRows() only.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/readers/memory_snapshot/pickle.h"

namespace lockstep {

class PickleMachine {
  public:
    // rows may be null.
    PickleMachine(std::string_view bytes, const PickleLimits& limits, const Progress& progress, Pickle& into,
                  PickleRows* rows)
        : m_bytes(bytes), m_limits(limits), m_progress(progress), m_pickle(into), m_rows(rows),
          m_values(into.values)
    {
    }

    Status run();

  private:
    // Nothing: go on. A step that cannot be done says why in m_error or sets m_cut.
    void step(uint8_t opcode);
    bool stepValue(uint8_t opcode);
    bool stepText(uint8_t opcode);
    bool stepContainer(uint8_t opcode);
    bool stepMemo(uint8_t opcode);
    bool stepOften(uint8_t opcode);
    Status checkIn();

    // Little-endian unsigned number of `width` bytes at the cursor.
    uint64_t number(size_t width);
    std::string_view taken(uint64_t length);
    void longNumber(uint64_t length);
    void bigEndianReal();

    bool needs(size_t depth);
    void push(ValueId value)
    {
        if (!m_cut) m_stack.push_back(value); // what a cut left incomplete is no value
    }
    ValueId pop();
    void fill(ValueId container, size_t from);
    bool takeRows(size_t from);
    void takeRow(size_t outer, size_t place, ValueId row);
    void fillOpen(size_t from);
    void tupleOf(size_t count);
    void memoize(uint64_t index);
    void recall(uint64_t index);
    void closeOpen();
    void closeSingle();
    void refuse(uint8_t opcode);
    void fail(ErrorKind kind, const std::string& message);

    std::string_view m_bytes;
    const PickleLimits& m_limits;
    const Progress& m_progress;
    size_t m_at = 0;
    size_t m_opcodeAt = 0;
    size_t m_steps = 0;
    bool m_cut = false;
    bool m_done = false;
    std::optional<Error> m_error;
    Pickle& m_pickle;
    PickleRows* const m_rows;
    ValueTree& m_values;
    std::vector<ValueId> m_stack;
    std::vector<size_t> m_marks; // stack heights
    std::vector<ValueId> m_memo;
};

} // namespace lockstep
