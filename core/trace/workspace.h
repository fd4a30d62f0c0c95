// SPDX-License-Identifier: Apache-2.0
// Workspace: the reports viewed together, in the order they were opened, each under a key that stays its own
// while others come and go, and whose each of them is. A value: copies share the frozen reports. How their
// clocks relate is an Alignment (core/align), kept beside it.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/trace/by_report.h"
#include "core/trace/report.h"
#include "core/trace/report_identity.h"

namespace lockstep {

// A slice of one report of a workspace.
struct SliceRef {
    ReportKey report;
    SliceId slice;

    bool isValid() const { return report.isValid() && slice.isValid(); }
    friend auto operator<=>(const SliceRef&, const SliceRef&) = default;
};

struct TrackRef {
    ReportKey report;
    TrackId track;

    friend auto operator<=>(const TrackRef&, const TrackRef&) = default;
};

class Workspace {
  public:
    // Under the least key above all that were ever used in it. stated, planned, statedProcesses: see
    // ReportIdentity.
    ReportKey add(std::shared_ptr<const Report> report, const Identity& stated = {},
                  const Identity& planned = {}, std::span<const ProcessStatement> statedProcesses = {});
    // Under a key that no report of it has; it comes last.
    void add(ReportKey key, std::shared_ptr<const Report> report,
             std::shared_ptr<const ReportIdentity> identity);

    size_t size() const { return m_keys.size(); }
    bool isEmpty() const { return m_keys.empty(); }
    // In the order they were added.
    const std::vector<ReportKey>& keys() const { return m_keys; }
    // The same reports under the same keys in the same order, whoever's they are.
    bool hasSameReports(const Workspace& other) const;
    // One above the greatest key ever used: the size of what is indexed by key.
    size_t slotCount() const { return m_slots.slotCount(); }
    bool has(ReportKey key) const { return m_slots.has(key) && m_slots[key].report != nullptr; }
    const Report& report(ReportKey key) const { return *m_slots[key].report; }
    const std::shared_ptr<const Report>& shared(ReportKey key) const { return m_slots[key].report; }

    // Whose a report, or one of its processes, is: what it says itself and what was stated, and what
    // settleIdentities() learnt from the other reports. An invalid process stands for the report.
    const Identity& identity(ReportKey key) const { return m_slots[key].identity->whole; }
    const Identity& identity(ReportKey key, ProcessId process) const
    {
        const ReportIdentity& all = *m_slots[key].identity;
        return process.isValid() ? all.processes[process.value] : all.whole;
    }
    const ReportIdentity& reportIdentity(ReportKey key) const { return *m_slots[key].identity; }
    const std::shared_ptr<const ReportIdentity>& sharedIdentity(ReportKey key) const
    {
        return m_slots[key].identity;
    }
    // Its processes: one per process of the report.
    void setIdentity(ReportKey key, ReportIdentity identity);

  private:
    struct Slot {
        std::shared_ptr<const Report> report; // null: no report has this key
        std::shared_ptr<const ReportIdentity> identity;
    };

    std::vector<ReportKey> m_keys;
    ByReport<Slot> m_slots;
};

} // namespace lockstep
