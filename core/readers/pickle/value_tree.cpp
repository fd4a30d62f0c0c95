// SPDX-License-Identifier: Apache-2.0
#include "core/readers/pickle/value_tree.h"

#include <cmath>
#include <limits>

namespace lockstep {

ValueTree::ValueTree()
{
    Node node;
    node.number = 0;
    m_nodes.push_back(node);
    node.kind = ValueKind::boolean;
    m_nodes.push_back(node);
    node.number = 1;
    m_nodes.push_back(node);
    node.kind = ValueKind::integer;
    for (node.number = 0; node.number < int64_t(kSmallCount); ++node.number)
        m_nodes.push_back(node);
    freeze(dict());
    node.kind = ValueKind::object;
    m_nodes.push_back(node);
}

ValueId ValueTree::unsignedInteger(uint64_t value)
{
    if (value <= static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
        return integer(static_cast<int64_t>(value));
    Node node;
    node.kind = ValueKind::unsignedInteger;
    node.magnitude = value;
    return add(node);
}

ValueId ValueTree::real(double value)
{
    Node node;
    node.kind = ValueKind::real;
    node.real = value;
    return add(node);
}

ValueId ValueTree::text(std::string_view text)
{
    Node node;
    node.kind = ValueKind::text;
    node.length = static_cast<uint32_t>(text.size());
    node.text = text.data();
    constexpr size_t kShort = 16;
    if (text.size() > kShort || text.empty()) return add(node);
    const auto first = static_cast<uint8_t>(text.front()), last = static_cast<uint8_t>(text.back());
    ValueId& recent = m_recentTexts[(first * 31u + last * 7u + text.size()) % m_recentTexts.size()];
    if (!recent.isValid() || asText(recent) != text) recent = add(node);
    return recent;
}

ValueId ValueTree::bytes(std::string_view bytes)
{
    Node node;
    node.kind = ValueKind::bytes;
    node.length = static_cast<uint32_t>(bytes.size());
    node.text = bytes.data();
    return add(node);
}

ValueId ValueTree::list()
{
    Node node;
    node.kind = ValueKind::list;
    node.chain = {kEnd, kEnd};
    return add(node);
}

ValueId ValueTree::dict()
{
    const ValueId id = list();
    m_nodes[id.value].kind = ValueKind::dict;
    return id;
}

void ValueTree::dropNumber(ValueId id)
{
    if (isNumber(kind(id)) && !isPinned(id) && id > kObject) m_freeNodes.push_back(id.value);
}

uint32_t ValueTree::drop(ValueId value)
{
    const Node removed = m_nodes[value.value];
    if (isNumber(removed.kind)) {
        dropNumber(value);
        return kNoMark;
    }
    for (uint32_t at = removed.chain.first; at != kEnd; at = m_items[at].next) {
        dropNumber(m_items[at].value);
    }
    if (removed.chain.first != kEnd) {
        m_items[removed.chain.last].next = m_freeItems;
        m_freeItems = removed.chain.first;
    }
    m_freeNodes.push_back(value.value);
    return removed.length;
}

std::optional<int64_t> ValueTree::asInteger(ValueId id) const
{
    const Node& node = m_nodes[id.value];
    if (node.kind == ValueKind::integer) return node.number;
    constexpr double kExact = 9.0e15; // doubles up to this value are exact integers
    if (node.kind == ValueKind::real && std::abs(node.real) < kExact && std::trunc(node.real) == node.real) {
        return static_cast<int64_t>(node.real);
    }
    return std::nullopt;
}

std::optional<uint64_t> ValueTree::asUnsigned(ValueId id) const
{
    if (m_nodes[id.value].kind == ValueKind::unsignedInteger) return m_nodes[id.value].magnitude;
    const auto number = asInteger(id);
    if (!number || *number < 0) return std::nullopt;
    return static_cast<uint64_t>(*number);
}

std::optional<double> ValueTree::asReal(ValueId id) const
{
    const Node& node = m_nodes[id.value];
    if (node.kind == ValueKind::real) return node.real;
    if (node.kind == ValueKind::unsignedInteger) return static_cast<double>(node.magnitude);
    if (node.kind == ValueKind::integer) return static_cast<double>(node.number);
    return std::nullopt;
}

std::optional<std::string_view> ValueTree::asText(ValueId id) const
{
    const Node& node = m_nodes[id.value];
    if (node.kind != ValueKind::text) return std::nullopt;
    return std::string_view(node.text, node.length);
}

} // namespace lockstep
