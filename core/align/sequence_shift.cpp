// SPDX-License-Identifier: Apache-2.0
#include "core/align/sequence_shift.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/align/robust_statistics.h"

namespace lockstep {

namespace {

// A candidate's fraction of equal signatures may be lower than the best fraction by this much.
constexpr double kSignatureSlack = 0.02;
// If the fraction of equal signatures is lower than this, the lists belong to different programs.
constexpr double kMinEqual = 0.9;
constexpr double kRunnerUpFactor = 3;
// smaller spreads count as equal, because they are only the scatter of the ends
constexpr double kSmallestSpread_ns = 500;
constexpr double kLargestSpread_ns = 1e6;
constexpr double kOrderTolerance_ns = 5'000;
constexpr size_t kMinWhole = 4; // minimum number of operations for matching whole captures
constexpr double kLargestWholeSpread_ns = 100'000;
constexpr int64_t kSample = 128; // number of pairs for the first check of an offset
// minimum number of usable pairs in the sample; with fewer, all pairs are needed
constexpr size_t kMinSample = 64;
// number of collectives in one segment, see ShiftSearch::matchSegments()
constexpr int64_t kSegmentLength = 32;
constexpr int64_t kSegments = 6; // number of segments, spread over the list
// after removing the offset, the ends of one collective differ by less than this
constexpr double kVoteWindow_ns = 100'000;
constexpr double kClockDrift = 200e-6;    // larger than the drift between any two clocks
constexpr double kNtpTolerance_ns = 20e6; // clocks synchronized by NTP differ by less than this
// Checking the ends and the order of a pair takes as long as comparing this many words.
constexpr uint64_t kPairWork = 40;

// ShiftSearch is the search of findShift(). Idea: the right offset makes the signatures equal (candidates()).
// In addition, it implies a plausible relation between the two clocks: the end differences lie on a line, and
// no pair ends on one side before it starts on the other (evaluate()). Programs repeat themselves, so many
// offsets pass the first test. The one whose ends scatter least is used only if all others scatter at least
// three times as much, or if the recorded clocks select it (bestOf()). If no single offset fits, the lists
// are compared by segments (matchSegments()); short lists must be equal as a whole (matchWholeCaptures()).
//
// Invariant: no pair is accepted by its position alone; if two offsets are equally good, none is used. Cost:
// O(4001 * n) word comparisons, and 128 sampled pairs for most candidates.
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
    // The relation between the clocks that follows from the collected pairs, assuming that they are correct.
    struct PairFit {
        double spread_ns = 0;  // robust deviation of the end differences after removing their common drift
        double center_ns = 0;  // median of the end differences
        size_t violations = 0; // number of pairs that end on one rank before they start on the other
    };
    PairFit fitOfPairs();
    bool isRejectedBySample(int64_t shift);
    std::optional<SequenceShift> evaluate(int64_t shift);
    SequenceShift matchWholeCaptures();
    struct Vote {
        double offset_ns = 0; // second clock minus first clock
        size_t votes = 0;
        size_t runnerUp = 0; // number of votes for the best other offset
    };
    Vote voteOfSegment(int64_t begin);
    std::vector<std::pair<int64_t, int64_t>> pairsFrom(int64_t begin, double offset_ns) const;
    void extendPairs(int64_t from, int64_t step, double offset_ns,
                     std::vector<std::pair<int64_t, int64_t>>& pairs) const;
    std::vector<ShiftRun> runsOf(const std::vector<std::pair<int64_t, int64_t>>& pairs) const;
    SequenceShift matchSegments();
    SequenceShift bestOf(std::vector<SequenceShift>& fits) const;
    bool isSelfSimilar(int64_t shift) const;
    // Fills the series from collectives of all ranks. If there are fewer than `least` of them, also adds
    // sends, receives and exchanges, which are weaker evidence.
    void collectPairs(std::span<const ShiftRun> runs, size_t least);
    ShiftRun runAt(int64_t shift) const { return {beginOf(shift), endOf(shift), shift}; }
    void addPair(const Collective& a, const Collective& b);
    void clearPairs();

    const ShiftInput& m_in;
    std::vector<uint32_t> m_first;
    std::vector<uint32_t> m_second;
    std::vector<SeriesPoint> m_ends; // end differences over time
    // start of the second minus end of the first: a lower bound on the clock difference
    std::vector<SeriesPoint> m_earliest;
    std::vector<SeriesPoint> m_latest; // end of the second minus start of the first: an upper bound
    std::vector<double> m_scratch;
    uint64_t m_work = 0;
};

// Adds the bounds that a pair gives on the clock difference: no end is before the start on which it depends.
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
    const auto least = std::max<int64_t>(static_cast<int64_t>(kMinAnchors),
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
        if (share >= kMinEqual) all.push_back({shift, share});
    }
    std::erase_if(all, [&](const Candidate& c) { return c.equalShare < best - kSignatureSlack; });
    return all;
}

void ShiftSearch::collectPairs(std::span<const ShiftRun> runs, size_t least)
{
    const auto collect = [&](const auto& isSelected) {
        clearPairs();
        for (const ShiftRun& run : runs) {
            for (int64_t i = run.begin; i < run.end; ++i) {
                const Collective& a = m_in.first[static_cast<size_t>(i)];
                const Collective& b = m_in.second[static_cast<size_t>(i + run.shift)];
                if (a.isUsableByPattern() && b.isUsableByPattern() && a.signature == b.signature &&
                    isSelected(a.dependency))
                    addPair(a, b);
            }
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
    fit.center_ns = center;
    fit.spread_ns = robustDeviation(m_scratch, center);
    for (size_t i = 0; i < m_ends.size(); ++i) {
        const bool isOrdered = level(m_earliest[i]) <= center + kOrderTolerance_ns &&
                               center <= level(m_latest[i]) + kOrderTolerance_ns;
        fit.violations += isOrdered ? 0 : 1;
    }
    return fit;
}

// Programs that repeat themselves have a thousand offsets with equal signatures. A sample is sufficient to
// reject an offset: if at least a quarter of the sampled pairs violate the order, or if their scatter is more
// than four times the allowed value, the entire list would not pass evaluate() either. The sampled pairs are
// spread so that they do not resonate with a period of the program.
bool ShiftSearch::isRejectedBySample(int64_t shift)
{
    const int64_t begin = beginOf(shift), count = endOf(shift) - begin;
    if (count < 4 * kSample) return false;
    clearPairs();
    uint64_t state = 0x9E3779B97F4A7C15u;
    // Takes one pair from each segment, in chronological order as the series requires.
    for (int64_t part = 0; part < kSample; ++part) {
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
    if (m_ends.size() < kMinSample) return false;
    const PairFit fit = fitOfPairs();
    return fit.violations * 4 > m_ends.size() || fit.spread_ns > 4 * kLargestSpread_ns;
}

// An offset is possible if no collective ends on one rank before it started on the other, assuming that the
// difference between the clocks is a line. One pair in a hundred may violate this rule, because even the
// right offset may produce a wrong pair.
std::optional<SequenceShift> ShiftSearch::evaluate(int64_t shift)
{
    if (isRejectedBySample(shift)) return {};
    const ShiftRun run = runAt(shift);
    collectPairs({&run, 1}, kMinAnchors);
    m_work += static_cast<uint64_t>(std::max<int64_t>(0, endOf(shift) - beginOf(shift))) * kPairWork;
    if (m_ends.size() < kMinAnchors) return {};
    const PairFit fit = fitOfPairs();
    if (fit.violations * 100 > m_ends.size() || fit.spread_ns > kLargestSpread_ns) return {};
    SequenceShift result;
    result.verdict = ShiftVerdict::found;
    result.runs = {run};
    result.overlap = m_ends.size();
    result.offset_ns = fit.center_ns;
    result.spread_ns = fit.spread_ns;
    return result;
}

bool ShiftSearch::isSelfSimilar(int64_t shift) const
{
    int64_t equal = 0;
    for (int64_t i = beginOf(shift); i < endOf(shift); ++i) {
        equal += m_first[static_cast<size_t>(i)] == m_second[static_cast<size_t>(i + shift)] ? 1 : 0;
    }
    return static_cast<double>(equal) >= kMinEqual * static_cast<double>(endOf(shift) - beginOf(shift));
}

// Captures of one short step have too few collectives for a search. They match if every operation in one also
// occurs in the other, the order of kinds does not fit in any other way, and the ends coincide.
SequenceShift ShiftSearch::matchWholeCaptures()
{
    SequenceShift result;
    const auto size = static_cast<int64_t>(m_first.size());
    if (m_first != m_second || m_first.size() < kMinWhole || !m_in.clockTrust_ns || !isTrusted(0))
        return result;
    for (int64_t shift = 1; shift <= size / 2; ++shift) {
        if (isSelfSimilar(shift) || isSelfSimilar(-shift)) return result;
    }
    const ShiftRun whole = runAt(0);
    collectPairs({&whole, 1}, 2);
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
    result.runs = {whole};
    result.overlap = m_ends.size();
    result.spread_ns = greatest - least;
    return result;
}

// Returns the clock offset at which most collectives of a segment have a counterpart of the same kind that
// ends at the same time, and the number of matches at the best different offset.
ShiftSearch::Vote ShiftSearch::voteOfSegment(int64_t begin)
{
    std::vector<std::pair<double, int64_t>> offsets;
    for (int64_t i = begin; i < begin + kSegmentLength; ++i) {
        const int64_t last = std::min(static_cast<int64_t>(m_second.size()), i + kMaxShift + 1);
        for (int64_t j = std::max<int64_t>(0, i - kMaxShift); j < last; ++j) {
            if (m_first[static_cast<size_t>(i)] != m_second[static_cast<size_t>(j)]) continue;
            const double offset = endDifference(i, j - i);
            if (m_in.clockTrust_ns && std::abs(offset) > static_cast<double>(*m_in.clockTrust_ns)) continue;
            offsets.emplace_back(offset, i);
        }
    }
    std::ranges::sort(offsets);
    m_work += offsets.size() * kPairWork;
    std::vector<size_t> votes(offsets.size()); // number of votes for the window that starts at each offset
    std::vector<size_t> matchesByEntry(static_cast<size_t>(kSegmentLength));
    size_t end = 0, different = 0;
    for (size_t at = 0; at < offsets.size(); ++at) {
        for (; end < offsets.size() && offsets[end].first <= offsets[at].first + kVoteWindow_ns; ++end)
            different += matchesByEntry[static_cast<size_t>(offsets[end].second - begin)]++ == 0 ? 1 : 0;
        votes[at] = different;
        different -= --matchesByEntry[static_cast<size_t>(offsets[at].second - begin)] == 0 ? 1 : 0;
    }
    Vote best;
    const auto most = std::ranges::max_element(votes);
    if (most == votes.end()) return best;
    best.votes = *most;
    best.offset_ns = offsets[static_cast<size_t>(most - votes.begin())].first + kVoteWindow_ns / 2;
    for (size_t at = 0; at < offsets.size(); ++at) {
        if (std::abs(offsets[at].first + kVoteWindow_ns / 2 - best.offset_ns) > 2 * kVoteWindow_ns)
            best.runnerUp = std::max(best.runnerUp, votes[at]);
    }
    return best;
}

// Follows the offset from one collective of the first list to the next, forward (step 1) or back (-1); each
// pair corrects the offset for drift. Collectives without a partner in time were lost on one side.
void ShiftSearch::extendPairs(int64_t from, int64_t step, double offset_ns,
                              std::vector<std::pair<int64_t, int64_t>>& pairs) const
{
    const auto firstCount = static_cast<int64_t>(m_first.size());
    const auto secondCount = static_cast<int64_t>(m_second.size());
    const auto endOfFirst = [&](int64_t i) {
        return static_cast<double>(m_in.first[static_cast<size_t>(i)].end.ns);
    };
    int64_t next = step > 0 ? 0 : secondCount - 1;
    double previousEnd_ns = endOfFirst(from);
    for (int64_t i = from; i >= 0 && i < firstCount; i += step) {
        const double tolerance_ns = kVoteWindow_ns + kClockDrift * std::abs(endOfFirst(i) - previousEnd_ns);
        for (int64_t j = next; j >= 0 && j < secondCount; j += step) {
            const double ahead_ns = (endDifference(i, j - i) - offset_ns) * static_cast<double>(step);
            if (ahead_ns > tolerance_ns) break;
            if (ahead_ns < -tolerance_ns) {
                next = j + step; // it ended before all remaining collectives
                continue;
            }
            if (m_first[static_cast<size_t>(i)] != m_second[static_cast<size_t>(j)]) continue;
            pairs.emplace_back(i, j);
            next = j + step;
            offset_ns += ahead_ns * static_cast<double>(step) / 4;
            previousEnd_ns = endOfFirst(i);
            break;
        }
    }
}

std::vector<std::pair<int64_t, int64_t>> ShiftSearch::pairsFrom(int64_t begin, double offset_ns) const
{
    std::vector<std::pair<int64_t, int64_t>> before, pairs;
    if (begin > 0) extendPairs(begin - 1, -1, offset_ns, before);
    pairs.assign(before.rbegin(), before.rend());
    extendPairs(begin, 1, offset_ns, pairs);
    return pairs;
}

// Pairs with the same offset that have only equal signatures between them form one run, even if some of them
// do not end within the tolerance.
std::vector<ShiftRun> ShiftSearch::runsOf(const std::vector<std::pair<int64_t, int64_t>>& pairs) const
{
    std::vector<ShiftRun> runs;
    for (const auto& [i, j] : pairs) {
        const int64_t shift = j - i;
        bool isSameRun = !runs.empty() && runs.back().shift == shift;
        for (int64_t between = isSameRun ? runs.back().end : i; between < i && isSameRun; ++between)
            isSameRun =
                m_first[static_cast<size_t>(between)] == m_second[static_cast<size_t>(between + shift)];
        if (isSameRun) {
            runs.back().end = i + 1;
        } else if (runs.empty() || (runs.back().end <= i && runs.back().end + runs.back().shift <= j)) {
            runs.push_back({i, i + 1, shift});
        }
    }
    return runs;
}

// Matches lists with losses in the middle. The ends of one collective coincide on all ranks, so every true
// pair shows the same clock offset, regardless of what is missing in between. A segment of the first list
// votes on the offset. The vote counts if at least three quarters of the segment agree on one offset, and at
// most half as many on another, which never happens for a program that repeats itself at a constant pace.
// From there, the offset is followed to both ends of the list. The result is accepted if at least four fifths
// of the entries between the first and the last pair are paired.
SequenceShift ShiftSearch::matchSegments()
{
    SequenceShift result;
    result.verdict = ShiftVerdict::disagrees;
    const auto firstCount = static_cast<int64_t>(m_first.size());
    if (firstCount < kSegmentLength) return result;
    std::vector<std::pair<int64_t, int64_t>> pairs;
    for (int64_t segment = 0; segment < kSegments; ++segment) {
        const int64_t begin = (firstCount - kSegmentLength) * segment / (kSegments - 1);
        const Vote vote = voteOfSegment(begin);
        if (vote.votes * 4 < static_cast<size_t>(kSegmentLength) * 3) continue;
        if (vote.runnerUp * 2 > vote.votes) {
            result.verdict = ShiftVerdict::ambiguous;
            continue;
        }
        auto found = pairsFrom(begin, vote.offset_ns);
        if (found.size() > pairs.size()) pairs = std::move(found);
    }
    if (pairs.size() < kMinAnchors) return result;
    const int64_t spans =
        std::min(pairs.back().first - pairs.front().first, pairs.back().second - pairs.front().second) + 1;
    if (static_cast<int64_t>(pairs.size()) * 5 < spans * 4) return result;
    std::vector<ShiftRun> runs = runsOf(pairs);
    collectPairs(runs, kMinAnchors);
    if (m_ends.size() < kMinAnchors) return result;
    const PairFit fit = fitOfPairs();
    if (fit.violations * 100 > m_ends.size() || fit.spread_ns > kVoteWindow_ns) return result;
    result.verdict = ShiftVerdict::found;
    result.runs = std::move(runs);
    result.overlap = m_ends.size();
    result.spread_ns = fit.spread_ns;
    return result;
}

// Returns the offset with the best agreement of ends, if it is clearly the best. A program that repeats
// itself fits at many offsets; the recorded clocks then select one, if they agree like NTP-synchronized
// clocks at that offset and not nearly as well at any other.
SequenceShift ShiftSearch::bestOf(std::vector<SequenceShift>& fits) const
{
    const auto best = std::ranges::min_element(fits, {}, &SequenceShift::spread_ns);
    const double most_ns = kRunnerUpFactor * std::max(best->spread_ns, kSmallestSpread_ns);
    const auto isComparable = [most_ns](const SequenceShift& fit) { return fit.spread_ns <= most_ns; };
    if (std::ranges::count_if(fits, isComparable) == 1) return std::move(*best);
    const auto isWithin = [&](double limit_ns) {
        return [limit_ns](const SequenceShift& fit) { return std::abs(fit.offset_ns) <= limit_ns; };
    };
    const auto selected = std::ranges::find_if(fits, isWithin(kNtpTolerance_ns));
    if (m_in.clockTrust_ns && selected != fits.end() && isComparable(*selected) &&
        std::ranges::count_if(fits, isWithin(2 * kNtpTolerance_ns)) == 1) {
        selected->isByClocks = true;
        return std::move(*selected);
    }
    SequenceShift none;
    none.verdict = ShiftVerdict::ambiguous;
    return none;
}

SequenceShift ShiftSearch::run()
{
    if (std::min(m_first.size(), m_second.size()) < kMinAnchors) return matchWholeCaptures();
    std::vector<SequenceShift> fits;
    for (const Candidate& candidate : candidates()) {
        if (auto result = evaluate(candidate.shift)) fits.push_back(std::move(*result));
    }
    SequenceShift best = fits.empty() ? matchSegments() : bestOf(fits);
    if (best.verdict != ShiftVerdict::found) best.runs.clear();
    best.work = m_work;
    return best;
}

} // namespace

std::optional<int64_t> SequenceShift::partnerOf(int64_t i) const
{
    const auto after = std::ranges::upper_bound(runs, i, {}, &ShiftRun::begin);
    if (after == runs.begin() || std::prev(after)->end <= i) return std::nullopt;
    return i + std::prev(after)->shift;
}

std::string_view shiftVerdictName(ShiftVerdict verdict)
{
    switch (verdict) {
    case ShiftVerdict::found:
        return "found";
    case ShiftVerdict::tooFew:
        return "too few collectives overlap";
    case ShiftVerdict::disagrees:
        return "no offset makes the patterns agree";
    case ShiftVerdict::ambiguous:
        return "several offsets fit equally well";
    }
    return "unknown";
}

SequenceShift findShift(const ShiftInput& input)
{
    return ShiftSearch(input).run();
}

} // namespace lockstep
