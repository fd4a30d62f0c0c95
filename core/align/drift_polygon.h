// SPDX-License-Identifier: Apache-2.0
// DriftPolygon: the set of (offset, drift) pairs of one clock relative to another that hard bounds allow.
// Upper bounds require offset + drift * x <= y, lower bounds offset + drift * x >= y. Pure geometry in double
// ns; used for bounds.
//
// Idea: for a given drift, the greatest offset is the minimum of y - drift * x over the upper bounds, which
// is reached on their lower convex hull. It is concave in the drift, and so is the distance to the least
// offset. The possible drifts are therefore an interval: a ternary search finds the drift with the widest
// distance, and a bisection on each side finds the ends, where the distance is zero. Invariant: an end of the
// interval is rounded outward, so no possible line is lost. Cost: O(n log n) for the hulls, then O(hull) for
// each of some 300 steps.
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
    // Builds the polygon from points in any order, at least one of each kind, with |drift| <= maxDrift. O(n
    // log n).
    DriftPolygon(std::vector<SeriesPoint> upper, std::vector<SeriesPoint> lower, double maxDrift);

    // Returns false if no line satisfies all bounds to within `tolerance_ns`.
    bool isFeasible(double tolerance_ns) const { return m_widest >= -2 * tolerance_ns; }
    // Returns the possible drifts. For an empty polygon, both ends are the drift that violates the bounds
    // least.
    ValueRange drifts() const { return {m_leastDrift, m_greatestDrift}; }
    // Returns the possible values of offset + drift * x at x. O(hull * log(precision)).
    ValueRange valuesAt(double x) const;

  private:
    double highest(double drift, double x) const; // greatest value at x that the upper bounds allow
    double lowest(double drift, double x) const;
    double width(double drift) const { return highest(drift, 0) - lowest(drift, 0); }

    std::vector<SeriesPoint> m_upper; // hulls
    std::vector<SeriesPoint> m_lower;
    double m_widest = 0;
    double m_leastDrift = 0;
    double m_greatestDrift = 0;
};

} // namespace lockstep
