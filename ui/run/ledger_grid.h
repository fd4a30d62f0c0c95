// SPDX-License-Identifier: Apache-2.0
// LedgerGrid: a ledger arranged as a grid, with one section per role, one row per rank, one column per group
// of steps, and one or more reports per cell. Pure; rebuilt for each ledger.
#pragma once

#include <string>
#include <vector>

#include "core/remote/ledger.h"

namespace lockstep {

struct LedgerGrid {
    struct Column {
        std::vector<int64_t> steps; // empty for the whole run
        size_t slotCount = 1;       // maximum number of reports in one cell
    };
    struct Row {
        std::string role;
        std::string host;
        std::optional<int64_t> rank;
        // For each column, the indices of its ledger entries, in ledger order.
        std::vector<std::vector<size_t>> cells;
    };
    struct Section {
        std::string role;
        std::vector<Column> columns;
        std::vector<Row> rows;

        size_t slotCount() const;
        // Returns true if the section has a single column that covers the whole run. Such a section needs no
        // column heading.
        bool isWholeRun() const { return columns.size() == 1 && columns.front().steps.empty(); }
    };
    // In the order of roles in the ledger; sections that cover the whole run come last.
    std::vector<Section> sections;

    size_t rowCount() const;
};

LedgerGrid ledgerGrid(const Ledger& ledger);

} // namespace lockstep
