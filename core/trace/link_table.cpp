// SPDX-License-Identifier: Apache-2.0
#include "core/trace/link_table.h"

#include <algorithm>

namespace lockstep {

LinkTable::LinkTable(std::vector<Link> links)
{
    if (!std::is_sorted(links.begin(), links.end())) std::sort(links.begin(), links.end());
    links.erase(std::unique(links.begin(), links.end()), links.end());
    links.shrink_to_fit();
    m_links = Column(std::move(links));
    std::vector<uint64_t> order(
        m_links.size()); // (effect, row) in one word: sorts several times faster than rows alone
    for (size_t i = 0; i < order.size(); ++i)
        order[i] = uint64_t(m_links[i].effect.value) << 32 | i;
    if (!std::is_sorted(order.begin(), order.end())) std::sort(order.begin(), order.end());
    m_byEffect.resize(order.size());
    std::transform(order.begin(), order.end(), m_byEffect.begin(),
                   [](uint64_t o) { return static_cast<uint32_t>(o); });
}

bool LinkTable::isInOrder() const
{
    const auto isKnown = [&](uint32_t row) { return row < m_links.size(); };
    const auto effectOf = [&](uint32_t row) { return m_links[row].effect; };
    return m_byEffect.size() == m_links.size() && std::is_sorted(m_links.begin(), m_links.end()) &&
           std::ranges::all_of(m_byEffect, isKnown) && std::ranges::is_sorted(m_byEffect, {}, effectOf);
}

std::span<const Link> LinkTable::from(SliceId slice) const
{
    const auto begin = std::ranges::lower_bound(m_links, slice, {}, &Link::cause);
    const auto end = std::ranges::upper_bound(m_links, slice, {}, &Link::cause);
    return {begin, end};
}

const Link* LinkTable::to(SliceId slice, size_t n) const
{
    const auto effectOf = [&](uint32_t row) { return m_links[row].effect; };
    const auto begin = std::ranges::lower_bound(m_byEffect, slice, {}, effectOf);
    const auto end = std::ranges::upper_bound(m_byEffect, slice, {}, effectOf);
    return n < static_cast<size_t>(end - begin) ? &m_links[*(begin + static_cast<ptrdiff_t>(n))] : nullptr;
}

} // namespace lockstep
