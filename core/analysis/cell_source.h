// SPDX-License-Identifier: Apache-2.0
// CellSource: explains one number in a table by its definition, the reports it was computed from, their
// clocks, and an equivalent SQL query. Computed on request. Pure. Thread: any.
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
    std::string value;             // "20.96 ms"; "no value" if the cell is empty
    std::string of;                // column and row: "Total Time, gemm"
    std::string definition;        // definition of the column
    std::vector<ReportKey> inputs; // the row's own report if the row specifies one, otherwise all reports in
                                   // scope
    std::string rows;              // what was counted, and the number of reports
    std::vector<std::string> rules;
    std::string filter;    // "none: all visible reports" without a filter
    std::string alignment; // alignment methods of the inputs: "collectives (7), reference (1)"
    std::string bound; // which times are on the aligned axis and which on a single report's clock, with the
                       // error bound of the aligned times
};

// The table must have been computed from this scene and scope.
CellSource cellSourceOf(const Table& table, size_t column, size_t row, const Scene& scene,
                        const Scope& scope);

// Returns a query that returns the same names and sums as the table. Returns nullopt if no query gives
// exactly the same result.
std::optional<std::string> sqlFormOf(std::string_view what, const Scope& scope);

} // namespace lockstep
