// SPDX-License-Identifier: Apache-2.0
// StringPool stores each distinct string once and identifies it by a StringId. One thread fills it while a
// report is built; any number of threads read it afterwards. Views are valid as long as the pool; moving the
// pool keeps them valid.
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

    // Returns the ID of `text`; adds the string if it is new. Amortized O(length). The empty string always
    // has ID 0.
    StringId intern(std::string_view text);
    // Returns the ID of `text`, or an invalid ID if it is not in the pool.
    StringId find(std::string_view text) const;
    // Returns the string, or "" for an invalid ID. Never copies.
    std::string_view at(StringId id) const
    {
        return id.value < m_views.size() ? m_views[id.value] : std::string_view();
    }
    size_t size() const { return m_views.size(); }
    // Returns the memory used by the strings, the views and the index.
    size_t residentBytes() const;
    // Releases unused capacity; called once when a report is frozen.
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
    std::vector<uint32_t> m_index; // open addressing; the size is a power of two; Id::kNone = free
};

} // namespace lockstep
