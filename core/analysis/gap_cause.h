// SPDX-License-Identifier: Apache-2.0
// Decides what a GPU waited for in a gap between two operations, for all tables that state a cause.
//
// The decision is that of HTA's get_idle_time_breakdown. If the operation after the gap was launched after
// the gap had begun, the GPU waited for the host. Otherwise the operation was queued, and a short gap is the
// time that the GPU needs between two kernels. GapCauses refines this by what the host and the device did
// meanwhile. It never infers a cause: if no launch call is recorded for the operation after the gap, the
// cause is unknown.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/interval_set.h"
#include "core/trace/report.h"

namespace lockstep {

// A gap before queued work counts as a wait for the kernel only if it is shorter. This is HTA's default, and
// that of idle_breakdown's argument `delay`.
inline constexpr Duration kMaxKernelWait{30'000};

enum class WaitFor : uint8_t { host, kernel, other, count };

// gap: from the end of the work before to the start of the work after; its length may be negative, as in HTA.
// launched: start of the call that launched the work after the gap, on the same clock.
WaitFor waitForOf(TimeRange gap, TraceTime launched, Duration maxKernelWait);

enum class GapCause : uint8_t {
    unknown,
    hostLate,        // the wait was for the host, and neither of the next two took longest
    synchronization, // the wait was for the host, which synchronized for the longest part of it
    copy,            // the wait was for the host, which copied for the longest part of it; or the work was
                     // queued, and its call or copies on the device took at least half of the gap
    kernelWait,      // the work was queued, and started soon
    other,           // the work was queued, and what it waited for is not recorded
    count
};

// Returns "host late to launch", "synchronization" ...; "" for unknown. The names are stable, because scripts
// read them.
std::string_view gapCauseName(GapCause cause);

struct ExplainedGap {
    GapCause cause = GapCause::unknown;
    std::string note; // one or two sentences with the cause and its evidence, for display
};

// GapCauses finds the causes of gaps in one report. It reads the calls of a thread when a gap first needs
// them: O(calls of the thread) once, then O(log calls + calls in the gap) per gap. One thread at a time; the
// report must outlive it.
class GapCauses {
  public:
    explicit GapCauses(const Report& report) : m_report(report) {}

    // gap: not empty, on the report's clock. next: the operation that ended the gap; invalid if there is
    // none.
    ExplainedGap of(TimeRange gap, SliceId next);

  private:
    // The disjoint times that one thread spent in calls that can block.
    struct HostWaits {
        IntervalSet synchronizations, copies;
    };

    ExplainedGap lateOf(TimeRange gap, SliceId call);
    ExplainedGap queuedOf(TimeRange gap, SliceId call, SliceId next);
    const HostWaits& waitsOf(TrackId track);
    const IntervalSet& copiesOn(ProcessId process, DeviceId device);

    const Report& m_report;
    std::map<TrackId, HostWaits> m_waits;
    std::map<std::pair<ProcessId, DeviceId>, IntervalSet> m_copies;
};

} // namespace lockstep
