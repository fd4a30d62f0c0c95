// SPDX-License-Identifier: Apache-2.0
#include "core/timeline/view_window.h"

#include <cmath>

namespace lockstep {

namespace {

constexpr size_t kMostPlaces = 200;

TimeRange withMargin(TimeRange extent)
{
    if (extent.isEmpty()) return {extent.begin - ViewWindow::kShortest, extent.begin + ViewWindow::kShortest};
    const Duration margin{std::max(ViewWindow::kShortest.ns, extent.length().ns / 50)};
    return {extent.begin - margin, extent.end + margin};
}

} // namespace

ViewWindow::ViewWindow(TimeRange bounds) : m_bounds(withMargin(bounds)), m_visible(m_bounds) {}

void ViewWindow::setBounds(TimeRange extent)
{
    const bool showedAll = m_visible == m_bounds;
    m_bounds = withMargin(extent);
    m_visible = showedAll || !m_visible.overlaps(m_bounds) ? m_bounds : clamped(m_visible);
}

TimeRange ViewWindow::clamped(TimeRange range) const
{
    const int64_t length = std::clamp(range.length().ns, kShortest.ns, m_bounds.length().ns);
    const int64_t begin = std::clamp(range.begin.ns, m_bounds.begin.ns, m_bounds.end.ns - length);
    return {{begin}, {begin + length}};
}

void ViewWindow::moveAxis(Duration by)
{
    const auto move = [by](TimeRange& range) { range = {range.begin + by, range.end + by}; };
    move(m_bounds);
    move(m_visible);
    std::ranges::for_each(m_back, move);
    std::ranges::for_each(m_forth, move);
}

void ViewWindow::zoomAt(TraceTime at, double factor)
{
    const auto length = static_cast<double>(m_visible.length().ns);
    const double wanted =
        std::clamp(length * factor, double(kShortest.ns), static_cast<double>(m_bounds.length().ns));
    const double part = static_cast<double>((at - m_visible.begin).ns) / length;
    const TraceTime begin = at - Duration{std::llround(part * wanted)};
    m_visible = clamped({begin, begin + Duration{std::llround(wanted)}});
}

void ViewWindow::panBy(double part)
{
    panBy(Duration{std::llround(part * static_cast<double>(m_visible.length().ns))});
}

void ViewWindow::panBy(Duration by)
{
    m_visible = clamped({m_visible.begin + by, m_visible.end + by});
}

void ViewWindow::show(TimeRange range)
{
    // A range that is too short grows around its middle.
    if (range.length() < kShortest) {
        const TraceTime begin =
            range.begin - Duration{(kShortest.ns - std::max<int64_t>(0, range.length().ns)) / 2};
        range = {begin, begin + kShortest};
    }
    m_visible = clamped(range);
}

void ViewWindow::remember()
{
    if (!m_back.empty() && m_back.back() == m_visible) return;
    m_back.push_back(m_visible);
    if (m_back.size() > kMostPlaces) m_back.erase(m_back.begin());
    m_forth.clear();
}

bool ViewWindow::undo()
{
    while (!m_back.empty() && m_back.back() == m_visible)
        m_back.pop_back();
    if (m_back.empty()) return false;
    m_forth.push_back(m_visible);
    m_visible = clamped(m_back.back());
    m_back.pop_back();
    return true;
}

bool ViewWindow::redo()
{
    if (m_forth.empty()) return false;
    m_back.push_back(m_visible);
    m_visible = clamped(m_forth.back());
    m_forth.pop_back();
    return true;
}

std::vector<TimeRange> ViewWindow::trail() const
{
    std::vector<TimeRange> places = m_back;
    if (places.empty() || places.back() != m_visible) places.push_back(m_visible);
    return places;
}

} // namespace lockstep
