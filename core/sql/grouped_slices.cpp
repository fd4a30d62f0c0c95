// SPDX-License-Identifier: Apache-2.0
// Slices grouped by name, so that GROUP BY name needs no sorting.
#include <algorithm>
#include <unordered_map>
#include <vector>

#include "core/sql/slice_rows.h"

namespace lockstep {

namespace {

// NameNumbers numbers the names from several reports; equal names have equal numbers.
class NameNumbers {
  public:
    uint32_t of(const Report& report, StringId name)
    {
        if (m_report != &report) {
            m_report = &report;
            m_ofReport = &m_known[&report];
            m_ofReport->resize(report.strings.size() + 1, kUnknown);
        }
        uint32_t& number = (*m_ofReport)[std::min<size_t>(name.value, report.strings.size())];
        if (number == kUnknown) {
            const auto fresh = static_cast<uint32_t>(m_numbers.size());
            number = m_numbers.emplace(report.strings.at(name), fresh).first->second;
        }
        return number;
    }
    // Returns the numbers in ascending byte order of the names.
    std::vector<uint32_t> inOrder() const
    {
        std::vector<std::pair<std::string_view, uint32_t>> names(m_numbers.begin(), m_numbers.end());
        std::ranges::sort(names);
        std::vector<uint32_t> numbers;
        for (const auto& [text, number] : names)
            numbers.push_back(number);
        return numbers;
    }

  private:
    static constexpr uint32_t kUnknown = ~0u;
    std::unordered_map<const Report*, std::vector<uint32_t>> m_known;
    std::unordered_map<std::string_view, uint32_t> m_numbers;
    const Report* m_report = nullptr;
    std::vector<uint32_t>* m_ofReport = nullptr;
};

// GroupedSlices makes two passes: one counts the rows for each name, the other moves each row to its place.
class GroupedSlices final : public SqlRows {
  public:
    GroupedSlices(const SqlScene& scene, RowKinds kinds, std::span<const SqlCondition> conditions,
                  const Progress& progress)
        : m_counted(scene, kinds, conditions, progress), m_placed(scene, kinds, conditions, progress),
          m_row(scene, kinds, {}, progress)
    {
    }

    bool next() override
    {
        if (!std::exchange(m_isLaidOut, true)) layOut();
        return m_at < m_order.size() && m_row.seekTo(m_order[m_at++]);
    }
    SqlValue value(const SqlColumn& column) const override { return m_row.value(column); }
    int64_t rowId() const override { return m_row.rowId(); }

  private:
    void layOut()
    {
        NameNumbers numbers;
        std::vector<size_t> places; // for each name number: first the count of rows, then the position of the
                                    // next row
        while (m_counted.next()) {
            const uint32_t number = numberOf(numbers, m_counted);
            if (number >= places.size()) places.resize(number + size_t(1));
            ++places[number];
        }
        size_t count = 0;
        for (const uint32_t number : numbers.inOrder())
            count += std::exchange(places[number], count);
        m_order.resize(count);
        size_t placed = 0;
        for (; m_placed.next(); ++placed)
            m_order[places[numberOf(numbers, m_placed)]++] = m_placed.rowId();
        if (placed < count) m_order.clear(); // canceled
    }
    static uint32_t numberOf(NameNumbers& numbers, const SliceRows& rows)
    {
        return numbers.of(rows.report(), rows.report().slices.name[rows.slice().value]);
    }

    SliceRows m_counted, m_placed, m_row;
    std::vector<int64_t> m_order; // row IDs
    size_t m_at = 0;
    bool m_isLaidOut = false;
};

} // namespace

std::unique_ptr<SqlRows> openGroupedSlices(const SqlScene& scene, RowKinds kinds,
                                           std::span<const SqlCondition> conditions, const Progress& progress)
{
    return std::make_unique<GroupedSlices>(scene, kinds, conditions, progress);
}

} // namespace lockstep
