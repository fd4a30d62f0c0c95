// SPDX-License-Identifier: Apache-2.0
#include "core/trace/report_freezer.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <map>
#include <numeric>
#include <tuple>

#include "core/trace/collective_join.h"
#include "core/trace/flow_binding.h"
#include "core/trace/nesting.h"
#include "core/trace/report_columns.h"
#include "core/trace/report_numbering.h"

namespace lockstep {

namespace {

uint64_t hashOf(SourceRow source)
{
    const uint64_t hash = source.packed * 0x9E3779B97F4A7C15ull;
    return hash ^ (hash >> 32);
}

bool joinsByCorrelation(RowKind kind)
{
    return kind <= RowKind::cudaEvent || isCudaApi(kind);
}

} // namespace

ReportFreezer::ReportFreezer(ReportBuilder& builder, const Progress& progress)
    : m_builder(builder), m_progress(progress), m_report(*builder.m_report)
{
}

Result<std::unique_ptr<Report>> ReportFreezer::run()
{
    numberEntities(m_report);
    orderTracks();
    packTracks();
    LOCKSTEP_TRY(m_progress.check());
    packSides();
    packCounters();
    LOCKSTEP_TRY(m_progress.check());
    std::vector<Link> links;
    joinCorrelations(links);
    LOCKSTEP_TRY(m_progress.check());
    bindFlows(links);
    bindNamedLinks(links);
    LOCKSTEP_TRY(m_progress.check());
    m_report.links = LinkTable(std::move(links));
    joinCollectives(m_report);
    findExtent();
    LOCKSTEP_TRY(m_progress.check());
    LOCKSTEP_TRY(numberStrings(m_report, m_progress));
    std::ranges::sort(m_report.shortNames);
    m_report.shortNames.erase(std::unique(m_report.shortNames.begin(), m_report.shortNames.end()),
                              m_report.shortNames.end());
    m_report.strings.shrink();
    ReportColumns::visit(m_report, [](const ColumnFacts&, auto& column) {
        using Row = typename std::remove_reference_t<decltype(column)>::value_type;
        const std::span<const RowField> fields = fieldsOf(static_cast<const Row*>(nullptr));
        if (!fields.empty()) clearGaps(fields, sizeof(Row), std::as_writable_bytes(std::span(column)));
    });
    m_builder.m_adopted.clear();
    LOCKSTEP_TRY(m_progress.check());
    return std::move(m_builder.m_report);
}

// Tracks are put in an order that depends on what they are, not on which worker met them first. No two of
// them have one key, and entities are in order already.
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

void ReportFreezer::collectWanted()
{
    for (const auto& adopted : m_builder.m_adopted) {
        for (const auto& [source, op] : adopted.batch.memoryOps)
            m_wanted.push_back(source);
        for (const auto& [source, op] : adopted.batch.collectives)
            m_wanted.push_back(source);
        for (const auto& [source, rgb] : adopted.batch.colors)
            m_wanted.push_back(source);
    }
    for (const auto& link : m_builder.m_links) {
        m_wanted.push_back(link.cause);
        m_wanted.push_back(link.effect);
    }
    if (m_wanted.empty()) return;
    std::ranges::sort(m_wanted);
    m_wantedBits.resize(std::bit_ceil(m_wanted.size() / 4 + 1));
    for (const SourceRow source : m_wanted) {
        const uint64_t hash = hashOf(source);
        m_wantedBits[(hash >> 6) & (m_wantedBits.size() - 1)] |= uint64_t(1) << (hash & 63);
    }
}

bool ReportFreezer::isWanted(SourceRow source) const
{
    if (m_wanted.empty()) return false;
    const uint64_t hash = hashOf(source);
    const bool maybe = (m_wantedBits[(hash >> 6) & (m_wantedBits.size() - 1)] >> (hash & 63) & 1) != 0;
    return maybe && std::ranges::binary_search(m_wanted, source);
}

void ReportFreezer::packTracks()
{
    collectWanted();
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
    resizeColumns(rows);
    m_packed.resize(m_oldTrack.size());
    std::vector<size_t> largestFirst(m_oldTrack.size());
    std::iota(largestFirst.begin(), largestFirst.end(), size_t(0));
    std::ranges::stable_sort(largestFirst, std::ranges::greater(),
                             [&](size_t track) { return m_report.tracks[track].sliceCount; });
    m_progress.workers().run(largestFirst.size(), [&](size_t index, size_t) {
        if (!m_progress.isCanceled()) packTrack(largestFirst[index]);
    });
    if (m_overfull > 0) {
        m_report.notes.add(
            "rows.overfull", NoteSeverity::warning,
            "more slices overlap at once than can have rows of their own; the rest share the last row", "",
            m_overfull);
    }
    for (Packed& packed : m_packed)
        m_named.insert(m_named.end(), packed.named.begin(), packed.named.end());
    std::ranges::sort(m_named);
}

// First touch of the columns is a good part of freezing: huge pages, and one column for each worker at a
// time.
void ReportFreezer::resizeColumns(size_t rows)
{
    std::vector<std::function<void()>> resizes;
    SliceColumns::visit(m_report.slices, [&](const ColumnFacts&, auto& column) {
        resizes.push_back([&column, rows] { column.resize(rows); });
    });
    m_progress.workers().run(resizes.size(), [&](size_t column, size_t) { resizes[column](); });
}

std::vector<OrderedRow> ReportFreezer::takeRows(size_t track)
{
    std::vector<const SliceBatch::Rows*> parts;
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
    std::vector<OrderedRow> rows = takeRows(position);
    if (m_progress.isCanceled()) return;
    const uint32_t first = track.firstSlice.value;
    writeColumns(rows, track.firstSlice);
    SliceTable& slices = m_report.slices;
    for (uint32_t i = 0; i < rows.size(); ++i) {
        const SliceRow& row = *rows[i].row;
        if (row.correlation != kNoCorrelation && joinsByCorrelation(row.kind)) {
            auto& side = isCudaApi(row.kind) ? packed.causes : packed.effects;
            side.push_back({row.correlation, SliceId(first + i)});
        }
        if (isWanted(row.source)) packed.named.push_back({row.source, SliceId(first + i)});
        if (i == 0) packed.extent.begin.ns = packed.extent.end.ns = row.start_ns;
        packed.extent.end.ns = std::max(packed.extent.end.ns, row.start_ns + row.duration_ns);
    }
    const size_t count = rows.size();
    rows = {};
    releaseRows(position);
    const Nesting out{std::span(slices.parent).subspan(first, count),
                      std::span(slices.depth).subspan(first, count)};
    uint64_t overfull = 0;
    track.depthCount = static_cast<uint16_t>(nestSlices(std::span(slices.start_ns).subspan(first, count),
                                                        std::span(slices.duration_ns).subspan(first, count),
                                                        track.firstSlice, out, &overfull));
    m_overfull += overfull;
}

void ReportFreezer::writeColumns(const std::vector<OrderedRow>& rows, SliceId first)
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

void ReportFreezer::packSides()
{
    const auto sliceOf = [&](SourceRow source) {
        const auto found =
            std::ranges::lower_bound(m_named, source, {}, &std::pair<SourceRow, SliceId>::first);
        return found != m_named.end() && found->first == source ? found->second : SliceId();
    };
    for (const auto& adopted : m_builder.m_adopted) {
        for (auto [source, op] : adopted.batch.memoryOps) {
            op.slice = sliceOf(source);
            if (op.slice.isValid()) m_report.memoryOps.push_back(op);
        }
        for (auto [source, op] : adopted.batch.collectives) {
            op.slice = sliceOf(source);
            for (StringId* name : {&op.collective, &op.group, &op.groupRanks, &op.dataType}) {
                if (name->isValid() && !adopted.names.empty()) *name = adopted.names[name->value];
            }
            if (op.slice.isValid()) m_report.collectives.push_back(op);
        }
        for (const auto& [source, rgb] : adopted.batch.colors) {
            if (sliceOf(source).isValid()) m_report.colors.push_back({sliceOf(source), rgb});
        }
    }
    std::ranges::sort(m_report.memoryOps, {}, &MemoryOp::slice);
    std::ranges::sort(m_report.collectives, {}, &CollectiveOp::slice);
    std::ranges::sort(m_report.colors);
    m_report.memoryOps.shrink_to_fit();
    m_report.colors.shrink_to_fit();
}

void ReportFreezer::packCounters()
{
    for (size_t track = 0; track < m_builder.m_samples.size(); ++track) {
        auto& samples = m_builder.m_samples[track];
        const auto byTime = [](const auto& a, const auto& b) { return a.first < b.first; };
        if (!std::ranges::is_sorted(samples, byTime)) std::ranges::stable_sort(samples, byTime);
        m_report.counterTracks[track].firstSample = static_cast<uint32_t>(m_report.counters.size());
        m_report.counterTracks[track].sampleCount = static_cast<uint32_t>(samples.size());
        for (const auto& [time_ns, value] : samples) {
            m_report.counters.time_ns.push_back(time_ns);
            m_report.counters.value.push_back(value);
        }
        samples = {};
    }
    m_report.counters.time_ns.shrink_to_fit();
    m_report.counters.value.shrink_to_fit();
}

// A correlation id is unique within one process only.
void ReportFreezer::joinCorrelations(std::vector<Link>& links)
{
    std::map<uint32_t, std::vector<size_t>> tracksOf;
    size_t effects = 0;
    uint64_t crowded = 0;
    for (size_t track = 0; track < m_packed.size(); ++track) {
        tracksOf[m_report.tracks[track].key.process.value].push_back(track);
        effects += m_packed[track].effects.size();
    }
    links.reserve(effects);
    for (const auto& [process, tracks] : tracksOf) {
        std::vector<CorrelatedSlice> causes;
        for (const size_t track : tracks) {
            auto& part = m_packed[track].causes;
            causes.insert(causes.end(), part.begin(), part.end());
            part = {};
        }
        if (!std::ranges::is_sorted(causes)) std::ranges::sort(causes);
        for (const size_t track : tracks) {
            crowded += joinLaunches(causes, m_packed[track].effects, links);
            m_packed[track].effects = {};
        }
    }
    if (crowded > 0) {
        m_report.notes.add(
            "correlation.crowded", NoteSeverity::warning,
            "a correlation id is shared by more API calls than make sense; the first 64 are linked", "",
            crowded);
    }
}

void ReportFreezer::bindFlows(std::vector<Link>& links)
{
    std::vector<FlowPoint> points;
    for (auto& adopted : m_builder.m_adopted) {
        points.insert(points.end(), adopted.batch.flows.begin(), adopted.batch.flows.end());
    }
    for (FlowPoint& point : points) {
        if (point.track.isValid()) point.track = TrackId(m_newTrack[point.track.value]);
    }
    FlowBinding(m_report).bind(std::move(points), links);
}

void ReportFreezer::bindNamedLinks(std::vector<Link>& links)
{
    const auto find = [&](SourceRow source) {
        const auto found =
            std::ranges::lower_bound(m_named, source, {}, &std::pair<SourceRow, SliceId>::first);
        return found != m_named.end() && found->first == source ? found->second : SliceId();
    };
    for (const auto& link : m_builder.m_links) {
        const SliceId cause = find(link.cause);
        const SliceId effect = find(link.effect);
        if (cause.isValid() && effect.isValid()) links.push_back({cause, effect, link.kind});
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
    // What the profiler says of itself comes seconds before and after what it recorded.
    if (!any) includeTracks(true);
}

} // namespace lockstep
