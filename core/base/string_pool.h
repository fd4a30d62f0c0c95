// SPDX-License-Identifier: Apache-2.0
// StringPool keeps each distinct text once and names it by a StringId. Filled by one thread while a report is
// built, read by any number afterwards. Views stay valid as long as the pool; moving the pool keeps them
// valid.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "core/base/ids.h"

namespace lockstep {

class StringPool {
  public:
    StringPool();
    StringPool(StringPool&&) noexcept = default;
    StringPool& operator=(StringPool&&) noexcept = default;

    // The id of text, added if new. Amortised O(length). The empty text is always id 0.
    StringId intern(std::string_view text);
    // The id of text, or an invalid id when it was never interned.
    StringId find(std::string_view text) const;
    // "" for an invalid id. Never copies.
    std::string_view at(StringId id) const
    {
        return id.value < m_views.size() ? m_views[id.value] : std::string_view();
    }
    size_t size() const { return m_views.size(); }
    // Bytes held by texts, views and index.
    size_t residentBytes() const;
    // Drops growth slack; called once when a report is frozen.
    void shrink();

  private:
    size_t slotOf(std::string_view text, uint64_t hash) const;
    std::string_view store(std::string_view text);
    void growIndex();

    std::vector<std::unique_ptr<char[]>> m_blocks;
    size_t m_blockLeft = 0;
    char* m_blockNext = nullptr;
    size_t m_blockBytes = 0;
    std::vector<std::string_view> m_views;
    std::vector<uint32_t> m_index; // open addressing, power of two, Id::kNone = free
};

} // namespace lockstep
