// SPDX-License-Identifier: Apache-2.0
#include "core/readers/memory_snapshot/value_tree.h"

#include <cmath>
#include <limits>

namespace lockstep {

namespace {

constexpr uint32_t kFirstSmall = 3;
constexpr int64_t kSmallCount = 256;

} // namespace

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
    for (node.number = 0; node.number < kSmallCount; ++node.number)
        m_nodes.push_back(node);
}

ValueId ValueTree::add(const Node& node)
{
    m_nodes.push_back(node);
    return ValueId(m_nodes.size() - 1);
}

ValueId ValueTree::integer(int64_t value)
{
    if (value >= 0 && value < kSmallCount) return ValueId(kFirstSmall + static_cast<uint32_t>(value));
    Node node;
    node.kind = ValueKind::integer;
    node.number = value;
    return add(node);
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
    return add(node);
}

ValueId ValueTree::bytes(std::string_view bytes)
{
    const ValueId id = text(bytes);
    m_nodes[id.value].kind = ValueKind::bytes;
    return id;
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

void ValueTree::append(ValueId container, ValueId item)
{
    const auto row = static_cast<uint32_t>(m_items.size());
    m_items.push_back({item, kEnd});
    Chain& chain = m_nodes[container.value].chain;
    if (chain.first == kEnd) {
        chain.first = row;
    } else {
        m_items[chain.last].next = row;
    }
    chain.last = row;
}

std::optional<int64_t> ValueTree::asInteger(ValueId id) const
{
    const Node& node = m_nodes[id.value];
    if (node.kind == ValueKind::integer) return node.number;
    constexpr double kExact = 9.0e15; // doubles up to here are exact integers
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
