// SPDX-License-Identifier: Apache-2.0
#include "core/readers/memory_snapshot/memory_timeline.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "core/trace/memory_levels.h"

namespace lockstep {

namespace {

// Same order as the category numbers in the raw form, and as columns 1 to 8 in the plain form.
constexpr std::array<const char*, 8> kCategories{"Parameter",       "Optimizer state", "Input",
                                                 "Temporary",       "Activation",      "Gradient",
                                                 "Autograd detail", "Unknown"};
constexpr double kMaxLevel = 1e18;     // bytes; larger values are invalid
constexpr size_t kRowsPerCheck = 1024; // rows between two progress checks
constexpr std::array<const char*, 4> kTimelineActions{"preexisting", "create", "increment_version",
                                                      "destroy"};

// Shows categories as areas: the artificial blocks of each category match its bytes at every timestamp.
class CategoryAreas {
  public:
    explicit CategoryAreas(ReportBuilder& builder)
        : m_history(builder.report()), m_levels(m_history, builder.report())
    {
        const uint32_t subject = m_history.subject({MemoryRecorder::categories, MemoryKind::device, -1, {}});
        for (const char* const category : kCategories)
            m_levels.group(subject, builder.intern(std::string(category) + " (category)"));
    }

    MemoryLevelHistory& levels() { return m_levels; }
    Status finish(const Progress& progress) { return m_history.finish(progress); }

  private:
    MemoryHistory m_history;
    MemoryLevelHistory m_levels;
};

using Samples = std::array<std::vector<std::pair<int64_t, double>>, kCategories.size()>;

std::vector<ValueId> itemsOf(const ValueTree& values, ValueId list)
{
    std::vector<ValueId> items;
    values.forEachItem(list, [&](ValueId item) { items.push_back(item); });
    return items;
}

void addTracks(Samples&& samples, ProcessId process, ReportBuilder& builder)
{
    CounterTrack track;
    track.process = process;
    track.unit = builder.intern("B");
    for (size_t category = 0; category < samples.size(); ++category) {
        if (samples[category].empty()) continue;
        track.name = builder.intern(kCategories[category]);
        builder.addSamples(builder.addCounterTrack(track), std::move(samples[category]));
    }
}

struct RawRow {
    int64_t time_ns;
    int64_t action;
    int64_t size_bytes;
    size_t category;
};

class RawTimeline {
  public:
    explicit RawTimeline(ReportBuilder& builder) : m_builder(builder) {}

    std::optional<RawRow> row(const ValueTree& values, ValueId list)
    {
        std::array<int64_t, 4> cells{};
        size_t count = 0;
        bool whole = true;
        values.forEachItem(list, [&](ValueId item) {
            const auto cell = values.asInteger(item);
            whole &= cell.has_value();
            if (count < cells.size()) cells[count] = cell.value_or(0);
            ++count;
        });
        const bool plausible = cells[0] < kAllTime.end.ns && cells[3] >= 0 &&
                               cells[3] < static_cast<int64_t>(kCategories.size());
        if (whole && count == cells.size() && plausible) {
            return RawRow{cells[0], cells[1], cells[2], static_cast<size_t>(cells[3])};
        }
        m_builder.report().notes.add("memory.bad_row", NoteSeverity::dataLoss,
                                     "rows without a required field: skipped", "memory timeline row");
        return std::nullopt;
    }

    // Moves rows from before the recording to the earliest time of the other rows.
    static void placePreexisting(std::vector<RawRow>& rows)
    {
        int64_t earliest_ns = std::numeric_limits<int64_t>::max();
        for (const RawRow& row : rows) {
            if (row.time_ns > 0) earliest_ns = std::min(earliest_ns, row.time_ns);
        }
        if (earliest_ns == std::numeric_limits<int64_t>::max()) earliest_ns = 0;
        for (RawRow& row : rows) {
            if (row.time_ns < 0) row.time_ns = earliest_ns;
        }
        std::ranges::stable_sort(rows, {}, &RawRow::time_ns);
    }

    // Computes the levels per category at each change of the timestamp, like PyTorch's own
    // MemoryProfileTimeline.
    Result<Samples> reduce(const std::vector<RawRow>& rows, const Progress& progress) const
    {
        int64_t earliest_ns = std::numeric_limits<int64_t>::max();
        for (const RawRow& row : rows) {
            if (row.time_ns > 0) earliest_ns = std::min(earliest_ns, row.time_ns);
        }
        if (earliest_ns == std::numeric_limits<int64_t>::max()) earliest_ns = 0;
        Samples samples;
        // Invalid data makes levels wrap around instead of overflowing.
        std::array<uint64_t, kCategories.size()> level{};
        for (size_t i = 0; i < rows.size(); ++i) {
            if (i % kRowsPerCheck == 0) LOCKSTEP_TRY(progress.check());
            level[rows[i].category] += static_cast<uint64_t>(rows[i].size_bytes);
            if (i + 1 < rows.size() && rows[i + 1].time_ns == rows[i].time_ns) continue;
            const int64_t time_ns = rows[i].time_ns < 0 ? earliest_ns : rows[i].time_ns;
            for (size_t category = 0; category < level.size(); ++category) {
                samples[category].emplace_back(time_ns,
                                               static_cast<double>(static_cast<int64_t>(level[category])));
            }
        }
        return samples;
    }

  private:
    ReportBuilder& m_builder;
};

Status decodeRaw(const ValueTree& values, ValueId root, ProcessId process, ReportBuilder& builder,
                 const Progress& progress)
{
    RawTimeline timeline(builder);
    std::vector<RawRow> rows;
    std::array<uint64_t, kTimelineActions.size()> counts{};
    values.forEachItem(root, [&](ValueId item) {
        const auto row = timeline.row(values, item);
        if (!row) return;
        rows.push_back(*row);
        if (row->action >= 1 && row->action <= static_cast<int64_t>(counts.size())) {
            ++counts[static_cast<size_t>(row->action - 1)];
        }
    });
    builder.report().rowCounts.emplace_back("row", rows.size());
    for (size_t i = 0; i < counts.size(); ++i)
        builder.report().rowCounts.emplace_back(kTimelineActions[i], counts[i]);
    addTracks(LOCKSTEP_TRY(timeline.reduce(rows, progress)), process, builder);
    RawTimeline::placePreexisting(rows);
    CategoryAreas areas(builder);
    for (const RawRow& row : rows)
        areas.levels().change(row.category, row.time_ns, row.size_bytes);
    return areas.finish(progress);
}

// Adds the levels of all categories at their timestamps.
Status addAreas(const Samples& samples, ReportBuilder& builder, const Progress& progress)
{
    CategoryAreas areas(builder);
    for (size_t category = 0; category < samples.size(); ++category) {
        auto ordered = samples[category];
        std::ranges::stable_sort(ordered, {}, &std::pair<int64_t, double>::first);
        for (const auto& [time_ns, level] : ordered) {
            if (std::isfinite(level) && std::abs(level) < kMaxLevel)
                areas.levels().set(category, time_ns, std::llround(level));
        }
    }
    return areas.finish(progress);
}

Status decodePlain(const ValueTree& values, ValueId root, ProcessId process, ReportBuilder& builder,
                   const Progress& progress)
{
    const std::vector<ValueId> parts = itemsOf(values, root);
    if (parts.size() != 2)
        return makeError(ErrorKind::corrupt, "a memory timeline must be a list of two lists, [times, sizes]");
    const std::vector<ValueId> times = itemsOf(values, parts[0]);
    const std::vector<ValueId> sizes = itemsOf(values, parts[1]);
    if (times.size() != sizes.size()) {
        builder.report().notes.add("memory.bad_row", NoteSeverity::dataLoss,
                                   "different numbers of times and sizes: the surplus is not shown",
                                   std::to_string(times.size()) + " times, " + std::to_string(sizes.size()) +
                                       " sizes");
    }
    Samples samples;
    const auto noteBad = [&](size_t row) {
        builder.report().notes.add("memory.bad_row", NoteSeverity::dataLoss,
                                   "rows without a required field: skipped",
                                   "memory timeline row " + std::to_string(row));
    };
    for (size_t i = 0; i < std::min(times.size(), sizes.size()); ++i) {
        if (i % kRowsPerCheck == 0) LOCKSTEP_TRY(progress.check());
        const double time_us = values.asReal(times[i]).value_or(std::nan(""));
        if (!std::isfinite(time_us) || std::abs(time_us) > 2.0e15) {
            noteBad(i);
            continue;
        }
        const auto whole_us = values.asInteger(times[i]);
        const int64_t time_ns = whole_us ? *whole_us * 1000 : std::llround(time_us * 1000);
        const std::vector<ValueId> cells = itemsOf(values, sizes[i]);
        bool isWhole = cells.size() > samples.size();
        for (size_t category = 0; category < samples.size() && category + 1 < cells.size(); ++category) {
            const auto level = values.asReal(cells[category + 1]);
            isWhole &= level && std::isfinite(*level) && std::abs(*level) < kMaxLevel;
            if (level) samples[category].emplace_back(time_ns, *level);
        }
        if (!isWhole) noteBad(i);
    }
    builder.report().rowCounts.emplace_back("row", times.size());
    LOCKSTEP_TRY(addAreas(samples, builder, progress));
    addTracks(std::move(samples), process, builder);
    return {};
}

} // namespace

bool looksLikeMemoryTimeline(std::string_view text)
{
    const size_t first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos || text[first] != '[') return false;
    const size_t second = text.find_first_not_of(" \t\r\n", first + 1);
    return second != std::string_view::npos && text[second] == '[';
}

Status decodeMemoryTimeline(const ValueTree& values, ValueId root, ProcessId process, ReportBuilder& builder,
                            const Progress& progress)
{
    const std::vector<ValueId> rows = itemsOf(values, root);
    const std::vector<ValueId> first = rows.empty() ? std::vector<ValueId>() : itemsOf(values, rows[0]);
    // In the plain form, the second part contains lists. In the raw form, every part consists of four
    // numbers.
    bool isPlain = false;
    if (rows.size() == 2) {
        values.forEachItem(rows[1], [&](ValueId item) { isPlain |= values.kind(item) == ValueKind::list; });
        isPlain |= first.empty();
    }
    builder.report().clock.name = "unknown (memory timeline)";
    if (isPlain) return decodePlain(values, root, process, builder, progress);
    if (first.size() != 4)
        return makeError(ErrorKind::corrupt,
                         "not a valid memory timeline: neither [times, sizes] nor rows of four numbers");
    return decodeRaw(values, root, process, builder, progress);
}

} // namespace lockstep
