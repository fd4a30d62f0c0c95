// SPDX-License-Identifier: Apache-2.0
#include "core/align/clock_fit.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <vector>

#include "core/align/sequence_shift.h"

namespace lockstep {

namespace {

// ClockFitter: the working state of fitClocks(). Used only by the clock fit.
//
// Idea: clock d shows the end of a collective as commonEnd + line(d) + noise. Neither the common ends nor the
// lines are known, so each is estimated from the other in turn. A common end is the median of (end - line)
// over the clocks, and a line is fitted to (end - commonEnd) by medians (a median polish), so ranks that end
// late do not pull it. Lines are first chained outward from the reference, which removes offsets of seconds.
// Then clock jumps are removed one by one, the polish runs until no offset moves by more than 50 ns, and
// insignificant drifts are dropped. Finally, Huber-weighted least squares (P. J. Huber, Robust Statistics,
// 1981) reduce the noise of the medians.
//
// Invariant: after each round, offset and drift of every reference are zero. Otherwise, lines and common ends
// could move together without any change of the residuals. Cost: O(anchors) per round, at most 50 rounds, and
// 20 more if drifts were dropped.
class ClockFitter {
  public:
    ClockFitter(const AnchorTable& table, const std::vector<bool>& isReferenceAllowed,
                const Workers& workers);
    ClockFit run();

  private:
    struct Sample {
        double time_ns;
        double end_ns;
        float weight;   // 1 / expected scatter of the ends (relative)
        float noise_ns; // minimum deviation for a pair; otherwise 0
        uint32_t moment;
    };

    std::span<const Sample> samplesOf(size_t domain) const
    {
        return std::span(m_samples).subspan(m_table.domainFirst[domain],
                                            m_table.domainFirst[domain + 1] - m_table.domainFirst[domain]);
    }
    bool isFitted(size_t domain) const { return m_fit.domains[domain].isFitted; }
    double detrended(const Sample& s, size_t domain) const
    {
        return s.end_ns - m_fit.domains[domain].line.at(s.time_ns);
    }
    void collectSamples();
    void findComponents();
    void chooseReferences(const std::vector<bool>& isAllowed);
    void startFromReferences();
    void estimateCommonEnds(size_t least);
    void startLine(size_t domain);
    void findJumps();
    std::vector<SeriesPoint> offsetsFromOthers(size_t domain) const;
    bool hasSinglePeer(size_t domain) const;
    void polish(uint32_t maxRounds);
    void polishDomain(size_t domain);
    void normalizeToReferences();
    void dropInsignificantDrifts();
    std::vector<double> residualsOf(size_t domain, const ClockLine& line) const;
    void dropInsignificantDrift(size_t domain);
    void measureNoise();
    void refine();
    void refineCommonEnds();
    void refineDomain(size_t domain);
    void describe();
    void describeDomain(size_t domain);

    const AnchorTable& m_table;
    const Workers& m_workers;
    ClockFit m_fit;
    std::vector<Sample> m_samples; // by domain, then time
    std::vector<bool> m_isKnown;   // true if the domain has a line during initialization
    std::vector<bool> m_mayDrift;
    bool m_isDriftFitted = false;
};

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
        const auto preference = [&](uint32_t domain) {
            return std::pair(bool(isAllowed[domain]), m_fit.domains[domain].anchorCount);
        };
        if (reference == ~0u || preference(d) > preference(reference)) reference = d;
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
        const double commonEnd = m_fit.commonEnd_ns[s.moment];
        if (!std::isnan(commonEnd)) series.push_back({s.time_ns, s.end_ns - commonEnd});
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
        const double commonEnd = m_fit.commonEnd_ns[s.moment];
        if (std::isnan(commonEnd)) continue;
        double y = s.end_ns - commonEnd;
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
    std::vector<ClockLine> referenceLines;
    for (const uint32_t reference : m_fit.references)
        referenceLines.push_back(m_fit.domains[reference].line);
    for (DomainFit& domain : m_fit.domains) {
        if (!domain.isFitted) continue;
        domain.line.offset_ns -= referenceLines[domain.component].offset_ns;
        domain.line.drift -= referenceLines[domain.component].drift;
    }
}

void ClockFitter::polish(uint32_t maxRounds)
{
    std::vector<double> before(m_table.domainCount);
    for (uint32_t round = 0; round < maxRounds; ++round) {
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

namespace {

constexpr size_t kMaxJumps = 16;
constexpr double kHuber = 1.345; // residuals up to this many deviations have full weight
constexpr double kDiscard = 6;   // residuals beyond this many deviations are ignored
// If timestamps agree exactly, there are no residuals from which to measure the noise.
constexpr double kSmallestNoise_ns = 50;
constexpr int kRefineSweeps = 3;
constexpr double kMedianEfficiency = 1.25; // standard error of a median relative to that of a mean
constexpr double kPause = 10;              // a gap this many times the median separates bursts

double huberWeight(double residual, double noise)
{
    const double size = std::abs(residual) / noise;
    if (size > kDiscard) return 0;
    return size <= kHuber ? 1 : kHuber / size;
}

} // namespace

// Returns the domain relative to the median of the others, at each point in time.
std::vector<SeriesPoint> ClockFitter::offsetsFromOthers(size_t domain) const
{
    std::vector<SeriesPoint> series;
    std::vector<double> others;
    for (const Sample& s : samplesOf(domain)) {
        others.clear();
        for (const Anchor& anchor : m_table.at(m_table.moments[s.moment])) {
            if (anchor.domain == domain || !isFitted(anchor.domain)) continue;
            others.push_back(anchor.end_ns - m_fit.domains[anchor.domain].line.at(s.time_ns));
        }
        if (!others.empty()) series.push_back({s.time_ns, detrended(s, domain) - median(others)});
    }
    return series;
}

bool ClockFitter::hasSinglePeer(size_t domain) const
{
    return std::ranges::all_of(samplesOf(domain),
                               [&](const Sample& s) { return m_table.moments[s.moment].anchorCount == 2; });
}

// Finds the clearest jump first, and removes its effect on the other domains before searching for the next
// one. If two clocks share collectives only with each other, their jump is assigned to the one that is not
// the reference.
void ClockFitter::findJumps()
{
    for (size_t round = 0; round < kMaxJumps; ++round) {
        std::vector<std::optional<ClockJump>> found(m_table.domainCount);
        // First compares with the common ends. This is cheap and sufficient to rule out jumps.
        m_workers.run(m_table.domainCount, [&](size_t d, size_t) {
            const bool isReference = m_fit.references[m_fit.domains[d].component] == d;
            if (!isFitted(d) || (isReference && hasSinglePeer(d))) return;
            if (m_table.domainCount > 16 || !isReference) {
                std::vector<SeriesPoint> coarse;
                for (const Sample& s : samplesOf(d)) {
                    const double commonEnd = m_fit.commonEnd_ns[s.moment];
                    if (!std::isnan(commonEnd)) coarse.push_back({s.time_ns, detrended(s, d) - commonEnd});
                }
                if (!findJump(coarse)) return;
            }
            found[d] = findJump(offsetsFromOthers(d));
        });
        size_t best = found.size();
        for (size_t d = 0; d < found.size(); ++d) {
            if (found[d] && (best == found.size() || found[d]->score > found[best]->score)) best = d;
        }
        if (best == found.size()) return;
        ClockLine& line = m_fit.domains[best].line;
        line.jumps.push_back(*found[best]);
        std::ranges::sort(line.jumps, {}, &ClockJump::time_ns);
        std::vector<double> rest;
        for (const SeriesPoint& p : offsetsFromOthers(best))
            rest.push_back(p.y);
        line.offset_ns += median(rest);
        estimateCommonEnds(2);
    }
}

std::vector<double> ClockFitter::residualsOf(size_t domain, const ClockLine& line) const
{
    std::vector<double> residuals;
    for (const Sample& s : samplesOf(domain)) {
        const double commonEnd = m_fit.commonEnd_ns[s.moment];
        if (!std::isnan(commonEnd)) residuals.push_back(s.end_ns - line.at(s.time_ns) - commonEnd);
    }
    return residuals;
}

// Keeps a drift if it differs from zero by at least three standard errors and reduces the residuals by at
// least a tenth.
void ClockFitter::dropInsignificantDrift(size_t domain)
{
    ClockLine& line = m_fit.domains[domain].line;
    auto with = residualsOf(domain, line);
    const double spreadWith = robustDeviation(with, 0);
    ClockLine flat = line;
    flat.drift = 0;
    auto without = residualsOf(domain, flat);
    auto copy = without;
    const double shift = median(copy);
    const double spreadWithout = robustDeviation(without, shift);
    const double spread = samplesOf(domain).back().time_ns - samplesOf(domain).front().time_ns;
    const double error = kMedianEfficiency * spreadWith / (spread / std::sqrt(12.0)) /
                         std::sqrt(static_cast<double>(with.size()));
    m_fit.domains[domain].driftError = error;
    if (std::abs(line.drift) > 3 * error && spreadWith <= 0.9 * spreadWithout) return;
    m_mayDrift[domain] = false;
    line.drift = 0;
    line.offset_ns += shift;
}

void ClockFitter::dropInsignificantDrifts()
{
    if (!m_isDriftFitted) return;
    bool anyDropped = false;
    for (size_t d = 0; d < m_table.domainCount; ++d) {
        if (!m_mayDrift[d]) continue;
        if (m_fit.references[m_fit.domains[d].component] == d) {
            m_mayDrift[d] = false;
            continue;
        }
        if (isFitted(d)) dropInsignificantDrift(d);
        anyDropped = anyDropped || !m_mayDrift[d];
    }
    if (anyDropped) polish(20);
}

void ClockFitter::measureNoise()
{
    std::vector<double> all;
    all.reserve(m_samples.size());
    for (size_t d = 0; d < m_table.domainCount; ++d) {
        if (!isFitted(d)) continue;
        const auto some = residualsOf(d, m_fit.domains[d].line);
        all.insert(all.end(), some.begin(), some.end());
    }
    m_fit.noise_ns = robustDeviation(all, 0);
}

void ClockFitter::refineCommonEnds()
{
    const double noise = std::max(m_fit.noise_ns, kSmallestNoise_ns);
    constexpr size_t kChunk = 64;
    m_workers.run((m_table.moments.size() + kChunk - 1) / kChunk, [&](size_t chunk, size_t) {
        for (size_t i = chunk * kChunk; i < std::min(m_table.moments.size(), (chunk + 1) * kChunk); ++i) {
            const double old = m_fit.commonEnd_ns[i];
            if (std::isnan(old)) continue;
            double sum = 0, weights = 0;
            for (const Anchor& anchor : m_table.at(m_table.moments[i])) {
                if (!isFitted(anchor.domain)) continue;
                const double residual =
                    anchor.end_ns - m_fit.domains[anchor.domain].line.at(m_table.moments[i].time_ns) - old;
                const double weight =
                    huberWeight(residual, std::max(noise, double(m_table.moments[i].pairNoise_ns)));
                sum += weight * residual;
                weights += weight;
            }
            if (weights > 0) m_fit.commonEnd_ns[i] = old + sum / weights;
        }
    });
}

// Computes a weighted least-squares fit of the residuals over (1, time), or over 1 alone if there is no
// drift.
void ClockFitter::refineDomain(size_t domain)
{
    const double noise = std::max(m_fit.noise_ns, kSmallestNoise_ns);
    ClockLine& line = m_fit.domains[domain].line;
    double w = 0, wx = 0, wxx = 0, wy = 0, wxy = 0;
    for (const Sample& s : samplesOf(domain)) {
        const double commonEnd = m_fit.commonEnd_ns[s.moment];
        if (std::isnan(commonEnd)) continue;
        const double residual = s.end_ns - line.at(s.time_ns) - commonEnd;
        const double weight =
            huberWeight(residual, std::max(noise, double(s.noise_ns))) * double(s.weight) * double(s.weight);
        const double x = s.time_ns / 1e9;
        w += weight;
        wx += weight * x;
        wxx += weight * x * x;
        wy += weight * residual;
        wxy += weight * x * residual;
    }
    if (w <= 0) return;
    const double determinant = w * wxx - wx * wx;
    if (m_mayDrift[domain] && determinant > 1e-9 * w * wxx) {
        const double slope = (w * wxy - wx * wy) / determinant;
        line.drift = std::clamp(line.drift + slope / 1e9, -kMaxDrift, kMaxDrift);
        line.offset_ns += (wy - slope * wx) / w;
    } else {
        line.offset_ns += wy / w;
    }
}

void ClockFitter::refine()
{
    measureNoise();
    for (int sweep = 0; sweep < kRefineSweeps; ++sweep) {
        refineCommonEnds();
        m_workers.run(m_table.domainCount, [&](size_t d, size_t) {
            if (isFitted(d)) refineDomain(d);
        });
        normalizeToReferences();
    }
    estimateCommonEnds(2);
    measureNoise();
}

void ClockFitter::describeDomain(size_t domain)
{
    DomainFit& fit = m_fit.domains[domain];
    auto residuals = residualsOf(domain, fit.line);
    fit.spread_ns = robustDeviation(residuals, 0);
    std::vector<double> gaps, spreads;
    const auto samples = samplesOf(domain);
    for (size_t i = 1; i < samples.size(); ++i)
        gaps.push_back(samples[i].time_ns - samples[i - 1].time_ns);
    auto sorted = gaps;
    const double usual = median(sorted);
    fit.burstCount =
        1 + static_cast<uint32_t>(std::ranges::count_if(gaps, [&](double g) { return g > kPause * usual; }));
    fit.statistical_ns = kMedianEfficiency * fit.spread_ns / std::sqrt(static_cast<double>(fit.burstCount));
    const bool isAllPairs = fit.pairCount == fit.anchorCount;
    for (const uint32_t i : m_table.ofDomain(static_cast<uint32_t>(domain))) {
        const Anchor& anchor = m_table.anchors[i];
        if (m_table.moments[anchor.moment].isPair == isAllPairs) spreads.push_back(anchor.spread_ns);
    }
    fit.systematic_ns = median(spreads) / 2;
}

void ClockFitter::describe()
{
    m_workers.run(m_table.domainCount, [&](size_t d, size_t) {
        if (isFitted(d)) describeDomain(d);
    });
}

} // namespace lockstep
