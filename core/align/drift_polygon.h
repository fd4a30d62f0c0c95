// SPDX-License-Identifier: Apache-2.0
// DriftPolygon: every (offset, drift) of one clock against another that hard limits leave possible. Upper
// limits say offset + drift * x <= y, lower ones >= y; both are kept as convex hulls. Pure geometry in double
// ns; used by bounds.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/align/robust_statistics.h"

namespace lockstep {

struct ValueRange {
    double least = 0;
    double greatest = 0;
};

class DriftPolygon {
  public:
    // Points in any order, at least one of each. |drift| <= maxDrift besides. O(n log n).
    DriftPolygon(std::vector<SeriesPoint> upper, std::vector<SeriesPoint> lower, double maxDrift);

    // False when no line keeps within all limits by `tolerance`.
    bool isFeasible(double tolerance_ns) const { return m_widest >= -2 * tolerance_ns; }
    // What drift may be; both ends the least impossible one when the polygon is empty.
    ValueRange drifts() const { return {m_leastDrift, m_greatestDrift}; }
    // What offset + drift * x may be at x. O(hull * log(precision)).
    ValueRange valuesAt(double x) const;

  private:
    double highest(double drift, double x) const; // greatest value at x that the upper limits allow
    double lowest(double drift, double x) const;
    double width(double drift) const { return highest(drift, 0) - lowest(drift, 0); }

    std::vector<SeriesPoint> m_upper; // hulls
    std::vector<SeriesPoint> m_lower;
    double m_widest = 0;
    double m_leastDrift = 0;
    double m_greatestDrift = 0;
};

} // namespace lockstep
