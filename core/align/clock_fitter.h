// SPDX-License-Identifier: Apache-2.0
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
#pragma once

#include <span>
#include <vector>

#include "core/align/clock_fit.h"

namespace lockstep {

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
    void polish(uint32_t mostRounds);
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

} // namespace lockstep
