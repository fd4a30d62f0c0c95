// SPDX-License-Identifier: Apache-2.0
// RoleWork: when devices worked for each role of a job, on the aligned axis, and when those of one role stood
// idle meanwhile. Filled by whoever knows who worked when (the bubbles of a scene, role_breakdown), then
// read; a value.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "core/base/interval_set.h"
#include "core/trace/workspace.h"

namespace lockstep {

// A device of the machine: host and UUID. Empty where no file says either.
std::string machineDevice(const Workspace& workspace, ReportKey report, ProcessId process, DeviceId device);

class RoleWork {
  public:
    // busy: aligned. device: the one that worked; empty: several, or no file tells which.
    void add(const std::string& role, const std::string& device, std::span<const TimeRange> busy);
    // After the last add(). O(ranges of all roles * roles).
    void close();

    // Roles that were added, once it is closed.
    bool hasOthers(const std::string& role) const { return !m_others.at(role).isEmpty(); }
    struct Idle {
        IntervalSet whileOthers; // a device of another role worked
        // Of it: that work ran on the very device; absent where it is not known which one that is.
        std::optional<IntervalSet> onSameDevice;
    };
    // Of a process whose own devices were busy then.
    Idle idleOf(const std::string& role, const std::string& device, const IntervalSet& busy) const;

  private:
    std::map<std::string, std::vector<TimeRange>> m_byRole;
    std::map<std::string, std::map<std::string, std::vector<TimeRange>>> m_byDevice; // then by role
    std::map<std::string, IntervalSet> m_others;
};

} // namespace lockstep
