// SPDX-License-Identifier: Apache-2.0
#include "core/sql/slice_rows.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <vector>

namespace lockstep {

namespace {

// Returns a lower bound for the position of slices that extend to `at`. Slices at one depth never overlap. At
// each depth, only the last slice that begins before `at` can therefore extend to `at`.
uint32_t firstReaching(const Report& report, const Track& track, uint32_t at)
{
    std::vector<bool> isSeen(track.depthCount);
    size_t left = track.depthCount;
    uint32_t first = at;
    while (first > track.firstSlice.value && left > 0) {
        --first;
        const size_t depth = report.slices.depth[first];
        if (depth < isSeen.size() && !isSeen[depth]) {
            isSeen[depth] = true;
            --left;
        }
    }
    return first;
}

int64_t timestampBefore(const ClockMap& map, int64_t aligned_ns)
{
    constexpr int64_t kFirst = std::numeric_limits<int64_t>::min();
    if (aligned_ns == kFirst) return kFirst;
    // The inverse mapping is accurate to 1 ns.
    return std::max(map.traceFromAligned(TraceTime{aligned_ns}).ns, kFirst + 2) - 2;
}

int64_t timestampAfter(const ClockMap& map, int64_t aligned_ns)
{
    constexpr int64_t kLast = std::numeric_limits<int64_t>::max();
    if (aligned_ns == kLast) return kLast;
    return std::min(map.traceFromAligned(TraceTime{aligned_ns}).ns, kLast - 2) + 2;
}

} // namespace

SliceRows::SliceRows(const SqlScene& scene, RowKinds kinds, std::span<const SqlCondition> conditions,
                     const Progress& progress)
    : m_scene(scene), m_kinds(kinds), m_progress(progress), m_ids(sqlBoundsOf(conditions, SqlKey::id)),
      m_reports(sqlBoundsOf(conditions, SqlKey::report)), m_ranks(sqlBoundsOf(conditions, SqlKey::rank)),
      m_tracks(sqlBoundsOf(conditions, SqlKey::track)), m_starts(sqlBoundsOf(conditions, SqlKey::start)),
      m_ends(sqlBoundsOf(conditions, SqlKey::end))
{
    if (const auto name = sqlTextOf(conditions, SqlKey::name)) m_name = std::string(*name);
}

bool SliceRows::next()
{
    if (m_ids.least >= m_ids.most) {
        if (m_isDone || m_ids.least > m_ids.most) return false;
        m_isDone = true;
        return seekTo(m_ids.least);
    }
    for (;;) {
        if (++m_row >= m_last) {
            if (!nextTrack()) return false;
            continue;
        }
        if ((m_row & 0xFFFF) == 0 && m_progress.isCanceled()) return false;
        if (!isOfKind(*m_report, m_row)) continue;
        if (m_name && m_report->slices.name[m_row] != m_nameId) continue;
        return true;
    }
}

bool SliceRows::seekTo(int64_t id)
{
    const SliceRef slice = m_scene.sliceOf(id);
    if (!slice.isValid()) return false;
    const Report& report = m_scene.shown().report(slice.report);
    if (!isOfKind(report, slice.slice.value)) return false;
    m_row = slice.slice.value;
    const bool isThere = m_track != nullptr && m_report == &report &&
                         m_row - m_track->track().firstSlice.value < m_track->track().sliceCount;
    if (!isThere) m_track = &m_scene.tracksOf(slice.report)[report.trackOf(slice.slice).value];
    m_report = &report;
    return true;
}

bool SliceRows::passesFilter(const SqlTrack& track)
{
    if (track.track().sliceCount == 0 || !m_reports.holds(track.key.value)) return false;
    if (!m_tracks.holds(sqlId(track.key, track.id.value))) return false;
    const auto& rank = track.identity->rank.value;
    if (!m_ranks.isAll() && !(rank && m_ranks.holds(*rank))) return false;
    if (!m_name) return true;
    if (std::exchange(m_namedIn, track.report) != track.report)
        m_nameId = track.report->strings.find(*m_name);
    return m_nameId.isValid();
}

bool SliceRows::nextTrack()
{
    while (m_at < m_scene.tracks().size() && !m_progress.isCanceled()) {
        const SqlTrack& track = m_scene.tracks()[m_at++];
        if (!passesFilter(track)) continue;
        const Report& report = *track.report;
        const uint32_t begin = track.track().firstSlice.value, end = begin + track.track().sliceCount;
        const int64_t* const starts = report.slices.start_ns.data();
        const auto firstFrom = [&](int64_t time_ns) {
            return static_cast<uint32_t>(std::lower_bound(starts + begin, starts + end, time_ns) - starts);
        };
        // A slice that ends by a given time has also begun by then; a slice that ends later may have begun
        // long before.
        const int64_t latest = timestampAfter(*track.map, std::min(m_starts.most, m_ends.most));
        const auto last =
            static_cast<uint32_t>(std::upper_bound(starts + begin, starts + end, latest) - starts);
        uint32_t first = firstFrom(timestampBefore(*track.map, m_starts.least));
        if (m_ends.least > m_starts.least) {
            const uint32_t at = firstFrom(timestampBefore(*track.map, m_ends.least));
            first = std::max(first, firstReaching(report, track.track(), at));
        }
        if (first >= last) continue;
        m_track = &track;
        m_report = &report;
        m_row = first - 1; // next() increments it; before row 0 it wraps around
        m_last = last;
        return true;
    }
    return false;
}

SqlValue SliceRows::ownerValue(const SqlColumn& column) const
{
    const Identity& identity = *m_track->identity;
    const TrackKey& key = m_track->track().key;
    switch (static_cast<SliceField>(column.field)) {
    case SliceField::report:
        return SqlValue::of(int64_t(m_track->key.value));
    case SliceField::process:
        return sqlIdValue(m_track->key, key.process);
    case SliceField::thread:
        return sqlIdValue(m_track->key, key.thread);
    case SliceField::device:
        return sqlIdValue(m_track->key, key.device);
    case SliceField::track:
        return sqlIdValue(m_track->key, m_track->id);
    case SliceField::stream:
        return SqlValue::of(key.lane);
    case SliceField::context:
        return SqlValue::of(key.context);
    case SliceField::host:
        return identity.host.value ? SqlValue::of(std::string_view(*identity.host.value)) : SqlValue::none();
    case SliceField::role:
        return identity.role.value ? SqlValue::of(std::string_view(*identity.role.value)) : SqlValue::none();
    case SliceField::rank:
        return identity.rank.value ? SqlValue::of(int64_t(*identity.rank.value)) : SqlValue::none();
    case SliceField::step:
        return identity.step.value ? SqlValue::of(int64_t(*identity.step.value)) : SqlValue::none();
    default:
        return SqlValue::ofNonEmpty(m_report->strings.at(m_track->track().name));
    }
}

SqlValue SliceRows::memoryValue(const SqlColumn& column) const
{
    const MemoryOp* const op = m_report->memoryOpOf(SliceId(m_row));
    if (op == nullptr) return SqlValue::none();
    switch (static_cast<SliceField>(column.field)) {
    case SliceField::bytes:
        return SqlValue::of(static_cast<int64_t>(op->size_bytes));
    case SliceField::copyKind:
        return SqlValue::of(copyKindName(op->kind));
    case SliceField::sourceKind:
        return op->source == MemoryKind::unknown ? SqlValue::none()
                                                 : SqlValue::of(memoryKindName(op->source));
    default:
        return op->destination == MemoryKind::unknown ? SqlValue::none()
                                                      : SqlValue::of(memoryKindName(op->destination));
    }
}

SqlValue SliceRows::value(const SqlColumn& column) const
{
    const SliceTable& slices = m_report->slices;
    switch (static_cast<SliceField>(column.field)) {
    case SliceField::id:
        return SqlValue::of(rowId());
    case SliceField::name:
        return SqlValue::of(m_report->strings.at(slices.name[m_row]));
    case SliceField::shortName:
        return SqlValue::of(m_report->shortNameOf(SliceId(m_row)));
    case SliceField::start:
        return SqlValue::of(alignedTimestamp(*m_track->map, slices.start_ns[m_row]));
    case SliceField::end:
        return SqlValue::of(
            alignedTimestamp(*m_track->map, slices.start_ns[m_row] + slices.duration_ns[m_row]));
    case SliceField::duration:
        return SqlValue::of(slices.duration_ns[m_row]);
    case SliceField::reportStart:
        return SqlValue::of(slices.start_ns[m_row]);
    case SliceField::kind:
        return SqlValue::of(rowKindName(slices.kind[m_row]));
    case SliceField::category:
        return SqlValue::of(sliceCategoryName(slices.category[m_row]));
    case SliceField::depth:
        return SqlValue::of(int64_t(slices.depth[m_row]));
    case SliceField::parent:
        return sqlIdValue(m_track->key, slices.parent[m_row]);
    case SliceField::instant:
        return SqlValue::of(int64_t((slices.flags[m_row] & sliceFlag::kInstant) != 0));
    case SliceField::open:
        return SqlValue::of(int64_t((slices.flags[m_row] & sliceFlag::kOpenEnd) != 0));
    case SliceField::bytes:
    case SliceField::copyKind:
    case SliceField::sourceKind:
    case SliceField::destinationKind:
        return memoryValue(column);
    case SliceField::sourceTable: {
        const size_t table = slices.source[m_row].table();
        return table < m_report->sourceTables.size() ? SqlValue::ofNonEmpty(m_report->sourceTables[table])
                                                     : SqlValue::none();
    }
    case SliceField::sourceRow:
        return SqlValue::of(static_cast<int64_t>(slices.source[m_row].row()));
    default:
        return ownerValue(column);
    }
}

namespace {

// NameNumbers numbers the names from several reports; equal names have equal numbers.
class NameNumbers {
  public:
    uint32_t of(const Report& report, StringId name)
    {
        if (m_report != &report) {
            m_report = &report;
            m_ofReport = &m_known[&report];
            m_ofReport->resize(report.strings.size() + 1, kUnknown);
        }
        uint32_t& number = (*m_ofReport)[std::min<size_t>(name.value, report.strings.size())];
        if (number == kUnknown) {
            const auto fresh = static_cast<uint32_t>(m_numbers.size());
            number = m_numbers.emplace(report.strings.at(name), fresh).first->second;
        }
        return number;
    }
    // Returns the numbers in ascending byte order of the names.
    std::vector<uint32_t> inOrder() const
    {
        std::vector<std::pair<std::string_view, uint32_t>> names(m_numbers.begin(), m_numbers.end());
        std::ranges::sort(names);
        std::vector<uint32_t> numbers;
        for (const auto& [text, number] : names)
            numbers.push_back(number);
        return numbers;
    }

  private:
    static constexpr uint32_t kUnknown = ~0u;
    std::unordered_map<const Report*, std::vector<uint32_t>> m_known;
    std::unordered_map<std::string_view, uint32_t> m_numbers;
    const Report* m_report = nullptr;
    std::vector<uint32_t>* m_ofReport = nullptr;
};

// GroupedSlices makes two passes: one counts the rows for each name, the other moves each row to its place.
class GroupedSlices final : public SqlRows {
  public:
    GroupedSlices(const SqlScene& scene, RowKinds kinds, std::span<const SqlCondition> conditions,
                  const Progress& progress)
        : m_counted(scene, kinds, conditions, progress), m_placed(scene, kinds, conditions, progress),
          m_row(scene, kinds, {}, progress)
    {
    }

    bool next() override
    {
        if (!std::exchange(m_isLaidOut, true)) layOut();
        return m_at < m_order.size() && m_row.seekTo(m_order[m_at++]);
    }
    SqlValue value(const SqlColumn& column) const override { return m_row.value(column); }
    int64_t rowId() const override { return m_row.rowId(); }

  private:
    void layOut()
    {
        NameNumbers numbers;
        std::vector<size_t> places; // for each name number: first the count of rows, then the position of the
                                    // next row
        while (m_counted.next()) {
            const uint32_t number = numberOf(numbers, m_counted);
            if (number >= places.size()) places.resize(number + size_t(1));
            ++places[number];
        }
        size_t count = 0;
        for (const uint32_t number : numbers.inOrder())
            count += std::exchange(places[number], count);
        m_order.resize(count);
        size_t placed = 0;
        for (; m_placed.next(); ++placed)
            m_order[places[numberOf(numbers, m_placed)]++] = m_placed.rowId();
        if (placed < count) m_order.clear(); // canceled
    }
    static uint32_t numberOf(NameNumbers& numbers, const SliceRows& rows)
    {
        return numbers.of(rows.report(), rows.report().slices.name[rows.slice().value]);
    }

    SliceRows m_counted, m_placed, m_row;
    std::vector<int64_t> m_order; // row IDs
    size_t m_at = 0;
    bool m_isLaidOut = false;
};

} // namespace

std::unique_ptr<SqlRows> openGroupedSlices(const SqlScene& scene, RowKinds kinds,
                                           std::span<const SqlCondition> conditions, const Progress& progress)
{
    return std::make_unique<GroupedSlices>(scene, kinds, conditions, progress);
}

namespace {

constexpr SqlColumn kId{"id",       SqlType::integer,       "", "slice id, unique across all reports",
                        SqlKey::id, uint8_t(SliceField::id)};
constexpr SqlColumn kReport{"report",    SqlType::integer, "",
                            "report.id", SqlKey::report,   uint8_t(SliceField::report)};
constexpr SqlColumn kProcess{"process",    SqlType::integer, "",
                             "process.id", SqlKey::none,     uint8_t(SliceField::process)};
constexpr SqlColumn kThread{"thread",     SqlType::integer,           "", "thread.id; NULL on a GPU",
                            SqlKey::none, uint8_t(SliceField::thread)};
constexpr SqlColumn kDevice{"device",     SqlType::integer,           "", "device.id; NULL if not on a GPU",
                            SqlKey::none, uint8_t(SliceField::device)};
constexpr SqlColumn kTrack{"track",    SqlType::integer, "",
                           "track.id", SqlKey::track,    uint8_t(SliceField::track)};
constexpr SqlColumn kStream{"stream",     SqlType::integer,           "", "CUDA stream number in the process",
                            SqlKey::none, uint8_t(SliceField::stream)};
constexpr SqlColumn kContext{"context",    SqlType::integer,
                             "",           "CUDA context; 0 if not recorded",
                             SqlKey::none, uint8_t(SliceField::context)};
constexpr SqlColumn kHost{"host", SqlType::text, "", "host name", SqlKey::none, uint8_t(SliceField::host)};
constexpr SqlColumn kRole{"role",       SqlType::text,
                          "",           "actor, rollout, ref, critic, reward ...",
                          SqlKey::none, uint8_t(SliceField::role)};
constexpr SqlColumn kRank{"rank",       SqlType::integer,         "", "rank in the job (zero-based)",
                          SqlKey::rank, uint8_t(SliceField::rank)};
constexpr SqlColumn kStep{"step",       SqlType::integer,         "", "training step of the report",
                          SqlKey::none, uint8_t(SliceField::step)};
constexpr SqlColumn kName{"name",       SqlType::text,
                          "",           "name as recorded in the file; full name for kernels",
                          SqlKey::name, uint8_t(SliceField::name)};
constexpr SqlColumn kShortName{"short_name", SqlType::text,
                               "",           "base name of the kernel, if recorded",
                               SqlKey::none, uint8_t(SliceField::shortName)};
constexpr SqlColumn kDomain{"domain",     SqlType::text,
                            "",           "NVTX domain, or name of the track",
                            SqlKey::none, uint8_t(SliceField::domain)};
constexpr SqlColumn kStart{"start_ns",
                           SqlType::integer,
                           "ns",
                           "start on the aligned axis",
                           SqlKey::start,
                           uint8_t(SliceField::start),
                           ColumnMeaning::alignedTime};
constexpr SqlColumn kEnd{"end_ns",
                         SqlType::integer,
                         "ns",
                         "end on the aligned axis",
                         SqlKey::end,
                         uint8_t(SliceField::end),
                         ColumnMeaning::alignedTime};
constexpr SqlColumn kDuration{
    "duration_ns", SqlType::integer,
    "ns",          "duration on the report's own clock; to the end of the capture if open",
    SqlKey::none,  uint8_t(SliceField::duration)};
constexpr SqlColumn kReportStart{"report_start_ns",
                                 SqlType::integer,
                                 "ns",
                                 "start as recorded in the file, unaligned",
                                 SqlKey::none,
                                 uint8_t(SliceField::reportStart)};
constexpr SqlColumn kKind{"kind",       SqlType::text,
                          "",           "kind, as in the inventory: kernel, memcpy, nvtx_pushpop, op ...",
                          SqlKey::none, uint8_t(SliceField::kind)};
constexpr SqlColumn kCategory{"category",   SqlType::text,
                              "",           "category in the color legend: compute kernel, communication ...",
                              SqlKey::none, uint8_t(SliceField::category)};
constexpr SqlColumn kDepth{"depth",      SqlType::integer,          "", "row within the track (zero-based)",
                           SqlKey::none, uint8_t(SliceField::depth)};
constexpr SqlColumn kParent{"parent",     SqlType::integer,
                            "",           "slice.id of the innermost enclosing slice on the same track",
                            SqlKey::none, uint8_t(SliceField::parent)};
constexpr SqlColumn kInstant{"instant",    SqlType::integer,
                             "",           "1 for an instant, which has no duration",
                             SqlKey::none, uint8_t(SliceField::instant)};
constexpr SqlColumn kOpen{
    "open",       SqlType::integer,
    "",           "1 if the end was not recorded: the capture or thread ended first, or records were lost",
    SqlKey::none, uint8_t(SliceField::open)};
constexpr SqlColumn kBytes{"bytes",      SqlType::integer,          "bytes", "number of bytes copied or set",
                           SqlKey::none, uint8_t(SliceField::bytes)};
constexpr SqlColumn kCopyKind{"copy_kind",  SqlType::text,
                              "",           "copy direction, as nsys stats prints it",
                              SqlKey::none, uint8_t(SliceField::copyKind)};
constexpr SqlColumn kSourceKind{"source_kind",
                                SqlType::text,
                                "",
                                "source memory: Pageable, Pinned, Device ...",
                                SqlKey::none,
                                uint8_t(SliceField::sourceKind)};
constexpr SqlColumn kDestinationKind{"destination_kind",
                                     SqlType::text,
                                     "",
                                     "destination memory: Pageable, Pinned, Device ...",
                                     SqlKey::none,
                                     uint8_t(SliceField::destinationKind)};
constexpr SqlColumn kSourceTable{"source_table",
                                 SqlType::text,
                                 "",
                                 "table in the file that contains the row",
                                 SqlKey::none,
                                 uint8_t(SliceField::sourceTable)};
constexpr SqlColumn kSourceRow{"source_row", SqlType::integer,
                               "",           "row id in that table, or byte offset in a JSON file",
                               SqlKey::none, uint8_t(SliceField::sourceRow)};

constexpr std::array kSliceColumns{kId,     kReport,   kProcess,     kThread,      kDevice,   kTrack,
                                   kHost,   kRole,     kRank,        kStep,        kName,     kStart,
                                   kEnd,    kDuration, kReportStart, kKind,        kCategory, kDepth,
                                   kParent, kInstant,  kOpen,        kSourceTable, kSourceRow};
constexpr std::array kKernelColumns{kId,       kReport,      kProcess,   kDevice,      kTrack,
                                    kStream,   kContext,     kHost,      kRole,        kRank,
                                    kStep,     kName,        kShortName, kStart,       kEnd,
                                    kDuration, kReportStart, kCategory,  kSourceTable, kSourceRow};
constexpr std::array kMemcpyColumns{
    kId,   kReport, kProcess,  kDevice,     kTrack,           kStream,      kContext,  kHost,
    kRole, kRank,   kStep,     kName,       kStart,           kEnd,         kDuration, kReportStart,
    kKind, kBytes,  kCopyKind, kSourceKind, kDestinationKind, kSourceTable, kSourceRow};
constexpr std::array kRangeColumns{kId,      kReport,   kProcess,     kThread,   kTrack, kHost,
                                   kRole,    kRank,     kStep,        kDomain,   kName,  kStart,
                                   kEnd,     kDuration, kReportStart, kKind,     kDepth, kParent,
                                   kInstant, kOpen,     kSourceTable, kSourceRow};
constexpr std::array kApiColumns{kId,       kReport,      kProcess, kThread, kTrack,       kHost,
                                 kRole,     kRank,        kStep,    kName,   kStart,       kEnd,
                                 kDuration, kReportStart, kKind,    kParent, kSourceTable, kSourceRow};

constexpr RowKinds kEverySlice = ~RowKinds(0);
constexpr RowKinds kKernels = rowKinds({RowKind::kernel});
constexpr RowKinds kCopies = rowKinds({RowKind::memcpy, RowKind::memset});
constexpr RowKinds kRanges = rowKinds({RowKind::nvtxPushPop, RowKind::nvtxStartEnd, RowKind::nvtxMark,
                                       RowKind::userAnnotation, RowKind::gpuAnnotation});
constexpr RowKinds kCalls = rowKinds({RowKind::runtimeApi, RowKind::driverApi});

constexpr double kMaxGrouped = 5e7; // maximum number of rows grouped by name, 8 bytes each

template<RowKinds kKinds>
std::unique_ptr<SqlRows> openSlices(const SqlTable&, const SqlScene& scene,
                                    std::span<const SqlCondition> conditions, bool groupedByName,
                                    const Progress& progress)
{
    if (groupedByName) return openGroupedSlices(scene, kKinds, conditions, progress);
    return std::make_unique<SliceRows>(scene, kKinds, conditions, progress);
}

double countSlices(const SqlScene& scene)
{
    return static_cast<double>(scene.sliceCount());
}

} // namespace

std::span<const SqlTable> sliceSqlTables()
{
    static constexpr std::array<SqlTable, 5> kTables{{
        {"slice", "all timed rows: kernels, calls, ranges, operators, marks", kSliceColumns,
         openSlices<kEverySlice>, countSlices, kMaxGrouped},
        {"kernel", "kernels on a GPU or NPU", kKernelColumns, openSlices<kKernels>, countSlices, kMaxGrouped},
        {"memcpy", "copies and memsets", kMemcpyColumns, openSlices<kCopies>, countSlices, kMaxGrouped},
        {"range", "NVTX ranges and marks, and framework annotations", kRangeColumns, openSlices<kRanges>,
         countSlices, kMaxGrouped},
        {"api", "CUDA runtime and driver calls", kApiColumns, openSlices<kCalls>, countSlices, kMaxGrouped},
    }};
    return kTables;
}

} // namespace lockstep
