// SPDX-License-Identifier: Apache-2.0
#include "core/trace/report_freezer.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <tuple>

#include "core/base/load_watch.h"
#include "core/trace/nesting.h"
#include "core/trace/report_columns.h"
#include "core/trace/report_numbering.h"
#include "core/trace/row_joins.h"
#include "core/trace/stray_rows.h"

namespace lockstep {

namespace {

// A slice whose row is fixed and does not depend on nesting; identified by its index in the track.
struct FixedRow {
    uint32_t slice = 0;
    uint16_t row = 0;
};

std::vector<FixedRow> fixedRows(const Column<OrderedRow>& rows)
{
    std::vector<FixedRow> fixed;
    for (uint32_t i = 0; i < rows.size(); ++i) {
        if (const uint16_t row = rows[i].row->row; row != kAnyRow) fixed.push_back({i, row});
    }
    return fixed;
}

bool joinsByCorrelation(RowKind kind)
{
    return kind <= RowKind::cudaEvent || isCudaApi(kind);
}

} // namespace

ReportFreezer::ReportFreezer(ReportBuilder& builder, const Progress& progress)
    : m_builder(builder), m_progress(progress), m_report(*builder.m_report), m_place(progress.place())
{
}

Result<std::unique_ptr<Report>> ReportFreezer::run()
{
    m_report.place = m_place;
    separateStrays();
    dropImpossiblePercentages();
    numberEntities(m_report);
    orderTracks();
    LOCKSTEP_TRY(packTracks());
    packFacts();
    packSideTables();
    packSamples();
    packCounters();
    LOCKSTEP_TRY(m_progress.check());
    LOCKSTEP_TRY(linkSlices());
    joinCollectives(m_report);
    findExtent();
    LOCKSTEP_TRY(m_progress.check());
    LOCKSTEP_TRY(numberStrings(m_report, m_progress));
    std::ranges::sort(m_report.shortNames);
    m_report.shortNames.erase(std::unique(m_report.shortNames.begin(), m_report.shortNames.end()),
                              m_report.shortNames.end());
    m_report.strings.shrink();
    finishColumns();
    m_builder.m_adopted.clear();
    LOCKSTEP_TRY(m_progress.check());
    return std::move(m_builder.m_report);
}

// Returns the track for corrupt rows of a process; creates it on first use.
TrackId ReportFreezer::strayTrack(TrackId of)
{
    constexpr int64_t kStrayLane = 1'000'000;
    const TrackKey& key = m_report.tracks[of.value].key;
    if (key.kind == TrackKind::diagnostics && key.lane == kStrayLane) return of;
    TrackKey stray;
    stray.kind = TrackKind::diagnostics;
    stray.process = key.process;
    stray.lane = kStrayLane;
    const TrackId track = m_builder.track(stray);
    m_builder.setTrackName(track, m_builder.intern("rows with damaged timestamps"));
    return track;
}

void ReportFreezer::separateStrays()
{
    std::vector<SliceBatch*> batches;
    for (auto& adopted : m_builder.m_adopted)
        batches.push_back(&adopted.batch);
    const auto plausible = plausibleStarts({batches.data(), batches.size()}, m_report.session);
    if (!plausible) return;
    separateStrayRows(
        batches, *plausible, [this](TrackId of) { return strayTrack(of); }, m_report.notes);
    for (auto& samples : m_builder.m_samples)
        std::erase_if(samples, [&](const auto& s) { return !plausible->contains(TraceTime{s.first}); });
    if (!m_report.session.isEmpty() && !m_report.session.overlaps(*plausible)) m_report.session = {};
}

// Removes samples above 10,000 % from percent counters, because such values are corrupt.
void ReportFreezer::dropImpossiblePercentages()
{
    constexpr double kMax = 10'000; // in %
    for (size_t track = 0; track < m_builder.m_samples.size(); ++track) {
        const CounterTrack& counter = m_report.counterTracks[track];
        const std::string_view name = m_report.strings.at(counter.name);
        if (m_report.strings.at(counter.unit) != "%" && !name.ends_with("%]")) continue;
        auto& samples = m_builder.m_samples[track];
        const auto isImpossible = [&](const auto& sample) { return !(std::abs(sample.second) <= kMax); };
        const auto first = std::ranges::find_if(samples, isImpossible);
        if (first == samples.end()) continue;
        const std::string example = std::string(name) + ": " + std::to_string(first->second) + " at " +
                                    std::to_string(first->first) + " ns";
        m_report.notes.add("counter.impossible_share", NoteSeverity::dataLoss,
                           "samples above 10,000 %: damaged, omitted", example,
                           std::erase_if(samples, isImpossible));
    }
}

// Moves collected columns from the heap to the report's place and clears padding bytes.
void ReportFreezer::finishColumns()
{
    ReportColumns::visit(m_report, [this](const ColumnFacts&, auto& column) {
        using Row = typename std::remove_reference_t<decltype(column)>::value_type;
        if (!m_place.isHeap() && column.residentBytes() > 0) {
            Column<Row> placed = m_place.column<Row>(column.size());
            if (placed.size() != column.size()) return; // the disk is full: the next check reports it
            std::ranges::copy(column, placed.begin());
            column = std::move(placed);
        }
        const std::span<const RowField> fields = fieldsOf(static_cast<const Row*>(nullptr));
        if (!fields.empty()) clearPadding(fields, sizeof(Row), std::as_writable_bytes(std::span(column)));
    });
}

// Orders tracks by their keys, so that the order does not depend on the workers. Keys are unique, and the
// entities are already in order.
void ReportFreezer::orderTracks()
{
    const auto sortKey = [&](uint32_t row) {
        const TrackKey& key = m_report.tracks[row].key;
        const int64_t tid = key.thread.isValid() ? m_report.threads[key.thread.value].tid : 0;
        return std::tuple(key.process.isValid(), key.process, key.device.isValid(), key.device, tid, key.kind,
                          key.context, key.lane, key.thread);
    };
    m_oldTrack.resize(m_report.tracks.size());
    std::iota(m_oldTrack.begin(), m_oldTrack.end(), 0u);
    std::ranges::sort(m_oldTrack, {}, sortKey);
    m_newTrack.resize(m_oldTrack.size());
    std::vector<Track> ordered;
    for (uint32_t position = 0; position < m_oldTrack.size(); ++position) {
        m_newTrack[m_oldTrack[position]] = position;
        ordered.push_back(m_report.tracks[m_oldTrack[position]]);
    }
    m_report.tracks = std::move(ordered);
}

void ReportFreezer::collectReferenced()
{
    const ReportBuilder::SampleSources& ofSamples = m_builder.m_sampleSources;
    size_t count = 2 * m_builder.m_links.size() + ofSamples.samples.size() + ofSamples.spans.size() +
                   ofSamples.weightUpdates.size();
    for (const auto& [batch, names] : m_builder.m_adopted)
        count += batch.memoryOps.count + batch.collectives.size() + batch.colors.count;
    auto sources = m_place.temporaryColumn<SourceRow>(count);
    if (sources.size() != count) return; // the disk is full: the next check reports it
    auto next = sources.begin();
    for (const auto& [batch, names] : m_builder.m_adopted) {
        batch.memoryOps.forEach([&](const auto& side) { *next++ = side.source; });
        for (const auto& [source, op] : batch.collectives)
            *next++ = source;
        batch.colors.forEach([&](const auto& side) { *next++ = side.source; });
    }
    for (const auto& link : m_builder.m_links) {
        *next++ = link.cause;
        *next++ = link.effect;
    }
    for (const auto& source : ofSamples.samples)
        *next++ = source.value_or(SourceRow());
    next = std::ranges::copy(ofSamples.spans, next).out;
    std::ranges::copy(ofSamples.weightUpdates, next);
    m_referenced = ReferencedRows(std::move(sources), m_place);
}

Status ReportFreezer::packTracks()
{
    collectReferenced();
    size_t rows = 0;
    for (size_t track = 0; track < m_oldTrack.size(); ++track) {
        size_t count = 0;
        for (const auto& adopted : m_builder.m_adopted) {
            if (m_oldTrack[track] < adopted.batch.byTrack.size()) {
                count += adopted.batch.byTrack[m_oldTrack[track]].count;
            }
        }
        m_report.tracks[track].firstSlice = SliceId(rows);
        m_report.tracks[track].sliceCount = static_cast<uint32_t>(count);
        rows += count;
    }
    if (rows >= SliceId::kNone) {
        return makeError(ErrorKind::unsupported, std::to_string(rows) +
                                                     " slices; a report can contain at most " +
                                                     std::to_string(SliceId::kNone - 1));
    }
    resizeColumns(rows);
    LOCKSTEP_TRY(m_progress.check());
    m_packed.resize(m_oldTrack.size());
    std::vector<size_t> largestFirst(m_oldTrack.size());
    std::iota(largestFirst.begin(), largestFirst.end(), size_t(0));
    std::ranges::stable_sort(largestFirst, std::ranges::greater(),
                             [&](size_t track) { return m_report.tracks[track].sliceCount; });
    m_progress.workers().run(largestFirst.size(), [&](size_t index, size_t) {
        if (!m_progress.isCanceled()) packTrack(largestFirst[index]);
    });
    if (m_overflowed > 0) {
        m_report.notes.add("rows.overfull", NoteSeverity::warning,
                           "more overlapping slices than a lane has rows: the rest share the last row", "",
                           m_overflowed);
    }
    return m_progress.check();
}

// The first access to the columns takes a large part of the freezing time. Therefore this function uses huge
// pages, and each worker resizes one column at a time.
void ReportFreezer::resizeColumns(size_t rows)
{
    size_t row_bytes = 0;
    SliceColumns::visit(m_report.slices, [&](const ColumnFacts&, const auto& column) {
        row_bytes += sizeof(typename std::remove_cvref_t<decltype(column)>::value_type);
    });
    const size_t order_bytes = sizeof(OrderedRow); // needed for sorting the rows of a track
    if (m_place.isHeap() && !LoadScope::admit(rows * (row_bytes + order_bytes)))
        return; // the next check reports the error
    std::vector<std::function<void()>> resizes;
    SliceColumns::visit(m_report.slices, [&](const ColumnFacts&, auto& column) {
        using Row = typename std::remove_reference_t<decltype(column)>::value_type;
        resizes.push_back([this, &column, rows] { column = m_place.column<Row>(rows); });
    });
    m_progress.workers().run(resizes.size(), [&](size_t column, size_t) { resizes[column](); });
}

Column<OrderedRow> ReportFreezer::takeRows(size_t track)
{
    std::vector<SliceBatch::Rows*> parts;
    for (auto& adopted : m_builder.m_adopted) {
        if (m_oldTrack[track] >= adopted.batch.byTrack.size()) continue;
        SliceBatch::Rows& rows = adopted.batch.byTrack[m_oldTrack[track]];
        parts.push_back(&rows);
        if (adopted.names.empty()) continue;
        for (SliceChunk& chunk : rows.chunks) {
            for (SliceRow& row : chunk.rows())
                row.name = adopted.names[row.name.value];
        }
    }
    return orderedRows(parts, m_progress);
}

void ReportFreezer::releaseRows(size_t track)
{
    for (auto& adopted : m_builder.m_adopted) {
        if (m_oldTrack[track] < adopted.batch.byTrack.size()) adopted.batch.byTrack[m_oldTrack[track]] = {};
    }
}

void ReportFreezer::packTrack(size_t position)
{
    Track& track = m_report.tracks[position];
    Packed& packed = m_packed[position];
    Column<OrderedRow> rows = takeRows(position);
    if (!m_progress.check() || rows.size() != track.sliceCount) return;
    const uint32_t first = track.firstSlice.value;
    writeColumns(rows, track.firstSlice);
    SliceTable& slices = m_report.slices;
    for (uint32_t i = 0; i < rows.size(); ++i) {
        const SliceRow& row = *rows[i].row;
        if (row.correlation != kNoCorrelation && joinsByCorrelation(row.kind)) {
            auto& side = isCudaApi(row.kind) ? packed.causes : packed.effects;
            side.add({row.correlation, SliceId(first + i)}, m_place.temporary());
        }
        if (const uint32_t set = row.factSet(); set != 0 && row.kind != RowKind::diagnostic)
            packed.facts.add({SliceId(first + i), row.correlation, set}, m_place.temporary());
        m_referenced.record(row.source, SliceId(first + i));
        if (i == 0) packed.extent.begin.ns = packed.extent.end.ns = row.start_ns;
        packed.extent.end.ns = std::max(packed.extent.end.ns, row.start_ns + row.duration_ns);
    }
    const std::vector<FixedRow> fixed = fixedRows(rows);
    const size_t count = rows.size();
    if (track.key.kind == TrackKind::gpuStream) cutDurations(first, count, packed.extent);
    rows.clear();
    releaseRows(position);
    const Nesting out{std::span(slices.parent).subspan(first, count),
                      std::span(slices.depth).subspan(first, count)};
    uint64_t overflowed = 0;
    const auto start_ns = std::span<const int64_t>(slices.start_ns).subspan(first, count);
    const auto duration_ns = std::span<const int64_t>(slices.duration_ns).subspan(first, count);
    const bool isOfSamples = track.key.kind == TrackKind::samples;
    if (!isOfSamples)
        track.depthCount =
            static_cast<uint16_t>(nestSlices(start_ns, duration_ns, track.firstSlice, out, &overflowed));
    m_overflowed += overflowed;
    for (const auto& [slice, row] : fixed) {
        slices.depth[first + slice] = row;
        track.depthCount = std::max(track.depthCount, static_cast<uint16_t>(row + 1));
    }
    if (isOfSamples)
        nestSamples(start_ns, duration_ns, std::span<const RowKind>(slices.kind).subspan(first, count),
                    track.firstSlice, out);
}

void ReportFreezer::cutDurations(uint32_t first, size_t count, TimeRange& extent)
{
    SliceTable& slices = m_report.slices;
    const auto part = [&](auto& column) { return std::span(column).subspan(first, count); };
    size_t example = 0;
    const size_t cut = cutImpossibleDurations(part(slices.start_ns), part(slices.duration_ns),
                                              part(slices.kind), part(slices.flags), example);
    if (cut == 0) return;
    extent.end = extent.begin;
    for (size_t i = first; i < first + count; ++i)
        extent.end.ns = std::max(extent.end.ns, slices.start_ns[i] + slices.duration_ns[i]);
    const std::scoped_lock lock(m_notesMutex);
    m_report.notes.add(
        "kernel.impossible_duration", NoteSeverity::warning,
        "kernels that end long after the next kernel of their stream began: each is shown only up to "
        "that point",
        "stamp " + std::to_string(slices.start_ns[first + example]) + " ns", cut);
}

void ReportFreezer::writeColumns(const Column<OrderedRow>& rows, SliceId first)
{
    SliceTable& slices = m_report.slices;
    for (size_t i = 0; i < rows.size(); ++i) {
        const SliceRow& row = *rows[i].row;
        const size_t at = first.value + i;
        slices.start_ns[at] = row.start_ns;
        slices.duration_ns[at] = row.duration_ns;
        slices.source[at] = row.source;
        slices.name[at] = row.name;
        slices.kind[at] = row.kind;
        slices.category[at] = row.category;
        slices.flags[at] = row.flags;
    }
}

// Stores the sets in the order of the first rows that have them, which doesn't depend on the workers.
void ReportFreezer::packFacts()
{
    RowFactTable& facts = m_report.rowFacts;
    const FactSetTable& sets = m_builder.m_factSets.table();
    size_t count = 0;
    for (const Packed& track : m_packed)
        count += track.facts.count;
    facts.rows = m_place.column<FactRow>(count);
    if (facts.rows.size() != count) return;                         // the next check reports the error
    std::vector<uint32_t> firstOf(sets.size(), FactRow::kNoValues); // by number of the set
    std::vector<FactValue> values;
    auto next = facts.rows.begin();
    for (Packed& track : m_packed) {
        track.facts.forEach([&](const FactRow& row) {
            const size_t number = row.firstValue - 1;
            const std::span<const FactValue> set = sets.set(number);
            if (firstOf[number] == FactRow::kNoValues && !set.empty()) {
                firstOf[number] = static_cast<uint32_t>(values.size());
                values.insert(values.end(), set.begin(), set.end());
                values.back().isLast = true;
            }
            *next++ = {row.slice, row.correlation, firstOf[number]};
        });
        track.facts = {};
    }
    values.shrink_to_fit();
    facts.values = Column(std::move(values));
    if (const uint64_t dropped = m_builder.m_factSets.dropped(); dropped > 0) {
        m_report.notes.add("details.crowded", NoteSeverity::dataLoss,
                           "too many different launch configurations or other row details: the cells of the "
                           "remaining rows are empty",
                           "", dropped);
    }
}

void ReportFreezer::packSideTables()
{
    for (const auto& adopted : m_builder.m_adopted) {
        adopted.batch.memoryOps.forEach([&](SliceBatch::SourcedMemoryOp side) {
            side.op.slice = m_referenced.sliceOf(side.source);
            if (side.op.slice.isValid() && !isDiagnostic(side.op.slice))
                m_report.memoryOps.push_back(side.op);
        });
        for (auto [source, op] : adopted.batch.collectives) {
            op.slice = m_referenced.sliceOf(source);
            for (StringId* name : {&op.collective, &op.group, &op.groupRanks, &op.dataType}) {
                if (name->isValid() && !adopted.names.empty()) *name = adopted.names[name->value];
            }
            if (op.slice.isValid() && !isDiagnostic(op.slice)) m_report.collectives.push_back(op);
        }
        adopted.batch.colors.forEach([&](const SliceBatch::SourcedColor& side) {
            const SliceId slice = m_referenced.sliceOf(side.source);
            if (slice.isValid()) m_report.colors.push_back({slice, side.rgb});
        });
    }
    std::ranges::sort(m_report.memoryOps, {}, &MemoryOp::slice);
    std::ranges::sort(m_report.collectives, {}, &CollectiveOp::slice);
    std::ranges::sort(m_report.colors);
    m_report.memoryOps.shrink_to_fit();
    m_report.colors.shrink_to_fit();
}

// Sets the slices of the tables of samples, and sorts the tables. Rows whose slice was damaged are dropped;
// a sample stays, without a place.
void ReportFreezer::packSamples()
{
    SampleTables& tables = m_report.samples;
    const ReportBuilder::SampleSources& sources = m_builder.m_sampleSources;
    const auto sliceOf = [&](SourceRow source) {
        const SliceId slice = m_referenced.sliceOf(source);
        return slice.isValid() && !isDiagnostic(slice) ? slice : SliceId();
    };
    for (size_t row = 0; row < sources.samples.size(); ++row) {
        Sample& sample = tables.samples[row];
        if (sources.samples[row]) sample.slice = sliceOf(*sources.samples[row]);
        if (!sample.slice.isValid()) sample.start_ns = sample.end_ns = kUnrecorded;
    }
    for (size_t row = 0; row < sources.spans.size(); ++row)
        tables.spans[row].slice = sliceOf(sources.spans[row]);
    for (size_t row = 0; row < sources.weightUpdates.size(); ++row)
        tables.weightUpdates[row].slice = sliceOf(sources.weightUpdates[row]);
    const auto isLost = [](const auto& row) { return !row.slice.isValid(); };
    tables.spans.resize(size_t(std::ranges::remove_if(tables.spans, isLost).begin() - tables.spans.begin()));
    tables.weightUpdates.resize(
        size_t(std::ranges::remove_if(tables.weightUpdates, isLost).begin() - tables.weightUpdates.begin()));
    std::ranges::sort(tables.spans, {}, &SampleSpan::slice);
    std::ranges::sort(tables.weightUpdates, {}, &WeightUpdate::slice);
    std::vector<uint32_t> bySample;
    for (uint32_t row = 0; row < tables.spans.size(); ++row) {
        if (tables.spans[row].sample.isValid()) bySample.push_back(row);
    }
    std::ranges::sort(bySample, {}, [&](uint32_t row) {
        const SampleSpan& span = tables.spans[row];
        return std::tuple(span.sample, m_report.slices.start_ns[span.slice.value], span.slice);
    });
    tables.spansBySample = Column(std::move(bySample));
    m_builder.m_sampleSources = {};
}

void ReportFreezer::packCounters()
{
    size_t rows = 0;
    for (const auto& samples : m_builder.m_samples)
        rows += samples.size();
    CounterTable& counters = m_report.counters;
    counters.time_ns = m_place.column<int64_t>(rows);
    counters.value = m_place.column<double>(rows);
    // The next check reports the error.
    if (counters.time_ns.size() != rows || counters.value.size() != rows) return;
    uint32_t next = 0;
    for (size_t track = 0; track < m_builder.m_samples.size(); ++track) {
        auto& samples = m_builder.m_samples[track];
        const auto byTime = [](const auto& a, const auto& b) { return a.first < b.first; };
        if (!std::ranges::is_sorted(samples, byTime)) std::ranges::stable_sort(samples, byTime);
        m_report.counterTracks[track].firstSample = next;
        m_report.counterTracks[track].sampleCount = static_cast<uint32_t>(samples.size());
        for (const auto& [time_ns, value] : samples) {
            counters.time_ns[next] = time_ns;
            counters.value[next++] = value;
        }
        samples = {};
    }
}

Status ReportFreezer::linkSlices()
{
    RowChunks<Link> links;
    LOCKSTEP_TRY(joinCorrelations(links));
    bindFlows(links);
    bindNamedLinks(links);
    LOCKSTEP_TRY(m_progress.check());
    m_report.links = LinkTable(std::move(links), m_place);
    return m_progress.check();
}

// Joins correlation IDs, which are unique only within one process.
Status ReportFreezer::joinCorrelations(RowChunks<Link>& links)
{
    std::map<uint32_t, std::vector<size_t>> tracksOf;
    uint64_t crowded = 0;
    for (size_t track = 0; track < m_packed.size(); ++track)
        tracksOf[m_report.tracks[track].key.process.value].push_back(track);
    for (const auto& [process, tracks] : tracksOf) {
        size_t count = 0;
        for (const size_t track : tracks)
            count += m_packed[track].causes.count;
        auto causes = m_place.temporaryColumn<CorrelatedSlice>(count);
        if (causes.size() != count) return m_progress.check();
        auto next = causes.begin();
        for (const size_t track : tracks) {
            m_packed[track].causes.forEach([&](const CorrelatedSlice& cause) { *next++ = cause; });
            m_packed[track].causes = {};
        }
        if (!std::ranges::is_sorted(causes)) std::ranges::sort(causes);
        for (const size_t track : tracks) {
            crowded += joinLaunches({causes.data(), causes.size()}, m_packed[track].effects, links,
                                    m_place.temporary());
            m_packed[track].effects = {};
            LOCKSTEP_TRY(m_progress.check());
        }
    }
    if (crowded > 0) {
        m_report.notes.add("correlation.crowded", NoteSeverity::warning,
                           "correlation ids shared by more than 64 API calls: only the first 64 are linked",
                           "", crowded);
    }
    return {};
}

void ReportFreezer::bindFlows(RowChunks<Link>& links)
{
    size_t count = 0;
    for (const auto& adopted : m_builder.m_adopted)
        count += adopted.batch.flows.count;
    auto points = m_place.temporaryColumn<FlowPoint>(count);
    if (points.size() != count) return; // the next check reports the error
    auto next = points.begin();
    for (auto& adopted : m_builder.m_adopted) {
        adopted.batch.flows.forEach([&](FlowPoint point) {
            if (point.track.isValid()) point.track = TrackId(m_newTrack[point.track.value]);
            *next++ = point;
        });
        adopted.batch.flows = {};
    }
    FlowBinding(m_report).bind(points, links);
}

void ReportFreezer::bindNamedLinks(RowChunks<Link>& links)
{
    for (const auto& link : m_builder.m_links) {
        const SliceId cause = m_referenced.sliceOf(link.cause);
        const SliceId effect = m_referenced.sliceOf(link.effect);
        if (!cause.isValid() || !effect.isValid() || isDiagnostic(cause) || isDiagnostic(effect)) continue;
        links.add({cause, effect, link.kind}, m_place.temporary());
    }
}

void ReportFreezer::findExtent()
{
    bool any = false;
    const auto include = [&](int64_t begin, int64_t end) {
        if (!any) m_report.extent = {{begin}, {end}};
        m_report.extent.begin.ns = std::min(m_report.extent.begin.ns, begin);
        m_report.extent.end.ns = std::max(m_report.extent.end.ns, end);
        any = true;
    };
    const auto includeTracks = [&](bool areDiagnostics) {
        for (size_t track = 0; track < m_packed.size(); ++track) {
            const Track& of = m_report.tracks[track];
            const TimeRange& extent = m_packed[track].extent;
            if (of.sliceCount > 0 && (of.key.kind == TrackKind::diagnostics) == areDiagnostics)
                include(extent.begin.ns, extent.end.ns);
        }
    };
    includeTracks(false);
    for (const int64_t time_ns : m_report.counters.time_ns)
        include(time_ns, time_ns);
    // Diagnostics of the profiler occur seconds before and after the recorded data, so they are included only
    // if there is nothing else.
    if (!any) includeTracks(true);
}

} // namespace lockstep
