// SPDX-License-Identifier: Apache-2.0
#include "core/align/clock_bounds.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/align/drift_polygon.h"

namespace lockstep {

namespace {

// assumed bound on the rate difference of two clocks, if no smaller bound is known
constexpr double kAssumedDrift = 100e-6;
constexpr double kDroppedShare = 0.01;
constexpr int kMaxRepairs = 12;
constexpr size_t kMaxDomains = 2048;

// The bounds of a domain from one collective, relative to the fitted lines and the collective's common end.
// The values are small, so float is accurate to well below 1 ns where this matters.
struct Leveled {
    float firstEnd;
    float lastStart;
};

// ClockBounder computes the bounds. Idea: no rank ends a collective before every rank has started it. For two
// clocks, the offset of i minus the offset of j is therefore at most end(i) - start(j). Such difference
// constraints form a matrix, and its closure by shortest paths contains everything that they imply together.
// A negative cycle proves that no clock offsets satisfy all of them. All values are relative to the fitted
// lines, so that offsets of seconds, fitted drift and jumps cancel. The drift that remains possible is
// bounded first, pair by pair (DriftPolygon), and then widens each constraint in proportion to its distance
// from the origin. If constraints contradict each other, the collectives that the fit violates most are
// dropped, and the computation is repeated.
//
// Invariant: an interval contains the true offset if the remaining collectives are matched correctly. At most
// 1 % of the collectives (at least one) are dropped; otherwise there are no intervals. Cost: see
// boundClocks(), at most 12 times.
class ClockBounder {
  public:
    ClockBounder(const AnchorTable& table, const ClockFit& fit, const Progress& progress)
        : m_table(table), m_fit(fit), m_progress(progress), m_workers(progress.workers())
    {
        m_out.domains.resize(table.domainCount);
        m_out.momentCount = table.moments.size();
        m_isDropped.assign(table.moments.size(), false);
        m_slack.assign(table.moments.size(), 0);
    }

    Result<ClockBounds> run();

  private:
    struct Extremes; // the two smallest ends and two largest starts of a moment

    const ClockLine& lineOf(size_t domain) const { return m_fit.domains[domain].line; }
    double levelOf(const Anchor& anchor) const;
    void level();
    template<class LevelOf>
    Extremes extremesOf(const AnchorMoment& moment, const LevelOf& levelOfAnchor) const;
    void countViolations();
    void chooseReferences();
    bool boundDrifts();
    std::vector<uint32_t> parents() const;
    std::optional<DriftPolygon> polygonOf(uint32_t domain, uint32_t parent) const;
    Result<bool> tightenPairs();
    void addGroup(std::span<const uint32_t> moments, LimitMatrix& matrix) const;
    bool dropWorst();
    void readIntervals();

    const AnchorTable& m_table;
    const ClockFit& m_fit;
    const Progress& m_progress;
    const Workers& m_workers;
    ClockBounds m_out;
    std::vector<Leveled> m_leveled; // by anchor
    std::vector<bool> m_isDropped;  // by moment
    // by moment: distance of the fitted lines from a violation; negative if violated
    std::vector<double> m_slack;
    std::vector<double> m_polygonWorst; // by domain; infinity if there is no direct polygon
    std::shared_ptr<LimitMatrix> m_matrix;
    uint64_t m_dropped = 0;
};

struct ClockBounder::Extremes {
    double end[2] = {INFINITY, INFINITY};     // smallest ends
    double start[2] = {-INFINITY, -INFINITY}; // largest starts
    uint32_t endDomain = ~0u;
    uint32_t startDomain = ~0u;

    void take(uint32_t domain, double firstEnd, double lastStart)
    {
        if (firstEnd < end[0]) {
            end[1] = end[0];
            end[0] = firstEnd;
            endDomain = domain;
        } else {
            end[1] = std::min(end[1], firstEnd);
        }
        if (lastStart > start[0]) {
            start[1] = start[0];
            start[0] = lastStart;
            startDomain = domain;
        } else {
            start[1] = std::max(start[1], lastStart);
        }
    }
    double endOfOthers(uint32_t domain) const { return domain == endDomain ? end[1] : end[0]; }
    double startOfOthers(uint32_t domain) const { return domain == startDomain ? start[1] : start[0]; }
    double slack() const
    {
        return endDomain != startDomain ? end[0] - start[0] : std::min(end[1] - start[0], end[0] - start[1]);
    }
};

double ClockBounder::levelOf(const Anchor& anchor) const
{
    const AnchorMoment& moment = m_table.moments[anchor.moment];
    const double commonEnd = m_fit.commonEnd_ns[anchor.moment];
    return lineOf(anchor.domain).at(moment.time_ns) + (std::isnan(commonEnd) ? moment.time_ns : commonEnd);
}

void ClockBounder::level()
{
    m_leveled.resize(m_table.anchors.size());
    constexpr size_t kChunk = 4096;
    m_workers.run((m_leveled.size() + kChunk - 1) / kChunk, [&](size_t chunk, size_t) {
        for (size_t i = chunk * kChunk; i < std::min(m_leveled.size(), (chunk + 1) * kChunk); ++i) {
            const Anchor& anchor = m_table.anchors[i];
            const double fitted = levelOf(anchor);
            m_leveled[i] = {static_cast<float>(anchor.firstEnd_ns - fitted),
                            static_cast<float>(anchor.lastStart_ns - fitted)};
        }
    });
}

template<class LevelOf>
ClockBounder::Extremes ClockBounder::extremesOf(const AnchorMoment& moment,
                                                const LevelOf& levelOfAnchor) const
{
    Extremes extremes;
    for (uint32_t i = moment.firstAnchor; i < moment.firstAnchor + moment.anchorCount; ++i) {
        const auto [end, start] = levelOfAnchor(i);
        extremes.take(m_table.anchors[i].domain, end, start);
    }
    return extremes;
}

void ClockBounder::countViolations()
{
    const auto asRecorded = [&](uint32_t i) {
        return std::pair(m_table.anchors[i].firstEnd_ns, m_table.anchors[i].lastStart_ns);
    };
    const auto asFitted = [&](uint32_t i) {
        return std::pair(static_cast<double>(m_leveled[i].firstEnd),
                         static_cast<double>(m_leveled[i].lastStart));
    };
    const auto count = [&](const AnchorMoment& moment, const auto& levelOfAnchor,
                           uint32_t DomainBound::*counter) {
        const Extremes extremes = extremesOf(moment, levelOfAnchor);
        if (extremes.slack() >= -kViolation_ns) return extremes.slack();
        for (uint32_t i = moment.firstAnchor; i < moment.firstAnchor + moment.anchorCount; ++i) {
            const uint32_t domain = m_table.anchors[i].domain;
            const auto [end, start] = levelOfAnchor(i);
            if (end < extremes.startOfOthers(domain) - kViolation_ns ||
                start > extremes.endOfOthers(domain) + kViolation_ns) {
                ++(m_out.domains[domain].*counter);
            }
        }
        return extremes.slack();
    };
    for (uint32_t k = 0; k < m_table.moments.size(); ++k) {
        const AnchorMoment& moment = m_table.moments[k];
        m_out.violationsBefore +=
            count(moment, asRecorded, &DomainBound::violationsBefore) < -kViolation_ns ? 1 : 0;
        m_slack[k] = count(moment, asFitted, &DomainBound::violationsAfter);
        m_out.violationsAfter += m_slack[k] < -kViolation_ns ? 1 : 0;
    }
}

void ClockBounder::chooseReferences()
{
    const uint32_t largest = m_fit.largestComponent();
    for (size_t d = 0; d < m_out.domains.size(); ++d) {
        const DomainFit& fit = m_fit.domains[d];
        m_out.domains[d].reference = m_fit.references[fit.isFitted ? fit.component : largest];
    }
}

// Returns, for each domain, the domain with which its drift is compared. This is its reference if they share
// collectives, otherwise the domain nearest to the reference among the domains with which it shares the most.
// References are their own parents, and so are domains that share no collective with any domain that has a
// parent.
std::vector<uint32_t> ClockBounder::parents() const
{
    std::vector<uint32_t> parent(m_table.domainCount, ~0u);
    std::vector<uint32_t> ready;
    for (uint32_t d = 0; d < m_table.domainCount; ++d) {
        if (m_out.domains[d].reference == d) ready.push_back(d);
    }
    for (const uint32_t d : ready)
        parent[d] = d;
    const auto isWaiting = [&](uint32_t d) { return parent[d] == ~0u && !m_table.ofDomain(d).empty(); };
    std::vector<uint32_t> waiting;
    for (uint32_t d = 0; d < m_table.domainCount; ++d) {
        if (isWaiting(d)) waiting.push_back(d);
    }
    while (!ready.empty() && std::ranges::any_of(waiting, isWaiting)) {
        std::map<uint32_t, std::pair<uint32_t, uint32_t>> best; // child -> (moments, parent)
        for (const uint32_t d : ready) {
            std::vector<uint32_t> met(m_table.domainCount, 0);
            for (const uint32_t i : m_table.ofDomain(d)) {
                for (const Anchor& other : m_table.at(m_table.moments[m_table.anchors[i].moment]))
                    ++met[other.domain];
            }
            for (uint32_t child = 0; child < m_table.domainCount; ++child) {
                if (parent[child] != ~0u || met[child] == 0) continue;
                auto& closest = best[child];
                if (met[child] > closest.first) closest = {met[child], d};
            }
        }
        ready.clear();
        for (const auto& [child, choice] : best) {
            parent[child] = choice.second;
            ready.push_back(child);
        }
    }
    for (uint32_t d = 0; d < m_table.domainCount; ++d)
        parent[d] = parent[d] == ~0u ? d : parent[d];
    return parent;
}

// Returns nullopt if no bounds relate the two domains.
std::optional<DriftPolygon> ClockBounder::polygonOf(uint32_t domain, uint32_t parent) const
{
    std::vector<SeriesPoint> upper, lower;
    for (const uint32_t i : m_table.ofDomain(domain)) {
        const Anchor& own = m_table.anchors[i];
        if (m_isDropped[own.moment]) continue;
        const AnchorMoment& moment = m_table.moments[own.moment];
        const auto anchors = m_table.at(moment);
        const auto other = std::ranges::lower_bound(anchors, parent, {}, &Anchor::domain);
        if (other == anchors.end() || other->domain != parent) continue;
        const Leveled& theirs = m_leveled[static_cast<size_t>(&*other - m_table.anchors.data())];
        // A recorded send bounds only its receiver, and is handled separately (see AnchorTable::oneSided).
        if (std::isinf(m_leveled[i].firstEnd) || std::isinf(theirs.firstEnd)) continue;
        upper.push_back({moment.time_ns, double(m_leveled[i].firstEnd) - double(theirs.lastStart)});
        lower.push_back({moment.time_ns, double(m_leveled[i].lastStart) - double(theirs.firstEnd)});
    }
    if (upper.empty()) return std::nullopt;
    return DriftPolygon(std::move(upper), std::move(lower), kAssumedDrift);
}

// Returns false if the bounds of some pair do not allow any line.
bool ClockBounder::boundDrifts()
{
    const std::vector<uint32_t> parent = parents();
    m_polygonWorst.assign(m_table.domainCount, INFINITY);
    std::vector<double> own(m_table.domainCount, 0);
    std::vector<uint8_t> isPossible(m_table.domainCount, 1);
    m_workers.run(m_table.domainCount, [&](size_t d, size_t) {
        const auto domain = static_cast<uint32_t>(d);
        if (parent[d] == d) {
            own[d] = m_out.domains[d].reference == d ? 0 : kAssumedDrift;
            return;
        }
        const std::optional<DriftPolygon> polygon = polygonOf(domain, parent[d]);
        own[d] = kAssumedDrift;
        if (!polygon) return;
        isPossible[d] = polygon->isFeasible(kViolation_ns) ? 1 : 0;
        const ValueRange drifts = polygon->drifts();
        own[d] = std::max(std::abs(drifts.least), std::abs(drifts.greatest));
        if (m_out.domains[d].reference != parent[d]) return;
        double worst = 0;
        for (const double x : {-m_table.halfWindow_ns, 0.0, m_table.halfWindow_ns}) {
            const ValueRange range = polygon->valuesAt(x);
            worst = std::max({worst, std::abs(range.least), std::abs(range.greatest)});
        }
        m_polygonWorst[d] = worst;
    });
    for (uint32_t d = 0; d < m_table.domainCount; ++d) {
        double sum = own[d];
        for (uint32_t up = d; parent[up] != up; up = parent[up])
            sum += own[parent[up]];
        m_out.domains[d].driftBound = std::min(sum, kAssumedDrift);
    }
    return std::ranges::all_of(isPossible, [](uint8_t possible) { return possible != 0; });
}

void ClockBounder::addGroup(std::span<const uint32_t> moments, LimitMatrix& matrix) const
{
    std::vector<size_t> columns;
    for (const uint32_t k : moments) {
        for (const Anchor& anchor : m_table.at(m_table.moments[k]))
            columns.push_back(anchor.domain);
        if (columns.size() > 4 * m_table.domainCount) {
            std::ranges::sort(columns);
            columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
        }
    }
    std::ranges::sort(columns);
    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
    std::vector<size_t> columnOf(m_table.domainCount, 0);
    for (size_t c = 0; c < columns.size(); ++c)
        columnOf[columns[c]] = c;
    std::vector<LimitRow> rows;
    for (const uint32_t k : moments) {
        const AnchorMoment& moment = m_table.moments[k];
        LimitRow row{std::vector(columns.size(), LimitMatrix::kNone),
                     std::vector(columns.size(), -LimitMatrix::kNone)};
        for (uint32_t i = moment.firstAnchor; i < moment.firstAnchor + moment.anchorCount; ++i) {
            const size_t domain = m_table.anchors[i].domain;
            const auto driftSlack =
                static_cast<float>(m_out.domains[domain].driftBound * std::abs(moment.time_ns));
            row.firstEnd[columnOf[domain]] = m_leveled[i].firstEnd + driftSlack;
            row.lastStart[columnOf[domain]] = m_leveled[i].lastStart - driftSlack;
        }
        rows.push_back(std::move(row));
    }
    matrix.tightenBy(rows, columns, m_workers);
}

// Returns false if the bounds of several pairs contradict each other.
Result<bool> ClockBounder::tightenPairs()
{
    m_matrix = std::make_shared<LimitMatrix>(m_table.domainCount);
    std::map<uint32_t, std::vector<uint32_t>> byGroup;
    for (uint32_t k = 0; k < m_table.moments.size(); ++k) {
        if (!m_isDropped[k]) byGroup[m_table.moments[k].group].push_back(k);
    }
    for (const auto& [group, moments] : byGroup)
        addGroup(moments, *m_matrix);
    for (const OneSidedLimit& limit : m_table.oneSided) {
        const double fitted = lineOf(limit.later).at(limit.time_ns) - lineOf(limit.earlier).at(limit.time_ns);
        const double driftSlack =
            (m_out.domains[limit.later].driftBound + m_out.domains[limit.earlier].driftBound) *
            std::abs(limit.time_ns);
        m_matrix->tighten(limit.later, limit.earlier,
                          static_cast<float>(limit.limit_ns - fitted + driftSlack));
    }
    return LOCKSTEP_TRY(m_matrix->close(m_progress)) >= -2 * kViolation_ns;
}

// Drops the moments that the fitted lines violate most. Returns false if there are no such moments, or if too
// many were dropped.
bool ClockBounder::dropWorst()
{
    double worst = -kViolation_ns;
    for (size_t k = 0; k < m_slack.size(); ++k)
        worst = m_isDropped[k] ? worst : std::min(worst, m_slack[k]);
    if (worst >= -kViolation_ns) return false;
    for (size_t k = 0; k < m_slack.size(); ++k) {
        if (m_isDropped[k] || m_slack[k] > worst / 2) continue;
        m_isDropped[k] = true;
        ++m_dropped;
    }
    return static_cast<double>(m_dropped) <=
           std::max(1.0, kDroppedShare * static_cast<double>(m_slack.size()));
}

void ClockBounder::readIntervals()
{
    for (size_t d = 0; d < m_out.domains.size(); ++d) {
        DomainBound& bound = m_out.domains[d];
        const double offset = lineOf(d).offset_ns;
        const double up = m_matrix->at(d, bound.reference);
        const double down = m_matrix->at(bound.reference, d);
        if (std::isfinite(up)) bound.greatest_ns = offset + up;
        if (std::isfinite(down)) bound.least_ns = offset - down;
        if (!bound.isTwoSided()) continue;
        const double byMatrix =
            std::max(std::abs(up), std::abs(down)) + bound.driftBound * m_table.halfWindow_ns;
        bound.worst_ns = std::min(byMatrix, m_polygonWorst[d]);
    }
}

Result<ClockBounds> ClockBounder::run()
{
    if (m_table.domainCount == 0 || m_table.domainCount > kMaxDomains) return std::move(m_out);
    level();
    countViolations();
    chooseReferences();
    bool isConsistent = false;
    for (int repair = 0; repair < kMaxRepairs && !isConsistent; ++repair) {
        isConsistent = boundDrifts() && LOCKSTEP_TRY(tightenPairs());
        if (!isConsistent && !dropWorst()) break;
    }
    m_out.contradictions = m_dropped;
    m_out.isContradictory = !isConsistent;
    if (!isConsistent) return std::move(m_out);
    readIntervals();
    m_out.pairs = m_matrix;
    return std::move(m_out);
}

} // namespace

Result<ClockBounds> boundClocks(const AnchorTable& table, const ClockFit& fit, const Progress& progress)
{
    return ClockBounder(table, fit, progress).run();
}

} // namespace lockstep
