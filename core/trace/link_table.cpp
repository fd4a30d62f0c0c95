// SPDX-License-Identifier: Apache-2.0
#include "core/trace/link_table.h"

#include <algorithm>

namespace lockstep {

LinkTable::LinkTable(RowChunks<Link> links, const ColumnPlace& place)
{
    Column<Link> rows = place.temporaryColumn<Link>(links.count);
    if (rows.size() != links.count) return;
    auto next = rows.begin();
    links.forEach([&](const Link& link) { *next++ = link; });
    links = {};
    if (!std::is_sorted(rows.begin(), rows.end())) std::sort(rows.begin(), rows.end());
    const auto count = static_cast<size_t>(std::unique(rows.begin(), rows.end()) - rows.begin());
    // Packs (effect, row) into one word. Sorting such words is several times faster than sorting rows.
    Column<uint64_t> order = place.temporaryColumn<uint64_t>(count);
    Column<Link> kept = place.column<Link>(count);
    Column<uint32_t> byEffect = place.column<uint32_t>(count);
    if (order.size() != count || kept.size() != count || byEffect.size() != count) return;
    std::copy_n(rows.begin(), count, kept.begin());
    for (size_t i = 0; i < count; ++i)
        order[i] = uint64_t(kept[i].effect.value) << 32 | i;
    if (!std::is_sorted(order.begin(), order.end())) std::sort(order.begin(), order.end());
    std::transform(order.begin(), order.end(), byEffect.begin(),
                   [](uint64_t o) { return static_cast<uint32_t>(o); });
    m_links = std::move(kept);
    m_byEffect = std::move(byEffect);
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
