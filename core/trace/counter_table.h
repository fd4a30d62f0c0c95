// SPDX-License-Identifier: Apache-2.0
// CounterTable: samples of all counter tracks as columns, sorted by (counter track, time). 16 bytes per
// sample.
#pragma once

#include <cstdint>

#include "core/base/column.h"

namespace lockstep {

class CounterTable {
  public:
    size_t size() const { return time_ns.size(); }

    // See core/trace/report_columns.h for the meaning of each column.
    Column<int64_t> time_ns;
    Column<double> value;
};

} // namespace lockstep
