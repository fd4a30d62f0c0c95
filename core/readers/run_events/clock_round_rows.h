// SPDX-License-Identifier: Apache-2.0
// ClockRoundRows: the clock comparisons in a host's event log (kind clock_exchange), checked one by one.
// Corrupt or inconsistent comparisons are not used, and notes count them. Used only by the reader of run
// events.
#pragma once

#include <set>
#include <tuple>
#include <vector>

#include "core/base/json_fields.h"
#include "core/trace/report_builder.h"

namespace lockstep {

class ClockRoundRows {
  public:
    // Reads an event. `row` is the zero-based line number in the log.
    void take(const Json& event, uint64_t row);
    // Adds the comparisons read so far to the builder; more may follow. O(rounds).
    void addTo(ReportBuilder& builder) const;

  private:
    void handleRound(const Json& event, uint64_t row);
    void handleReading(const Json& event, uint64_t row);
    void handleDropped(const Json& event, uint64_t row);
    void note(const char* kind, const char* text, uint64_t row);
    StringId boot(const Json& event, const char* key);

    StringPool m_names; // names of hosts and boots
    ImportNotes m_notes;
    std::vector<std::string> m_hostNames;
    std::vector<ClockRound> m_rounds;
    std::set<std::tuple<uint32_t, int64_t>> m_seen; // (peer, time of the request)
};

} // namespace lockstep
