// SPDX-License-Identifier: Apache-2.0
// The steps of ClockFitter that judge and refine the lines: clock jumps, the significance of drifts, the
// refinement by weighted least squares, and the quality of the result. See clock_fitter.h for the method.
#include <algorithm>
#include <cmath>

#include "core/align/clock_fitter.h"

namespace lockstep {

namespace {

constexpr size_t kMaxJumps = 16;
constexpr double kHuber = 1.345; // residuals up to this many deviations have full weight
constexpr double kDiscard = 6;   // residuals beyond this many deviations are ignored
// If timestamps agree exactly, there are no residuals from which to measure the noise.
constexpr double kSmallestNoise_ns = 50;
constexpr int kSweeps = 3;
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
                std::vector<SeriesPoint> quick;
                for (const Sample& s : samplesOf(d)) {
                    const double meeting = m_fit.commonEnd_ns[s.moment];
                    if (!std::isnan(meeting)) quick.push_back({s.time_ns, detrended(s, d) - meeting});
                }
                if (!findJump(quick)) return;
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
        const double meeting = m_fit.commonEnd_ns[s.moment];
        if (!std::isnan(meeting)) residuals.push_back(s.end_ns - line.at(s.time_ns) - meeting);
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
        const double meeting = m_fit.commonEnd_ns[s.moment];
        if (std::isnan(meeting)) continue;
        const double residual = s.end_ns - line.at(s.time_ns) - meeting;
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
    for (int sweep = 0; sweep < kSweeps; ++sweep) {
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
