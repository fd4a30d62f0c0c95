// SPDX-License-Identifier: Apache-2.0
#include "core/align/exchange_maps.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/align/alignment_report.h"
#include "core/align/robust_statistics.h"
#include "core/base/text.h"

namespace lockstep {

namespace {

// Smaller contradictions result from rounding and from timestamps in microseconds.
constexpr int64_t kContradiction_ns = 1'000;
constexpr int64_t kGoodBound_ns = 100'000;
constexpr int64_t kFairBound_ns = 1'000'000;

bool isEstimated(ClockVerdict verdict)
{
    return verdict == ClockVerdict::applied || verdict == ClockVerdict::noCorrectionNeeded;
}

// ExchangeMapper computes the intersection of both kinds of bounds for a domain, or finds that they
// contradict each other.
class ExchangeMapper {
  public:
    ExchangeMapper(const ExchangeFit& exchange, const CollectiveFit& fit) : m_exchange(exchange), m_fit(fit)
    {
    }

    void apply(ReportKey key, ClockMap& map) const;

  private:
    bool isOneReference(uint32_t domain) const
    {
        return domain < m_fit.bounds.domains.size() &&
               m_fit.bounds.domains[domain].reference == m_exchange.reference;
    }
    bool isNumbered(uint32_t domain) const;
    std::vector<ExchangeKnot> intersection(uint32_t domain, int64_t& contradiction_ns) const;
    void placeByExchange(ReportKey key, const ExchangeDomain& domain, ClockMap& map) const;
    void narrow(ReportKey key, const std::vector<ExchangeKnot>& knots, const ExchangeDomain& domain,
                ClockMap& map) const;
    int64_t toAxis_ns(ReportKey key) const { return m_fit.partition.hostToAxis_ns[key]; }

    const ExchangeFit& m_exchange;
    const CollectiveFit& m_fit;
};

std::string boundText(const ExchangeDomain& domain, int64_t bound_ns)
{
    return "clock exchange: error at most " + errorText(bound_ns) + ", from " + domain.evidence +
           (domain.uncertainty.empty() ? "" : "; " + domain.uncertainty);
}

ClockConfidence confidenceOf(int64_t bound_ns)
{
    if (bound_ns <= kGoodBound_ns) return ClockConfidence::good;
    return bound_ns <= kFairBound_ns ? ClockConfidence::fair : ClockConfidence::wallclock;
}

// Returns true if the operations that connect the domain with others have numbers in the files. Otherwise the
// matching of these operations is only a well-founded guess.
bool ExchangeMapper::isNumbered(uint32_t domain) const
{
    return std::ranges::all_of(m_fit.table.ofDomain(domain), [this](uint32_t i) {
        const AnchorMoment& moment = m_fit.table.moments[m_fit.table.anchors[i].moment];
        return !m_fit.matches.groups[moment.group].isByPattern;
    });
}

std::vector<ExchangeKnot> ExchangeMapper::intersection(uint32_t domain, int64_t& contradiction_ns) const
{
    std::vector<ExchangeKnot> knots = m_exchange.domains[domain].knots;
    contradiction_ns = 0;
    if (!isOneReference(domain) || m_fit.bounds.isContradictory) return knots;
    const DomainBound& bound = m_fit.bounds.domains[domain];
    if (!bound.isTwoSided() || !bound.worst_ns || !m_fit.fit.domains[domain].isFitted) return knots;
    const ClockLine& line = m_fit.fit.domains[domain].line;
    const int64_t slack_ns = m_exchange.domains[domain].slack_ns;
    for (ExchangeKnot& knot : knots) {
        const auto time = static_cast<double>(knot.at_ns - m_fit.table.origin_ns) - line.offset_ns;
        // Collectives do not give any information for that time.
        if (std::abs(time) > m_fit.table.halfWindow_ns) continue;
        const auto least_ns = static_cast<int64_t>(std::floor(line.at(time) - *bound.worst_ns));
        const auto greatest_ns = static_cast<int64_t>(std::ceil(line.at(time) + *bound.worst_ns));
        const int64_t separation_ns =
            std::max(least_ns - knot.greatest_ns, knot.least_ns - greatest_ns) - slack_ns;
        contradiction_ns = std::max(contradiction_ns, separation_ns);
        knot.least_ns = std::max(knot.least_ns, least_ns);
        knot.greatest_ns = std::min(knot.greatest_ns, greatest_ns);
    }
    return knots;
}

void ExchangeMapper::placeByExchange(ReportKey key, const ExchangeDomain& domain, ClockMap& map) const
{
    const ExchangeLine line = lineThrough(domain);
    // Even if there are too few collectives for an estimate, they may give tighter bounds than a slow
    // network.
    // An estimate of a clock that is placed here was rejected: it contradicts the exchange.
    const bool isEstimate = isEstimated(m_fit.verdicts[map.domain].verdict);
    if (!isEstimate && isOneReference(map.domain) && map.method == AlignMethod::collectives && map.bound_ns &&
        *map.bound_ns <= line.bound_ns) {
        map.reason += "; the clock exchange is less precise: " + errorText(line.bound_ns);
        return;
    }
    const int64_t offset_ns = std::llround(line.offset_ns);
    map.method = AlignMethod::exchange;
    map.offset_ns = toAxis_ns(key) - offset_ns;
    map.correction_ns = -offset_ns;
    map.driftOrigin = {line.origin_ns - toAxis_ns(key)};
    map.drift_ppb = std::llround(-line.drift * 1e9);
    map.driftError_ppb.reset();
    map.steps.clear();
    for (const ExchangeStep& step : domain.steps)
        map.steps.push_back({{step.at_ns - toAxis_ns(key)}, -step.jump_ns});
    // Drift is rounded to whole parts per 10^9.
    const int64_t half_ns = (domain.knots.back().at_ns - domain.knots.front().at_ns) / 2;
    map.bound_ns = line.bound_ns + half_ns / 2'000'000'000 + 2;
    map.error_ns = map.bound_ns;
    map.guaranteed = ClockInterval{-*map.bound_ns, *map.bound_ns};
    map.confidence = confidenceOf(*map.bound_ns);
    map.reason = boundText(domain, *map.bound_ns) + "; collectives: " + map.reason;
}

// Keeps the estimate. Its error bound becomes its largest distance from the edge of the intersection.
void ExchangeMapper::narrow(ReportKey key, const std::vector<ExchangeKnot>& knots,
                            const ExchangeDomain& domain, ClockMap& map) const
{
    int64_t worst_ns = 0;
    for (const ExchangeKnot& knot : knots) {
        const TraceTime stamp{knot.at_ns - toAxis_ns(key)};
        const int64_t takenOff_ns = knot.at_ns - map.alignedFromTrace(stamp).ns;
        worst_ns = std::max({worst_ns, takenOff_ns - knot.least_ns, knot.greatest_ns - takenOff_ns});
    }
    worst_ns += domain.slack_ns;
    if (map.bound_ns && *map.bound_ns <= worst_ns) {
        map.reason += "; the clock exchange agrees to within " + errorText(worst_ns);
        return;
    }
    map.method = AlignMethod::exchange;
    map.bound_ns = worst_ns;
    map.guaranteed = ClockInterval{-worst_ns, worst_ns};
    if (map.error_ns) map.error_ns = std::min(*map.error_ns, worst_ns);
    map.confidence = std::max(map.confidence, confidenceOf(worst_ns));
    map.reason = boundText(domain, worst_ns) + "; collectives: " + map.reason;
}

void ExchangeMapper::apply(ReportKey key, ClockMap& map) const
{
    if (map.domain == m_exchange.reference) {
        const bool isTied = m_fit.verdicts[map.domain].verdict == ClockVerdict::reference;
        if (!isTied) map.reason = "reference of the clock exchange; " + map.reason;
        map.method = AlignMethod::reference;
        map.confidence = ClockConfidence::exact;
        map.bound_ns = 0;
        return;
    }
    const ExchangeDomain& domain = m_exchange.domains[map.domain];
    if (!domain.isMeasured()) return;
    int64_t contradiction_ns = 0;
    const std::vector<ExchangeKnot> knots = intersection(map.domain, contradiction_ns);
    const bool isEstimate = isOneReference(map.domain) && isEstimated(m_fit.verdicts[map.domain].verdict);
    if (contradiction_ns > kContradiction_ns && !isNumbered(map.domain)) {
        placeByExchange(key, domain, map);
        map.reason += "; the collectives were matched by pattern only and contradict the clock exchange by " +
                      errorText(contradiction_ns) + ", so they are not used";
    } else if (contradiction_ns > kContradiction_ns) {
        map.reason += "; the clock exchange contradicts the collectives by " + errorText(contradiction_ns) +
                      ": one of the clocks is not the one recorded in its file; the collectives are used (" +
                      domain.evidence + ")";
        map.confidence = std::min(map.confidence, ClockConfidence::fair);
    } else if (isEstimate) {
        narrow(key, knots, domain, map);
    } else {
        placeByExchange(key, domain, map);
    }
}

} // namespace

std::shared_ptr<const ExchangeFit> fitExchange(const Workspace& workspace, const CollectiveFit& fit,
                                               const Workers& workers)
{
    std::optional<uint32_t> preferred;
    for (uint32_t d = 0; d < fit.verdicts.size() && !preferred; ++d) {
        if (fit.verdicts[d].verdict == ClockVerdict::reference) preferred = d;
    }
    return fitExchange(workspace, fit.partition, preferred, workers);
}

void applyExchange(const ExchangeFit& exchange, const CollectiveFit& fit, ByReport<ClockMap>& maps)
{
    const ExchangeMapper mapper(exchange, fit);
    for (const ReportKey key : fit.partition.reports)
        mapper.apply(key, maps[key]);
}

std::string exchangeText(const ExchangeFit& exchange, const ByReport<ClockMap>& maps)
{
    std::set<uint32_t> domains;
    std::vector<double> bounds;
    for (size_t slot = 0; slot < maps.slotCount(); ++slot) {
        const ReportKey key(static_cast<uint32_t>(slot));
        if (!maps.has(key) || maps[key].method != AlignMethod::exchange) continue;
        if (domains.insert(maps[key].domain).second && maps[key].bound_ns)
            bounds.push_back(static_cast<double>(*maps[key].bound_ns));
    }
    std::string text = std::to_string(domains.size()) + (domains.size() == 1 ? " clock" : " clocks") +
                       " bounded by " + std::to_string(exchange.rounds) + " rounds of clock exchange";
    if (!bounds.empty()) text += ", median bound " + errorText(std::llround(median(bounds)));
    if (exchange.outliers > 0)
        text += "; " + std::to_string(exchange.outliers) + " rounds contradicted others";
    return text;
}

} // namespace lockstep
