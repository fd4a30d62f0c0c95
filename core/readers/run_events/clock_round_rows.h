// SPDX-License-Identifier: Apache-2.0
// ClockRoundRows: the comparisons of clocks in a host's event log (kind clock_exchange), checked one by one:
// what is damaged or contradicts itself is a counted note and bounds nothing. Used by the reader of run
// events alone.
#pragma once

#include <set>
#include <tuple>
#include <vector>

#include "core/base/json_fields.h"
#include "core/trace/report_builder.h"

namespace lockstep {

class ClockRoundRows {
  public:
    // row: of the log, counted from 0.
    void take(const Json& event, uint64_t row);
    // What was taken so far; more may follow. O(rounds).
    void addTo(ReportBuilder& builder) const;

  private:
    void takeRound(const Json& event, uint64_t row);
    void takeReading(const Json& event, uint64_t row);
    void takeDropped(const Json& event, uint64_t row);
    void note(const char* kind, const char* text, uint64_t row);
    StringId boot(const Json& event, const char* key);

    StringPool m_names; // of hosts and boots
    ImportNotes m_notes;
    std::vector<std::string> m_hostNames;
    std::vector<ClockRound> m_rounds;
    std::set<std::tuple<uint32_t, int64_t>> m_seen; // peer and when it was asked
};

} // namespace lockstep
