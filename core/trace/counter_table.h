// SPDX-License-Identifier: Apache-2.0
// CounterTable: samples of all counter tracks as columns, sorted by (counter track, time). 16 bytes a sample.
#pragma once

#include <cstdint>
#include <vector>

namespace lockstep {

class CounterTable {
  public:
    size_t size() const { return time_ns.size(); }
    size_t residentBytes() const
    {
        return time_ns.capacity() * sizeof(int64_t) + value.capacity() * sizeof(double);
    }

    std::vector<int64_t> time_ns; // on the report's clock
    std::vector<double> value;    // in the track's unit
};

} // namespace lockstep
