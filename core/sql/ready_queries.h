// SPDX-License-Identifier: Apache-2.0
// The ready queries of the SQL panel: working queries to start from. Each of them runs on any set of reports
// and returns no rows if the reports do not contain the data.
#pragma once

#include <span>
#include <string_view>

namespace lockstep {

struct ReadyQuery {
    std::string_view group; // "Kernels"; queries of the same group are adjacent
    std::string_view title; // unique
    std::string_view query;
};

std::span<const ReadyQuery> readyQueries();

} // namespace lockstep
