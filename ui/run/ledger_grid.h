// SPDX-License-Identifier: Apache-2.0
// LedgerGrid: a ledger arranged for the eye: a section a role, a row a rank, a column a group of steps, a
// cell a report. Pure; made anew from each ledger.
#pragma once

#include <string>
#include <vector>

#include "core/remote/ledger.h"

namespace lockstep {

struct LedgerGrid {
    struct Column {
        std::vector<int64_t> steps; // empty: the whole run
        size_t places = 1;          // reports side by side in one cell, at most
    };
    struct Row {
        std::string role;
        std::string host;
        std::optional<int64_t> rank;
        std::vector<std::vector<size_t>> cells; // by column: entries of the ledger, in their order
    };
    struct Section {
        std::string role;
        std::vector<Column> columns;
        std::vector<Row> rows;

        size_t places() const;
        // One column without steps: such a section needs no heading.
        bool isWholeRun() const { return columns.size() == 1 && columns.front().steps.empty(); }
    };
    std::vector<Section> sections; // in the ledger's order of roles, those of the whole run last

    size_t rowCount() const;
};

LedgerGrid ledgerGrid(const Ledger& ledger);

} // namespace lockstep
