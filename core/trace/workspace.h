// SPDX-License-Identifier: Apache-2.0
// Workspace: the reports that are viewed together, in the order they were opened, with their identities. Each
// report has a key that stays the same while other reports are opened and closed. Value type; copies share
// the frozen reports. The relation between clocks is an Alignment (core/align), stored separately.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/trace/by_report.h"
#include "core/trace/report.h"
#include "core/trace/report_identity.h"

namespace lockstep {

// A slice in one report of a workspace.
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
    // Adds a report under the smallest key above all keys ever used. See ReportIdentity for stated, planned
    // and processEdits.
    ReportKey add(std::shared_ptr<const Report> report, const Identity& stated = {},
                  const Identity& planned = {}, std::span<const ProcessEdit> processEdits = {});
    // Adds a report at the end, under a key that is not in use.
    void add(ReportKey key, std::shared_ptr<const Report> report,
             std::shared_ptr<const ReportIdentity> identity);

    size_t size() const { return m_keys.size(); }
    bool isEmpty() const { return m_keys.empty(); }
    // Returns the keys in the order in which the reports were added.
    const std::vector<ReportKey>& keys() const { return m_keys; }
    // Returns true if both contain the same reports under the same keys in the same order, regardless of
    // identities.
    bool hasSameReports(const Workspace& other) const;
    // Returns the largest key ever used plus one: the size of containers indexed by key.
    size_t slotCount() const { return m_slots.slotCount(); }
    bool has(ReportKey key) const { return m_slots.has(key) && m_slots[key].report != nullptr; }
    const Report& report(ReportKey key) const { return *m_slots[key].report; }
    const std::shared_ptr<const Report>& shared(ReportKey key) const { return m_slots[key].report; }

    // Returns the identity of a report or of one of its processes. It combines the file, user edits, and
    // other reports through completeIdentities(). If the process is invalid, returns the identity of the
    // report.
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
    // Sets an identity, which must contain one entry per process of the report.
    void setIdentity(ReportKey key, ReportIdentity identity);

  private:
    struct Slot {
        std::shared_ptr<const Report> report; // null if no report has this key
        std::shared_ptr<const ReportIdentity> identity;
    };

    std::vector<ReportKey> m_keys;
    ByReport<Slot> m_slots;
};

} // namespace lockstep
