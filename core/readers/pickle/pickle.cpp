// SPDX-License-Identifier: Apache-2.0
#include "core/readers/pickle/pickle.h"

#include <algorithm>
#include <string>

#include "core/readers/pickle/pickle_machine.h"
#include "core/readers/pickle/pickle_opcodes.h"

namespace lockstep {

using namespace pickle;

Status PickleMachine::run()
{
    if (m_bytes.size() < 2) return makeError(ErrorKind::unsupported, "not a pickle");
    // Protocols 0 and 1 have no version opcode; protocol 1 starts with an opcode that protocol 0 does not
    // have.
    const auto first = static_cast<uint8_t>(m_bytes[0]);
    m_pickle.protocol = first == kProto                              ? static_cast<uint8_t>(m_bytes[1])
                        : first == kEmptyDict || first == kEmptyList ? 1
                                                                     : 0;
    if (m_pickle.protocol > 5) {
        return makeError(ErrorKind::unsupported, "pickle protocol " + std::to_string(m_pickle.protocol) +
                                                     " is not supported (0 to 5 are)");
    }
    while (!m_done && !m_cut && !m_error) {
        if (++m_steps % (1u << 16) == 0) LOCKSTEP_TRY(checkProgress());
        m_opcodeAt = m_at;
        if (m_at >= m_bytes.size()) {
            m_cut = true;
        } else {
            step(static_cast<uint8_t>(m_bytes[m_at++]));
        }
    }
    if (m_error) return tl::make_unexpected(*m_error);
    if (m_cut) closeOpen();
    if (m_stack.empty())
        return makeError(ErrorKind::corrupt, "the pickle is cut short before its first value",
                         HelpTopic::truncatedFile);
    m_pickle.root = m_cut ? m_stack.front() : m_stack.back();
    m_pickle.isCut = m_cut;
    m_pickle.end_bytes = m_cut ? m_opcodeAt : m_at;
    return {};
}

Status PickleMachine::checkProgress()
{
    LOCKSTEP_TRY(m_progress.check());
    m_progress.report(m_at, m_bytes.size());
    const size_t used_bytes =
        m_values.residentBytes() + (m_stack.capacity() + m_memo.capacity()) * sizeof(ValueId);
    if (used_bytes > m_limits.values_bytes)
        fail(ErrorKind::unsupported, "the values need more memory than allowed");
    return {};
}

void PickleMachine::fail(ErrorKind kind, const std::string& message, HelpTopic help)
{
    if (!m_error) m_error = Error{kind, "byte " + std::to_string(m_opcodeAt) + ": " + message, help};
}

void PickleMachine::refuse(uint8_t opcode)
{
    const auto known = std::ranges::find(kRefusals, opcode, &Refusal::opcode);
    if (known == kRefusals.end()) {
        fail(ErrorKind::corrupt, "unknown pickle opcode " + std::to_string(opcode));
        return;
    }
    std::string what;
    if (opcode == kGlobal || opcode == kInst) { // two lines follow: module and name
        for (const char c : m_bytes.substr(m_at, 60)) {
            if (c == '\n' && what.find('.') != std::string::npos) break;
            what += c == '\n' ? '.' : c >= ' ' && c < 127 ? c : '?';
        }
        const bool isOfTorch = what.starts_with("torch.");
        what = " (" + what + (isOfTorch ? ": a tensor or model saved by torch.save" : "") + ")";
    }
    fail(ErrorKind::unsupported, std::string("pickle opcode ") + known->name + what + " " + known->reason +
                                     "; refused, because a memory snapshot contains only plain data");
}

void PickleMachine::step(uint8_t opcode)
{
    if (stepFrequent(opcode) || stepValue(opcode) || stepText(opcode) || stepContainer(opcode) ||
        stepMemo(opcode) || stepLine(opcode))
        return;
    switch (opcode) {
    case kProto:
        number(1);
        break;
    case kFrame:
        number(8);
        break; // framing is only a hint for streams, but here all bytes are available
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
            fail(ErrorKind::corrupt, "POP_MARK without a mark");
        } else {
            m_stack.resize(m_marks.back());
            m_marks.pop_back();
        }
        break;
    case kDup:
        if (needs(1)) {
            m_values.pin(m_stack.back());
            push(m_stack.back());
        }
        break;
    default:
        if (!m_isTorch || !stepObject(opcode)) refuse(opcode);
    }
}

// Handles the opcodes of which histories consist. They are tested first, because all other opcodes are rare.
bool PickleMachine::stepFrequent(uint8_t opcode)
{
    switch (opcode) {
    case kBinGet:
        recall(number(1));
        return true;
    case kLongBinGet:
        recall(number(4));
        return true;
    case kMemoize:
        memoize(m_memo.size());
        return true;
    case kMark:
        if (m_marks.size() >= m_limits.depth) {
            fail(ErrorKind::unsupported, "nesting deeper than " + std::to_string(m_limits.depth) + " levels");
        }
        m_marks.push_back(m_stack.size());
        return true;
    default:
        return false;
    }
}

bool PickleMachine::stepValue(uint8_t opcode)
{
    switch (opcode) {
    case pickle::kNone:
        push(ValueTree::kNone);
        return true;
    case kNewTrue:
        push(ValueTree::kTrue);
        return true;
    case kNewFalse:
        push(ValueTree::kFalse);
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
        push(m_values.text(takeBytes(number(1))));
        return true;
    case kBinUnicode:
    case kBinString:
        push(m_values.text(takeBytes(number(4))));
        return true;
    case kBinUnicode8:
        push(m_values.text(takeBytes(number(8))));
        return true;
    case kShortBinBytes:
        push(m_values.bytes(takeBytes(number(1))));
        return true;
    case kBinBytes:
        push(m_values.bytes(takeBytes(number(4))));
        return true;
    case kBinBytes8:
        push(m_values.bytes(takeBytes(number(8))));
        return true;
    default:
        return false;
    }
}

bool PickleMachine::stepContainer(uint8_t opcode)
{
    switch (opcode) {
    case kEmptyList:
        push(m_values.list());
        return true;
    case kEmptyTuple:
        tupleOf(0);
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
        fail(ErrorKind::corrupt, "items are added to a container without a mark");
        return true;
    }
    const size_t from = m_marks.back();
    m_marks.pop_back();
    if (opcode == kAppends || opcode == kSetItems) {
        fillOpen(from);
    } else {
        const ValueId container = opcode == kDict ? m_values.dict() : m_values.list();
        fill(container, from);
        if (opcode == kTuple) m_values.freeze(container);
        push(container);
    }
    return true;
}

bool PickleMachine::stepMemo(uint8_t opcode)
{
    switch (opcode) {
    case kBinPut:
        memoize(number(1));
        return true;
    case kLongBinPut:
        memoize(number(4));
        return true;
    default:
        return false;
    }
}

// Handles the opcodes of protocol 0, whose arguments are lines of text.
bool PickleMachine::stepLine(uint8_t opcode)
{
    switch (opcode) {
    case kInt:
    case kLong:
        lineNumber(line());
        return true;
    case kFloat:
        lineReal(line());
        return true;
    case kString:
        lineString(line());
        return true;
    case kUnicode:
        lineUnicode(line());
        return true;
    case kPut:
        memoize(lineIndex(line()));
        return true;
    case kGet:
        recall(lineIndex(line()));
        return true;
    default:
        return false;
    }
}

Result<Pickle> readPickle(std::string_view bytes, const PickleLimits& limits, const Progress& progress)
{
    Pickle pickle;
    LOCKSTEP_TRY(PickleMachine(bytes, limits, progress, pickle, nullptr).run());
    return pickle;
}

Result<Pickle> readTorchPickle(std::string_view bytes, const PickleLimits& limits, const Progress& progress)
{
    Pickle pickle;
    LOCKSTEP_TRY(PickleMachine(bytes, limits, progress, pickle, nullptr, PickleContent::torchSave).run());
    return pickle;
}

Status readPickleRows(std::string_view bytes, const PickleLimits& limits, const Progress& progress,
                      Pickle& into, PickleRows& rows)
{
    return PickleMachine(bytes, limits, progress, into, &rows).run();
}

} // namespace lockstep
