// SPDX-License-Identifier: Apache-2.0
#include "core/readers/memory_snapshot/pickle_machine.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "core/readers/memory_snapshot/pickle_opcodes.h"

namespace lockstep {

using namespace pickle;

std::string_view PickleMachine::taken(uint64_t length)
{
    if (m_cut) return {};
    if (length > m_limits.text_bytes) {
        fail(ErrorKind::unsupported, "a text of " + std::to_string(length) + " bytes; " +
                                         std::to_string(m_limits.text_bytes) + " are allowed");
        return {};
    }
    if (m_bytes.size() - m_at < length) {
        m_cut = true;
        return {};
    }
    const std::string_view text = m_bytes.substr(m_at, length);
    m_at += length;
    return text;
}

// Two's complement, little-endian, of any length. Addresses come this way; nothing in a snapshot exceeds 64
// bits.
void PickleMachine::longNumber(uint64_t length)
{
    const std::string_view raw = taken(length);
    if (m_cut || m_error) return;
    const bool negative = !raw.empty() && (static_cast<uint8_t>(raw.back()) & 0x80) != 0;
    if (raw.size() > 9 || (raw.size() == 9 && raw.back() != 0)) {
        fail(ErrorKind::unsupported, "a whole number of more than 64 bits");
        return;
    }
    uint64_t value = negative ? ~uint64_t(0) : 0;
    std::memcpy(&value, raw.data(), std::min<size_t>(raw.size(), 8));
    push(negative ? m_values.integer(static_cast<int64_t>(value)) : m_values.unsignedInteger(value));
}

void PickleMachine::bigEndianReal()
{
    const uint64_t bits = number(8);
    uint64_t turned = 0;
    for (int i = 0; i < 8; ++i)
        turned |= ((bits >> (8 * i)) & 0xFF) << (56 - 8 * i);
    push(m_values.real(std::bit_cast<double>(turned)));
}

ValueId PickleMachine::pop()
{
    const ValueId value = m_stack.back();
    m_stack.pop_back();
    return value;
}

// Moves the values above `from` into the container; keys of dictionaries must be texts.
void PickleMachine::fill(ValueId container, size_t from)
{
    const bool isDict = m_values.kind(container) == ValueKind::dict;
    if (isDict && (m_stack.size() - from) % 2 != 0) {
        fail(ErrorKind::corrupt, "a dictionary key without a value");
        return;
    }
    for (size_t i = from; i < m_stack.size(); ++i) {
        if (m_stack[i] == container) fail(ErrorKind::unsupported, "a container that holds itself");
        if (isDict && (i - from) % 2 == 0 && m_values.kind(m_stack[i]) != ValueKind::text) {
            fail(ErrorKind::unsupported, "a dictionary key that is no text");
        }
        if (m_error) return;
        m_values.append(container, m_stack[i]);
    }
    m_stack.resize(from);
}

// The container stands on the stack right below `from`.
void PickleMachine::fillOpen(size_t from)
{
    const size_t floor = m_marks.empty() ? 0 : m_marks.back();
    const ValueKind kind = from > floor ? m_values.kind(m_stack[from - 1]) : ValueKind::none;
    const auto opcode = static_cast<uint8_t>(m_bytes[m_opcodeAt]);
    const bool wantsDict = opcode == kSetItem || opcode == kSetItems;
    if (kind != (wantsDict ? ValueKind::dict : ValueKind::list) || m_values.isFrozen(m_stack[from - 1])) {
        fail(ErrorKind::corrupt, "items for something that takes none");
        return;
    }
    if (!takeRows(from)) fill(m_stack[from - 1], from);
}

// Whether the items above `from` are rows for m_rows, which has them now. The stack holds root, mark, entries
// of the root, key, outer list, a mark where that takes several lists at once, those before this one, this.
bool PickleMachine::takeRows(size_t from)
{
    if (m_rows == nullptr || m_marks.empty() || m_marks.size() > 2 || m_marks[0] != 1) return false;
    const size_t list = from - 1;
    const size_t outer = m_marks.size() == 2 ? m_marks[1] - 1 : list - 1;
    if (outer < 2 || outer >= list || outer % 2 != 0) return false; // keys and values alternate from 1 on
    const ValueId root = m_stack[0], key = m_stack[outer - 1];
    if (m_values.kind(root) != ValueKind::dict || !m_values.isEmpty(root) || m_values.isFrozen(root) ||
        m_values.kind(m_stack[outer]) != ValueKind::list || !m_values.isEmpty(m_stack[outer]) ||
        m_values.kind(m_stack[list]) != ValueKind::list || m_values.kind(key) != ValueKind::text ||
        !m_rows->takes(*m_values.asText(key))) {
        return false;
    }
    const size_t place = m_marks.size() == 2 ? list - m_marks[1] : 0;
    for (size_t i = from; i < m_stack.size(); ++i)
        takeRow(outer, place, m_stack[i]);
    m_stack.resize(from);
    return true;
}

void PickleMachine::takeRow(size_t outer, size_t place, ValueId row)
{
    m_rows->take(m_stack[0], std::span(m_stack).subspan(1, outer - 2), place, row);
    if (m_values.kind(row) != ValueKind::dict || m_values.isFrozen(row) || m_values.isHeld(row)) return;
    const uint32_t mark = m_values.drop(row);
    if (mark != ValueTree::kNoMark && m_memo[mark - 1] == row) m_memo[mark - 1] = ValueTree::dropped();
}

void PickleMachine::tupleOf(size_t count)
{
    if (!needs(count)) return;
    const ValueId tuple = m_values.list();
    fill(tuple, m_stack.size() - count);
    m_values.freeze(tuple);
    push(tuple);
}

std::string PickleMachine::memoText(uint64_t index)
{
    return "memo entry " + std::to_string(index) + " ";
}

// At a cut every open container takes the complete items above it.
void PickleMachine::closeOpen()
{
    while (!m_marks.empty()) {
        const size_t from = m_marks.back();
        m_marks.pop_back();
        if (from == 0 || m_stack.size() < from) continue;
        const ValueId container = m_stack[from - 1];
        const ValueKind kind = m_values.kind(container);
        const size_t whole = kind == ValueKind::dict ? 2 : 1;
        m_stack.resize(m_stack.size() - (m_stack.size() - from) % whole);
        if ((kind == ValueKind::dict || kind == ValueKind::list) && !takeRows(from)) fill(container, from);
        m_stack.resize(from);
        closeSingle();
    }
}

// A list of one item is filled without a mark: where a key is due and a container stands, it belongs to that
// list.
void PickleMachine::closeSingle()
{
    if (m_marks.empty() || m_marks.back() == 0 || m_stack.size() < m_marks.back() + 3) return;
    if (m_values.kind(m_stack[m_marks.back() - 1]) != ValueKind::dict) return;
    if ((m_stack.size() - m_marks.back()) % 2 == 0) return;
    const ValueId list = m_stack[m_stack.size() - 2];
    if (m_values.kind(list) != ValueKind::list || list == m_stack.back()) return;
    m_values.append(list, pop());
}

} // namespace lockstep
