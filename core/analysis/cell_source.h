// SPDX-License-Identifier: Apache-2.0
// CellSource: where one number of a table comes from: its definition, the reports it was counted from, their
// clocks, and how it can be asked for in SQL. Made when someone asks for it. Pure; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/scope.h"
#include "core/analysis/table.h"
#include "core/scene/scene.h"

namespace lockstep {

struct CellSource {
    std::string value;             // "20.96 ms"; "no value" where the cell is empty
    std::string of;                // column and row: "Total Time, gemm"
    std::string definition;        // of the column
    std::vector<ReportKey> inputs; // the row's own report where the row names one, else all in scope
    std::string rows;              // what was counted, and of how many reports
    std::vector<std::string> rules;
    std::string filter;    // "everything that is shown" where nothing was filtered
    std::string alignment; // how the inputs were put on the axis: "collectives (7), reference (1)"
    std::string
        bound; // which of its times are aligned and which of one clock, and how far the former may be off
};

// table: made of this scene and scope.
CellSource cellSourceOf(const Table& table, size_t column, size_t row, const Scene& scene,
                        const Scope& scope);

// A query whose answer has the table's names and sums; empty where there is none that says exactly the same.
std::optional<std::string> sqlFormOf(std::string_view what, const Scope& scope);

} // namespace lockstep
