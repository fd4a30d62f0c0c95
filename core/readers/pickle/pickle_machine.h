// SPDX-License-Identifier: Apache-2.0
// PickleMachine: one pass over one pickle. Used only by the functions of pickle.h.
#pragma once

#include <cstring>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/readers/pickle/pickle.h"

namespace lockstep {

// torchSave: see readTorchPickle().
enum class PickleContent : uint8_t { plainData, torchSave };

class PickleMachine {
  public:
    // `rows` may be null.
    PickleMachine(std::string_view bytes, const PickleLimits& limits, const Progress& progress, Pickle& into,
                  PickleRows* rows, PickleContent content = PickleContent::plainData)
        : m_bytes(bytes), m_limits(limits), m_progress(progress),
          m_isTorch(content == PickleContent::torchSave), m_pickle(into), m_rows(rows), m_values(into.values)
    {
    }

    Status run();

  private:
    // Executes one opcode. On failure it sets m_error or m_cut.
    void step(uint8_t opcode);
    bool stepValue(uint8_t opcode);
    bool stepText(uint8_t opcode);
    bool stepContainer(uint8_t opcode);
    bool stepMemo(uint8_t opcode);
    bool stepFrequent(uint8_t opcode);
    bool stepLine(uint8_t opcode);
    bool stepObject(uint8_t opcode);
    bool skipObject(uint8_t opcode);
    Status checkProgress();

    // Reads a little-endian unsigned number of `width` bytes at the cursor.
    uint64_t number(size_t width)
    {
        if (m_bytes.size() - m_at < width) {
            m_cut = true;
            return 0;
        }
        uint64_t value = 0;
        if (m_bytes.size() - m_at >= sizeof value) { // a single load serves every width
            std::memcpy(&value, m_bytes.data() + m_at, sizeof value);
            if (width < sizeof value) value &= (uint64_t(1) << (8 * width)) - 1;
        } else {
            std::memcpy(&value, m_bytes.data() + m_at, width);
        }
        m_at += width;
        return value;
    }
    std::string_view takeBytes(uint64_t length);
    void longNumber(uint64_t length);
    void bigEndianReal();
    // Returns the text up to the next line feed, and skips the line feed.
    std::string_view line();
    void lineNumber(std::string_view text);
    void lineReal(std::string_view text);
    void lineString(std::string_view text);
    void lineUnicode(std::string_view text);
    uint64_t lineIndex(std::string_view text);
    std::string_view kept(std::string text);

    // Returns true if at least `depth` values lie above the innermost mark. Opcodes must not access values
    // below that mark.
    bool needs(size_t depth)
    {
        const size_t floor = m_marks.empty() ? 0 : m_marks.back();
        if (m_stack.size() - floor >= depth) return true;
        fail(ErrorKind::corrupt, "an opcode needs more values than the stack holds");
        return false;
    }
    void push(ValueId value)
    {
        if (!m_cut) m_stack.push_back(value); // a value that is incomplete because of the cut is dropped
    }
    ValueId pop();
    void replace(size_t count);
    void replaceMarked();
    void largeNumber(const char* message);
    void fill(ValueId container, size_t from);
    bool takeRows(size_t from);
    void takeRow(size_t outer, size_t place, ValueId row);
    void fillOpen(size_t from);
    void tupleOf(size_t count);
    void memoize(uint64_t index)
    {
        if (m_cut || !needs(1)) return;
        if (index > m_memo.size() + 1) // writers number from 0 or 1 without gaps
            return fail(ErrorKind::unsupported, memoText(index) + "is out of order");
        if (index == m_memo.size()) {
            m_memo.push_back(m_stack.back());
        } else {
            if (index > m_memo.size()) m_memo.resize(index + 1);
            m_memo[index] = m_stack.back();
        }
        m_values.setMark(m_stack.back(), static_cast<uint32_t>(index + 1));
    }
    void recall(uint64_t index)
    {
        if (m_cut) return;
        if (index >= m_memo.size() || !m_memo[index].isValid())
            return fail(ErrorKind::corrupt, memoText(index) + "was never set");
        m_values.pin(m_memo[index]);
        push(m_memo[index]);
    }
    static std::string memoText(uint64_t index);
    void closeOpen();
    void closeSingle();
    void refuse(uint8_t opcode);
    void fail(ErrorKind kind, const std::string& message, HelpTopic help = HelpTopic::none);

    std::string_view m_bytes;
    const PickleLimits& m_limits;
    const Progress& m_progress;
    const bool m_isTorch;
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
    std::shared_ptr<std::deque<std::string>> m_ownedTexts; // owned by m_values; created with the first string
};

} // namespace lockstep
