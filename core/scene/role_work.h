// SPDX-License-Identifier: Apache-2.0
// RoleWork: the times at which devices were busy for each role of a job, on the aligned axis, and the times
// at which one role was idle while others were working. Filled by a scene's bubbles or by role_breakdown, and
// read-only afterwards. Value type.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "core/base/interval_set.h"
#include "core/trace/workspace.h"

namespace lockstep {

// Returns the identity of a device: host and UUID. Empty if the files do not record both.
std::string machineDevice(const Workspace& workspace, ReportKey report, ProcessId process, DeviceId device);

class RoleWork {
  public:
    // Adds aligned busy times of a role. `device` is the device that was busy; it is empty if there are
    // several devices or if the device is not recorded.
    void add(const std::string& role, const std::string& device, std::span<const TimeRange> busy);
    // Completes the object. Call it after the last add(). O(ranges of all roles * roles).
    void close();

    // Returns whether other roles were added; valid after close().
    bool hasOthers(const std::string& role) const { return !m_others.at(role).isEmpty(); }
    struct Idle {
        IntervalSet whileOthersBusy; // times at which a device of a different role was busy
        // The part of whileOthersBusy at which the work of the other role ran on the same device; nullopt if
        // the device is unknown.
        std::optional<IntervalSet> onSameDevice;
    };
    // Returns the idle times of a process whose own devices were busy at the given times.
    Idle idleOf(const std::string& role, const std::string& device, const IntervalSet& busy) const;

  private:
    std::map<std::string, std::vector<TimeRange>> m_byRole;
    // by device, then by role
    std::map<std::string, std::map<std::string, std::vector<TimeRange>>> m_byDevice;
    std::map<std::string, IntervalSet> m_others;
};

} // namespace lockstep
