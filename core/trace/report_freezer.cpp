#include "core/trace/report_freezer.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "core/base/parallel.h"
#include "core/trace/nesting.h"

namespace lockstep {

namespace {

bool startsBefore(const SliceRow& a, const SliceRow& b)
{
    if (a.start_ns != b.start_ns) return a.start_ns < b.start_ns;
    if (a.duration_ns != b.duration_ns) return a.duration_ns > b.duration_ns;
    return a.source < b.source;
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

Result<std::shared_ptr<const Report>> ReportFreezer::run()
{
    orderTracks();
    packTracks();
    LOCKSTEP_TRY(m_progress.check());
    packSides();
    packCounters();
    std::vector<Link> links;
    joinCorrelations(links);
    bindFlows(links);
    bindNamedLinks(links);
    m_report.links = LinkTable(std::move(links));
    findExtent();
    std::ranges::sort(m_report.shortNames);
    m_report.shortNames.erase(std::unique(m_report.shortNames.begin(), m_report.shortNames.end()),
                              m_report.shortNames.end());
    m_report.strings.shrink();
    m_builder.m_adopted.clear();
    LOCKSTEP_TRY(m_progress.check());
    return std::shared_ptr<const Report>(std::move(m_builder.m_report));
}

// Tracks are put in an order that depends on what they are, not on which worker met them first.
void ReportFreezer::orderTracks()
{
    const auto sortKey = [&](uint32_t row) {
        const TrackKey& key = m_report.tracks[row].key;
        const uint64_t process = key.process.isValid() ? m_report.processes[key.process.value].key : 0;
        const int device = key.device.isValid() ? m_report.devices[key.device.value].ordinal : -1;
        const int64_t tid = key.thread.isValid() ? m_report.threads[key.thread.value].tid : 0;
        return std::tuple(process, key.device.isValid(), device, tid, key.kind, key.context, key.lane, row);
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

void ReportFreezer::packTracks()
{
    for (const auto& adopted : m_builder.m_adopted) {
        for (const auto& [source, op] : adopted.batch.memoryOps) m_wanted.push_back(source);
        for (const auto& [source, rgb] : adopted.batch.colors) m_wanted.push_back(source);
    }
    for (const auto& link : m_builder.m_links) {
        m_wanted.push_back(link.cause);
        m_wanted.push_back(link.effect);
    }
    std::ranges::sort(m_wanted);
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
    m_report.slices.resize(rows);
    m_correlated.resize(m_oldTrack.size());
    m_namedByTrack.resize(m_oldTrack.size());
    parallelFor(m_oldTrack.size(), [&](size_t track, size_t) {
        if (!m_progress.isCanceled()) packTrack(track, m_correlated[track]);
    });
    if (m_overfull > 0) {
        m_report.notes.add("rows.overfull", NoteSeverity::warning,
                           "more slices overlap at once than can have rows of their own; the rest share the last row",
                           "", m_overfull);
    }
    for (auto& named : m_namedByTrack) m_named.insert(m_named.end(), named.begin(), named.end());
    std::ranges::sort(m_named);
}

std::vector<SliceRow> ReportFreezer::takeRows(size_t track)
{
    std::vector<SliceRow> rows;
    rows.reserve(m_report.tracks[track].sliceCount);
    for (auto& adopted : m_builder.m_adopted) {
        if (m_oldTrack[track] >= adopted.batch.byTrack.size()) continue;
        SliceBatch::Rows& held = adopted.batch.byTrack[m_oldTrack[track]];
        size_t left = held.count;
        for (auto& chunk : held.chunks) {
            const size_t take = std::min(left, SliceBatch::Rows::kChunk);
            for (size_t i = 0; i < take; ++i) {
                rows.push_back((*chunk)[i]);
                if (!adopted.names.empty()) rows.back().name = adopted.names[rows.back().name.value];
            }
            left -= take;
            chunk.reset();
        }
        held = {};
    }
    if (!std::ranges::is_sorted(rows, startsBefore)) std::ranges::sort(rows, startsBefore);
    return rows;
}

void ReportFreezer::packTrack(size_t position, std::vector<Correlated>& correlated)
{
    Track& track = m_report.tracks[position];
    const std::vector<SliceRow> rows = takeRows(position);
    const uint32_t first = track.firstSlice.value;
    writeColumns(rows, track.firstSlice);
    SliceTable& slices = m_report.slices;
    const Nesting out{std::span(slices.parent).subspan(first, rows.size()),
                      std::span(slices.depth).subspan(first, rows.size())};
    uint64_t overfull = 0;
    track.depthCount = static_cast<uint16_t>(nestSlices(std::span(slices.start_ns).subspan(first, rows.size()),
                                                        std::span(slices.duration_ns).subspan(first, rows.size()),
                                                        track.firstSlice, out, &overfull));
    m_overfull += overfull;
    for (uint32_t i = 0; i < rows.size(); ++i) {
        const SliceRow& row = rows[i];
        if (row.correlation != kNoCorrelation && joinsByCorrelation(row.kind)) {
            correlated.push_back({track.key.process.value, row.correlation, SliceId(first + i), isCudaApi(row.kind)});
        }
        if (!m_wanted.empty() && std::ranges::binary_search(m_wanted, row.source)) {
            m_namedByTrack[position].push_back({row.source, SliceId(first + i)});
        }
    }
}

void ReportFreezer::writeColumns(const std::vector<SliceRow>& rows, SliceId first)
{
    SliceTable& slices = m_report.slices;
    for (size_t i = 0; i < rows.size(); ++i) {
        const size_t at = first.value + i;
        slices.start_ns[at] = rows[i].start_ns;
        slices.duration_ns[at] = rows[i].duration_ns;
        slices.source[at] = rows[i].source;
        slices.name[at] = rows[i].name;
        slices.kind[at] = rows[i].kind;
        slices.category[at] = rows[i].category;
        slices.flags[at] = rows[i].flags;
    }
}

void ReportFreezer::packSides()
{
    const auto sliceOf = [&](SourceRow source) {
        const auto found = std::ranges::lower_bound(m_named, source, {}, &std::pair<SourceRow, SliceId>::first);
        return found != m_named.end() && found->first == source ? found->second : SliceId();
    };
    for (const auto& adopted : m_builder.m_adopted) {
        for (auto [source, op] : adopted.batch.memoryOps) {
            op.slice = sliceOf(source);
            if (op.slice.isValid()) m_report.memoryOps.push_back(op);
        }
        for (const auto& [source, rgb] : adopted.batch.colors) {
            if (sliceOf(source).isValid()) m_report.colors.push_back({sliceOf(source), rgb});
        }
    }
    std::ranges::sort(m_report.memoryOps, {}, &MemoryOp::slice);
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

// A correlation id is unique within one process only, so the join key is (process, correlation).
void ReportFreezer::joinCorrelations(std::vector<Link>& links)
{
    std::vector<Correlated> causes;
    for (const auto& track : m_correlated) std::ranges::copy_if(track, std::back_inserter(causes), &Correlated::isCause);
    const auto key = [](const Correlated& c) { return std::pair(c.process, c.correlation); };
    std::ranges::sort(causes, {}, key);
    for (const auto& track : m_correlated) {
        for (const Correlated& effect : track) {
            if (effect.isCause) continue;
            const auto end = std::ranges::upper_bound(causes, key(effect), {}, key);
            for (auto cause = std::ranges::lower_bound(causes, key(effect), {}, key); cause != end; ++cause) {
                links.push_back({cause->slice, effect.slice, LinkKind::launch});
            }
        }
    }
    m_correlated.clear();
}

SliceId ReportFreezer::enclosingSlice(TrackId id, int64_t time_ns) const
{
    const Track& track = m_report.tracks[id.value];
    const auto begin = m_report.slices.start_ns.begin() + track.firstSlice.value;
    const auto after = std::upper_bound(begin, begin + track.sliceCount, time_ns);
    if (after == begin) return {};
    SliceId slice(track.firstSlice.value + static_cast<uint32_t>(after - begin) - 1);
    while (slice.isValid() && m_report.slices.end(slice).ns < time_ns) slice = m_report.slices.parent[slice.value];
    return slice;
}

void ReportFreezer::bindFlows(std::vector<Link>& links)
{
    std::vector<FlowPoint> points;
    for (auto& adopted : m_builder.m_adopted) {
        points.insert(points.end(), adopted.batch.flows.begin(), adopted.batch.flows.end());
    }
    const auto order = [](const FlowPoint& p) { return std::tuple(p.key, p.time_ns, !p.isStart); };
    std::ranges::sort(points, {}, order);
    for (size_t i = 1; i < points.size(); ++i) {
        if (points[i - 1].key != points[i].key || points[i].isStart) continue;
        const SliceId cause = enclosingSlice(TrackId(m_newTrack[points[i - 1].track.value]), points[i - 1].time_ns);
        const SliceId effect = enclosingSlice(TrackId(m_newTrack[points[i].track.value]), points[i].time_ns);
        if (cause.isValid() && effect.isValid()) links.push_back({cause, effect, LinkKind::flow});
    }
}

void ReportFreezer::bindNamedLinks(std::vector<Link>& links)
{
    const auto find = [&](SourceRow source) {
        const auto found = std::ranges::lower_bound(m_named, source, {}, &std::pair<SourceRow, SliceId>::first);
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
    const SliceTable& slices = m_report.slices;
    bool any = false;
    const auto include = [&](int64_t begin, int64_t end) {
        if (!any) m_report.extent = {{begin}, {end}};
        m_report.extent.begin.ns = std::min(m_report.extent.begin.ns, begin);
        m_report.extent.end.ns = std::max(m_report.extent.end.ns, end);
        any = true;
    };
    for (size_t i = 0; i < slices.size(); ++i) include(slices.start_ns[i], slices.start_ns[i] + slices.duration_ns[i]);
    for (const int64_t time_ns : m_report.counters.time_ns) include(time_ns, time_ns);
}

} // namespace lockstep
