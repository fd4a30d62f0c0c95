// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/area_aggregate.h"

#include <algorithm>
#include <limits>
#include <ranges>
#include <tuple>
#include <vector>

#include "core/analysis/area_groups.h"
#include "core/base/text.h"

namespace lockstep {

namespace {

// AreaTally: totals by group for one segment of the selected time. The slices of all tracks are visited in
// order of start, so computing the union of a group takes only one value per group: the end of the time
// covered so far. Used by an aggregate; each worker processes one segment at a time.

// Totals for one group, over the slices that begin in one segment of time.
struct AreaTally {
    uint32_t group = 0;
    int64_t sum_ns = 0;
    int64_t union_ns = 0;   // added to the time that was already covered when the segment began
    int64_t first_ns = 0;   // start of the first slice, aligned
    int64_t covered_ns = 0; // latest end of any slice, aligned
    uint64_t count = 0, cut = 0;
    int64_t longest_ns = -1;
    SliceRef longest;
    SliceCategory category = SliceCategory::other;
};

// The part of a run whose slices begin in the segment, with the group of each slice.
struct AreaSegmentRun {
    const AreaRun* run = nullptr;
    const IntervalSet* windows = nullptr;
    AreaGroups::OfRun groups;
    const SliceTable* slices = nullptr;
    const ClockMap* map = nullptr;
    bool isShifted = true; // the report's clock differs from the axis only by offset_ns
    uint32_t first = 0, last = 0;

    int64_t aligned(int64_t trace_ns) const
    {
        return isShifted ? trace_ns + map->offset_ns : map->alignedFromTrace(TraceTime{trace_ns}).ns;
    }
    // Returns the part of a row inside the window, aligned.
    TimeRange partOf(uint32_t row) const
    {
        const int64_t start_ns = slices->start_ns[row];
        const TimeRange& window = run->window;
        return {{aligned(std::max(start_ns, window.begin.ns))},
                {aligned(std::min(start_ns + slices->duration_ns[row], window.end.ns))}};
    }
    // Returns true if the row is the slice's part in the first window that the slice overlaps. This part
    // represents the slice.
    bool isFirstPart(uint32_t row) const { return slices->start_ns[row] >= run->counted.ns; }
};

// The next slice of one run, ordered by its start in the area.
struct AreaHead {
    int64_t begin_ns;
    uint32_t run;

    friend bool operator>(const AreaHead& a, const AreaHead& b)
    {
        return a.begin_ns != b.begin_ns ? a.begin_ns > b.begin_ns : a.run > b.run;
    }
};

// Computes the totals for one segment. Each worker has its own object and reuses it.
class AreaTallier {
  public:
    // groups: number of groups. An additional last group holds the totals of all slices.
    explicit AreaTallier(uint32_t groups) : m_of(groups + 1), m_isUsed(groups + 1, false) {}

    // Returns the tallies by group in order of occurrence; the tally of all slices comes last. covered: by
    // group, the time up to which earlier slices cover the axis; nullptr if no time is covered.
    std::vector<AreaTally> tally(std::vector<AreaSegmentRun>& runs, const int64_t* covered);

  private:
    void tallyFewRuns(std::vector<AreaSegmentRun>& runs, std::vector<uint32_t>& at,
                      const std::vector<AreaHead>& heads);
    std::vector<AreaTally> takeTallies();
    void add(const AreaSegmentRun& run, uint32_t row);
    void addTo(AreaTally& tally, const AreaSegmentRun& run, uint32_t row, TimeRange part);
    AreaTally& tallyOf(uint32_t group, TimeRange part);

    std::vector<AreaTally> m_of; // by group
    std::vector<bool> m_isUsed;
    std::vector<uint32_t> m_used;
    const int64_t* m_covered = nullptr;
};

constexpr size_t kFewRuns = 48;

AreaTally& AreaTallier::tallyOf(uint32_t group, TimeRange part)
{
    AreaTally& tally = m_of[group];
    if (m_isUsed[group]) return tally;
    m_isUsed[group] = true;
    m_used.push_back(group);
    tally = {};
    tally.group = group;
    tally.first_ns = part.begin.ns;
    tally.covered_ns = m_covered != nullptr ? m_covered[group] : std::numeric_limits<int64_t>::min();
    return tally;
}

void AreaTallier::addTo(AreaTally& tally, const AreaSegmentRun& run, uint32_t row, TimeRange part)
{
    const int64_t inside_ns = part.length().ns;
    tally.sum_ns += inside_ns;
    if (part.end.ns > tally.covered_ns) {
        tally.union_ns += part.end.ns - std::max(part.begin.ns, tally.covered_ns);
        tally.covered_ns = part.end.ns;
    }
    if (!run.isFirstPart(row)) return;
    ++tally.count;
    const TimeRange slice = run.slices->range(SliceId(row));
    const bool isInside = run.run->window.begin <= slice.begin && slice.end <= run.run->window.end;
    const int64_t whole_ns = isInside ? slice.length().ns : insideOf(*run.windows, slice);
    tally.cut += isInside ? 0 : 1;
    const SliceRef ref{run.run->report, SliceId(row)};
    if (whole_ns < tally.longest_ns || (whole_ns == tally.longest_ns && tally.longest < ref)) return;
    tally.longest_ns = whole_ns;
    tally.longest = ref;
    tally.category = run.slices->category[row];
}

void AreaTallier::add(const AreaSegmentRun& run, uint32_t row)
{
    const TimeRange part = run.partOf(row);
    addTo(tallyOf(run.groups.at(row), part), run, row, part);
    addTo(tallyOf(static_cast<uint32_t>(m_of.size() - 1), part), run, row, part);
}

// For few runs, a linear search for the first is faster than a heap because it does not depend on branch
// prediction.
void AreaTallier::tallyFewRuns(std::vector<AreaSegmentRun>& runs, std::vector<uint32_t>& at,
                               const std::vector<AreaHead>& heads)
{
    std::vector<int64_t> begins(runs.size(), std::numeric_limits<int64_t>::max());
    for (const AreaHead& head : heads)
        begins[head.run] = head.begin_ns;
    for (size_t left = heads.size(); left > 0;) {
        size_t first = 0;
        int64_t least_ns = begins[0]; // kept in a local variable so that comparisons need no memory access
        for (size_t i = 1; i < begins.size(); ++i) {
            const bool isEarlier = begins[i] < least_ns;
            least_ns = isEarlier ? begins[i] : least_ns;
            first = isEarlier ? i : first;
        }
        const AreaSegmentRun& run = runs[first];
        add(run, run.run->row(at[first]));
        if (++at[first] < run.last) {
            begins[first] = run.partOf(run.run->row(at[first])).begin.ns;
        } else {
            begins[first] = std::numeric_limits<int64_t>::max();
            --left;
        }
    }
}

std::vector<AreaTally> AreaTallier::tally(std::vector<AreaSegmentRun>& runs, const int64_t* covered)
{
    m_covered = covered;
    std::vector<AreaHead> heads;
    std::vector<uint32_t> at(runs.size());
    const auto beginOf = [&](uint32_t i) { return runs[i].partOf(runs[i].run->row(at[i])).begin.ns; };
    for (uint32_t i = 0; i < runs.size(); ++i) {
        at[i] = runs[i].first;
        if (at[i] < runs[i].last) heads.push_back({beginOf(i), i});
    }
    std::ranges::make_heap(heads, std::greater<>());
    if (runs.size() <= kFewRuns) {
        tallyFewRuns(runs, at, heads);
        heads.clear();
    }
    while (!heads.empty()) {
        // Takes slices from one run as long as this run has the earliest slice. Usually this is a single
        // slice, or all remaining ones.
        std::ranges::pop_heap(heads, std::greater<>());
        AreaHead head = heads.back();
        const AreaSegmentRun& run = runs[head.run];
        const bool isAlone = heads.size() == 1;
        const int64_t limit_ns = isAlone ? std::numeric_limits<int64_t>::max() : heads.front().begin_ns;
        uint32_t& i = at[head.run];
        do {
            add(run, run.run->row(i));
            if (++i == run.last) break;
            head.begin_ns = beginOf(head.run);
        } while (head.begin_ns <= limit_ns);
        if (i == run.last) {
            heads.pop_back();
        } else {
            heads.back() = head;
            std::ranges::push_heap(heads, std::greater<>());
        }
    }
    return takeTallies();
}

std::vector<AreaTally> AreaTallier::takeTallies()
{
    std::vector<AreaTally> out;
    for (const uint32_t group : m_used) {
        out.push_back(m_of[group]);
        m_isUsed[group] = false;
    }
    m_used.clear();
    return out;
}

class AreaCounter {
  public:
    AreaCounter(const Scene& scene, const AreaQuery& request, AreaGroup by, const AreaRows& rows,
                uint64_t segmentRows, const Progress& progress)
        : m_scene(scene), m_request(request), m_rows(rows), m_segmentRows(segmentRows), m_progress(progress),
          m_groups(scene, rows, by, progress)
    {
    }

    Result<AreaAggregate> count()
    {
        LOCKSTEP_TRY(m_progress.check());
        for (const AreaRun& run : m_rows.runs())
            m_whole.push_back(wholeOf(run));
        partTime();
        m_tallies.resize(m_begins.size());
        m_workers.assign(m_progress.workers().count(), AreaTallier(m_groups.count()));
        m_progress.workers().run(m_begins.size(), [&](size_t i, size_t worker) {
            if (m_progress.isCanceled()) return;
            std::vector<AreaSegmentRun> runs = segment(i);
            m_tallies[i] = m_workers[worker].tally(runs, nullptr);
        });
        LOCKSTEP_TRY(m_progress.check());
        recountCovered();
        LOCKSTEP_TRY(m_progress.check());
        join();
        addStatistics();
        LOCKSTEP_TRY(m_progress.check());
        return finished();
    }

  private:
    AreaSegmentRun wholeOf(const AreaRun& run)
    {
        const ClockMap& map = m_scene.alignment.map(run.report);
        return {&run,
                &m_rows.windowsOf(run),
                m_groups.of(run),
                &m_scene.shown.report(run.report).slices,
                &map,
                map.drift_ppb == 0 && map.steps.empty(),
                0,
                run.count};
    }

    // Chooses the starts of segments so that each segment contains about the same number of slices. Uses
    // quantiles of a sample of slice starts.
    void partTime()
    {
        const uint64_t samples = std::min<uint64_t>(64, m_segmentRows); // per segment
        const uint64_t every = m_segmentRows / samples;
        std::vector<int64_t> sample;
        for (const AreaSegmentRun& whole : m_whole) {
            for (uint64_t i = every / 2; i < whole.last; i += every)
                sample.push_back(whole.partOf(whole.run->row(static_cast<uint32_t>(i))).begin.ns);
        }
        std::ranges::sort(sample);
        m_begins.push_back(std::numeric_limits<int64_t>::min());
        for (size_t i = samples; i < sample.size(); i += samples) {
            if (sample[i] > m_begins.back()) m_begins.push_back(sample[i]);
        }
    }

    std::vector<AreaSegmentRun> segment(size_t i) const
    {
        const int64_t end_ns =
            i + 1 < m_begins.size() ? m_begins[i + 1] : std::numeric_limits<int64_t>::max();
        std::vector<AreaSegmentRun> runs;
        for (const AreaSegmentRun& whole : m_whole) {
            const auto firstFrom = [&](int64_t begin_ns) {
                const auto all = std::views::iota(uint32_t(0), whole.last);
                return *std::ranges::partition_point(
                    all, [&](uint32_t at) { return whole.partOf(whole.run->row(at)).begin.ns < begin_ns; });
            };
            AreaSegmentRun part = whole;
            part.first = i == 0 ? 0 : firstFrom(m_begins[i]);
            part.last = i + 1 == m_begins.size() ? whole.last : firstFrom(end_ns);
            if (part.first < part.last) runs.push_back(part);
        }
        return runs;
    }

    // Recounts a segment that slices from earlier segments partly cover. The new count begins where this
    // covered time ends.
    void recountCovered()
    {
        std::vector<int64_t> covered(m_groups.count() + 1, std::numeric_limits<int64_t>::min());
        std::vector<std::pair<size_t, std::vector<int64_t>>> again;
        for (size_t i = 0; i < m_tallies.size(); ++i) {
            bool isPartly = false;
            for (AreaTally& tally : m_tallies[i]) {
                const int64_t before = covered[tally.group];
                if (before >= tally.covered_ns) {
                    tally.union_ns = 0;
                } else if (before > tally.first_ns) {
                    isPartly = true;
                }
            }
            if (isPartly) again.emplace_back(i, covered);
            for (const AreaTally& tally : m_tallies[i])
                covered[tally.group] = std::max(covered[tally.group], tally.covered_ns);
        }
        m_progress.workers().run(again.size(), [&](size_t i, size_t worker) {
            if (m_progress.isCanceled()) return;
            std::vector<AreaSegmentRun> runs = segment(again[i].first);
            m_tallies[again[i].first] = m_workers[worker].tally(runs, again[i].second.data());
        });
    }

    void join()
    {
        m_joined.resize(m_groups.count() + 1);
        for (const std::vector<AreaTally>& segment : m_tallies) {
            for (const AreaTally& tally : segment) {
                AreaTally& whole = m_joined[tally.group];
                whole.sum_ns += tally.sum_ns;
                whole.union_ns += tally.union_ns;
                whole.count += tally.count;
                whole.cut += tally.cut;
                const bool isLonger = tally.longest_ns > whole.longest_ns ||
                                      (tally.longest_ns == whole.longest_ns && tally.longest < whole.longest);
                if (!isLonger) continue;
                whole.longest_ns = tally.longest_ns;
                whole.longest = tally.longest;
                whole.category = tally.category;
            }
        }
    }

    // Collects the durations of each group contiguously, for statistics that require all of them at once.
    void addStatistics()
    {
        const bool includesClipped = m_request.clip == Clip::include;
        std::vector<uint64_t> next(m_groups.count() + 1, 0); // position for the next value, by group
        for (uint32_t group = 0; group < m_groups.count(); ++group)
            next[group + 1] =
                next[group] + m_joined[group].count - (includesClipped ? 0 : m_joined[group].cut);
        const std::vector<uint64_t> begins = next;
        const auto values = std::make_unique_for_overwrite<int64_t[]>(begins.back());
        std::vector<std::vector<uint64_t>> of(m_tallies.size()); // groups by segment, parallel to the tallies
                                                                 // of the segment
        for (size_t i = 0; i < m_tallies.size(); ++i) {
            for (const AreaTally& tally : m_tallies[i]) {
                of[i].push_back(next[tally.group]);
                if (tally.group < m_groups.count())
                    next[tally.group] += tally.count - (includesClipped ? 0 : tally.cut);
            }
        }
        std::vector<std::vector<uint64_t>> places(m_progress.workers().count());
        m_progress.workers().run(m_tallies.size(), [&](size_t i, size_t worker) {
            if (m_progress.isCanceled()) return;
            places[worker].resize(begins.size());
            for (size_t k = 0; k < of[i].size(); ++k)
                places[worker][m_tallies[i][k].group] = of[i][k];
            writeValues(i, includesClipped, places[worker].data(), values.get());
        });
        m_statistics.resize(m_groups.count() + 1);
        const std::span<const int64_t> all(values.get(), begins.back());
        m_progress.workers().run(m_statistics.size(), [&](size_t group, size_t) {
            if (m_progress.isCanceled()) return;
            const bool isAll = group == m_groups.count();
            const auto own = isAll ? all : all.subspan(begins[group], begins[group + 1] - begins[group]);
            m_statistics[group] = durationStatistics(own);
        });
    }

    void writeValues(size_t i, bool includesClipped, uint64_t* places, int64_t* values) const
    {
        for (const AreaSegmentRun& run : segment(i)) {
            for (uint32_t at = run.first; at < run.last; ++at) {
                const uint32_t row = run.run->row(at);
                if (!run.isFirstPart(row)) continue;
                const TimeRange slice = run.slices->range(SliceId(row));
                const TimeRange& window = run.run->window;
                const bool isInside = window.begin <= slice.begin && slice.end <= window.end;
                if (!isInside && !includesClipped) continue;
                values[places[run.groups.at(row)]++] =
                    isInside ? slice.length().ns : insideOf(*run.windows, slice);
            }
        }
    }

    AreaGroupRow rowOf(uint32_t group) const
    {
        const AreaTally& tally = m_joined[group];
        return {group < m_groups.count() ? m_groups.labelOf(group) : std::string(),
                tally.category,
                tally.sum_ns,
                tally.union_ns,
                tally.count,
                tally.cut,
                m_statistics[group],
                tally.longest};
    }

    AreaAggregate finished() const
    {
        AreaAggregate out;
        for (uint32_t group = 0; group < m_groups.count(); ++group) {
            if (m_joined[group].count > 0) out.rows.push_back(rowOf(group));
        }
        std::ranges::sort(out.rows, [](const AreaGroupRow& a, const AreaGroupRow& b) {
            return std::tie(b.sum_ns, b.count, a.label) < std::tie(a.sum_ns, a.count, b.label);
        });
        out.total = rowOf(m_groups.count());
        out.laneCount = m_rows.laneCount();
        out.length = m_rows.length();
        return out;
    }

    const Scene& m_scene;
    const AreaQuery& m_request;
    const AreaRows& m_rows;
    const uint64_t m_segmentRows;
    const Progress& m_progress;
    AreaGroups m_groups;
    std::vector<AreaSegmentRun> m_whole;
    std::vector<int64_t> m_begins;                 // starts of segments, aligned
    std::vector<std::vector<AreaTally>> m_tallies; // tallies by segment
    std::vector<AreaTallier> m_workers;
    std::vector<AreaTally> m_joined; // totals by group; the entry for all slices comes last
    std::vector<DurationStatistics> m_statistics;
};

} // namespace

Result<AreaAggregate> aggregateArea(const Scene& scene, const AreaQuery& request, AreaGroup by,
                                    const Progress& progress, uint64_t segmentRows)
{
    const AreaRows rows = LOCKSTEP_TRY(areaRowsOf(scene, request, progress));
    return AreaCounter(scene, request, by, rows, segmentRows, progress).count();
}

namespace {

std::string areaLabelOf(const AreaGroupRow& row, AreaGroup by)
{
    if (!row.label.empty()) return by == AreaGroup::rank ? "rank " + row.label : row.label;
    return by == AreaGroup::phase ? "(in no phase)" : by == AreaGroup::rank ? "(rank unknown)" : "(no name)";
}

void addAreaColumns(Table& table, AreaGroup by, std::string_view ofWhich)
{
    const auto time = [&](const char* name, int decimals, const std::string& doc) {
        table.addColumn({name, "ns", ColumnType::time, decimals, doc});
    };
    std::string head(areaGroupName(by));
    head[0] = static_cast<char>(head[0] - 'a' + 'A');
    const std::string of(ofWhich);
    table.addColumn({head, "", ColumnType::text, 0, "what the slices of the row have in common"});
    time("Sum", 0, "part of the durations inside the area; nested and parallel slices each count");
    table.addColumn({"Union", "ns", ColumnType::time, 0,
                     "time inside the area during which at least one of them ran, on the aligned axis",
                     ColumnMeaning::alignedDuration});
    table.addColumn({"Count", "", ColumnType::integer, 0,
                     "slices and instants inside the area, including "
                     "clipped ones"});
    table.addColumn({"Share", "%", ColumnType::percent, 1, "Sum as a share of the sum of all rows"});
    table.addColumn({"Cut", "", ColumnType::integer, 0, "slices that extend beyond the edge of an area"});
    table.markSums({"Sum", "Count", "Share", "Cut"});
    time("Avg", 1, "mean duration " + of);
    time("Med", 1, "median duration " + of + "; the mean of the two middle ones for an even count");
    time("Min", 0, "shortest duration " + of);
    time("Max", 0, "longest duration " + of);
    time("StdDev", 1, "sample standard deviation (divisor n - 1) " + of);
}

} // namespace

Table areaTable(const AreaAggregate& aggregate, AreaGroup by, Clip clip)
{
    const bool includesClipped = clip == Clip::include;
    Table table{"area_by_" + std::string(areaGroupName(by)),
                "Selection by " + std::string(areaGroupName(by))};
    addAreaColumns(table, by,
                   includesClipped ? "of all slices; clipped ones count with the part inside"
                                   : "of the slices that are not clipped");
    for (const AreaGroupRow& row : aggregate.rows) {
        table.addRow(row.longest);
        table.setText(0, areaLabelOf(row, by));
        table.setNumber(1, row.sum_ns);
        table.setNumber(2, row.union_ns);
        table.setNumber(3, static_cast<int64_t>(row.count));
        table.setNumber(4, roundedQuotient(__int128(row.sum_ns) * 1000, aggregate.total.sum_ns));
        table.setNumber(5, static_cast<int64_t>(row.cut));
        if (row.statistics.count == 0) continue; // all slices are clipped
        table.setNumber(6, row.statistics.average(10));
        table.setNumber(7, row.statistics.median(10));
        table.setNumber(8, row.statistics.minimum);
        table.setNumber(9, row.statistics.maximum);
        table.setNumber(10, row.statistics.standardDeviation(10));
    }
    table.source.rows = "slices and instants in the selected areas, and individually selected slices";
    table.source.rules.push_back("Sum and Union count the part inside an area; Union counts each moment "
                                 "once");
    table.source.rules.push_back(groupedText(static_cast<int64_t>(aggregate.total.cut)) + " of " +
                                 groupedText(static_cast<int64_t>(aggregate.total.count)) +
                                 " extend beyond an area; Avg, Med, Min, Max and StdDev " +
                                 (includesClipped ? "count their part inside" : "exclude them"));
    if (by == AreaGroup::phase)
        table.source.rules.push_back("a slice belongs to the phase of its process in which it began");
    return table;
}

} // namespace lockstep
