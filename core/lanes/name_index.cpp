// SPDX-License-Identifier: Apache-2.0
#include "core/lanes/name_index.h"

#include <algorithm>

namespace lockstep {

namespace {

// Number of rows to scan before falling back to the index. If hits are dense, the next one is usually close.
constexpr uint32_t kNear = 16 * NameIndex::kBlock;

std::optional<SliceId> firstIn(const Column<StringId>& rows, const NameSet& names, size_t from, size_t end)
{
    for (size_t row = from; row < end; ++row) {
        if (names.has(rows[row])) return SliceId(row);
    }
    return std::nullopt;
}

std::optional<SliceId> lastIn(const Column<StringId>& rows, const NameSet& names, size_t from, size_t end)
{
    for (size_t row = end; row > from; --row) {
        if (names.has(rows[row - 1])) return SliceId(row - 1);
    }
    return std::nullopt;
}

} // namespace

NameSet::NameSet(std::vector<StringId> names, size_t texts) : m_has(texts, 0), m_names(std::move(names))
{
    for (const StringId name : m_names)
        m_has[name.value] = 1;
}

NameIndex::NameIndex(const Report& report)
{
    const Column<StringId>& rows = report.slices.name;
    const size_t names = report.strings.size();
    constexpr uint32_t kNoBlock = ~uint32_t(0);
    std::vector<uint32_t> lastBlock(names, kNoBlock);
    // Calls visit(name, block, isFirst) for each slice. isFirst is true if the name is new in the block.
    const auto walk = [&](const auto& visit) {
        std::ranges::fill(lastBlock, kNoBlock);
        for (size_t row = 0; row < rows.size(); ++row) {
            const auto block = static_cast<uint32_t>(row / kBlock);
            uint32_t& last = lastBlock[rows[row].value];
            visit(rows[row].value, block, last != block);
            last = block;
        }
    };
    m_first.assign(names + 1, 0);
    walk([&](uint32_t name, uint32_t, bool isFirst) { m_first[name + 1] += isFirst ? 1 : 0; });
    for (size_t name = 0; name < names; ++name)
        m_first[name + 1] += m_first[name];
    m_entries = report.place.derivedColumn<Entry>(m_first.back());
    m_counts.assign(names, 0);
    std::vector<size_t> next(m_first.begin(), m_first.end() - 1);
    walk([&](uint32_t name, uint32_t block, bool isFirst) {
        if (isFirst) m_entries[next[name]++] = {block, m_counts[name]};
        ++m_counts[name];
    });
}

std::span<const NameIndex::Entry> NameIndex::entriesOf(StringId name) const
{
    return std::span(m_entries.data(), m_entries.size())
        .subspan(m_first[name.value], m_first[name.value + 1] - m_first[name.value]);
}

uint64_t NameIndex::count(const NameSet& names) const
{
    uint64_t out = 0;
    for (const StringId name : names.names())
        out += m_counts[name.value];
    return out;
}

uint64_t NameIndex::countBefore(const Report& report, const NameSet& names, uint32_t row) const
{
    const uint32_t block = row / kBlock;
    uint64_t out = 0;
    for (const StringId name : names.names()) {
        const std::span<const Entry> entries = entriesOf(name);
        const auto at = std::ranges::lower_bound(entries, block, {}, &Entry::block);
        out += at == entries.end() ? m_counts[name.value] : at->before;
    }
    for (uint32_t i = block * kBlock; i < row; ++i)
        out += names.has(report.slices.name[i]) ? 1 : 0;
    return out;
}

std::optional<SliceId> NameIndex::firstFrom(const Report& report, const NameSet& names, uint32_t row) const
{
    const Column<StringId>& rows = report.slices.name;
    // Scans to the end of a block, so that the remaining search starts at a block boundary.
    const size_t near = std::min<size_t>(rows.size(), (size_t(row) + kNear) / kBlock * kBlock);
    if (const auto found = firstIn(rows, names, row, near)) return found;
    const auto block = static_cast<uint32_t>(near / kBlock);
    uint32_t first = ~uint32_t(0);
    for (const StringId name : names.names()) {
        const std::span<const Entry> entries = entriesOf(name);
        if (entries.empty() || entries.back().block < block || entries.front().block >= first) continue;
        first = std::min(first, std::ranges::lower_bound(entries, block, {}, &Entry::block)->block);
    }
    if (first == ~uint32_t(0)) return std::nullopt;
    const size_t begin = size_t(first) * kBlock;
    return firstIn(rows, names, std::max(begin, near), std::min(rows.size(), begin + kBlock));
}

std::optional<SliceId> NameIndex::lastBefore(const Report& report, const NameSet& names, uint32_t row) const
{
    const Column<StringId>& rows = report.slices.name;
    const size_t near = row > kNear ? (row - kNear) / kBlock * kBlock : 0; // start of a block
    if (const auto found = lastIn(rows, names, near, row)) return found;
    const auto block = static_cast<uint32_t>(near / kBlock);
    int64_t last = -1;
    for (const StringId name : names.names()) {
        const std::span<const Entry> entries = entriesOf(name);
        if (entries.empty() || entries.front().block >= block || int64_t(entries.back().block) <= last)
            continue;
        const auto after = std::ranges::lower_bound(entries, block, {}, &Entry::block);
        last = std::max<int64_t>(last, (after - 1)->block);
    }
    if (last < 0) return std::nullopt;
    const auto begin = static_cast<size_t>(last) * kBlock;
    return lastIn(rows, names, begin, begin + kBlock);
}

std::vector<bool> NameIndex::blocksWith(const NameSet& names) const
{
    std::vector<bool> out;
    for (const StringId name : names.names()) {
        const std::span<const Entry> entries = entriesOf(name);
        if (!entries.empty() && out.size() <= entries.back().block)
            out.resize(entries.back().block + 1, false);
        for (const Entry& entry : entries)
            out[entry.block] = true;
    }
    return out;
}

size_t NameIndex::residentBytes() const
{
    return m_first.capacity() * sizeof(size_t) + m_counts.capacity() * sizeof(uint32_t) +
           m_entries.residentBytes();
}

} // namespace lockstep
