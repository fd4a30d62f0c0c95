// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/fact_pages.h"

#include <algorithm>

namespace lockstep {

namespace {

constexpr size_t kMaxOpenFiles = 32;
constexpr uint32_t kNoPart = 0xFFFFFFFFu;

} // namespace

void FactPages::open(std::span<const ReportKey> reports)
{
    for (const ReportKey key : reports) {
        auto reader = openRowFacts(m_workspace.report(key));
        if (!reader) {
            const std::string& path = m_workspace.report(key).provenance.path.string();
            if (m_unreadable++ == 0) m_firstProblem = path + ": " + reader.error().message;
            continue;
        }
        m_readable.push_back(key);
        if (m_readers.size() < kMaxOpenFiles) m_readers[key] = std::move(*reader);
    }
    std::ranges::sort(m_readable);
}

std::string FactPages::missing() const
{
    if (m_unreadable == 0) return {};
    return "values stored only in the report file are missing for " + std::to_string(m_unreadable) + " of " +
           std::to_string(m_unreadable + m_readable.size()) + " reports; first error: " + m_firstProblem;
}

Result<RowFactReader*> FactPages::readerOf(ReportKey report)
{
    const auto known = m_readers.find(report);
    if (known != m_readers.end()) return known->second.get();
    // Pages read files in key order, so the file that was used last will be needed latest.
    if (m_readers.size() >= kMaxOpenFiles) {
        const auto after = m_readers.lower_bound(report);
        m_readers.erase(after == m_readers.begin() ? std::prev(m_readers.end()) : std::prev(after));
    }
    return (m_readers[report] = LOCKSTEP_TRY(openRowFacts(m_workspace.report(report)))).get();
}

Status FactPages::load(std::span<const SliceRef> rows, const Progress& progress)
{
    std::map<ReportKey, std::vector<uint32_t>> byReport; // rows of the page, grouped by report
    for (size_t i = 0; i < rows.size(); ++i)
        byReport[rows[i].report].push_back(static_cast<uint32_t>(i));
    m_places.assign(rows.size(), {kNoPart, 0});
    m_parts.clear();
    std::vector<SliceId> slices;
    for (const auto& [report, places] : byReport) {
        if (!std::ranges::binary_search(m_readable, report)) continue;
        slices.clear();
        for (const uint32_t place : places) {
            m_places[place] = {static_cast<uint32_t>(m_parts.size()), static_cast<uint32_t>(slices.size())};
            slices.push_back(rows[place].slice);
        }
        m_parts.push_back({report, RowFacts(m_requested)});
        RowFactReader* const reader = LOCKSTEP_TRY(readerOf(report));
        LOCKSTEP_TRY(reader->read(slices, m_parts.back().facts, progress));
    }
    return {};
}

std::optional<int64_t> FactPages::number(size_t i, RowFact fact) const
{
    const Place place = m_places[i];
    return place.part == kNoPart ? std::nullopt : m_parts[place.part].facts.number(place.row, fact);
}

std::string_view FactPages::text(size_t i, RowFact fact) const
{
    const Place place = m_places[i];
    return place.part == kNoPart ? std::string_view() : m_parts[place.part].facts.text(place.row, fact);
}

} // namespace lockstep
