// SPDX-License-Identifier: Apache-2.0
#include "core/align/host_clocks.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>

namespace lockstep {

namespace {

// The collected clock exchange rounds of one pair of hosts.
struct GatheredRounds {
    std::vector<OffsetLimit> limits;
    int64_t leastDelay_ns = std::numeric_limits<int64_t>::max();
    bool isOverLink = true;
};

// The offset may have changed during the round.
OffsetLimit limitOf(const ClockRound& round)
{
    const int64_t took_ns =
        std::max(round.received_ns - round.sent_ns, std::abs(round.peerSent_ns - round.peerReceived_ns));
    const auto loose_ns = static_cast<int64_t>(std::ceil(kMaxRate * static_cast<double>(took_ns)));
    return {round.sent_ns + (round.received_ns - round.sent_ns) / 2, round.least_ns() - loose_ns,
            round.greatest_ns() + loose_ns};
}

} // namespace

size_t HostClocks::clockNamed(const std::string& host, const std::string& boot)
{
    const auto [at, isNew] = m_byName.try_emplace({host, boot}, m_clocks.size());
    if (isNew) m_clocks.push_back({host, boot, WallClockMapping({})});
    return at->second;
}

HostClocks::HostClocks(const Workspace& workspace)
{
    std::map<std::pair<size_t, size_t>, GatheredRounds> pairs;
    std::vector<std::vector<WallPoint>> walls;
    const auto addWall = [&walls](size_t clock, const WallPoint& point) {
        if (walls.size() <= clock) walls.resize(clock + 1);
        walls[clock].push_back(point);
    };
    for (const ReportKey key : workspace.keys()) {
        const Report& report = workspace.report(key);
        const auto& host = workspace.identity(key).host.value;
        if (report.clockRounds.empty() || !host) continue;
        for (const auto& [name, value] : report.facts) {
            if (name == "Host name" && value != *host) m_aliases.emplace(value, *host);
        }
        for (const ClockRound& round : report.clockRounds) {
            const size_t own = clockNamed(*host, std::string(report.strings.at(round.boot)));
            addWall(own, {round.sent_ns, round.wall_ns, round.uncertainty_ns});
            if (round.isReading()) continue;
            const size_t peer = clockNamed(std::string(report.strings.at(round.peer)),
                                           std::string(report.strings.at(round.peerBoot)));
            if (peer == own) continue;
            addWall(peer, {round.peerReceived_ns, round.peerWall_ns, round.peerUncertainty_ns});
            GatheredRounds& pair = pairs[{own, peer}];
            pair.limits.push_back(limitOf(round));
            pair.leastDelay_ns = std::min(pair.leastDelay_ns, round.greatest_ns() - round.least_ns());
            pair.isOverLink = pair.isOverLink && round.isOverLink != 0;
        }
    }
    for (size_t clock = 0; clock < walls.size(); ++clock)
        m_clocks[clock].path = WallClockMapping(std::move(walls[clock]));
    for (auto& [ends, pair] : pairs) {
        const size_t rounds = pair.limits.size();
        m_links.push_back({ends.first, ends.second, OffsetTube(std::move(pair.limits)), rounds,
                           pair.leastDelay_ns, pair.isOverLink});
    }
}

std::optional<size_t> HostClocks::clockOf(const std::string& host) const
{
    const auto alias = m_aliases.find(host);
    const auto named = [this](const std::string& name) -> std::optional<size_t> {
        const auto first = m_byName.lower_bound({name, ""});
        if (first == m_byName.end() || first->first.first != name) return std::nullopt;
        const auto next = std::next(first);
        if (next != m_byName.end() && next->first.first == name) return std::nullopt;
        return first->second;
    };
    if (const auto found = named(host)) return found;
    return alias == m_aliases.end() ? std::nullopt : named(alias->second);
}

std::vector<std::optional<size_t>> HostClocks::routesTo(size_t clock) const
{
    std::vector<std::vector<size_t>> linksOf(m_clocks.size());
    for (size_t i = 0; i < m_links.size(); ++i) {
        linksOf[m_links[i].from].push_back(i);
        linksOf[m_links[i].to].push_back(i);
    }
    std::vector<std::optional<size_t>> ways(m_clocks.size());
    std::vector<int64_t> bound(m_clocks.size(), std::numeric_limits<int64_t>::max());
    using Reached = std::pair<int64_t, size_t>;
    std::priority_queue<Reached, std::vector<Reached>, std::greater<>> queue;
    bound[clock] = 0;
    queue.emplace(0, clock);
    while (!queue.empty()) {
        const auto [sum, at] = queue.top();
        queue.pop();
        if (sum > bound[at]) continue;
        for (const size_t i : linksOf[at]) {
            const ClockLink& link = m_links[i];
            const size_t other = link.from == at ? link.to : link.from;
            const int64_t next = sum + link.tube.medianHalfWidth_ns() + 1;
            if (next >= bound[other]) continue;
            bound[other] = next;
            ways[other] = i;
            queue.emplace(next, other);
        }
    }
    return ways;
}

OffsetRange HostClocks::convertAlongRoute(size_t clock, int64_t raw_ns,
                                          std::span<const std::optional<size_t>> ways) const
{
    OffsetRange moment{raw_ns, raw_ns};
    for (size_t at = clock; ways[at];) {
        const ClockLink& link = m_links[*ways[at]];
        const int64_t middle_ns = moment.least_ns + moment.width_ns() / 2;
        if (link.from == at) {
            const OffsetRange ahead = link.tube.at(middle_ns);
            moment = {moment.least_ns + ahead.least_ns, moment.greatest_ns + ahead.greatest_ns};
        } else {
            // The tube is queried with the time of the other clock, which differs from this clock's time by
            // about the offset.
            int64_t there_ns = middle_ns - link.tube.approximateOffset_ns();
            for (int nearer = 0; nearer < 3; ++nearer) {
                const OffsetRange near = link.tube.at(there_ns);
                there_ns = middle_ns - near.least_ns - near.width_ns() / 2;
            }
            const OffsetRange ahead = link.tube.at(there_ns);
            moment = {moment.least_ns - ahead.greatest_ns, moment.greatest_ns - ahead.least_ns};
        }
        at = link.from == at ? link.to : link.from;
    }
    return moment;
}

std::vector<size_t> HostClocks::routeOf(size_t clock, std::span<const std::optional<size_t>> ways) const
{
    std::vector<size_t> way;
    for (size_t at = clock; ways[at];) {
        way.push_back(*ways[at]);
        at = m_links[*ways[at]].from == at ? m_links[*ways[at]].to : m_links[*ways[at]].from;
    }
    return way;
}

size_t HostClocks::outliers() const
{
    size_t count = 0;
    for (const ClockLink& link : m_links)
        count += link.tube.outliers();
    return count;
}

} // namespace lockstep
