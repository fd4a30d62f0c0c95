// SPDX-License-Identifier: Apache-2.0
#include "ui/models/zoom_trail.h"

namespace lockstep {

namespace {

constexpr int64_t kSmallestStep = 3; // a crumb is at most a third as long as the previous one
constexpr size_t kMaxCrumbs = 6;

bool holds(TimeRange outer, TimeRange inner)
{
    return outer.begin <= inner.begin && inner.end <= outer.end;
}

} // namespace

void ZoomTrail::setWhole(TimeRange whole)
{
    if (!m_crumbs.empty() && holds(whole, m_crumbs.front())) {
        m_crumbs.front() = whole;
        return;
    }
    m_crumbs.clear();
    if (!whole.isEmpty()) m_crumbs.push_back(whole);
}

void ZoomTrail::follow(TimeRange visible)
{
    if (m_crumbs.empty()) return;
    m_crumbs.resize(1);
    if (!visible.isEmpty() && visible.length() < m_crumbs.front().length()) m_crumbs.push_back(visible);
}

void ZoomTrail::visit(TimeRange visible)
{
    if (m_crumbs.empty() || visible.isEmpty()) return;
    while (m_crumbs.size() > 1) {
        const TimeRange last = m_crumbs.back();
        const bool isDeeper = holds(last, visible) && visible.length().ns <= last.length().ns / kSmallestStep;
        if (isDeeper || last == visible) break;
        m_crumbs.pop_back();
    }
    if (m_crumbs.back() == visible || visible.length() >= m_crumbs.front().length()) return;
    if (m_crumbs.size() == kMaxCrumbs) m_crumbs.pop_back();
    m_crumbs.push_back(visible);
}

} // namespace lockstep
