// SPDX-License-Identifier: Apache-2.0
#include "core/search/process_steps.h"

#include <algorithm>

namespace lockstep {

ProcessSteps::ProcessSteps(const Report& report, ProcessId process)
    : m_marks(findHostSteps(report, process).marks)
{
    int64_t end_ns = kAllTime.begin.ns;
    for (const StepMark& mark : m_marks)
        m_lastEnd.push_back(end_ns = std::max(end_ns, mark.range.end.ns));
}

int ProcessSteps::at(TraceTime t) const
{
    const auto after =
        std::ranges::upper_bound(m_marks, t, {}, [](const StepMark& mark) { return mark.range.begin; });
    for (auto i = static_cast<int>(after - m_marks.begin()) - 1; i >= 0; --i) {
        if (m_lastEnd[static_cast<size_t>(i)] <= t.ns) return -1;
        if (m_marks[static_cast<size_t>(i)].range.contains(t)) return i;
    }
    return -1;
}

TraceTime stepReferenceTime(const Report& report, SliceId slice)
{
    for (size_t n = 0; const Link* const link = report.links.to(slice, n); ++n) {
        if (link->kind == LinkKind::launch) return report.slices.start(link->cause);
    }
    return report.slices.start(slice);
}

} // namespace lockstep
