// SPDX-License-Identifier: Apache-2.0
#include "core/align/clock_fit.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/align/clock_fitter.h"
#include "core/align/sequence_shift.h"

namespace lockstep {

namespace {

constexpr double kEndScatter_ns = 5'000; // expected scatter of ends for short transfers
constexpr double kScatterPerTransfer = 0.02;
constexpr double kConverged_ns = 50;
constexpr uint32_t kMaxRounds = 50;
constexpr size_t kMinAnchorsForDrift = 30;

} // namespace

ClockFitter::ClockFitter(const AnchorTable& table, const std::vector<bool>& isReferenceAllowed,
                         const Workers& workers)
    : m_table(table), m_workers(workers)
{
    m_fit.domains.resize(table.domainCount);
    m_fit.commonEnd_ns.assign(table.moments.size(), std::nan(""));
    m_mayDrift.assign(table.domainCount, false);
    m_isDriftFitted = 2 * table.halfWindow_ns >= kDriftWindow_ns;
    collectSamples();
    findComponents();
    chooseReferences(isReferenceAllowed);
}

void ClockFitter::collectSamples()
{
    m_samples.resize(m_table.byDomain.size());
    m_workers.run(m_table.domainCount, [&](size_t d, size_t) {
        const auto indices = m_table.ofDomain(static_cast<uint32_t>(d));
        for (size_t i = 0; i < indices.size(); ++i) {
            const Anchor& anchor = m_table.anchors[indices[i]];
            const AnchorMoment& moment = m_table.moments[anchor.moment];
            const double scatter =
                std::hypot(kEndScatter_ns,
                           moment.isPair ? moment.pairNoise_ns : kScatterPerTransfer * moment.transfer_ns);
            m_fit.domains[d].pairCount += moment.isPair ? 1 : 0;
            m_samples[m_table.domainFirst[d] + i] = {moment.time_ns, anchor.end_ns,
                                                     static_cast<float>(kEndScatter_ns / scatter),
                                                     moment.pairNoise_ns, anchor.moment};
        }
        m_fit.domains[d].anchorCount = static_cast<uint32_t>(indices.size());
        m_fit.domains[d].isFitted = indices.size() >= kMinAnchors;
        const double span = indices.empty() ? 0 : samplesOf(d).back().time_ns - samplesOf(d).front().time_ns;
        m_fit.domains[d].driftError = span; // temporarily contains the observed span; reset below
    });
    for (size_t d = 0; d < m_table.domainCount; ++d) {
        DomainFit& domain = m_fit.domains[d];
        m_mayDrift[d] = m_isDriftFitted && domain.anchorCount >= kMinAnchorsForDrift &&
                        domain.driftError >= kDriftWindow_ns;
        domain.driftError = 0;
    }
}

void ClockFitter::findComponents()
{
    std::vector<uint32_t> root(m_table.domainCount);
    std::iota(root.begin(), root.end(), 0u);
    const auto find = [&](uint32_t d) {
        while (root[d] != d)
            d = root[d] = root[root[d]];
        return d;
    };
    for (const AnchorMoment& moment : m_table.moments) {
        uint32_t first = ~0u;
        for (const Anchor& anchor : m_table.at(moment)) {
            if (!isFitted(anchor.domain)) continue;
            if (first == ~0u) {
                first = find(anchor.domain);
            } else {
                root[find(anchor.domain)] = first;
            }
        }
    }
    std::vector<uint32_t> number(m_table.domainCount, ~0u);
    uint32_t count = 0;
    for (uint32_t d = 0; d < m_table.domainCount; ++d) {
        uint32_t& known = number[find(d)];
        if (known == ~0u) known = count++;
        m_fit.domains[d].component = known;
    }
    m_fit.references.assign(count, ~0u);
}

void ClockFitter::chooseReferences(const std::vector<bool>& isAllowed)
{
    for (uint32_t d = 0; d < m_table.domainCount; ++d) {
        uint32_t& reference = m_fit.references[m_fit.domains[d].component];
        const auto merit = [&](uint32_t domain) {
            return std::pair(bool(isAllowed[domain]), m_fit.domains[domain].anchorCount);
        };
        if (reference == ~0u || merit(d) > merit(reference)) reference = d;
    }
}

// Sets the common end of each moment: the median over the domains that have a line. The common end is unknown
// if fewer than `least` of these took part.
void ClockFitter::estimateCommonEnds(size_t least)
{
    constexpr size_t kChunk = 64;
    m_workers.run((m_table.moments.size() + kChunk - 1) / kChunk, [&](size_t chunk, size_t) {
        std::vector<double> ends;
        for (size_t i = chunk * kChunk; i < std::min(m_table.moments.size(), (chunk + 1) * kChunk); ++i) {
            const AnchorMoment& moment = m_table.moments[i];
            ends.clear();
            for (const Anchor& anchor : m_table.at(moment)) {
                if (!m_isKnown[anchor.domain]) continue;
                ends.push_back(anchor.end_ns - m_fit.domains[anchor.domain].line.at(moment.time_ns));
            }
            m_fit.commonEnd_ns[i] = ends.size() < least ? std::nan("") : median(ends);
        }
    });
}

void ClockFitter::startLine(size_t domain)
{
    std::vector<SeriesPoint> series;
    std::vector<double> scratch;
    for (const Sample& s : samplesOf(domain)) {
        const double meeting = m_fit.commonEnd_ns[s.moment];
        if (!std::isnan(meeting)) series.push_back({s.time_ns, s.end_ns - meeting});
    }
    ClockLine& line = m_fit.domains[domain].line;
    line.drift = m_mayDrift[domain] && series.size() >= kMinAnchorsForDrift
                     ? std::clamp(localSlope(series, std::max<size_t>(8, series.size() / 20), scratch),
                                  -kMaxDrift, kMaxDrift)
                     : 0;
    scratch.clear();
    for (const SeriesPoint& p : series)
        scratch.push_back(p.y - line.drift * p.x);
    line.offset_ns = median(scratch);
}

// Initializes lines outward from the references, nearest domains first, so that offsets of seconds are
// removed before the polish.
void ClockFitter::startFromReferences()
{
    m_isKnown.assign(m_table.domainCount, false);
    for (const uint32_t reference : m_fit.references)
        m_isKnown[reference] = isFitted(reference);
    for (;;) {
        estimateCommonEnds(1);
        std::vector<size_t> next;
        size_t most = 0;
        std::vector<size_t> shared(m_table.domainCount, 0);
        for (size_t d = 0; d < m_table.domainCount; ++d) {
            if (!isFitted(d) || m_isKnown[d]) continue;
            shared[d] = static_cast<size_t>(std::ranges::count_if(
                samplesOf(d), [&](const Sample& s) { return !std::isnan(m_fit.commonEnd_ns[s.moment]); }));
            most = std::max(most, shared[d]);
        }
        if (most == 0) break;
        for (size_t d = 0; d < m_table.domainCount; ++d) {
            if (shared[d] >= std::min(most, kMinAnchors) && shared[d] > 0) next.push_back(d);
        }
        m_workers.run(next.size(), [&](size_t i, size_t) { startLine(next[i]); });
        for (const size_t d : next)
            m_isKnown[d] = true;
    }
}

void ClockFitter::polishDomain(size_t domain)
{
    DomainFit& fit = m_fit.domains[domain];
    std::vector<SeriesPoint> series;
    std::vector<float> weights;
    for (const Sample& s : samplesOf(domain)) {
        const double meeting = m_fit.commonEnd_ns[s.moment];
        if (std::isnan(meeting)) continue;
        double y = s.end_ns - meeting;
        for (const ClockJump& jump : fit.line.jumps)
            y -= s.time_ns >= jump.time_ns ? jump.jump_ns : 0;
        series.push_back({s.time_ns, y});
        weights.push_back(s.weight);
    }
    if (m_mayDrift[domain]) {
        std::vector<double> scratch;
        fit.line.drift = std::clamp(longSpanSlope(series, scratch), -kMaxDrift, kMaxDrift);
    }
    std::vector<WeightedValue> values;
    values.reserve(series.size());
    for (size_t i = 0; i < series.size(); ++i) {
        values.push_back({series[i].y - fit.line.drift * series[i].x, weights[i]});
    }
    fit.line.offset_ns = weightedMedian(values);
}

// Without this step in every round, the polish would drift, because a common line can be moved between the
// offsets and the common ends.
void ClockFitter::normalizeToReferences()
{
    std::vector<ClockLine> held;
    for (const uint32_t reference : m_fit.references)
        held.push_back(m_fit.domains[reference].line);
    for (DomainFit& domain : m_fit.domains) {
        if (!domain.isFitted) continue;
        domain.line.offset_ns -= held[domain.component].offset_ns;
        domain.line.drift -= held[domain.component].drift;
    }
}

void ClockFitter::polish(uint32_t mostRounds)
{
    std::vector<double> before(m_table.domainCount);
    for (uint32_t round = 0; round < mostRounds; ++round) {
        ++m_fit.rounds;
        for (size_t d = 0; d < before.size(); ++d)
            before[d] = m_fit.domains[d].line.offset_ns;
        estimateCommonEnds(2);
        m_workers.run(m_table.domainCount, [&](size_t d, size_t) {
            if (isFitted(d)) polishDomain(d);
        });
        normalizeToReferences();
        double moved = 0;
        for (size_t d = 0; d < before.size(); ++d) {
            moved = std::max(moved, std::abs(m_fit.domains[d].line.offset_ns - before[d]));
        }
        if (moved < kConverged_ns) break;
    }
}

ClockFit ClockFitter::run()
{
    startFromReferences();
    findJumps();
    polish(kMaxRounds);
    dropInsignificantDrifts();
    refine();
    describe();
    return std::move(m_fit);
}

uint32_t ClockFit::largestComponent() const
{
    std::vector<uint32_t> sizes(references.size(), 0);
    for (const DomainFit& domain : domains)
        sizes[domain.component] += domain.isFitted ? 1 : 0;
    return static_cast<uint32_t>(std::ranges::max_element(sizes) - sizes.begin());
}

ClockFit fitClocks(const AnchorTable& table, const std::vector<bool>& isReferenceAllowed,
                   const Workers& workers)
{
    return ClockFitter(table, isReferenceAllowed, workers).run();
}

double residualOf(const ClockFit& fit, const AnchorTable& table, const Anchor& anchor)
{
    return anchor.end_ns - fit.domains[anchor.domain].line.at(table.moments[anchor.moment].time_ns) -
           fit.commonEnd_ns[anchor.moment];
}

} // namespace lockstep
