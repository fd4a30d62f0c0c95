// SPDX-License-Identifier: Apache-2.0
#include "core/align/host_clocks.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <queue>

namespace lockstep {

namespace {

// largest slew rate of the Linux kernel; if the rate is higher, the clock was stepped
constexpr double kMaxSlew = 500e-6;
constexpr int64_t kStep_ns = 20'000; // smallest step
// Twice the agent's tolerance. The agent stores readings that deviate by more than its tolerance.
constexpr int64_t kTolerance_ns = 2'000;
// Minimum distance between two readings that determine a rate.
constexpr int64_t kSteadyRate_ns = 1'000'000'000;
// Longest regular interval between the agent's readings; a longer one means that readings were lost.
constexpr int64_t kMaxRegularGap_ns = 7'000'000'000;

} // namespace

WallClockMapping::WallClockMapping(std::vector<WallPoint> points) : m_points(std::move(points))
{
    std::ranges::sort(m_points);
    const auto same = std::ranges::unique(m_points, {}, &WallPoint::raw_ns);
    m_points.erase(same.begin(), same.end());
    m_isStep.assign(m_points.size(), false);
    for (size_t i = 0; i + 1 < m_points.size(); ++i) {
        const WallPoint& a = m_points[i];
        const WallPoint& b = m_points[i + 1];
        const int64_t jump_ns = b.wall_ns - a.wall_ns;
        const double slewed = kMaxSlew * static_cast<double>(b.raw_ns - a.raw_ns);
        if (std::abs(static_cast<double>(jump_ns)) >
            slewed + static_cast<double>(kStep_ns + a.uncertainty_ns + b.uncertainty_ns)) {
            m_isStep[i] = true;
            m_steps.push_back({a.raw_ns, b.raw_ns, jump_ns});
        }
        m_wasSetBack = m_wasSetBack || b.raw_ns + b.wall_ns < a.raw_ns + a.wall_ns;
    }
}

OffsetRange WallClockMapping::between(size_t before, int64_t raw_ns) const
{
    const WallPoint& a = m_points[before];
    const WallPoint& b = m_points[before + 1];
    const int64_t uncertainty_ns = std::max(a.uncertainty_ns, b.uncertainty_ns) + kTolerance_ns;
    const auto slewed = [&](int64_t distance_ns) {
        return static_cast<int64_t>(kMaxSlew * static_cast<double>(distance_ns));
    };
    if (m_isStep[before]) {
        return {std::min(a.wall_ns, b.wall_ns) - uncertainty_ns - slewed(b.raw_ns - a.raw_ns),
                std::max(a.wall_ns, b.wall_ns) + uncertainty_ns + slewed(b.raw_ns - a.raw_ns)};
    }
    const auto share = static_cast<double>(raw_ns - a.raw_ns) / static_cast<double>(b.raw_ns - a.raw_ns);
    const int64_t wall_ns = a.wall_ns + std::llround(share * static_cast<double>(b.wall_ns - a.wall_ns));
    const bool isGap = b.raw_ns - a.raw_ns > kMaxRegularGap_ns;
    const int64_t slack_ns = isGap ? slewed(std::min(raw_ns - a.raw_ns, b.raw_ns - raw_ns)) : 0;
    return {wall_ns - uncertainty_ns - slack_ns, wall_ns + uncertainty_ns + slack_ns};
}

double WallClockMapping::rateOf(size_t before) const
{
    const WallPoint& a = m_points[before];
    const WallPoint& b = m_points[before + 1];
    return static_cast<double>(b.wall_ns - a.wall_ns) / static_cast<double>(b.raw_ns - a.raw_ns);
}

double WallClockMapping::rateAtBegin() const
{
    for (size_t i = 0; i + 1 < m_points.size(); ++i) {
        if (!m_isStep[i] && m_points[i + 1].raw_ns - m_points[i].raw_ns > kSteadyRate_ns) return rateOf(i);
    }
    return 0;
}

double WallClockMapping::rateAtEnd() const
{
    for (size_t i = m_points.size(); i > 1; --i) {
        if (!m_isStep[i - 2] && m_points[i - 1].raw_ns - m_points[i - 2].raw_ns > kSteadyRate_ns)
            return rateOf(i - 2);
    }
    return 0;
}

OffsetRange WallClockMapping::at(int64_t raw_ns) const
{
    const auto next = std::ranges::upper_bound(m_points, raw_ns, {}, &WallPoint::raw_ns);
    const auto beyond = [&](const WallPoint& end) {
        const auto slack_ns =
            static_cast<int64_t>(kMaxSlew * static_cast<double>(std::abs(raw_ns - end.raw_ns))) +
            kTolerance_ns + end.uncertainty_ns;
        return OffsetRange{end.wall_ns - slack_ns, end.wall_ns + slack_ns};
    };
    if (next == m_points.begin()) return beyond(m_points.front());
    if (next == m_points.end()) return beyond(m_points.back());
    return between(static_cast<size_t>(next - m_points.begin()) - 1, raw_ns);
}

OffsetRange WallClockMapping::rawAt(int64_t real_ns) const
{
    const auto realOf = [](const WallPoint& p) { return p.raw_ns + p.wall_ns; };
    const auto within = [&](int64_t raw_ns) {
        const OffsetRange wall = at(raw_ns);
        return OffsetRange{real_ns - wall.greatest_ns, real_ns - wall.least_ns};
    };
    if (!m_wasSetBack) {
        const auto next = std::ranges::upper_bound(m_points, real_ns, {}, realOf);
        const auto& approximate = next == m_points.begin() ? m_points.front() : *(next - 1);
        // A reading close to the right time, which is then refined.
        const int64_t first_ns = real_ns - approximate.wall_ns;
        const bool isStep =
            next != m_points.begin() && m_isStep[static_cast<size_t>(next - m_points.begin()) - 1];
        if (isStep) return {approximate.raw_ns, next->raw_ns};
        const OffsetRange wall = at(first_ns);
        return within(real_ns - wall.least_ns - wall.width_ns() / 2);
    }
    OffsetRange all{INT64_MAX, INT64_MIN};
    const auto add = [&all](const OffsetRange& range) {
        all.least_ns = std::min(all.least_ns, range.least_ns);
        all.greatest_ns = std::max(all.greatest_ns, range.greatest_ns);
    };
    for (size_t i = 0; i + 1 < m_points.size(); ++i) {
        const int64_t begin_ns = realOf(m_points[i]), end_ns = realOf(m_points[i + 1]);
        // Around a step, either rate may apply to the whole interval.
        const int64_t most_ns = m_isStep[i] ? m_points[i + 1].raw_ns - m_points[i].raw_ns : 0;
        const bool isBefore = real_ns < std::min(begin_ns, end_ns - most_ns);
        const bool isAfter = real_ns > std::max(begin_ns + most_ns, end_ns);
        if ((isBefore && i > 0) || (isAfter && i + 2 < m_points.size())) continue;
        if (m_isStep[i] && !isBefore && !isAfter) {
            add({m_points[i].raw_ns, m_points[i + 1].raw_ns});
        } else {
            add(within(real_ns - m_points[isAfter ? i + 1 : i].wall_ns));
        }
    }
    return all.least_ns <= all.greatest_ns ? all : within(real_ns - m_points.back().wall_ns);
}

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
    const auto slack_ns = static_cast<int64_t>(std::ceil(kMaxRate * static_cast<double>(took_ns)));
    return {round.sent_ns + (round.received_ns - round.sent_ns) / 2, round.least_ns() - slack_ns,
            round.greatest_ns() + slack_ns};
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
    std::vector<std::optional<size_t>> nextLinks(m_clocks.size());
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
            nextLinks[other] = i;
            queue.emplace(next, other);
        }
    }
    return nextLinks;
}

OffsetRange HostClocks::convertAlongRoute(size_t clock, int64_t raw_ns,
                                          std::span<const std::optional<size_t>> nextLinks) const
{
    OffsetRange time{raw_ns, raw_ns};
    for (size_t at = clock; nextLinks[at];) {
        const ClockLink& link = m_links[*nextLinks[at]];
        const int64_t middle_ns = time.least_ns + time.width_ns() / 2;
        if (link.from == at) {
            const OffsetRange ahead = link.tube.at(middle_ns);
            time = {time.least_ns + ahead.least_ns, time.greatest_ns + ahead.greatest_ns};
        } else {
            // The tube is queried with the time of the other clock, which differs from this clock's time by
            // about the offset.
            int64_t there_ns = middle_ns - link.tube.approximateOffset_ns();
            for (int iteration = 0; iteration < 3; ++iteration) {
                const OffsetRange approximate = link.tube.at(there_ns);
                there_ns = middle_ns - approximate.least_ns - approximate.width_ns() / 2;
            }
            const OffsetRange ahead = link.tube.at(there_ns);
            time = {time.least_ns - ahead.greatest_ns, time.greatest_ns - ahead.least_ns};
        }
        at = link.from == at ? link.to : link.from;
    }
    return time;
}

std::vector<size_t> HostClocks::routeOf(size_t clock, std::span<const std::optional<size_t>> nextLinks) const
{
    std::vector<size_t> route;
    for (size_t at = clock; nextLinks[at];) {
        route.push_back(*nextLinks[at]);
        at = m_links[*nextLinks[at]].from == at ? m_links[*nextLinks[at]].to : m_links[*nextLinks[at]].from;
    }
    return route;
}

size_t HostClocks::outliers() const
{
    size_t count = 0;
    for (const ClockLink& link : m_links)
        count += link.tube.outliers();
    return count;
}

} // namespace lockstep
