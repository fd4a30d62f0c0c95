// SPDX-License-Identifier: Apache-2.0
#include "core/timeline/rank_map.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <ranges>
#include <set>
#include <tuple>

#include "core/lanes/lane_label.h"
#include "core/timeline/summary_layout.h"

namespace lockstep {

namespace {

constexpr double kMaxDeviation = 0.25; // of the mean number of ranks per line

// A boundary between two lines: the number of lines and of ranks above it.
struct Boundary {
    uint32_t lines = 0, ranks = 0;
};

class HostBoundaries {
  public:
    HostBoundaries(uint32_t ranks, uint32_t lines)
        : m_end{lines, ranks}, m_mean(double(ranks) / lines), m_slack(std::max(1.0, m_mean * kMaxDeviation))
    {
    }

    // Adds the boundary above a host if the lines remain nearly equal. `ranks` must ascend.
    void add(uint32_t ranks)
    {
        const Boundary next{static_cast<uint32_t>(std::lround(ranks / m_mean)), ranks};
        if (next.lines >= m_end.lines) return;
        const bool isNearer = next.lines == m_kept.back().lines && distance(next) < distance(m_kept.back());
        if (isNearer && m_kept.size() > 1 && isNearlyEqual(m_kept[m_kept.size() - 2], next)) {
            m_kept.back() = next;
        } else if (isNearlyEqual(m_kept.back(), next)) {
            m_kept.push_back(next);
        }
    }

    // Returns the boundaries, including the first and the last.
    std::vector<Boundary> finish()
    {
        while (m_kept.size() > 1 && !isNearlyEqual(m_kept.back(), m_end))
            m_kept.pop_back();
        m_kept.push_back(m_end);
        return std::move(m_kept);
    }

  private:
    double distance(Boundary of) const { return std::abs(of.ranks - of.lines * m_mean); }
    bool isNearlyEqual(Boundary from, Boundary to) const
    {
        if (to.lines <= from.lines || to.ranks - from.ranks < to.lines - from.lines) return false;
        const uint32_t lines = to.lines - from.lines, ranks = to.ranks - from.ranks;
        return ranks / lines > m_mean - m_slack && (ranks + lines - 1) / lines < m_mean + m_slack;
    }

    const Boundary m_end;
    const double m_mean, m_slack;
    std::vector<Boundary> m_kept{{}};
};

} // namespace

std::vector<uint32_t> ranksPerLine(std::span<const uint32_t> hosts, uint32_t lines)
{
    const uint32_t all = std::accumulate(hosts.begin(), hosts.end(), 0u);
    lines = std::min(lines, all);
    std::vector<uint32_t> out;
    if (lines == 0) return out;
    HostBoundaries boundaries(all, lines);
    uint32_t above = 0;
    for (const uint32_t host : hosts) {
        boundaries.add(above);
        above += host;
    }
    const std::vector<Boundary> fixed = boundaries.finish();
    for (size_t i = 1; i < fixed.size(); ++i) {
        const uint64_t some = fixed[i].lines - fixed[i - 1].lines,
                       ranks = fixed[i].ranks - fixed[i - 1].ranks;
        for (uint64_t line = 0; line < some; ++line)
            out.push_back(static_cast<uint32_t>((line + 1) * ranks / some - line * ranks / some));
    }
    return out;
}

namespace {

constexpr size_t kMaxOutliers = 3;
constexpr double kOutlierDeviations = 10; // threshold in median absolute deviations above the median
constexpr size_t kProfileParts = 64;

// Returns the median, or 0 if there are no values. Reorders the values.
template<class T>
T medianOf(std::vector<T> values)
{
    if (values.empty()) return T{};
    const auto middle = values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
    std::ranges::nth_element(values, middle);
    return *middle;
}

} // namespace

std::shared_ptr<const RankMap> RankMap::make(const Scene& scene, uint32_t group, RankMapChoice choice,
                                             const FrameMetrics& metrics,
                                             const std::function<bool(uint32_t)>& isShown)
{
    auto map = std::make_shared<RankMap>();
    map->m_choice = choice;
    map->collect(scene, group, isShown);
    map->m_isWhole = map->m_ranks.size() == scene.tree->lane(group).rankCount;
    if (map->m_isWhole) map->addMissing();
    map->findOutliers(scene);
    map->sort(scene);
    map->cutLines(metrics);
    return map;
}

void RankMap::collect(const Scene& scene, uint32_t group, const std::function<bool(uint32_t)>& isShown)
{
    std::set<std::string> hosts;
    std::vector<uint32_t> pending{group};
    while (!pending.empty()) {
        const uint32_t index = pending.back();
        const Lane& lane = scene.tree->lane(index);
        pending.pop_back();
        if (lane.subject == LaneSubject::group)
            for (const uint32_t child : scene.tree->childrenOf(index) | std::views::reverse)
                pending.push_back(child);
        const auto* const process = lane.data.as<ProcessLaneData>();
        if (process == nullptr || lane.rankCount == 0 || !isShown(index)) continue;
        Rank& rank = m_ranks.emplace_back();
        rank.lane = index;
        rank.number = process->rank;
        rank.host = process->host;
        rank.role = lane.role;
        rank.busy = process->time.busy().value_or(0);
        for (const auto& [report, id] : process->members) {
            const RankLate* const late = scene.lateness->of(report, id);
            if (late == nullptr) continue;
            rank.collectives += late->collectives;
            rank.timesLast += late->timesLast;
            rank.waited_ns += late->waited_ns;
            rank.caused_ns += late->caused_ns;
        }
        m_maxCaused_ns = std::max(m_maxCaused_ns, rank.caused_ns);
        hosts.insert(process->host);
    }
    m_hosts = static_cast<uint32_t>(hosts.size());
}

// Adds ranks whose numbers are missing between existing ones, if only a few are missing, i.e. if the reports
// of some ranks were not collected. If many are missing, only part of the job is open, and no ranks are
// added.
void RankMap::addMissing()
{
    std::vector<std::pair<int, const Rank*>> known;
    for (const Rank& rank : m_ranks) {
        if (rank.number) known.emplace_back(*rank.number, &rank);
    }
    std::ranges::sort(known, {}, [](const auto& entry) { return entry.first; });
    if (known.size() < 2) return;
    const auto span = static_cast<size_t>(int64_t{known.back().first} - known.front().first) + 1;
    if (span > known.size() + known.size() / 4) return;
    std::vector<Rank> missing;
    for (size_t i = 1; i < known.size(); ++i) {
        for (int64_t number = int64_t{known[i - 1].first} + 1; number < known[i].first; ++number) {
            Rank& rank = missing.emplace_back();
            rank.number = static_cast<int>(number);
            rank.role = known[i].second->role;
            if (known[i - 1].second->host == known[i].second->host) rank.host = known[i].second->host;
        }
    }
    m_missing = missing.size();
    m_ranks.insert(m_ranks.end(), missing.begin(), missing.end());
}

// Finds ranks whose lateness cost the other ranks far more time than is typical in this group, and enough
// time to be visible. The limit is the median plus kOutlierDeviations times the median absolute deviation,
// which a few outliers do not shift. O(ranks).
void RankMap::findOutliers(const Scene& scene)
{
    std::vector<int64_t> caused;
    for (const Rank& rank : m_ranks) {
        if (rank.collectives > 0) caused.push_back(rank.caused_ns);
    }
    if (caused.size() < 3) return;
    const int64_t median = medianOf(caused);
    for (int64_t& value : caused)
        value = std::abs(value - median);
    const auto limit =
        static_cast<double>(median) + kOutlierDeviations * static_cast<double>(medianOf(caused));
    const int64_t visible_ns = scene.extent().length().ns / 1000;
    std::vector<Rank*> late;
    for (Rank& rank : m_ranks) {
        if (static_cast<double>(rank.caused_ns) > limit && rank.caused_ns > visible_ns) late.push_back(&rank);
    }
    std::ranges::sort(late, std::greater<>(), &Rank::caused_ns);
    for (size_t i = 0; i < std::min(kMaxOutliers, late.size()); ++i)
        late[i]->isOutlier = true;
}

// Returns how far each rank's use of time deviates from the median, computed separately for each part of
// the run.
std::vector<double> RankMap::dissimilarity(const Scene& scene) const
{
    const TimeRange extent = scene.extent();
    std::vector<std::vector<ActivityParts>> profiles;
    for (const Rank& rank : m_ranks) {
        auto& profile = profiles.emplace_back(kProfileParts);
        if (rank.lane == kNoLane) continue;
        for (const RowSource& source : scene.tree->lane(rank.lane).summary) {
            if (source.kind == RowSource::Kind::busy) addActivity(scene, source, extent, profile);
        }
    }
    std::vector<double> out(m_ranks.size(), 0);
    for (size_t part = 0; part < kProfileParts; ++part) {
        for (size_t activity = 0; activity < kActivities; ++activity) {
            std::vector<int> values;
            for (const auto& profile : profiles)
                values.push_back(profile[part][activity]);
            const int typical = medianOf(values);
            for (size_t i = 0; i < out.size(); ++i)
                out[i] += std::abs(values[i] - typical);
        }
    }
    return out;
}

void RankMap::sort(const Scene& scene)
{
    const auto byNumber = [](const Rank& a, const Rank& b) {
        const auto number = [](const Rank& r) { return r.number.value_or(std::numeric_limits<int>::max()); };
        return number(a) < number(b);
    };
    const auto byHost = [](const Rank& a, const Rank& b) { return naturalLess(a.host, b.host); };
    std::ranges::stable_sort(m_ranks, byNumber);
    switch (m_choice.order) {
    case RankOrder::rank:
        break;
    case RankOrder::host:
        // A rank without a report and with an unknown host remains next to its neighbors.
        if (m_missing == 0) std::ranges::stable_sort(m_ranks, byHost);
        break;
    case RankOrder::role:
        std::ranges::stable_sort(m_ranks, {}, &Rank::role);
        break;
    case RankOrder::busy:
        std::ranges::stable_sort(m_ranks, std::greater<>(), &Rank::busy);
        break;
    case RankOrder::lateness:
        std::ranges::stable_sort(m_ranks, std::greater<>(), &Rank::caused_ns);
        break;
    case RankOrder::similarity: {
        const std::vector<double> distances = dissimilarity(scene);
        std::vector<size_t> order(m_ranks.size());
        for (size_t i = 0; i < order.size(); ++i)
            order[i] = i;
        std::ranges::stable_sort(order, std::greater<>(), [&](size_t i) { return distances[i]; });
        std::vector<Rank> sorted;
        for (const size_t i : order)
            sorted.push_back(std::move(m_ranks[i]));
        m_ranks = std::move(sorted);
        break;
    }
    }
    // Ranks without a value come last in either direction.
    if (m_choice.order >= RankOrder::busy)
        std::ranges::stable_partition(m_ranks, [](const Rank& rank) { return rank.lane != kNoLane; });
}

// The lines fill the map's height. Outliers have a fixed height. The other lines share the remaining rows of
// pixels; their heights differ by at most one pixel.
void RankMap::cutLines(const FrameMetrics& metrics)
{
    if (m_ranks.empty()) return;
    const auto outliers = static_cast<int>(std::ranges::count_if(m_ranks, &Rank::isOutlier));
    const int height = metrics.mapHeight / static_cast<int>(m_ranks.size());
    const int outlierHeight = std::max(height, metrics.mapOutlier) + 2 * metrics.line;
    // The ranks above, between and below the outliers need at least one row each.
    const int rows = std::max(outliers + 1, metrics.mapHeight - outliers * outlierHeight);
    divideRanks(static_cast<uint32_t>(rows));
    const int64_t others = static_cast<int64_t>(m_lines.size()) - outliers;
    const auto bottomOf = [&](int64_t line) {
        return static_cast<int>((2 * line * rows + others) / (2 * others));
    };
    int top = 0;
    int64_t passed = 0;
    for (Line& line : m_lines) {
        line.top = top;
        top += line.isOutlier ? outlierHeight : bottomOf(passed + 1) - bottomOf(passed);
        if (!line.isOutlier) ++passed;
        line.bottom = top;
    }
}

// Assigns each rank to a line: outliers to a line of their own, the others to at most `rows` lines. The runs
// of ranks between outliers receive lines in proportion to their length.
void RankMap::divideRanks(uint32_t rows)
{
    struct Run {
        uint32_t first = 0, end = 0;
    };
    std::vector<Run> runs;
    uint32_t others = 0;
    for (uint32_t i = 0; i < m_ranks.size(); ++i) {
        if (m_ranks[i].isOutlier) continue;
        if (runs.empty() || runs.back().end != i) runs.push_back({i, i});
        ++runs.back().end;
        ++others;
    }
    const uint32_t lines = std::min(rows, others);
    uint32_t first = 0, passed = 0, used = 0;
    const auto addOutliers = [&](uint32_t end) {
        for (; first < end; ++first)
            m_lines.push_back({0, 0, first, 1, true});
    };
    for (size_t i = 0; i < runs.size(); ++i) {
        const auto [begin, end] = runs[i];
        addOutliers(begin);
        passed += end - begin;
        const auto share = static_cast<uint32_t>(std::lround(double(passed) * lines / others));
        const auto after = static_cast<uint32_t>(runs.size() - 1 - i);
        const uint32_t until = std::clamp(share, used + 1, std::min(used + end - begin, lines - after));
        for (const uint32_t count : ranksPerLine(hostRuns(begin, end), until - used)) {
            m_lines.push_back({0, 0, first, count, false});
            first += count;
        }
        used = until;
    }
    addOutliers(static_cast<uint32_t>(m_ranks.size()));
}

// Returns the number of consecutive ranks on each host. A rank with an unknown host counts for the host above
// it.
std::vector<uint32_t> RankMap::hostRuns(uint32_t first, uint32_t end) const
{
    std::vector<uint32_t> runs;
    const std::string* host = nullptr;
    for (; first < end; ++first) {
        const std::string& next = m_ranks[first].host;
        if (runs.empty() || (!next.empty() && host != nullptr && next != *host)) runs.push_back(0);
        if (!next.empty()) host = &next;
        ++runs.back();
    }
    return runs;
}

const RankMap::Line* RankMap::lineAt(int y) const
{
    const auto after = std::ranges::upper_bound(m_lines, y, {}, &Line::top);
    if (after == m_lines.begin()) return nullptr;
    const Line& line = *std::prev(after);
    return y < line.bottom ? &line : nullptr;
}

uint32_t RankMap::lineOf(uint32_t rank) const
{
    const auto after = std::ranges::upper_bound(m_lines, rank, {}, &Line::first);
    return static_cast<uint32_t>(after - m_lines.begin()) - 1;
}

const RankMap::Rank& RankMap::representativeOf(const Line& line) const
{
    const auto begin = m_ranks.begin() + line.first;
    return *std::max_element(begin, begin + line.count, [](const Rank& a, const Rank& b) {
        return std::tuple(a.isOutlier, a.caused_ns) < std::tuple(b.isOutlier, b.caused_ns);
    });
}

} // namespace lockstep
