// SPDX-License-Identifier: Apache-2.0
#include "core/align/drift_polygon.h"

#include <algorithm>
#include <limits>
#include <tuple>

namespace lockstep {

namespace {

// Number of steps of a search that shrinks its interval to at most two thirds in each step; the result is far
// more accurate than 1 ns.
constexpr int kSteps = 100;

double cross(const SeriesPoint& a, const SeriesPoint& b, const SeriesPoint& c)
{
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

// Returns the lower hull of points from left to right.
std::vector<SeriesPoint> lowerHull(std::vector<SeriesPoint> points)
{
    std::ranges::sort(points, [](const SeriesPoint& a, const SeriesPoint& b) {
        return std::tuple(a.x, a.y) < std::tuple(b.x, b.y);
    });
    std::vector<SeriesPoint> hull;
    for (const SeriesPoint& p : points) {
        // of the points with equal x, the lowest one came first
        if (!hull.empty() && hull.back().x == p.x) continue;
        while (hull.size() >= 2 && cross(hull[hull.size() - 2], hull.back(), p) <= 0)
            hull.pop_back();
        hull.push_back(p);
    }
    return hull;
}

std::vector<SeriesPoint> mirrored(std::vector<SeriesPoint> points)
{
    for (SeriesPoint& p : points)
        p.y = -p.y;
    return points;
}

// Returns the argument of the maximum of a concave function.
template<class Function>
double argMax(double from, double to, const Function& value)
{
    for (int i = 0; i < kSteps; ++i) {
        const double a = from + (to - from) / 3;
        const double b = to - (to - from) / 3;
        if (value(a) < value(b)) {
            from = a;
        } else {
            to = b;
        }
    }
    return (from + to) / 2;
}

} // namespace

DriftPolygon::DriftPolygon(std::vector<SeriesPoint> upper, std::vector<SeriesPoint> lower, double maxDrift)
    : m_upper(lowerHull(std::move(upper))), m_lower(mirrored(lowerHull(mirrored(std::move(lower)))))
{
    const double middle = argMax(-maxDrift, maxDrift, [&](double drift) { return width(drift); });
    m_widest = width(middle);
    const auto border = [&](double outside) {
        double inside = middle;
        if (width(outside) >= 0) return outside;
        for (int i = 0; i < kSteps; ++i) {
            const double half = (inside + outside) / 2;
            (width(half) >= 0 ? inside : outside) = half;
        }
        return outside;
    };
    m_leastDrift = m_widest < 0 ? middle : border(-maxDrift);
    m_greatestDrift = m_widest < 0 ? middle : border(maxDrift);
}

double DriftPolygon::highest(double drift, double x) const
{
    double value = std::numeric_limits<double>::max();
    for (const SeriesPoint& p : m_upper)
        value = std::min(value, p.y - drift * (p.x - x));
    return value;
}

double DriftPolygon::lowest(double drift, double x) const
{
    double value = std::numeric_limits<double>::lowest();
    for (const SeriesPoint& p : m_lower)
        value = std::max(value, p.y - drift * (p.x - x));
    return value;
}

ValueRange DriftPolygon::valuesAt(double x) const
{
    const double up = argMax(m_leastDrift, m_greatestDrift, [&](double drift) { return highest(drift, x); });
    const double down =
        argMax(m_leastDrift, m_greatestDrift, [&](double drift) { return -lowest(drift, x); });
    return {lowest(down, x), highest(up, x)};
}

} // namespace lockstep
