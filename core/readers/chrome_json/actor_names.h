// SPDX-License-Identifier: Apache-2.0
// ActorNames: common IDs for the pids and tids of all workers. Numeric pids and tids are unchanged. Strings
// ("Spans", "worker:80d6...") get negative IDs in alphabetical order, so that the IDs do not depend on the
// order of workers.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "core/readers/chrome_json/event_rows.h"

namespace lockstep {

// A pid as SGLang's ProfileMerger writes it in the merged trace of all ranks: "[TP01-DP00-PP00-EP01] 84".
struct MergedPid {
    std::string_view part; // "[TP01-DP00-PP00-EP01]": identifies the rank whose trace contained the event
    std::string_view own;  // "84": the pid in that trace; may be non-numeric, such as "Spans"
};
std::optional<MergedPid> mergedPid(std::string_view text);

class ActorNames {
  public:
    // Adds the pid and tid strings of one worker. Call it for all workers before numberOf().
    void add(const EventRows& worker);

    // Returns the ID of a pid or tid. The ID is the same for all workers. A number and a string never have
    // the same ID.
    int64_t numberOf(Actor actor, const EventRows& worker) const;
    // Returns the string for an ID; empty if the ID is a number from the file.
    std::string_view textOf(int64_t number) const;

  private:
    void add(Actor actor, const EventRows& worker);

    // IDs of strings start below all pids and tids that occur in files
    static constexpr int64_t kLast = -1'000'000'000'001;
    int64_t lowest() const { return kLast + 1 - static_cast<int64_t>(m_numbers.size()); }
    std::map<std::string, int64_t, std::less<>> m_numbers;
};

} // namespace lockstep
