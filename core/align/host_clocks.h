// SPDX-License-Identifier: Apache-2.0
// HostClocks: what the comparisons in the event logs of a run (Report::clockRounds) say of its hosts' clocks:
// each host's raw clock against any other's, directly or over one host or two between, and each wall clock
// against its own raw one. Made from a workspace, read by the exchange fit. Immutable; any thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/align/offset_tube.h"
#include "core/align/wall_clock_path.h"
#include "core/trace/workspace.h"

namespace lockstep {

// The raw clock of one boot of a host.
struct HostClock {
    std::string host;
    std::string boot;
    WallClockPath path;
};

// One host's raw clock against another's, measured by rounds of the two.
struct ClockLink {
    size_t from = 0; // HostClock; the tube's own clock
    size_t to = 0;
    OffsetTube tube;
    size_t rounds = 0;
    int64_t leastDelay_ns = 0;
    bool isOverLink = false; // by the launcher alone
};

class HostClocks {
  public:
    // O(rounds log rounds).
    explicit HostClocks(const Workspace& workspace);

    std::span<const HostClock> clocks() const { return m_clocks; }
    std::span<const ClockLink> links() const { return m_links; }
    // The clock of a host by the name of its log, or by the name that it calls itself. Absent: it took no
    // part, or was booted anew while the run went on, so that a name is not one clock.
    std::optional<size_t> clockOf(const std::string& host) const;

    // The best known way from every clock to this one: of each the link to go by next; absent where there is
    // no way. Bounds of links add up. O(links * log).
    std::vector<std::optional<size_t>> waysTo(size_t clock) const;
    // A moment of a clock on the clock where its way ends. By ways as waysTo() gives them.
    OffsetRange across(size_t clock, int64_t raw_ns, std::span<const std::optional<size_t>> ways) const;
    // The links of the way, from the clock on.
    std::vector<size_t> wayOf(size_t clock, std::span<const std::optional<size_t>> ways) const;
    // Rounds that contradicted those around them.
    size_t outliers() const;

  private:
    size_t clockNamed(const std::string& host, const std::string& boot);

    std::vector<HostClock> m_clocks;
    std::vector<ClockLink> m_links;
    std::map<std::pair<std::string, std::string>, size_t> m_byName; // host, boot
    std::map<std::string, std::string> m_aliases;                   // what a host calls itself -> its name
};

} // namespace lockstep
