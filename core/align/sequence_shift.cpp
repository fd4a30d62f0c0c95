// SPDX-License-Identifier: Apache-2.0
#include "core/align/sequence_shift.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/align/robust_statistics.h"

namespace lockstep {

namespace {

constexpr double kSignatureSlack =
    0.02;                           // share of equal signatures that a candidate may lack against the best
constexpr double kLeastEqual = 0.9; // share of equal signatures below which lists are not the same program
constexpr double kRivalFactor = 3;
constexpr double kSmallestSpread_ns = 500; // spreads below are equal: what is left is the ends' own scatter
constexpr double kLargestSpread_ns = 1e6;
constexpr double kOrderTolerance_ns = 5'000;
constexpr size_t kFewestWhole = 4; // operations of a capture that may be matched as a whole
constexpr double kLargestWholeSpread_ns = 100'000;
constexpr int64_t kSample = 128;    // pairs that a displacement is first judged by
constexpr size_t kLeastSample = 64; // usable ones among them; with fewer only all pairs can say
constexpr uint64_t kPairWork = 40;  // trying a pair's ends and order takes as long as comparing so many words

class ShiftSearch {
  public:
    explicit ShiftSearch(const ShiftInput& input) : m_in(input)
    {
        const auto isFenced = [](const Collective& c) { return c.fence != 0; };
        const bool fenced =
            std::ranges::all_of(input.first, isFenced) && std::ranges::all_of(input.second, isFenced);
        m_first = words(input.first, fenced);
        m_second = words(input.second, fenced);
    }

    SequenceShift run();

  private:
    struct Candidate {
        int64_t shift;
        double equalShare;
    };

    static std::vector<uint32_t> words(std::span<const Collective> list, bool fenced)
    {
        std::vector<uint32_t> out;
        out.reserve(list.size());
        for (const Collective& c : list)
            out.push_back(fenced ? c.signature ^ (c.fence * 0x9E3779B1u) : c.signature);
        return out;
    }

    int64_t beginOf(int64_t shift) const { return std::max<int64_t>(0, -shift); }
    int64_t endOf(int64_t shift) const
    {
        return std::min(static_cast<int64_t>(m_first.size()), static_cast<int64_t>(m_second.size()) - shift);
    }
    double endDifference(int64_t i, int64_t shift) const
    {
        return static_cast<double>(m_in.second[static_cast<size_t>(i + shift)].end.ns + m_in.secondToAxis_ns -
                                   m_in.first[static_cast<size_t>(i)].end.ns - m_in.firstToAxis_ns);
    }
    bool isTrusted(int64_t shift) const
    {
        if (!m_in.clockTrust_ns) return true;
        const int64_t middle = (beginOf(shift) + endOf(shift)) / 2;
        return std::abs(endDifference(middle, shift)) <= static_cast<double>(*m_in.clockTrust_ns);
    }
    std::vector<Candidate> candidates();
    // What the collected pairs say of the clocks, if they were the right ones.
    struct PairFit {
        double spread_ns = 0; // robust deviation of the end differences, their common drift removed
        size_t broken = 0;    // pairs that end on one rank before they started on the other
    };
    PairFit fitOfPairs();
    bool isRefusedBySample(int64_t shift);
    std::optional<SequenceShift> tried(int64_t shift);
    SequenceShift ofWholeCaptures();
    bool isLikeItself(int64_t shift) const;
    // Fills the series from collectives of all ranks; where they are fewer than `least`, also from sends,
    // receives and exchanges, which are no such strict witnesses.
    void collectPairs(int64_t shift, size_t least);
    void addPair(const Collective& a, const Collective& b);
    void clearPairs();

    const ShiftInput& m_in;
    std::vector<uint32_t> m_first;
    std::vector<uint32_t> m_second;
    std::vector<SeriesPoint> m_ends; // end differences over time
    std::vector<SeriesPoint>
        m_earliest; // second's start - first's end: a lower limit of the clocks' difference
    std::vector<SeriesPoint> m_latest; // second's end - first's start: an upper limit
    std::vector<double> m_scratch;
    uint64_t m_work = 0;
};

// What a pair says of the clocks' difference beside its ends: no end before the start it depends on.
void ShiftSearch::addPair(const Collective& a, const Collective& b)
{
    const auto toAxis = static_cast<double>(m_in.secondToAxis_ns - m_in.firstToAxis_ns);
    const auto x = static_cast<double>((a.end - m_in.first.front().end).ns);
    const bool isFirstBound = a.dependency == Dependency::all || a.dependency == Dependency::receive;
    const bool isSecondBound = a.dependency == Dependency::all || a.dependency == Dependency::send;
    m_ends.push_back({x, static_cast<double>((b.end - a.end).ns) + toAxis});
    m_earliest.push_back({x, isFirstBound ? static_cast<double>((b.start - a.end).ns) + toAxis : -INFINITY});
    m_latest.push_back({x, isSecondBound ? static_cast<double>((b.end - a.start).ns) + toAxis : INFINITY});
}

std::vector<ShiftSearch::Candidate> ShiftSearch::candidates()
{
    const auto least = std::max<int64_t>(static_cast<int64_t>(kFewestAnchors),
                                         static_cast<int64_t>(std::min(m_first.size(), m_second.size())) / 4);
    std::vector<Candidate> all;
    double best = 0;
    for (int64_t shift = -kMaxShift; shift <= kMaxShift; ++shift) {
        const int64_t begin = beginOf(shift);
        const int64_t end = endOf(shift);
        if (end - begin < least || !isTrusted(shift)) continue;
        m_work += static_cast<uint64_t>(end - begin);
        int64_t equal = 0;
        const uint32_t* first = m_first.data();
        const uint32_t* second = m_second.data() + shift;
        for (int64_t i = begin; i < end; ++i)
            equal += first[i] == second[i] ? 1 : 0;
        const double share = static_cast<double>(equal) / static_cast<double>(end - begin);
        best = std::max(best, share);
        if (share >= kLeastEqual) all.push_back({shift, share});
    }
    std::erase_if(all, [&](const Candidate& c) { return c.equalShare < best - kSignatureSlack; });
    return all;
}

void ShiftSearch::collectPairs(int64_t shift, size_t least)
{
    const auto collect = [&](const auto& isWanted) {
        clearPairs();
        for (int64_t i = beginOf(shift); i < endOf(shift); ++i) {
            const Collective& a = m_in.first[static_cast<size_t>(i)];
            const Collective& b = m_in.second[static_cast<size_t>(i + shift)];
            if (a.isUsableByPattern() && b.isUsableByPattern() && a.signature == b.signature &&
                isWanted(a.dependency))
                addPair(a, b);
        }
    };
    collect([](Dependency d) { return d == Dependency::all; });
    if (m_ends.size() >= least) return;
    collect([](Dependency d) {
        return d == Dependency::all || d == Dependency::send || d == Dependency::receive ||
               d == Dependency::exchange;
    });
}

void ShiftSearch::clearPairs()
{
    m_ends.clear();
    m_earliest.clear();
    m_latest.clear();
}

ShiftSearch::PairFit ShiftSearch::fitOfPairs()
{
    const double slope = longSpanSlope(m_ends, m_scratch);
    const auto level = [&](const SeriesPoint& p) { return p.y - slope * p.x; };
    m_scratch.clear();
    for (const SeriesPoint& p : m_ends)
        m_scratch.push_back(level(p));
    const double center = median(m_scratch);
    PairFit fit;
    fit.spread_ns = robustDeviation(m_scratch, center);
    for (size_t i = 0; i < m_ends.size(); ++i) {
        const bool holds = level(m_earliest[i]) <= center + kOrderTolerance_ns &&
                           center <= level(m_latest[i]) + kOrderTolerance_ns;
        fit.broken += holds ? 0 : 1;
    }
    return fit;
}

// Programs that repeat themselves have a thousand displacements with equal signatures. A sample is enough to
// see that one is hopeless: where it breaks the order in a quarter of its pairs, or scatters four times as
// far as may be, all pairs do so beyond what tried() lets pass. Pairs are strewn so that no period of the
// program hides in them.
bool ShiftSearch::isRefusedBySample(int64_t shift)
{
    const int64_t begin = beginOf(shift), count = endOf(shift) - begin;
    if (count < 4 * kSample) return false;
    clearPairs();
    uint64_t state = 0x9E3779B97F4A7C15u;
    for (int64_t part = 0; part < kSample; ++part) { // one of each part: in time order, as a series is
        state = state * 6364136223846793005u + 1442695040888963407u;
        const int64_t from = count * part / kSample, to = count * (part + 1) / kSample;
        const int64_t i =
            begin + from + static_cast<int64_t>((state >> 33) % static_cast<uint64_t>(to - from));
        const Collective& a = m_in.first[static_cast<size_t>(i)];
        const Collective& b = m_in.second[static_cast<size_t>(i + shift)];
        if (a.isUsableByPattern() && b.isUsableByPattern() && a.signature == b.signature &&
            a.dependency == Dependency::all)
            addPair(a, b);
    }
    m_work += static_cast<uint64_t>(kSample) * kPairWork;
    if (m_ends.size() < kLeastSample) return false;
    const PairFit fit = fitOfPairs();
    return fit.broken * 4 > m_ends.size() || fit.spread_ns > 4 * kLargestSpread_ns;
}

// A displacement is possible when, on clocks that differ by one line, no collective ends on one rank before
// it started on the other. One in a hundred may break this: it may be a wrong pair of the right displacement.
std::optional<SequenceShift> ShiftSearch::tried(int64_t shift)
{
    if (isRefusedBySample(shift)) return {};
    collectPairs(shift, kFewestAnchors);
    m_work += static_cast<uint64_t>(std::max<int64_t>(0, endOf(shift) - beginOf(shift))) * kPairWork;
    if (m_ends.size() < kFewestAnchors) return {};
    const PairFit fit = fitOfPairs();
    if (fit.broken * 100 > m_ends.size() || fit.spread_ns > kLargestSpread_ns) return {};
    SequenceShift result;
    result.verdict = ShiftVerdict::found;
    result.shift = shift;
    result.overlap = m_ends.size();
    result.spread_ns = fit.spread_ns;
    return result;
}

bool ShiftSearch::isLikeItself(int64_t shift) const
{
    int64_t equal = 0;
    for (int64_t i = beginOf(shift); i < endOf(shift); ++i) {
        equal += m_first[static_cast<size_t>(i)] == m_second[static_cast<size_t>(i + shift)] ? 1 : 0;
    }
    return static_cast<double>(equal) >= kLeastEqual * static_cast<double>(endOf(shift) - beginOf(shift));
}

// Captures of one short step: too few for a search, but every operation of one stands in the other, the order
// of kinds fits no other way, and the ends coincide.
SequenceShift ShiftSearch::ofWholeCaptures()
{
    SequenceShift result;
    const auto size = static_cast<int64_t>(m_first.size());
    if (m_first != m_second || m_first.size() < kFewestWhole || !m_in.clockTrust_ns || !isTrusted(0))
        return result;
    for (int64_t shift = 1; shift <= size / 2; ++shift) {
        if (isLikeItself(shift) || isLikeItself(-shift)) return result;
    }
    collectPairs(0, 2);
    if (m_ends.size() < 2) return result;
    m_scratch.clear();
    for (const SeriesPoint& p : m_ends)
        m_scratch.push_back(p.y);
    const auto [least, greatest] = std::ranges::minmax(m_scratch);
    const double center = (least + greatest) / 2;
    for (size_t i = 0; i < m_ends.size(); ++i) {
        if (m_earliest[i].y > center + kOrderTolerance_ns || center > m_latest[i].y + kOrderTolerance_ns)
            return result;
    }
    if (greatest - least > kLargestWholeSpread_ns) return result;
    result.verdict = ShiftVerdict::found;
    result.overlap = m_ends.size();
    result.spread_ns = greatest - least;
    return result;
}

SequenceShift ShiftSearch::run()
{
    SequenceShift best;
    if (std::min(m_first.size(), m_second.size()) < kFewestAnchors) return ofWholeCaptures();
    const auto tries = candidates();
    double second = -1;
    for (const Candidate& candidate : tries) {
        const auto result = tried(candidate.shift);
        if (!result) continue;
        if (best.verdict != ShiftVerdict::found || result->spread_ns < best.spread_ns) {
            if (best.verdict == ShiftVerdict::found) second = best.spread_ns;
            best = *result;
        } else if (second < 0 || result->spread_ns < second) {
            second = result->spread_ns;
        }
    }
    if (best.verdict != ShiftVerdict::found) {
        best.verdict = ShiftVerdict::disagrees;
    } else if (second >= 0 && second <= kRivalFactor * std::max(best.spread_ns, kSmallestSpread_ns)) {
        best.verdict = ShiftVerdict::ambiguous;
    }
    best.work = m_work;
    return best;
}

} // namespace

std::string_view shiftVerdictName(ShiftVerdict verdict)
{
    switch (verdict) {
    case ShiftVerdict::found:
        return "found";
    case ShiftVerdict::tooFew:
        return "too few collectives overlap";
    case ShiftVerdict::disagrees:
        return "no displacement makes the patterns agree";
    case ShiftVerdict::ambiguous:
        return "several displacements fit as well";
    }
    return "unknown";
}

SequenceShift findShift(const ShiftInput& input)
{
    return ShiftSearch(input).run();
}

} // namespace lockstep
