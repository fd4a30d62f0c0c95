// SPDX-License-Identifier: Apache-2.0
// DescribeColumns: count, mean, std, min, quartiles and max of a set of numbers, computed like describe() in
// pandas: sample standard deviation (divisor n - 1) and quantiles by linear interpolation.
#pragma once

#include <string>
#include <vector>

#include "core/analysis/table.h"

namespace lockstep {

class DescribeColumns {
  public:
    // Adds the columns for a set of numbers with this unit and description.
    DescribeColumns(Table& table, std::string unit, ColumnType type, int decimals, const std::string& of);
    // Sets the cells in the table's last row. O(n log n); sorts the values.
    void set(std::vector<double>& values);

  private:
    Table& m_table;
    size_t m_first;
    double m_scale;
};

} // namespace lockstep
