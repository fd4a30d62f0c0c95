// SPDX-License-Identifier: Apache-2.0
#include "ui/run/ledger_grid.h"

#include <algorithm>
#include <map>

namespace lockstep {

namespace {

LedgerGrid::Section sectionOf(const std::string& role, const std::vector<size_t>& members,
                              const Ledger& ledger)
{
    using Key = std::pair<std::optional<int64_t>, std::string>;
    LedgerGrid::Section section{role, {}, {}};
    std::map<std::vector<int64_t>, size_t> columns;
    std::map<Key, size_t> rows;
    for (const size_t at : members) {
        const LedgerEntry& entry = ledger.entries()[at];
        columns.try_emplace(entry.steps, 0);
        rows.try_emplace({entry.rank, entry.host}, 0);
    }
    for (auto& [steps, index] : columns) {
        index = section.columns.size();
        section.columns.push_back({steps, 1});
    }
    for (auto& [key, index] : rows) {
        index = section.rows.size();
        section.rows.push_back({role, key.second, key.first, {}});
        section.rows.back().cells.resize(columns.size());
    }
    for (const size_t at : members) {
        const LedgerEntry& entry = ledger.entries()[at];
        const size_t column = columns.at(entry.steps);
        std::vector<size_t>& cell = section.rows[rows.at({entry.rank, entry.host})].cells[column];
        cell.push_back(at);
        section.columns[column].slotCount = std::max(section.columns[column].slotCount, cell.size());
    }
    return section;
}

} // namespace

size_t LedgerGrid::Section::slotCount() const
{
    size_t sum = 0;
    for (const Column& column : columns)
        sum += column.slotCount;
    return sum;
}

size_t LedgerGrid::rowCount() const
{
    size_t sum = 0;
    for (const Section& section : sections)
        sum += section.rows.size();
    return sum;
}

LedgerGrid ledgerGrid(const Ledger& ledger)
{
    std::vector<std::pair<std::string, std::vector<size_t>>> roles;
    for (size_t i = 0; i < ledger.entries().size(); ++i) {
        const std::string& role = ledger.entries()[i].role;
        auto entry = std::ranges::find(roles, role, &std::pair<std::string, std::vector<size_t>>::first);
        if (entry == roles.end()) entry = roles.insert(roles.end(), {role, {}});
        entry->second.push_back(i);
    }
    LedgerGrid grid;
    for (const auto& [role, members] : roles)
        grid.sections.push_back(sectionOf(role, members, ledger));
    std::ranges::stable_partition(grid.sections,
                                  [](const LedgerGrid::Section& section) { return !section.isWholeRun(); });
    return grid;
}

} // namespace lockstep
