// SPDX-License-Identifier: Apache-2.0
// ActorNames: the pids and tids of all workers on one footing. Numbers stay; texts ("Spans",
// "worker:80d6...") get negative numbers in alphabetical order, so that they do not depend on which worker
// met them first.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "core/readers/chrome_json/event_rows.h"

namespace lockstep {

// A pid as SGLang's ProfileMerger writes it into the trace of all ranks: "[TP01-DP00-PP00-EP01] 84".
struct MergedPid {
    std::string_view part; // "[TP01-DP00-PP00-EP01]": the rank whose trace the event comes from
    std::string_view own;  // "84": the pid in that trace; may be a text such as "Spans"
};
std::optional<MergedPid> mergedPid(std::string_view text);

class ActorNames {
  public:
    // Texts of one worker; all are to be added before numberOf() is asked.
    void add(const EventRows& worker);

    // The same for the same pid or tid, whoever met it; distinct for a number and a text.
    int64_t numberOf(Actor actor, const EventRows& worker) const;
    // The text behind a number; empty for real numbers.
    std::string_view textOf(int64_t number) const;

  private:
    void add(Actor actor, const EventRows& worker);

    static constexpr int64_t kLast = -1'000'000'000'001; // below what a pid or tid is written as
    int64_t lowest() const { return kLast + 1 - static_cast<int64_t>(m_numbers.size()); }
    std::map<std::string, int64_t, std::less<>> m_numbers;
};

} // namespace lockstep
