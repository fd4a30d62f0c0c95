// SPDX-License-Identifier: Apache-2.0
#include "core/readers/collective_arguments.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "core/base/text.h"

namespace lockstep {

namespace {

struct TypeSize {
    std::string_view name;
    uint64_t size_bytes;
};

constexpr std::array kTypeSizes{
    TypeSize{"byte", 1},
    TypeSize{"char", 1},
    TypeSize{"bool", 1},
    TypeSize{"short", 2},
    TypeSize{"half", 2},
    TypeSize{"bfloat16", 2},
    TypeSize{"int", 4},
    TypeSize{"float", 4},
    TypeSize{"long", 8},
    TypeSize{"double", 8},
    TypeSize{"complexhalf", 4},
    TypeSize{"complexfloat", 8},
    TypeSize{"complexdouble", 16},
};

template<class T>
std::optional<T> numberOf(std::string_view text)
{
    T number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return number;
}

// Reads one number argument into its field; absent ones leave the field unchanged.
template<class T>
bool takeInto(T& field, std::string_view value)
{
    if (const auto number = numberOf<T>(value)) field = *number;
    return true;
}

// Returns the size in bytes of one element of a PyTorch type ("BFloat16", "c10::Half"); 0 if the type is
// unknown.
uint64_t elementBytes(std::string_view dataType)
{
    const size_t scope = dataType.rfind(':');
    const std::string name = lowerAscii(dataType.substr(scope == std::string_view::npos ? 0 : scope + 1));
    if (name.starts_with("float8")) return 1;
    const auto found = std::ranges::find(kTypeSizes, name, &TypeSize::name);
    return found == kTypeSizes.end() ? 0 : found->size_bytes;
}

} // namespace

bool CollectiveArguments::take(std::string_view key, std::string_view value)
{
    if (!takeText(key, value) && !takeNumber(key, value)) return false;
    m_isEmpty = false;
    return true;
}

bool CollectiveArguments::takeText(std::string_view key, std::string_view value)
{
    if (key == "Collective name") {
        m_collective = value;
    } else if (key == "Process Group Name" || key == "Process Group ID") {
        m_group = value;
    } else if (key == "Process Group Ranks") {
        m_groupRanks = value;
    } else if (key == "dtype") {
        m_dataType = value;
    } else {
        return false;
    }
    return true;
}

bool CollectiveArguments::takeNumber(std::string_view key, std::string_view value)
{
    if (key == "In msg nelems") return takeInto(m_op.inElements, value);
    if (key == "Out msg nelems") return takeInto(m_op.outElements, value);
    if (key == "Group size") return takeInto(m_op.groupSize, value);
    if (key == "Global rank start") return takeInto(m_op.rankStart, value);
    if (key == "Global rank stride") return takeInto(m_op.rankStride, value);
    if (key == "Rank") return takeInto(m_op.rankInGroup, value);
    if (key == "Seq") return takeInto(m_op.sequence, value);
    if (key == "Comms Id") return takeInto(m_op.commsId, value);
    if (key == "Src Rank") return takeInto(m_source, value);
    if (key == "Dst Rank") return takeInto(m_destination, value);
    return false;
}

CollectiveOp CollectiveArguments::op(StringPool& strings) const
{
    CollectiveOp op = m_op;
    const auto text = [&](std::string_view value) {
        return value.empty() ? StringId() : strings.intern(value);
    };
    op.collective = text(m_collective);
    op.group = text(m_group);
    op.groupRanks = text(m_groupRanks);
    op.dataType = text(m_dataType);
    const std::string name = lowerAscii(m_collective);
    const bool isSend = name == "send" || name == "isend" || name == "ncclsend";
    const bool isReceive = name == "recv" || name == "irecv" || name == "ncclrecv" || name == "receive";
    op.isPointToPoint = isSend || isReceive;
    if (isSend) op.peer = m_destination;
    if (isReceive) op.peer = m_source;
    if (op.isPointToPoint) op.rankInGroup = CollectiveOp::kAbsent; // PyTorch writes the peer's rank there
    const uint64_t size_bytes = elementBytes(m_dataType);
    if (size_bytes > 0 && op.inElements < CollectiveOp::kAbsentCount / 16)
        op.message_bytes = op.inElements * size_bytes;
    return op;
}

void fillAbsent(CollectiveOp& op, const CollectiveOp& other)
{
    const auto fill = [](auto& field, auto value, auto absent) {
        if (field == absent) field = value;
    };
    const auto fillText = [](StringId& field, StringId value) {
        if (!field.isValid()) field = value;
    };
    fillText(op.collective, other.collective);
    fillText(op.group, other.group);
    fillText(op.groupRanks, other.groupRanks);
    fillText(op.dataType, other.dataType);
    for (const auto field : {&CollectiveOp::groupSize, &CollectiveOp::rankInGroup, &CollectiveOp::rankStart,
                             &CollectiveOp::rankStride, &CollectiveOp::peer}) {
        fill(op.*field, other.*field, CollectiveOp::kAbsent);
    }
    for (const auto field : {&CollectiveOp::inElements, &CollectiveOp::outElements,
                             &CollectiveOp::message_bytes, &CollectiveOp::sequence, &CollectiveOp::commsId}) {
        fill(op.*field, other.*field, CollectiveOp::kAbsentCount);
    }
    op.isPointToPoint |= other.isPointToPoint;
}

} // namespace lockstep
