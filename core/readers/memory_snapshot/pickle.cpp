#include "core/readers/memory_snapshot/pickle.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

namespace lockstep {

namespace {

// Opcode bytes by the names of Python's pickletools.
enum Opcode : uint8_t {
    kMark = '(',
    kStop = '.',
    kPop = '0',
    kPopMark = '1',
    kDup = '2',
    kNone = 'N',
    kNewTrue = 0x88,
    kNewFalse = 0x89,
    kBinInt = 'J',
    kBinInt1 = 'K',
    kBinInt2 = 'M',
    kLong1 = 0x8A,
    kLong4 = 0x8B,
    kBinFloat = 'G',
    kShortBinUnicode = 0x8C,
    kBinUnicode = 'X',
    kBinUnicode8 = 0x8D,
    kShortBinBytes = 'C',
    kBinBytes = 'B',
    kBinBytes8 = 0x8E,
    kShortBinString = 'U',
    kBinString = 'T',
    kEmptyList = ']',
    kEmptyTuple = ')',
    kEmptyDict = '}',
    kAppend = 'a',
    kAppends = 'e',
    kSetItem = 's',
    kSetItems = 'u',
    kTuple = 't',
    kTuple1 = 0x85,
    kTuple2 = 0x86,
    kTuple3 = 0x87,
    kList = 'l',
    kDict = 'd',
    kProto = 0x80,
    kFrame = 0x95,
    kMemoize = 0x94,
    kBinPut = 'q',
    kLongBinPut = 'r',
    kBinGet = 'h',
    kLongBinGet = 'j'
};

struct Refusal {
    uint8_t opcode;
    const char* name;
    const char* reason;
};

constexpr const char* kNamesCode = "names Python code to load";
constexpr const char* kCallsCode = "would call Python code";
constexpr const char* kElsewhere = "refers to objects outside the file";
constexpr std::array<Refusal, 17> kRefusals{{{'c', "GLOBAL", kNamesCode},
                                             {0x93, "STACK_GLOBAL", kNamesCode},
                                             {'R', "REDUCE", kCallsCode},
                                             {'b', "BUILD", kCallsCode},
                                             {'i', "INST", kCallsCode},
                                             {'o', "OBJ", kCallsCode},
                                             {0x81, "NEWOBJ", kCallsCode},
                                             {0x92, "NEWOBJ_EX", kCallsCode},
                                             {'P', "PERSID", kElsewhere},
                                             {'Q', "BINPERSID", kElsewhere},
                                             {0x82, "EXT1", kNamesCode},
                                             {0x83, "EXT2", kNamesCode},
                                             {0x84, "EXT4", kNamesCode},
                                             {0x97, "NEXT_BUFFER", kElsewhere},
                                             {0x98, "READONLY_BUFFER", kElsewhere},
                                             {0x96, "BYTEARRAY8", "holds a mutable byte array"},
                                             {0x8F, "EMPTY_SET", "holds a set"}}};

class PickleMachine {
  public:
    PickleMachine(std::string_view bytes, const PickleLimits& limits, const Progress& progress)
        : m_bytes(bytes), m_limits(limits), m_progress(progress)
    {
    }

    Result<Pickle> run();

  private:
    // Nothing: go on. A step that cannot be done says why in m_error or sets m_cut.
    void step(uint8_t opcode);
    bool stepValue(uint8_t opcode);
    bool stepText(uint8_t opcode);
    bool stepContainer(uint8_t opcode);
    bool stepMemo(uint8_t opcode);

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
    ValueTree m_values;
    std::vector<ValueId> m_stack;
    std::vector<size_t> m_marks; // stack heights
    std::vector<ValueId> m_memo;
};

Result<Pickle> PickleMachine::run()
{
    Pickle pickle;
    if (m_bytes.size() < 2 || static_cast<uint8_t>(m_bytes[0]) != kProto) {
        return makeError(ErrorKind::unsupported, "no pickle of protocol 2 or later");
    }
    pickle.protocol = static_cast<uint8_t>(m_bytes[1]);
    if (pickle.protocol < 2 || pickle.protocol > 5) {
        return makeError(ErrorKind::unsupported,
                         "pickle protocol " + std::to_string(pickle.protocol) + "; 2 to 5 are read");
    }
    while (!m_done && !m_cut && !m_error) {
        if (++m_steps % (1u << 16) == 0) {
            LOCKSTEP_TRY(m_progress.check());
            m_progress.report(m_at, m_bytes.size());
            const size_t held =
                m_values.residentBytes() + (m_stack.capacity() + m_memo.capacity()) * sizeof(ValueId);
            if (held > m_limits.values_bytes)
                fail(ErrorKind::unsupported, "values take more memory than allowed");
        }
        m_opcodeAt = m_at;
        if (m_at >= m_bytes.size()) {
            m_cut = true;
        } else {
            step(static_cast<uint8_t>(m_bytes[m_at++]));
        }
    }
    if (m_error) return tl::make_unexpected(*m_error);
    if (m_cut) closeOpen();
    if (m_stack.empty()) return makeError(ErrorKind::corrupt, "the pickle ends before its first value");
    pickle.root = m_cut ? m_stack.front() : m_stack.back();
    pickle.isCut = m_cut;
    pickle.end_bytes = m_cut ? m_opcodeAt : m_at;
    pickle.values = std::move(m_values);
    return pickle;
}

void PickleMachine::fail(ErrorKind kind, const std::string& message)
{
    if (!m_error) m_error = Error{kind, "byte " + std::to_string(m_opcodeAt) + ": " + message};
}

void PickleMachine::refuse(uint8_t opcode)
{
    const auto known = std::ranges::find(kRefusals, opcode, &Refusal::opcode);
    if (known == kRefusals.end()) {
        fail(ErrorKind::corrupt, "unknown pickle opcode " + std::to_string(opcode));
        return;
    }
    std::string what;
    if (opcode == 'c' || opcode == 'i') { // two lines follow: module and name
        for (const char c : m_bytes.substr(m_at, 60)) {
            if (c == '\n' && what.find('.') != std::string::npos) break;
            what += c == '\n' ? '.' : c >= ' ' && c < 127 ? c : '?';
        }
        what = " (" + what + ")";
    }
    fail(ErrorKind::unsupported, std::string("pickle opcode ") + known->name + what + " " + known->reason +
                                     "; refused: a memory snapshot holds plain data only");
}

void PickleMachine::step(uint8_t opcode)
{
    if (stepValue(opcode) || stepText(opcode) || stepContainer(opcode) || stepMemo(opcode)) return;
    switch (opcode) {
    case kProto:
        number(1);
        break;
    case kFrame:
        number(8);
        break; // framing is a hint for streams; all bytes are at hand
    case kMark:
        if (m_marks.size() >= m_limits.depth) {
            fail(ErrorKind::unsupported, "nested deeper than " + std::to_string(m_limits.depth) + " levels");
        }
        m_marks.push_back(m_stack.size());
        break;
    case kStop:
        if (needs(1)) m_done = true;
        break;
    case kPop:
        if (!m_marks.empty() && m_marks.back() == m_stack.size()) {
            m_marks.pop_back();
        } else if (needs(1)) {
            pop();
        }
        break;
    case kPopMark:
        if (m_marks.empty()) {
            fail(ErrorKind::corrupt, "no mark to return to");
        } else {
            m_stack.resize(m_marks.back());
            m_marks.pop_back();
        }
        break;
    case kDup:
        if (needs(1)) push(m_stack.back());
        break;
    default:
        refuse(opcode);
    }
}

bool PickleMachine::stepValue(uint8_t opcode)
{
    switch (opcode) {
    case kNone:
        push(m_values.none());
        return true;
    case kNewTrue:
        push(m_values.boolean(true));
        return true;
    case kNewFalse:
        push(m_values.boolean(false));
        return true;
    case kBinInt:
        push(m_values.integer(static_cast<int32_t>(static_cast<uint32_t>(number(4)))));
        return true;
    case kBinInt1:
        push(m_values.integer(static_cast<int64_t>(number(1))));
        return true;
    case kBinInt2:
        push(m_values.integer(static_cast<int64_t>(number(2))));
        return true;
    case kLong1:
        longNumber(number(1));
        return true;
    case kLong4:
        longNumber(number(4));
        return true;
    case kBinFloat:
        bigEndianReal();
        return true;
    default:
        return false;
    }
}

bool PickleMachine::stepText(uint8_t opcode)
{
    switch (opcode) {
    case kShortBinUnicode:
    case kShortBinString:
        push(m_values.text(taken(number(1))));
        return true;
    case kBinUnicode:
    case kBinString:
        push(m_values.text(taken(number(4))));
        return true;
    case kBinUnicode8:
        push(m_values.text(taken(number(8))));
        return true;
    case kShortBinBytes:
        push(m_values.bytes(taken(number(1))));
        return true;
    case kBinBytes:
        push(m_values.bytes(taken(number(4))));
        return true;
    case kBinBytes8:
        push(m_values.bytes(taken(number(8))));
        return true;
    default:
        return false;
    }
}

bool PickleMachine::stepContainer(uint8_t opcode)
{
    switch (opcode) {
    case kEmptyList:
    case kEmptyTuple:
        push(m_values.list());
        return true;
    case kEmptyDict:
        push(m_values.dict());
        return true;
    case kAppend:
        if (needs(2)) fillOpen(m_stack.size() - 1);
        return true;
    case kSetItem:
        if (needs(3)) fillOpen(m_stack.size() - 2);
        return true;
    case kAppends:
    case kSetItems:
    case kTuple:
    case kList:
    case kDict:
        break;
    case kTuple1:
        tupleOf(1);
        return true;
    case kTuple2:
        tupleOf(2);
        return true;
    case kTuple3:
        tupleOf(3);
        return true;
    default:
        return false;
    }
    if (m_marks.empty()) {
        fail(ErrorKind::corrupt, "a container is filled without a mark");
        return true;
    }
    const size_t from = m_marks.back();
    m_marks.pop_back();
    if (opcode == kAppends || opcode == kSetItems) {
        fillOpen(from);
    } else {
        const ValueId container = opcode == kDict ? m_values.dict() : m_values.list();
        fill(container, from);
        push(container);
    }
    return true;
}

bool PickleMachine::stepMemo(uint8_t opcode)
{
    switch (opcode) {
    case kMemoize:
        memoize(m_memo.size());
        return true;
    case kBinPut:
        memoize(number(1));
        return true;
    case kLongBinPut:
        memoize(number(4));
        return true;
    case kBinGet:
        recall(number(1));
        return true;
    case kLongBinGet:
        recall(number(4));
        return true;
    default:
        return false;
    }
}

uint64_t PickleMachine::number(size_t width)
{
    if (m_bytes.size() - m_at < width) {
        m_cut = true;
        return 0;
    }
    uint64_t value = 0;
    std::memcpy(&value, m_bytes.data() + m_at, width);
    m_at += width;
    return value;
}

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

// Opcodes may not reach below the innermost mark.
bool PickleMachine::needs(size_t depth)
{
    const size_t floor = m_marks.empty() ? 0 : m_marks.back();
    if (m_stack.size() - floor >= depth) return true;
    fail(ErrorKind::corrupt, "an opcode needs more values than there are");
    return false;
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
    if (kind != (wantsDict ? ValueKind::dict : ValueKind::list)) {
        fail(ErrorKind::corrupt, "items for something that is no container");
        return;
    }
    fill(m_stack[from - 1], from);
}

void PickleMachine::tupleOf(size_t count)
{
    if (!needs(count)) return;
    const ValueId tuple = m_values.list();
    fill(tuple, m_stack.size() - count);
    push(tuple);
}

void PickleMachine::memoize(uint64_t index)
{
    if (m_cut || !needs(1)) return;
    if (index > m_memo.size() + 1) { // writers number from 0 or 1 without gaps
        fail(ErrorKind::unsupported, "memo entry " + std::to_string(index) + " out of order");
        return;
    }
    if (index >= m_memo.size()) m_memo.resize(index + 1);
    m_memo[index] = m_stack.back();
}

void PickleMachine::recall(uint64_t index)
{
    if (m_cut) return;
    if (index >= m_memo.size() || !m_memo[index].isValid()) {
        fail(ErrorKind::corrupt, "memo entry " + std::to_string(index) + " was never set");
        return;
    }
    push(m_memo[index]);
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
        if (kind == ValueKind::dict || kind == ValueKind::list) fill(container, from);
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

} // namespace

Result<Pickle> readPickle(std::string_view bytes, const PickleLimits& limits, const Progress& progress)
{
    return PickleMachine(bytes, limits, progress).run();
}

} // namespace lockstep
