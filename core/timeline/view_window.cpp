// SPDX-License-Identifier: Apache-2.0
#include "core/timeline/view_window.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace lockstep {

namespace {

// The margin is computed from the time outside gaps; otherwise, the margin of a mostly idle run could be
// longer than all its data.
TimeRange withMargin(TimeRange extent, const std::vector<TimeRange>& gaps)
{
    if (extent.isEmpty()) return {extent.begin - ViewWindow::kShortest, extent.begin + ViewWindow::kShortest};
    int64_t length_ns = extent.length().ns;
    for (const TimeRange& gap : gaps)
        length_ns -= std::max<int64_t>(0, gap.clippedTo(extent).length().ns);
    const Duration margin{std::max(ViewWindow::kShortest.ns, length_ns / 50)};
    return {extent.begin - margin, extent.end + margin};
}

} // namespace

ViewWindow::ViewWindow(TimeRange bounds)
    : m_extent(bounds), m_bounds(withMargin(bounds, {})), m_visible(m_bounds)
{
}

void ViewWindow::setBounds(TimeRange extent)
{
    m_extent = extent;
    fit();
}

void ViewWindow::setGaps(std::vector<TimeRange> gaps)
{
    m_gaps = std::move(gaps);
    fit();
}

void ViewWindow::fit()
{
    const bool showedAll = m_visible == m_bounds;
    m_bounds = withMargin(m_extent, m_gaps);
    fold();
    if (showedAll || !m_visible.overlaps(m_bounds)) {
        m_visible = m_bounds;
    } else {
        show(m_visible);
    }
}

void ViewWindow::setBandPart(double part)
{
    if (part == m_part) return;
    m_part = part;
    fold();
}

bool ViewWindow::isOpen(TimeRange gap) const
{
    return std::ranges::any_of(m_opened, [&](TimeRange opened) { return opened.overlaps(gap); });
}

void ViewWindow::setOpen(TimeRange gap, bool isOpen)
{
    std::erase_if(m_opened, [&](TimeRange opened) { return opened.overlaps(gap); });
    if (isOpen) m_opened.push_back(gap);
    fold();
    show(m_visible);
}

void ViewWindow::setOpened(std::vector<TimeRange> opened)
{
    m_opened = std::move(opened);
    fold();
    show(m_visible);
}

void ViewWindow::fold()
{
    std::vector<TimeRange> folded;
    std::ranges::copy_if(m_gaps, std::back_inserter(folded), [this](TimeRange gap) { return !isOpen(gap); });
    m_folds = AxisFolds(std::move(folded), m_bounds, m_part);
}

Duration ViewWindow::lengthOnAxis() const
{
    return {std::llround(m_folds.lengthOf(m_visible))};
}

Duration ViewWindow::distance(TraceTime from, TraceTime to) const
{
    return {std::llround(m_folds.distance(from, to, m_folds.lengthOf(m_visible)))};
}

TraceTime ViewWindow::middle() const
{
    const double zoom = m_folds.lengthOf(m_visible);
    return m_folds.moved(m_visible.begin, std::floor(zoom / 2), zoom);
}

TimeRange ViewWindow::between(TimeRange from, TimeRange to, double part) const
{
    const double zoom = std::max(m_folds.lengthOf(from), m_folds.lengthOf(to));
    const auto on = [&](TraceTime a, TraceTime b) {
        return m_folds.moved(a, part * m_folds.distance(a, b, zoom), zoom);
    };
    return part >= 1 ? to : TimeRange{on(from.begin, to.begin), on(from.end, to.end)};
}

TimeRange ViewWindow::onFolds(TraceTime begin, double zoom) const
{
    return {begin, m_folds.moved(begin, zoom, zoom)};
}

TimeRange ViewWindow::clamped(TimeRange range) const
{
    const auto shortest = static_cast<double>(kShortest.ns);
    const double zoom = m_folds.lengthOf(range), most = m_folds.lengthOf(m_bounds);
    if (zoom >= most) return m_bounds;
    if (zoom < shortest - 1 || range.length() < kShortest) range = onFolds(range.begin, shortest);
    const double kept = std::max(zoom, shortest);
    if (range.begin < m_bounds.begin) range = onFolds(m_bounds.begin, kept);
    if (range.end > m_bounds.end) range = {m_folds.moved(m_bounds.end, -kept, kept), m_bounds.end};
    return range.clippedTo(m_bounds);
}

void ViewWindow::moveAxis(Duration by)
{
    const auto move = [by](TimeRange& range) { range = {range.begin + by, range.end + by}; };
    move(m_extent);
    move(m_bounds);
    move(m_visible);
    std::ranges::for_each(m_gaps, move);
    std::ranges::for_each(m_opened, move);
    fold();
}

void ViewWindow::zoomAt(TraceTime at, double factor)
{
    const double zoom = m_folds.lengthOf(m_visible);
    const double wanted = std::clamp(zoom * factor, double(kShortest.ns), m_folds.lengthOf(m_bounds));
    const double part = m_folds.distance(m_visible.begin, at, zoom) / zoom;
    m_visible = clamped(onFolds(m_folds.moved(at, -part * wanted, wanted), wanted));
}

void ViewWindow::panBy(double part)
{
    panBy(Duration{std::llround(part * m_folds.lengthOf(m_visible))});
}

void ViewWindow::panBy(Duration by)
{
    const double zoom = m_folds.lengthOf(m_visible);
    const TraceTime begin = m_folds.moved(m_visible.begin, static_cast<double>(by.ns), zoom);
    const bool isBeforeBounds = begin < m_bounds.begin;
    m_visible = clamped(onFolds(isBeforeBounds ? m_bounds.begin : begin, zoom));
}

void ViewWindow::centerOn(TraceTime at)
{
    const double zoom = m_folds.lengthOf(m_visible);
    show(onFolds(m_folds.moved(at, -zoom / 2, zoom), zoom));
}

void ViewWindow::show(TimeRange range)
{
    // A range that is too short is extended around its center.
    if (range.length() < kShortest) {
        const TraceTime begin =
            range.begin - Duration{(kShortest.ns - std::max<int64_t>(0, range.length().ns)) / 2};
        range = {begin, begin + kShortest};
    }
    const TimeRange* const gap = m_folds.at(range.begin);
    if (gap != nullptr && range.end <= gap->end) {
        const TimeRange whole = *gap;
        m_opened.push_back(whole);
        fold();
    }
    m_visible = clamped(range);
}

} // namespace lockstep
