// SPDX-License-Identifier: Apache-2.0
#include "core/trace/row_facts.h"

#include <algorithm>
#include <cstring>

namespace lockstep {

namespace {

uint64_t hashOfSet(std::span<const FactValue> set)
{
    uint64_t hash = set.size();
    for (const FactValue& each : set) {
        hash ^= static_cast<uint64_t>(each.value) + static_cast<uint64_t>(each.fact) * 0xC2B2AE3D27D4EB4Full;
        hash *= 0x9E3779B97F4A7C15ull;
        hash ^= hash >> 32;
    }
    return hash;
}

bool isSameSet(std::span<const FactValue> a, std::span<const FactValue> b)
{
    return std::ranges::equal(
        a, b, [](const FactValue& x, const FactValue& y) { return x.value == y.value && x.fact == y.fact; });
}

} // namespace

void FactList::replace(RowFact fact, int64_t value)
{
    for (uint32_t i = 0; i < m_count; ++i) {
        if (m_values[i].fact == fact) m_values[i].value = value;
    }
}

FactSetTable::FactSetTable() : m_begins(1, 0), m_buckets(64, 0) {}

FactSetTable::Found FactSetTable::findOrAdd(std::span<const FactValue> set)
{
    const uint64_t hash = hashOfSet(set);
    size_t bucket = hash & (m_buckets.size() - 1);
    while (m_buckets[bucket] != 0) {
        const uint32_t number = m_buckets[bucket] - 1;
        if (m_hashes[number] == hash && isSameSet(this->set(number), set)) return {number, false};
        bucket = (bucket + 1) & (m_buckets.size() - 1);
    }
    const auto number = static_cast<uint32_t>(size());
    m_values.insert(m_values.end(), set.begin(), set.end());
    m_begins.push_back(static_cast<uint32_t>(m_values.size()));
    m_hashes.push_back(hash);
    m_buckets[bucket] = number + 1;
    if (size() * 2 > m_buckets.size()) grow();
    return {number, true};
}

void FactSetTable::grow()
{
    m_buckets.assign(m_buckets.size() * 2, 0);
    for (uint32_t number = 0; number < m_hashes.size(); ++number) {
        size_t bucket = m_hashes[number] & (m_buckets.size() - 1);
        while (m_buckets[bucket] != 0)
            bucket = (bucket + 1) & (m_buckets.size() - 1);
        m_buckets[bucket] = number + 1;
    }
}

uint32_t FactSets::number(std::span<const FactValue> set)
{
    const std::scoped_lock lock(m_mutex);
    if (m_table.size() >= m_limit) {
        ++m_dropped;
        return 0;
    }
    return m_table.findOrAdd(set).number + 1;
}

std::optional<int64_t> RowFacts::number(RowFact fact) const
{
    for (const FactValue* each = m_first; each != nullptr; each = each->isLast ? nullptr : each + 1) {
        if (each->fact == fact) return each->value;
    }
    if (fact == RowFact::correlation && m_correlation != kNoCorrelation) return m_correlation;
    return std::nullopt;
}

std::string_view RowFacts::text(RowFact fact) const
{
    const std::optional<int64_t> id = number(fact);
    return id ? m_strings->at(StringId(static_cast<uint32_t>(*id))) : std::string_view();
}

RowFacts RowFactTable::of(SliceId slice, const StringPool& strings) const
{
    const auto row = std::ranges::lower_bound(rows, slice, {}, &FactRow::slice);
    if (row == rows.end() || row->slice != slice) return {};
    return {*row, row->firstValue != FactRow::kNoValues ? &values[row->firstValue] : nullptr, strings};
}

bool RowFactTable::holds(size_t slices, size_t strings) const
{
    const auto value = [&](const FactValue& each) {
        uint8_t fact = 0, flag = 0; // raw bytes from the file, which must be checked before they are used
        std::memcpy(&fact, &each.fact, sizeof fact);
        std::memcpy(&flag, &each.isLast, sizeof flag);
        return fact < static_cast<uint8_t>(RowFact::count) && flag <= 1 &&
               (!isTextFact(static_cast<RowFact>(fact)) ||
                (each.value >= 0 && static_cast<uint64_t>(each.value) < strings));
    };
    const auto row = [&](const FactRow& each) {
        return each.slice.value < slices &&
               (each.firstValue == FactRow::kNoValues || each.firstValue < values.size());
    };
    return std::ranges::all_of(values, value) && (values.empty() || values.back().isLast) &&
           std::ranges::all_of(rows, row) &&
           std::ranges::is_sorted(rows, std::ranges::less_equal(), &FactRow::slice);
}

} // namespace lockstep
