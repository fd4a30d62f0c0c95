// SPDX-License-Identifier: Apache-2.0
// HostClocks: the relations between the clocks of the hosts of a run, from the clock exchange in their event
// logs (Report::clockRounds): raw clocks against each other, directly or through one or two other hosts, and
// each wall clock against its own raw clock. Created from a workspace and used by the exchange fit.
// Immutable; any thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/align/offset_tube.h"
#include "core/trace/workspace.h"

namespace lockstep {

// WallClockMapping: a host's wall clock relative to its raw clock during a run, from the readings of its
// agent (see capture/agent/wall_clock_sampler.h) and of the clock exchange. Contains the steps of the wall
// clock. Pure; any thread.
//
// Idea: the kernel slews the wall clock by at most 500 ppm. A larger change between two readings is a step.
// Between readings without a step, the mapping is a line, with the uncertainty of both readings and the
// tolerance of the agent; around a step, and if readings were lost, the range is wider. Invariant: the true
// mapping is inside the range.

struct WallPoint {
    int64_t raw_ns = 0;
    int64_t wall_ns = 0; // CLOCK_REALTIME minus CLOCK_MONOTONIC_RAW
    int64_t uncertainty_ns = 0;

    friend auto operator<=>(const WallPoint&, const WallPoint&) = default;
};

// An interval of the raw clock in which the wall clock was stepped by jump_ns.
struct WallStep {
    int64_t begin_ns = 0;
    int64_t end_ns = 0;
    int64_t jump_ns = 0;
};

class WallClockMapping {
  public:
    // Points may be in any order and contain duplicates.
    explicit WallClockMapping(std::vector<WallPoint> points);

    bool isEmpty() const { return m_points.empty(); }
    // Returns wall clock minus raw clock at a raw clock time. The mapping must not be empty. O(log n).
    OffsetRange at(int64_t raw_ns) const;
    // Returns the possible raw clock times at which the wall clock showed real_ns. There are several such
    // times if the clock was set back; the function then takes O(n), otherwise O(log n).
    OffsetRange rawAt(int64_t real_ns) const;
    // Returns the rate at which the wall clock gained on the raw clock, in ns per ns, between the first or
    // last two neighboring readings that are more than a second apart and have no step between them; 0 if
    // there are none.
    double rateAtBegin() const;
    double rateAtEnd() const;
    std::span<const WallStep> steps() const { return m_steps; }
    std::span<const WallPoint> points() const { return m_points; }

  private:
    double rateOf(size_t before) const;
    OffsetRange between(size_t before, int64_t raw_ns) const;

    std::vector<WallPoint> m_points; // in chronological order, strictly ascending
    std::vector<WallStep> m_steps;
    // by point: true if the wall clock was stepped between this point and the next
    std::vector<bool> m_isStep;
    bool m_wasSetBack = false;
};

// The raw clock of one boot of a host.
struct HostClock {
    std::string host;
    std::string boot;
    WallClockMapping path;
};

// One host's raw clock against another's, measured by the clock exchange rounds between them.
struct ClockLink {
    size_t from = 0; // index of the HostClock whose time is the input of the tube
    size_t to = 0;
    OffsetTube tube;
    size_t rounds = 0;
    int64_t leastDelay_ns = 0;
    bool isOverLink = false; // true if only the launcher measured it
};

class HostClocks {
  public:
    // O(rounds log rounds).
    explicit HostClocks(const Workspace& workspace);

    std::span<const HostClock> clocks() const { return m_clocks; }
    std::span<const ClockLink> links() const { return m_links; }
    // Returns the clock of a host, found by the name of the host's log or by the host's own name. Absent if
    // the host did not take part, or if it rebooted during the run, so that the name does not identify a
    // single clock.
    std::optional<size_t> clockOf(const std::string& host) const;

    // Returns the best route from every clock to `clock`, as the next link for each clock; absent if there is
    // no route. The errors of the links add up, so this is a search for shortest paths (Dijkstra) in which
    // the length of a link is the median half-width of its bounds. O(links * log).
    std::vector<std::optional<size_t>> routesTo(size_t clock) const;
    // Converts a time on one clock to the clock at the end of its route. `nextLinks` is the result of
    // routesTo().
    OffsetRange convertAlongRoute(size_t clock, int64_t raw_ns,
                                  std::span<const std::optional<size_t>> nextLinks) const;
    // Returns the links of the route, starting at the clock.
    std::vector<size_t> routeOf(size_t clock, std::span<const std::optional<size_t>> nextLinks) const;
    // Returns the number of rounds that contradict their neighboring rounds.
    size_t outliers() const;

  private:
    size_t clockNamed(const std::string& host, const std::string& boot);

    std::vector<HostClock> m_clocks;
    std::vector<ClockLink> m_links;
    std::map<std::pair<std::string, std::string>, size_t> m_byName; // host, boot
    std::map<std::string, std::string> m_aliases; // host name on the machine -> host name in the run
};

} // namespace lockstep
