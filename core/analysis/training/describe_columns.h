// SPDX-License-Identifier: Apache-2.0
// DescribeColumns: count, mean, std, min, quartiles and max of a set of numbers, as pandas' describe() gives
// them: std of a sample (divisor n - 1), quantiles between two values in proportion.
#pragma once

#include <string>
#include <vector>

#include "core/analysis/table.h"

namespace lockstep {

class DescribeColumns {
  public:
    // Adds the columns; unit and meaning are those of the numbers.
    DescribeColumns(Table& table, std::string unit, ColumnType type, int decimals, const std::string& of);
    // Of the table's last row. O(n log n); sorts the values.
    void set(std::vector<double>& values);

  private:
    Table& m_table;
    size_t m_first;
    double m_scale;
};

} // namespace lockstep
