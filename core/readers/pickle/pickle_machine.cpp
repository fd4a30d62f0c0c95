// SPDX-License-Identifier: Apache-2.0
#include "core/readers/pickle/pickle_machine.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>

#include "core/base/wide_text.h"
#include "core/readers/pickle/pickle_opcodes.h"

namespace lockstep {

using namespace pickle;

std::string_view PickleMachine::takeBytes(uint64_t length)
{
    if (m_cut) return {};
    if (length > m_limits.text_bytes) {
        fail(ErrorKind::unsupported, "a string of " + std::to_string(length) + " bytes; " +
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

// Reads a little-endian two's complement number of any length. Addresses are stored in this form; no number
// in a snapshot exceeds 64 bits.
void PickleMachine::longNumber(uint64_t length)
{
    const std::string_view raw = takeBytes(length);
    if (m_cut || m_error) return;
    const bool negative = !raw.empty() && (static_cast<uint8_t>(raw.back()) & 0x80) != 0;
    if (raw.size() > 9 || (raw.size() == 9 && raw.back() != 0)) {
        largeNumber("an integer of more than 64 bits");
        return;
    }
    uint64_t value = negative ? ~uint64_t(0) : 0;
    std::memcpy(&value, raw.data(), std::min<size_t>(raw.size(), 8));
    push(negative ? m_values.integer(static_cast<int64_t>(value)) : m_values.unsignedInteger(value));
}

void PickleMachine::largeNumber(const char* message)
{
    if (m_isTorch) return push(ValueTree::kObject);
    fail(ErrorKind::unsupported, message);
}

void PickleMachine::bigEndianReal()
{
    const uint64_t bits = number(8);
    uint64_t turned = 0;
    for (int i = 0; i < 8; ++i)
        turned |= ((bits >> (8 * i)) & 0xFF) << (56 - 8 * i);
    push(m_values.real(std::bit_cast<double>(turned)));
}

std::string_view PickleMachine::line()
{
    if (m_cut) return {};
    const size_t end = m_bytes.find('\n', m_at);
    if (end == std::string_view::npos) {
        m_cut = true;
        return {};
    }
    std::string_view text = m_bytes.substr(m_at, end - m_at);
    m_at = end + 1;
    if (text.size() > m_limits.text_bytes)
        fail(ErrorKind::unsupported, "a string of " + std::to_string(text.size()) + " bytes; " +
                                         std::to_string(m_limits.text_bytes) + " are allowed");
    return text;
}

// Parses text as one number of this type; returns true on success.
template<class Number>
static bool parsesFully(std::string_view text, Number& value)
{
    const char* const end = text.data() + text.size();
    const auto [stop, failure] = std::from_chars(text.data(), end, value);
    return failure == std::errc() && stop == end;
}

// Parses "12", "12L", and, in protocol 0, "00" and "01" for False and True.
void PickleMachine::lineNumber(std::string_view text)
{
    if (m_cut || m_error) return;
    if (text == "00" || text == "01") return push(text == "01" ? ValueTree::kTrue : ValueTree::kFalse);
    if (text.ends_with('L')) text.remove_suffix(1);
    uint64_t large = 0;
    int64_t value = 0;
    if (parsesFully(text, value)) {
        push(m_values.integer(value));
    } else if (parsesFully(text, large)) {
        push(m_values.unsignedInteger(large));
    } else {
        largeNumber("not a 64-bit integer");
    }
}

void PickleMachine::lineReal(std::string_view text)
{
    if (m_cut || m_error) return;
    double value = 0;
    if (!parsesFully(text, value)) return fail(ErrorKind::corrupt, "not a number");
    push(m_values.real(value));
}

// Parses a string as written by Python's repr(): in quotes, with escape sequences.
void PickleMachine::lineString(std::string_view text)
{
    if (m_cut || m_error) return;
    const bool isQuoted =
        text.size() >= 2 && (text[0] == '\'' || text[0] == '"') && text.back() == text.front();
    if (!isQuoted) return fail(ErrorKind::corrupt, "a string without quotation marks");
    text = text.substr(1, text.size() - 2);
    if (text.find('\\') == std::string_view::npos) return push(m_values.text(text));
    std::string plain;
    for (size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '\\' || i + 1 == text.size()) {
            plain += text[i];
            continue;
        }
        const char escape = text[++i];
        unsigned code = 0;
        if (escape == 'x' && i + 2 < text.size() &&
            std::from_chars(text.data() + i + 1, text.data() + i + 3, code, 16).ptr == text.data() + i + 3) {
            plain += static_cast<char>(code);
            i += 2;
        } else {
            plain += escape == 'n' ? '\n' : escape == 't' ? '\t' : escape == 'r' ? '\r' : escape;
        }
    }
    push(m_values.text(kept(std::move(plain))));
}

// Decodes raw-unicode-escape: Latin-1 with \uXXXX and \UXXXXXXXX.
void PickleMachine::lineUnicode(std::string_view text)
{
    if (m_cut || m_error) return;
    const auto isPlain = [](char c) { return c != '\\' && static_cast<unsigned char>(c) < 0x80; };
    if (std::ranges::all_of(text, isPlain)) return push(m_values.text(text));
    std::string plain;
    for (size_t i = 0; i < text.size(); ++i) {
        const size_t digits = text[i] != '\\' || i + 1 >= text.size() ? 0
                              : text[i + 1] == 'u'                    ? 4
                              : text[i + 1] == 'U'                    ? 8
                                                                      : 0;
        uint32_t code = static_cast<unsigned char>(text[i]);
        if (digits > 0 && i + 1 + digits < text.size()) {
            const char* const begin = text.data() + i + 2;
            if (std::from_chars(begin, begin + digits, code, 16).ptr == begin + digits) i += 1 + digits;
        }
        appendUtf8(code, plain);
    }
    push(m_values.text(kept(std::move(plain))));
}

// Strings with escape sequences cannot be views of the file, so the values own them.
std::string_view PickleMachine::kept(std::string text)
{
    if (!m_ownedTexts) {
        m_ownedTexts = std::make_shared<std::deque<std::string>>();
        m_values.retain(m_ownedTexts);
    }
    return m_ownedTexts->emplace_back(std::move(text));
}

uint64_t PickleMachine::lineIndex(std::string_view text)
{
    uint64_t index = 0;
    if (!m_cut && !m_error && !parsesFully(text, index)) fail(ErrorKind::corrupt, "not a valid memo index");
    return index;
}

// Replaces the topmost values by an object.
void PickleMachine::replace(size_t count)
{
    if (m_cut || !needs(count)) return;
    m_stack.resize(m_stack.size() - count);
    push(ValueTree::kObject);
}

// Replaces all values above the innermost mark by an object.
void PickleMachine::replaceMarked()
{
    if (m_cut) return;
    if (m_marks.empty()) return fail(ErrorKind::corrupt, "an object without a mark");
    m_stack.resize(m_marks.back());
    m_marks.pop_back();
    push(ValueTree::kObject);
}

// Replaces names, calls and references by objects, and drops their arguments.
bool PickleMachine::stepObject(uint8_t opcode)
{
    switch (opcode) {
    case kStackGlobal:
    case kReduce:
    case kNewObj:
        replace(2);
        return true;
    case kNewObjEx:
        replace(3);
        return true;
    case kBinPersId:
        replace(1);
        return true;
    case kBuild:
        if (needs(2)) pop(); // the state of the object below
        return true;
    case kObj:
    case kFrozenSet:
        replaceMarked();
        return true;
    case kAddItems: // the set is below the mark
        replaceMarked();
        replace(2);
        return true;
    case kReadOnlyBuffer:
        return true;
    case kInst:
        line();
        line();
        replaceMarked();
        return true;
    default:
        if (!skipObject(opcode)) return false;
        replace(0);
        return true;
    }
}

// Skips the argument of an opcode that pushes an object.
bool PickleMachine::skipObject(uint8_t opcode)
{
    switch (opcode) {
    case kGlobal:
        line();
        line();
        return true;
    case kPersId:
        line();
        return true;
    case kExt1:
        number(1);
        return true;
    case kExt2:
        number(2);
        return true;
    case kExt4:
        number(4);
        return true;
    case kByteArray8:
        takeBytes(number(8));
        return true;
    case kNextBuffer:
    case kEmptySet:
        return true;
    default:
        return false;
    }
}

ValueId PickleMachine::pop()
{
    const ValueId value = m_stack.back();
    m_stack.pop_back();
    return value;
}

// Moves the values above `from` into the container; dictionary keys must be strings.
void PickleMachine::fill(ValueId container, size_t from)
{
    const bool isDict = m_values.kind(container) == ValueKind::dict;
    if (isDict && (m_stack.size() - from) % 2 != 0) {
        fail(ErrorKind::corrupt, "a dictionary key without a value");
        return;
    }
    for (size_t i = from; i < m_stack.size(); ++i) {
        if (m_stack[i] == container) fail(ErrorKind::unsupported, "a container that contains itself");
        const bool isKey = isDict && (i - from) % 2 == 0;
        if (isKey && !m_isTorch && m_values.kind(m_stack[i]) != ValueKind::text) {
            fail(ErrorKind::unsupported,
                 "a dictionary whose keys are not strings; a pickle, but not a memory snapshot",
                 HelpTopic::memorySnapshot);
        }
        if (m_error) return;
        if (m_isTorch && !isDict && isNumber(m_values.kind(m_stack[i]))) {
            m_values.drop(m_stack[i]);
        } else {
            m_values.append(container, m_stack[i]);
        }
    }
    m_stack.resize(from);
}

// The container is on the stack directly below `from`.
void PickleMachine::fillOpen(size_t from)
{
    const size_t floor = m_marks.empty() ? 0 : m_marks.back();
    const ValueKind kind = from > floor ? m_values.kind(m_stack[from - 1]) : ValueKind::none;
    const auto opcode = static_cast<uint8_t>(m_bytes[m_opcodeAt]);
    const bool wantsDict = opcode == kSetItem || opcode == kSetItems;
    if (kind == ValueKind::object) return m_stack.resize(from);
    if (kind != (wantsDict ? ValueKind::dict : ValueKind::list) || m_values.isFrozen(m_stack[from - 1])) {
        fail(ErrorKind::corrupt, "items for a value that is not a container");
        return;
    }
    if (!takeRows(from)) fill(m_stack[from - 1], from);
}

// If the items above `from` are rows for m_rows, passes them on and returns true. The stack contains: root,
// mark, entries of the root, key, outer list, a mark if the outer list accepts several lists at once,
// previous lists, this list.
bool PickleMachine::takeRows(size_t from)
{
    if (m_rows == nullptr || m_marks.empty() || m_marks.size() > 2 || m_marks[0] != 1) return false;
    const size_t list = from - 1;
    const size_t outer = m_marks.size() == 2 ? m_marks[1] - 1 : list - 1;
    // starting at index 1, keys and values alternate
    if (outer < 2 || outer >= list || outer % 2 != 0) return false;
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
    if (m_values.kind(row) != ValueKind::dict || m_values.isFrozen(row) || m_values.isPinned(row)) return;
    const uint32_t mark = m_values.drop(row);
    if (mark != ValueTree::kNoMark && m_memo[mark - 1] == row) m_memo[mark - 1] = ValueTree::kDropped;
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

// If the pickle is truncated, every open container receives the complete items above it.
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

// A list of one item is filled without a mark, so a container in the position of a key belongs to that list.
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
