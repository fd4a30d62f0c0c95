// SPDX-License-Identifier: Apache-2.0
#include "core/align/exchange_fit.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/align/clock_partition.h"
#include "core/align/host_clocks.h"
#include "core/base/text.h"

namespace lockstep {

namespace {

// DomainClock: the relation between the coarse time of a clock domain and its host's raw clock, as far as its
// files record it. Created for the exchange fit. Value type that refers to its HostClocks.
class DomainClock {
  public:
    // Returns nullopt if the host did not take part in the clock exchange, or if the files have no wall clock
    // with ns resolution.
    static std::optional<DomainClock> of(const Workspace& workspace, const ClockPartition& partition,
                                         uint32_t domain, const HostClocks& clocks);

    size_t clock() const { return m_clock; }
    // True if timestamps are on the raw clock, so that wall clock steps do not matter.
    bool isRaw() const { return m_kind == Kind::raw; }
    // True if the file records only a single wall clock reading and not the clock that its timestamps follow
    // afterwards.
    bool isUncertain() const { return m_kind == Kind::anchored; }
    // Converts a coarse time to the raw clock, and back.
    OffsetRange rawAt(int64_t coarse_ns) const;
    OffsetRange coarseAt(OffsetRange raw) const;
    const WallClockMapping& path() const { return *m_path; }
    // Returns the coarse time at a point of the wall-clock mapping.
    int64_t coarseFromWall(int64_t raw_ns, int64_t wall_ns) const
    {
        return raw_ns + wall_ns - m_utcAtZero_ns;
    }

  private:
    enum class Kind : uint8_t {
        raw,     // capture spools: CLOCK_MONOTONIC_RAW
        wall,    // Kineto and the event logs: the host's wall clock
        anchored // nsys and others: the wall clock was read once, at the start of the session
    };

    const WallClockMapping* m_path = nullptr;
    size_t m_clock = 0;
    Kind m_kind = Kind::wall;
    int64_t m_utcAtZero_ns = 0;
    OffsetRange m_coarseMinusRaw{}; // raw, anchored: coarse time minus raw clock
};

constexpr int64_t kCalibration_ns = 5'000; // possible error of a file's wall clock reading
constexpr std::string_view kRawClock = "CLOCK_MONOTONIC_RAW";

OffsetRange widened(OffsetRange range, int64_t by_ns)
{
    return {range.least_ns - by_ns, range.greatest_ns + by_ns};
}

OffsetRange hullOf(OffsetRange a, OffsetRange b)
{
    return {std::min(a.least_ns, b.least_ns), std::max(a.greatest_ns, b.greatest_ns)};
}

std::optional<DomainClock> DomainClock::of(const Workspace& workspace, const ClockPartition& partition,
                                           uint32_t domain, const HostClocks& clocks)
{
    DomainClock out;
    bool isFound = false;
    for (const ReportKey key : partition.reports) {
        if (partition.domain[key] != domain) continue;
        const auto& host = workspace.identity(key).host;
        if (!host.isKnown() || host.confidence < Confidence::stated) continue;
        const auto clock = clocks.clockOf(*host.value);
        const ClockDomain& reportClock = workspace.report(key).clock;
        const bool isExact = reportClock.utcAtZero_ns && reportClock.utcResolution_ns <= 1;
        if (!clock || !isExact || !partition.utcAtZero_ns || clocks.clocks()[*clock].path.isEmpty()) continue;
        const bool isRaw = reportClock.name == kRawClock;
        if (isFound && !isRaw) continue;
        isFound = true;
        out.m_clock = *clock;
        out.m_path = &clocks.clocks()[*clock].path;
        // Coarse time is a shifted timestamp of the first report. From the other reports, only properties
        // that all of them share are used.
        const int64_t toAxis_ns = partition.hostToAxis_ns[key];
        out.m_utcAtZero_ns = *reportClock.utcAtZero_ns - toAxis_ns;
        out.m_coarseMinusRaw = {toAxis_ns, toAxis_ns};
        out.m_kind = isRaw                                                      ? Kind::raw
                     : reportClock.name.find("Unix epoch") != std::string::npos ? Kind::wall
                                                                                : Kind::anchored;
        if (out.m_kind == Kind::anchored) {
            const int64_t start_ns = startOf(workspace.report(key)).ns;
            const OffsetRange raw =
                widened(out.m_path->rawAt(*reportClock.utcAtZero_ns + start_ns), kCalibration_ns);
            const int64_t coarse_ns = start_ns + toAxis_ns;
            out.m_coarseMinusRaw = {coarse_ns - raw.greatest_ns, coarse_ns - raw.least_ns};
        }
        if (isRaw) break;
    }
    return isFound ? std::optional(out) : std::nullopt;
}

OffsetRange DomainClock::rawAt(int64_t coarse_ns) const
{
    const OffsetRange byRaw{coarse_ns - m_coarseMinusRaw.greatest_ns, coarse_ns - m_coarseMinusRaw.least_ns};
    if (m_kind == Kind::raw) return byRaw;
    const OffsetRange byWall = widened(m_path->rawAt(coarse_ns + m_utcAtZero_ns), kCalibration_ns);
    return m_kind == Kind::wall ? byWall : hullOf(byRaw, byWall);
}

OffsetRange DomainClock::coarseAt(OffsetRange raw) const
{
    const OffsetRange byRaw{raw.least_ns + m_coarseMinusRaw.least_ns,
                            raw.greatest_ns + m_coarseMinusRaw.greatest_ns};
    if (m_kind == Kind::raw) return byRaw;
    const OffsetRange wall = hullOf(m_path->at(raw.least_ns), m_path->at(raw.greatest_ns));
    const OffsetRange byWall = widened(
        {coarseFromWall(raw.least_ns, wall.least_ns), coarseFromWall(raw.greatest_ns, wall.greatest_ns)},
        kCalibration_ns);
    return m_kind == Kind::wall ? byWall : hullOf(byRaw, byWall);
}

constexpr int64_t kKnotEvery_ns = 625'000'000; // an eighth of the interval between two rounds
constexpr int64_t kMaxKnots = 4096;
// time ranges wider than this length are converted at both ends
constexpr int64_t kSharp_ns = 100'000;
constexpr int64_t kShortest_ns = 2'000'000'000; // shortest window for a drift estimate
constexpr double kMaxSlope = 2e-3;              // largest slope of a line through slewed clocks
// Distance between a corner and its neighboring knots. The time of a corner is known to within a few
// microseconds.
constexpr int64_t kCornerDistance_ns = 10'000;
constexpr int kSearches = 50;
constexpr double kWide = 4; // bounds wider than this many times the median width are ignored for the line

// ExchangeFitter bounds the offset of every domain. Idea: at a time of the domain, the coarse time is
// converted to the raw clock of its host (DomainClock), over the measured links to the raw clock of the
// reference's host (HostClocks), and from there to the coarse time of the reference. Each conversion returns
// a range, and the ranges add up. The result is stored at knots: every 0.6 s, and at each time at which a
// clock was stepped, changed its rate, or was not measured.
//
// Invariant: the true offset is inside the range of each knot, and between two knots it exceeds the
// interpolated range by at most slack_ns. Cost: O(knots * hops * log rounds) per domain, at most about 4,096
// evenly spaced knots.
class ExchangeFitter {
  public:
    ExchangeFitter(const Workspace& workspace, const ClockPartition& partition, const Workers& workers)
        : m_workspace(workspace), m_partition(partition), m_workers(workers), m_hosts(workspace)
    {
        for (uint32_t d = 0; d < partition.domainCount; ++d)
            m_clocks.push_back(DomainClock::of(workspace, partition, d, m_hosts));
    }

    std::shared_ptr<const ExchangeFit> run(std::optional<uint32_t> preferred);

  private:
    OffsetRange referenceAt(OffsetRange raw) const;
    OffsetRange aheadAt(const DomainClock& clock, int64_t coarse_ns) const;
    std::optional<TimeRange> extentOf(uint32_t domain) const;
    void measure(uint32_t domain, ExchangeDomain& out) const;
    void addWallSteps(const DomainClock& clock, TimeRange extent, ExchangeDomain& out,
                      std::vector<int64_t>& moments) const;
    void addReferenceSteps(const DomainClock& clock, TimeRange extent, ExchangeDomain& out,
                           std::vector<int64_t>& moments) const;
    void addCorners(const DomainClock& clock, int64_t middle_ns, std::vector<int64_t>& moments) const;
    void describe(const DomainClock& clock, ExchangeDomain& out) const;

    const Workspace& m_workspace;
    const ClockPartition& m_partition;
    const Workers& m_workers;
    HostClocks m_hosts;
    std::vector<std::optional<DomainClock>> m_clocks; // by domain
    const DomainClock* m_reference = nullptr;
    TimeRange m_referenceExtent;                 // coarse time
    OffsetRange m_rawExtent;                     // the same on the raw clock, including the uncertainty
    std::vector<std::optional<size_t>> m_routes; // routes to the clock of the reference
};

// Only the recorded range of the reference's clock matters. Outside of that range the clock is assumed to
// continue unchanged, because there is no data that contradicts this.
OffsetRange ExchangeFitter::referenceAt(OffsetRange raw) const
{
    int64_t beyond_ns = 0;
    double rate = 0;
    if (raw.least_ns > m_rawExtent.greatest_ns) {
        beyond_ns = raw.least_ns - m_rawExtent.greatest_ns;
        rate = m_reference->isRaw() ? 0 : m_reference->path().rateAtEnd();
    } else if (raw.greatest_ns < m_rawExtent.least_ns) {
        beyond_ns = raw.greatest_ns - m_rawExtent.least_ns;
        rate = m_reference->isRaw() ? 0 : m_reference->path().rateAtBegin();
    }
    const OffsetRange bounds = m_reference->coarseAt({raw.least_ns - beyond_ns, raw.greatest_ns - beyond_ns});
    const int64_t later_ns = beyond_ns + std::llround(rate * static_cast<double>(beyond_ns));
    return {bounds.least_ns + later_ns, bounds.greatest_ns + later_ns};
}

// Returns the domain's coarse time minus the reference's coarse time, at a coarse time of the domain.
OffsetRange ExchangeFitter::aheadAt(const DomainClock& clock, int64_t coarse_ns) const
{
    const OffsetRange raw = clock.rawAt(coarse_ns);
    OffsetRange there;
    if (raw.width_ns() <= kSharp_ns) {
        const int64_t half_ns = raw.width_ns() / 2 + 1;
        there = m_hosts.convertAlongRoute(clock.clock(), raw.least_ns + half_ns, m_routes);
        there = {there.least_ns - half_ns - 1, there.greatest_ns + half_ns + 1};
    } else {
        there = {m_hosts.convertAlongRoute(clock.clock(), raw.least_ns, m_routes).least_ns,
                 m_hosts.convertAlongRoute(clock.clock(), raw.greatest_ns, m_routes).greatest_ns};
    }
    const OffsetRange coarse = referenceAt(there);
    return {coarse_ns - coarse.greatest_ns, coarse_ns - coarse.least_ns};
}

// Returns the range of the timestamps of the domain's reports in coarse time; nullopt if there are no
// timestamps.
std::optional<TimeRange> ExchangeFitter::extentOf(uint32_t domain) const
{
    std::optional<TimeRange> all;
    for (const ReportKey key : m_partition.reports) {
        if (m_partition.domain[key] != domain) continue;
        const Report& report = m_workspace.report(key);
        const TimeRange own = report.extent.isEmpty() ? report.session : report.extent;
        if (own.isEmpty()) continue;
        const int64_t toAxis_ns = m_partition.hostToAxis_ns[key];
        const TimeRange moved{{own.begin.ns + toAxis_ns}, {own.end.ns + toAxis_ns}};
        if (!all) all = moved;
        all = TimeRange{std::min(all->begin, moved.begin), std::max(all->end, moved.end)};
    }
    return all;
}

// Adds the steps of the domain's own wall clock. Both ends of the interval that contains a step become knots.
void ExchangeFitter::addWallSteps(const DomainClock& clock, TimeRange extent, ExchangeDomain& out,
                                  std::vector<int64_t>& moments) const
{
    if (clock.isRaw()) return;
    for (const WallStep& step : clock.path().steps()) {
        const int64_t before_ns = clock.path().at(step.begin_ns - 1).least_ns;
        const int64_t begin_ns = clock.coarseFromWall(step.begin_ns, before_ns);
        const int64_t end_ns = clock.coarseFromWall(step.end_ns, before_ns + step.jump_ns);
        // After a backward step, timestamps repeat, so either rate may apply to the whole interval.
        const int64_t most_ns = step.end_ns - step.begin_ns;
        const TimeRange interval{{std::min(begin_ns, end_ns - most_ns)},
                                 {std::max(begin_ns + most_ns, end_ns)}};
        if (interval.end < extent.begin || extent.end < interval.begin) continue;
        for (const int64_t corner_ns : {begin_ns, begin_ns + most_ns, end_ns - most_ns, end_ns}) {
            for (const int64_t distance_ns : {-kCornerDistance_ns, int64_t(0), kCornerDistance_ns})
                moments.push_back(corner_ns + distance_ns);
        }
        for (int part = 0; part <= 8; ++part)
            moments.push_back(interval.begin.ns + (interval.end - interval.begin).ns * part / 8);
        out.steps.push_back({begin_ns + (end_ns - begin_ns) / 2, step.jump_ns, most_ns / 4});
        out.uncertainty =
            "its wall clock was stepped by " + durationText({step.jump_ns}) + " during the recording";
    }
}

// Adds the jumps of the reference's wall clock, with the opposite sign.
void ExchangeFitter::addReferenceSteps(const DomainClock& clock, TimeRange extent, ExchangeDomain& out,
                                       std::vector<int64_t>& moments) const
{
    if (m_reference->isRaw() || &clock == m_reference) return;
    const auto timeOf = [&](int64_t coarse_ns) {
        int64_t at_ns = coarse_ns;
        for (int iteration = 0; iteration < 4; ++iteration) {
            const OffsetRange ahead = aheadAt(clock, at_ns);
            at_ns = coarse_ns + ahead.least_ns + ahead.width_ns() / 2;
        }
        return at_ns;
    };
    for (const WallStep& step : m_reference->path().steps()) {
        const int64_t before_ns = m_reference->path().at(step.begin_ns - 1).least_ns;
        const int64_t begin_ns = timeOf(m_reference->coarseFromWall(step.begin_ns, before_ns));
        const int64_t end_ns = begin_ns + step.end_ns - step.begin_ns;
        if (end_ns < extent.begin.ns || extent.end.ns < begin_ns) continue;
        for (int part = -2; part <= 10; ++part)
            moments.push_back(begin_ns + (end_ns - begin_ns) * part / 8);
        out.steps.push_back(
            {begin_ns + (end_ns - begin_ns) / 2, -step.jump_ns, (step.end_ns - step.begin_ns) / 4});
        out.uncertainty = "the reference's wall clock was stepped by " + durationText({step.jump_ns}) +
                          " during the recording";
    }
}

// Adds the times at which the rate of a wall clock used for timestamps changed.
void ExchangeFitter::addCorners(const DomainClock& clock, int64_t middle_ns,
                                std::vector<int64_t>& moments) const
{
    const auto add = [&moments](const DomainClock& of, int64_t later_ns) {
        if (of.isRaw()) return;
        for (const WallPoint& point : of.path().points())
            moments.push_back(of.coarseFromWall(point.raw_ns, point.wall_ns) + later_ns);
    };
    add(clock, 0);
    const OffsetRange ahead = aheadAt(clock, middle_ns);
    const int64_t later_ns = ahead.least_ns + ahead.width_ns() / 2;
    add(*m_reference, later_ns);
    for (const TraceTime end : {m_referenceExtent.begin, m_referenceExtent.end})
        moments.push_back(end.ns + later_ns);
}

void ExchangeFitter::describe(const DomainClock& clock, ExchangeDomain& out) const
{
    const std::vector<size_t> route = m_hosts.routeOf(clock.clock(), m_routes);
    if (route.empty()) {
        out.evidence = "one host's clocks, read together";
    }
    size_t at = clock.clock();
    bool isUnstable = false, isOverLink = false;
    for (const size_t i : route) {
        const ClockLink& link = m_hosts.links()[i];
        at = link.from == at ? link.to : link.from;
        out.evidence += (out.evidence.empty() ? "" : "; ") + std::to_string(link.rounds) + " rounds with " +
                        m_hosts.clocks()[at].host + ", the fastest took " +
                        durationText({link.leastDelay_ns});
        isUnstable = isUnstable || link.tube.isUnstable();
        isOverLink = isOverLink || link.isOverLink;
    }
    const auto uncertainty = [&out](const char* text) {
        out.uncertainty += (out.uncertainty.empty() ? "" : "; ") + std::string(text);
    };
    if (isOverLink) uncertainty("the hosts could not reach each other: measured through the launcher");
    if (isUnstable) uncertainty("the clock rates changed more than those of quartz oscillators do");
    if (clock.isUncertain())
        uncertainty("the file does not record which clock its timestamps follow after their start");
}

void ExchangeFitter::measure(uint32_t domain, ExchangeDomain& out) const
{
    const DomainClock& clock = *m_clocks[domain];
    const auto extent = extentOf(domain);
    if (!extent || (!m_routes[clock.clock()] && clock.clock() != m_reference->clock())) return;
    std::vector<int64_t> moments;
    const int64_t span_ns = (extent->end - extent->begin).ns;
    const int64_t count = std::clamp<int64_t>(span_ns / kKnotEvery_ns + 1, 2, kMaxKnots);
    for (int64_t i = 0; i <= count; ++i)
        moments.push_back(extent->begin.ns + static_cast<int64_t>(__int128(span_ns) * i / count));
    addWallSteps(clock, *extent, out, moments);
    addReferenceSteps(clock, *extent, out, moments);
    double widening = 0;
    for (const size_t i : m_hosts.routeOf(clock.clock(), m_routes)) {
        const ClockLink& link = m_hosts.links()[i];
        widening += link.tube.widening();
        // An interval without information. It has about the same length on all clocks.
        for (const auto& [begin_ns, end_ns] : link.tube.breaks()) {
            const int64_t own_ns =
                link.from == clock.clock() ? begin_ns : begin_ns + link.tube.approximateOffset_ns();
            const int64_t at_ns = clock.coarseAt({own_ns, own_ns}).least_ns;
            for (int part = -1; part <= 9; ++part)
                moments.push_back(at_ns + (end_ns - begin_ns) * part / 8);
        }
    }
    for (const ExchangeStep& step : out.steps) // the line has a discontinuity at a step
        moments.insert(moments.end(), {step.at_ns - 1, step.at_ns});
    addCorners(clock, extent->begin.ns + span_ns / 2, moments);
    std::ranges::sort(moments);
    const auto same = std::ranges::unique(moments);
    moments.erase(same.begin(), same.end());
    for (const int64_t at_ns : moments) {
        if (at_ns < extent->begin.ns || at_ns > extent->end.ns) continue;
        const OffsetRange ahead = aheadAt(clock, at_ns);
        out.knots.push_back({at_ns, ahead.least_ns, ahead.greatest_ns});
    }
    out.slack_ns = std::llround(widening * static_cast<double>(span_ns) / static_cast<double>(count) / 2) + 1;
    // While a clock is being stepped, its bounds stay constant although the line continues.
    for (const ExchangeStep& step : out.steps)
        out.slack_ns = std::max<int64_t>(out.slack_ns,
                                         std::llround(kMaxSlope * static_cast<double>(step.partLength_ns)));
    std::ranges::sort(out.steps, {}, &ExchangeStep::at_ns);
    describe(clock, out);
}

std::shared_ptr<const ExchangeFit> ExchangeFitter::run(std::optional<uint32_t> preferred)
{
    const auto isThere = [this](uint32_t d) { return m_clocks[d].has_value() && extentOf(d).has_value(); };
    std::optional<uint32_t> reference = preferred;
    if (reference && !isThere(*reference)) return nullptr;
    // A raw clock is never stepped or slewed, which makes it the best reference for others.
    for (const bool isRaw : {true, false}) {
        for (uint32_t d = 0; d < m_clocks.size() && !reference; ++d) {
            if (isThere(d) && m_clocks[d]->isRaw() == isRaw) reference = d;
        }
    }
    if (!reference || m_hosts.links().empty()) return nullptr;
    m_reference = &*m_clocks[*reference];
    m_routes = m_hosts.routesTo(m_reference->clock());
    m_referenceExtent = *extentOf(*reference);
    m_rawExtent = {m_reference->rawAt(m_referenceExtent.begin.ns).least_ns,
                   m_reference->rawAt(m_referenceExtent.end.ns).greatest_ns};
    // After a backward step, earlier timestamps may be larger than the last timestamp.
    for (const WallStep& step : m_reference->path().steps()) {
        if (m_reference->isRaw()) break;
        m_rawExtent = {std::min(m_rawExtent.least_ns, step.begin_ns),
                       std::max(m_rawExtent.greatest_ns, step.end_ns)};
    }
    auto fit = std::make_shared<ExchangeFit>();
    fit->reference = *reference;
    fit->domains.resize(m_clocks.size());
    m_workers.run(m_clocks.size(), [&](size_t d, size_t) {
        if (m_clocks[d] && d != *reference) measure(static_cast<uint32_t>(d), fit->domains[d]);
    });
    for (const ClockLink& link : m_hosts.links())
        fit->rounds += link.rounds;
    fit->outliers = m_hosts.outliers();
    return std::ranges::any_of(fit->domains, &ExchangeDomain::isMeasured) ? fit : nullptr;
}

} // namespace

std::shared_ptr<const ExchangeFit> fitExchange(const Workspace& workspace, const ClockPartition& partition,
                                               std::optional<uint32_t> preferred, const Workers& workers)
{
    return ExchangeFitter(workspace, partition, workers).run(preferred);
}

double ExchangeLine::at(int64_t at_ns, const std::vector<ExchangeStep>& steps) const
{
    double value = offset_ns + drift * static_cast<double>(at_ns - origin_ns);
    for (const ExchangeStep& step : steps) {
        if (at_ns >= step.at_ns) value += static_cast<double>(step.jump_ns);
    }
    return value;
}

namespace {

// A knot with the steps removed, relative to the origin of the line.
struct PlainKnot {
    double x = 0;
    double least = 0;
    double greatest = 0;
};

// Returns, for this drift, the offset of the line whose maximum distance from all bounds is smallest, and
// that distance.
std::pair<double, double> middleLine(const std::vector<PlainKnot>& knots, double drift)
{
    double greatest = -INFINITY, least = INFINITY;
    for (const PlainKnot& knot : knots) {
        greatest = std::max(greatest, knot.greatest - drift * knot.x);
        least = std::min(least, knot.least - drift * knot.x);
    }
    return {(greatest + least) / 2, (greatest - least) / 2};
}

std::vector<PlainKnot> plainKnots(const ExchangeDomain& domain, int64_t origin_ns, int64_t base_ns)
{
    std::vector<int64_t> widths;
    for (const ExchangeKnot& knot : domain.knots)
        widths.push_back(knot.greatest_ns - knot.least_ns);
    const auto middle = widths.begin() + static_cast<std::ptrdiff_t>(widths.size() / 2);
    std::ranges::nth_element(widths, middle);
    const double usual = static_cast<double>(*middle) + 1;
    std::vector<PlainKnot> out;
    for (const ExchangeKnot& knot : domain.knots) {
        if (static_cast<double>(knot.greatest_ns - knot.least_ns) > kWide * usual) continue;
        double stepped = 0;
        for (const ExchangeStep& step : domain.steps)
            stepped += knot.at_ns >= step.at_ns ? static_cast<double>(step.jump_ns) : 0;
        out.push_back({static_cast<double>(knot.at_ns - origin_ns),
                       static_cast<double>(knot.least_ns - base_ns) - stepped,
                       static_cast<double>(knot.greatest_ns - base_ns) - stepped});
    }
    return out;
}

} // namespace

// Returns the line with the smallest maximum distance from the bounds. For a given drift, its offset is in
// the middle of the extreme bounds (middleLine()). The distance is a convex function of the drift, so a
// ternary search finds the best drift. Very wide bounds do not influence the line, but count for bound_ns.
// O(knots).
ExchangeLine lineThrough(const ExchangeDomain& domain)
{
    ExchangeLine line;
    const int64_t begin_ns = domain.knots.front().at_ns, end_ns = domain.knots.back().at_ns;
    const int64_t base_ns = domain.knots.front().least_ns; // origin near which doubles are exact
    line.origin_ns = begin_ns + (end_ns - begin_ns) / 2;
    const std::vector<PlainKnot> knots = plainKnots(domain, line.origin_ns, base_ns);
    // The maximum distance of the best line is a convex function of the drift.
    double least = -kMaxSlope, greatest = kMaxSlope;
    for (int iteration = 0; iteration < kSearches && end_ns - begin_ns >= kShortest_ns; ++iteration) {
        const double first = least + (greatest - least) / 3, second = greatest - (greatest - least) / 3;
        if (middleLine(knots, first).second < middleLine(knots, second).second) {
            greatest = second;
        } else {
            least = first;
        }
    }
    line.drift = end_ns - begin_ns >= kShortest_ns ? (least + greatest) / 2 : 0;
    line.offset_ns = static_cast<double>(base_ns) + middleLine(knots, line.drift).first;
    double worst = 0;
    for (const ExchangeKnot& knot : domain.knots) {
        const double at = line.at(knot.at_ns, domain.steps);
        worst = std::max(
            {worst, at - static_cast<double>(knot.least_ns), static_cast<double>(knot.greatest_ns) - at});
    }
    line.bound_ns = static_cast<int64_t>(std::ceil(worst)) + domain.slack_ns;
    return line;
}

} // namespace lockstep
