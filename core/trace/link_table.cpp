#include "core/trace/link_table.h"

#include <algorithm>
#include <numeric>

namespace lockstep {

LinkTable::LinkTable(std::vector<Link> links) : m_links(std::move(links))
{
    if (!std::is_sorted(m_links.begin(), m_links.end())) std::sort(m_links.begin(), m_links.end());
    m_links.erase(std::unique(m_links.begin(), m_links.end()), m_links.end());
    m_links.shrink_to_fit();
    m_byEffect.resize(m_links.size());
    std::iota(m_byEffect.begin(), m_byEffect.end(), 0u);
    std::sort(m_byEffect.begin(), m_byEffect.end(), [&](uint32_t a, uint32_t b) {
        return m_links[a].effect != m_links[b].effect ? m_links[a].effect < m_links[b].effect : a < b;
    });
}

std::span<const Link> LinkTable::from(SliceId slice) const
{
    const auto [begin, end] = std::ranges::equal_range(m_links, slice, {}, &Link::cause);
    return {begin, end};
}

const Link* LinkTable::to(SliceId slice, size_t n) const
{
    const auto effectOf = [&](uint32_t row) { return m_links[row].effect; };
    const auto [begin, end] = std::ranges::equal_range(m_byEffect, slice, {}, effectOf);
    return n < static_cast<size_t>(end - begin) ? &m_links[*(begin + static_cast<ptrdiff_t>(n))] : nullptr;
}

size_t LinkTable::residentBytes() const
{
    return m_links.capacity() * sizeof(Link) + m_byEffect.capacity() * sizeof(uint32_t);
}

} // namespace lockstep
