// SPDX-License-Identifier: Apache-2.0
// ValueTree: plain data from a pickle or JSON text: numbers, strings, lists and dictionaries, identified by
// ids, so that values shared in the file stay shared. Filled by readPickle() or readJsonTree(), read by the
// snapshot decoder, then dropped. Strings are views of the file's bytes, or of storage owned by the tree. Not
// thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "core/base/ids.h"

namespace lockstep {

using ValueId = Id<struct ValueTag>;

// object: a value that is not plain data, of which nothing is known.
enum class ValueKind : uint8_t {
    none,
    boolean,
    integer,
    unsignedInteger,
    real,
    text,
    bytes,
    list,
    dict,
    object
};

constexpr bool isNumber(ValueKind kind)
{
    return kind == ValueKind::integer || kind == ValueKind::unsignedInteger || kind == ValueKind::real;
}

class ValueTree {
  public:
    // A tree starts with none, false, true and the integers 0..255. Their IDs are reused at no cost.
    static constexpr ValueId kNone{0u}, kFalse{1u}, kTrue{2u};
    // The placeholder of a dropped dict: an empty, frozen dict.
    static constexpr ValueId kDropped{259u};
    static constexpr ValueId kObject{260u};

    ValueTree();

    ValueId integer(int64_t value)
    {
        if (value >= 0 && value < int64_t(kSmallCount))
            return ValueId(kFirstSmall + static_cast<uint32_t>(value));
        Node node;
        node.kind = ValueKind::integer;
        node.number = value;
        return add(node);
    }
    ValueId unsignedInteger(uint64_t value);
    ValueId real(double value);
    // Returns the ID of a string. Recent equal short strings share one ID.
    ValueId text(std::string_view text);
    ValueId bytes(std::string_view bytes);
    ValueId list();
    ValueId dict();

    // Appends an item to a list. For a dict, keys and values are appended alternately.
    void append(ValueId container, ValueId item)
    {
        uint32_t row = m_freeItems;
        if (row == kEnd) {
            row = static_cast<uint32_t>(m_items.size());
            m_items.push_back({item, kEnd});
        } else {
            m_freeItems = m_items[row].next;
            m_items[row] = {item, kEnd};
        }
        Chain& chain = m_nodes[container.value].chain;
        (chain.first == kEnd ? chain.first : m_items[chain.last].next) = row;
        chain.last = row;
    }
    // Turns a list into a tuple, which accepts no more items.
    void freeze(ValueId container) { m_nodes[container.value].isFrozen = true; }
    bool isFrozen(ValueId container) const { return m_nodes[container.value].isFrozen; }
    bool isEmpty(ValueId container) const { return m_nodes[container.value].chain.first == kEnd; }

    // Marks a row that is decoded immediately. A value may be dropped if its only reference is from the memo,
    // as `mark`. A value that is referenced again, or from elsewhere, is kept.
    void setMark(ValueId id, uint32_t mark)
    {
        Node& node = m_nodes[id.value];
        if (node.kind == ValueKind::dict && node.length == kNoMark && !node.isFrozen) {
            node.length = mark;
        } else {
            node.isPinned = true;
        }
    }
    void pin(ValueId id) { m_nodes[id.value].isPinned = true; }
    bool isPinned(ValueId id) const { return m_nodes[id.value].isPinned; }
    // Drops a number, or a dict that is not held together with its numbers, so that later values reuse their
    // slots. Numbers that are held, and strings and containers in the dict, stay. Returns the mark of the
    // dict, or kNoMark.
    uint32_t drop(ValueId value);
    static constexpr uint32_t kNoMark = 0;

    ValueKind kind(ValueId id) const { return m_nodes[id.value].kind; }
    // Returns the value if it has the type, otherwise nullopt. Real numbers without a fraction count as
    // integers.
    std::optional<int64_t> asInteger(ValueId id) const;
    std::optional<uint64_t> asUnsigned(ValueId id) const;
    std::optional<double> asReal(ValueId id) const;
    std::optional<std::string_view> asText(ValueId id) const;

    // Calls visit(item) for each item of a list, in order; does nothing for other kinds.
    template<class Visit>
    void forEachItem(ValueId list, Visit visit) const
    {
        if (kind(list) != ValueKind::list) return;
        for (uint32_t at = m_nodes[list.value].chain.first; at != kEnd; at = m_items[at].next)
            visit(m_items[at].value);
    }
    // Calls visit(key, value) for each entry of a dict with a string key, in file order.
    template<class Visit>
    void forEachEntry(ValueId dict, Visit visit) const
    {
        if (kind(dict) != ValueKind::dict) return;
        for (uint32_t at = m_nodes[dict.value].chain.first; at != kEnd;) {
            const uint32_t value = m_items[at].next;
            if (value == kEnd) return;
            if (const auto key = asText(m_items[at].value)) visit(*key, m_items[value].value);
            at = m_items[value].next;
        }
    }

    size_t nodeCount() const { return m_nodes.size(); }
    size_t residentBytes() const
    {
        return m_nodes.capacity() * sizeof(Node) + m_items.capacity() * sizeof(Item) +
               m_freeNodes.capacity() * sizeof(uint32_t);
    }
    // Keeps `storage`, which contains strings outside the file's bytes, alive as long as the tree.
    void retain(std::shared_ptr<const void> storage) { m_storage.push_back(std::move(storage)); }

  private:
    static constexpr uint32_t kEnd = 0xFFFFFFFFu;
    static constexpr uint32_t kFirstSmall = kTrue.value + 1;
    static constexpr uint32_t kSmallCount = kDropped.value - kFirstSmall;
    struct Chain {
        uint32_t first, last;
    };
    struct Node {
        ValueKind kind = ValueKind::none;
        bool isFrozen = false, isPinned = false;
        uint32_t length = 0; // length of a string, or mark of a dict
        union {
            int64_t number;
            uint64_t magnitude;
            double real;
            const char* text;
            Chain chain; // items of a container
        };
    };
    struct Item {
        ValueId value;
        uint32_t next;
    };

    void dropNumber(ValueId id);
    ValueId add(const Node& node)
    {
        if (m_freeNodes.empty()) {
            m_nodes.push_back(node);
            return ValueId(m_nodes.size() - 1);
        }
        const ValueId id(m_freeNodes.back());
        m_freeNodes.pop_back();
        m_nodes[id.value] = node;
        return id;
    }

    std::vector<Node> m_nodes;
    std::vector<Item> m_items;
    std::vector<uint32_t> m_freeNodes;
    uint32_t m_freeItems = kEnd;              // chain of free items
    std::array<ValueId, 256> m_recentTexts{}; // short strings, by hash
    std::vector<std::shared_ptr<const void>> m_storage;
};

} // namespace lockstep
