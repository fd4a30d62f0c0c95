// SPDX-License-Identifier: Apache-2.0
#include "core/base/string_pool.h"

#include <algorithm>
#include <cstring>

namespace lockstep {

namespace {

constexpr size_t kBlockSize = 64 * 1024;

uint64_t hashOf(std::string_view text)
{
    return std::hash<std::string_view>{}(text);
}

} // namespace

StringPool::StringPool() : m_index(64, StringId::kNone)
{
    intern("");
}

size_t StringPool::slotOf(std::string_view text, uint64_t hash) const
{
    const size_t mask = m_index.size() - 1;
    size_t slot = hash & mask;
    while (m_index[slot] != StringId::kNone && m_views[m_index[slot]] != text)
        slot = (slot + 1) & mask;
    return slot;
}

StringId StringPool::find(std::string_view text) const
{
    return StringId(m_index[slotOf(text, hashOf(text))]);
}

StringId StringPool::intern(std::string_view text)
{
    const uint64_t hash = hashOf(text);
    size_t slot = slotOf(text, hash);
    if (m_index[slot] != StringId::kNone) return StringId(m_index[slot]);
    if ((m_views.size() + 1) * 2 > m_index.size()) {
        growIndex();
        slot = slotOf(text, hash);
    }
    m_index[slot] = static_cast<uint32_t>(m_views.size());
    m_views.push_back(store(text));
    return StringId(m_views.size() - 1);
}

std::string_view StringPool::store(std::string_view text)
{
    if (text.empty()) return {};
    if (text.size() > m_blockLeft) {
        const size_t size = std::max(kBlockSize, text.size());
        m_blocks.push_back(std::make_unique_for_overwrite<char[]>(size));
        m_blockNext = m_blocks.back().get();
        m_blockLeft = size;
        m_blockBytes += size;
    }
    char* const begin = m_blockNext;
    std::memcpy(begin, text.data(), text.size());
    m_blockNext += text.size();
    m_blockLeft -= text.size();
    return {begin, text.size()};
}

void StringPool::growIndex()
{
    std::vector<uint32_t> index(m_index.size() * 2, StringId::kNone);
    m_index.swap(index);
    for (uint32_t id = 0; id < m_views.size(); ++id) {
        const size_t mask = m_index.size() - 1;
        size_t slot = hashOf(m_views[id]) & mask;
        while (m_index[slot] != StringId::kNone)
            slot = (slot + 1) & mask;
        m_index[slot] = id;
    }
}

size_t StringPool::residentBytes() const
{
    return m_blockBytes + m_views.capacity() * sizeof(std::string_view) +
           m_index.capacity() * sizeof(uint32_t);
}

void StringPool::shrink()
{
    m_views.shrink_to_fit();
}

} // namespace lockstep
