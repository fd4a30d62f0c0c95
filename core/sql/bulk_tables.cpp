// SPDX-License-Identifier: Apache-2.0
// The link, counter and collective tables, read directly from the reports' columns. Thread: one per pass.
#include "core/sql/cached_rows.h"

#include <algorithm>
#include <array>

#include "core/sql/reportwise_rows.h"

namespace lockstep {

namespace {

enum class LinkField : uint8_t { report, kind, cause, effect };

constexpr std::array<SqlColumn, 4> kLinkColumns{{
    {"report", SqlType::integer, "", "report.id", SqlKey::report, uint8_t(LinkField::report)},
    {"kind", SqlType::text, "",
     "launch: call to GPU work; flow: flow recorded in the file; record_wait: event record to wait",
     SqlKey::none, uint8_t(LinkField::kind)},
    {"cause", SqlType::integer, "", "slice.id of the cause", SqlKey::cause, uint8_t(LinkField::cause)},
    {"effect", SqlType::integer, "", "slice.id of the effect", SqlKey::effect, uint8_t(LinkField::effect)},
}};

std::string_view linkKindSqlName(LinkKind kind)
{
    switch (kind) {
    case LinkKind::launch:
        return "launch";
    case LinkKind::flow:
        return "flow";
    case LinkKind::recordWait:
        return "record_wait";
    }
    return "";
}

class LinkRows final : public ReportwiseRows {
  public:
    LinkRows(const SqlScene& scene, std::span<const SqlCondition> conditions, const Progress& progress)
        : ReportwiseRows(scene, conditions, progress), m_cause(sqlBoundsOf(conditions, SqlKey::cause)),
          m_effect(sqlBoundsOf(conditions, SqlKey::effect))
    {
        const SqlBounds& one = m_cause.isAll() ? m_effect : m_cause;
        if (one.least != one.most) return;
        m_slice = m_scene.sliceOf(one.least);
        const int64_t report = m_slice.isValid() ? int64_t(m_slice.report.value) : -1; // -1: no report
        m_reports.least = std::max(m_reports.least, report);
        m_reports.most = std::min(m_reports.most, report);
        m_isByEffect = m_cause.isAll();
    }

    SqlValue value(const SqlColumn& column) const override
    {
        const Link& link = linkAt();
        switch (static_cast<LinkField>(column.field)) {
        case LinkField::report:
            return SqlValue::of(int64_t(m_key.value));
        case LinkField::kind:
            return SqlValue::of(linkKindSqlName(link.kind));
        case LinkField::cause:
            return sqlIdValue(m_key, link.cause);
        case LinkField::effect:
            return sqlIdValue(m_key, link.effect);
        }
        return SqlValue::none();
    }
    int64_t rowId() const override
    {
        return sqlId(m_key, static_cast<uint32_t>(&linkAt() - m_report->links.all().data()));
    }

  private:
    const Link& linkAt() const
    {
        return m_slice.isValid() && m_isByEffect ? *m_report->links.to(m_slice.slice, m_at)
                                                 : m_report->links.all()[m_at];
    }
    void beginReport() override
    {
        const LinkTable& links = m_report->links;
        if (!m_slice.isValid()) return setRows(0, links.size());
        if (m_isByEffect) {
            uint64_t count = 0;
            while (links.to(m_slice.slice, count) != nullptr)
                ++count;
            return setRows(0, count);
        }
        const auto some = links.from(m_slice.slice);
        const auto first = some.empty() ? 0 : some.data() - links.all().data();
        setRows(uint64_t(first), uint64_t(first) + some.size());
    }

    SqlBounds m_cause, m_effect;
    SliceRef m_slice;
    bool m_isByEffect = false;
};

enum class CounterField : uint8_t { report, process, device, counter, name, unit, time, value, reportTime };

constexpr std::array<SqlColumn, 9> kCounterColumns{{
    {"report", SqlType::integer, "", "report.id", SqlKey::report, uint8_t(CounterField::report)},
    {"process", SqlType::integer, "", "process.id; NULL for machine-wide counters", SqlKey::none,
     uint8_t(CounterField::process)},
    {"device", SqlType::integer, "", "device.id; NULL if not on a GPU", SqlKey::none,
     uint8_t(CounterField::device)},
    {"counter", SqlType::integer, "", "id of the counter track, unique across all reports", SqlKey::track,
     uint8_t(CounterField::counter)},
    {"name", SqlType::text, "", "counter name: SMs Active [Throughput %] ...", SqlKey::name,
     uint8_t(CounterField::name)},
    {"unit", SqlType::text, "", "unit of the value, if recorded", SqlKey::none, uint8_t(CounterField::unit)},
    {"time_ns", SqlType::integer, "ns", "sample time on the aligned axis", SqlKey::start,
     uint8_t(CounterField::time), ColumnMeaning::alignedTime},
    {"value", SqlType::real, "", "sample value", SqlKey::none, uint8_t(CounterField::value)},
    {"report_time_ns", SqlType::integer, "ns", "sample time as recorded in the file, unaligned", SqlKey::none,
     uint8_t(CounterField::reportTime)},
}};

class CounterRows final : public ReportwiseRows {
  public:
    CounterRows(const SqlScene& scene, std::span<const SqlCondition> conditions, const Progress& progress)
        : ReportwiseRows(scene, conditions, progress), m_tracks(sqlBoundsOf(conditions, SqlKey::track)),
          m_times(sqlBoundsOf(conditions, SqlKey::start))
    {
        if (const auto name = sqlTextOf(conditions, SqlKey::name)) m_name = std::string(*name);
    }

    SqlValue value(const SqlColumn& column) const override
    {
        const CounterTrack& track = m_report->counterTracks[m_track];
        switch (static_cast<CounterField>(column.field)) {
        case CounterField::report:
            return SqlValue::of(int64_t(m_key.value));
        case CounterField::process:
            return sqlIdValue(m_key, track.process);
        case CounterField::device:
            return sqlIdValue(m_key, track.device);
        case CounterField::counter:
            return SqlValue::of(sqlId(m_key, static_cast<uint32_t>(m_track)));
        case CounterField::name:
            return SqlValue::of(m_report->strings.at(track.name));
        case CounterField::unit:
            return SqlValue::ofNonEmpty(m_report->strings.at(track.unit));
        case CounterField::time:
            return SqlValue::of(alignedTimestamp(*m_map, m_report->counters.time_ns[m_at]));
        case CounterField::value:
            return SqlValue::ofReal(m_report->counters.value[m_at]);
        case CounterField::reportTime:
            return SqlValue::of(m_report->counters.time_ns[m_at]);
        }
        return SqlValue::none();
    }

  private:
    void beginReport() override
    {
        m_track = ~size_t(0);
        moreRows();
    }
    bool moreRows() override
    {
        while (++m_track < m_report->counterTracks.size()) {
            const CounterTrack& track = m_report->counterTracks[m_track];
            if (!m_tracks.holds(sqlId(m_key, static_cast<uint32_t>(m_track)))) continue;
            if (m_name && m_report->strings.at(track.name) != *m_name) continue;
            const int64_t* const times = m_report->counters.time_ns.data();
            const int64_t* const begin = times + track.firstSample;
            const int64_t* const end = begin + track.sampleCount;
            const auto first = std::partition_point(begin, end, [this](int64_t time_ns) {
                return alignedTimestamp(*m_map, time_ns) < m_times.least;
            });
            const auto last = std::partition_point(first, end, [this](int64_t time_ns) {
                return alignedTimestamp(*m_map, time_ns) <= m_times.most;
            });
            if (first == last) continue;
            setRows(static_cast<uint64_t>(first - times), static_cast<uint64_t>(last - times));
            return true;
        }
        setRows(0, 0);
        return false;
    }

    SqlBounds m_tracks, m_times;
    std::optional<std::string> m_name;
    size_t m_track = 0;
};

enum class CollectiveField : uint8_t {
    slice,
    report,
    rank,
    collective,
    group,
    groupSize,
    rankInGroup,
    dataType,
    inElements,
    outElements,
    bytes,
    sequence,
    peer,
    pointToPoint,
    start,
    end,
    duration
};

constexpr std::array<SqlColumn, 17> kCollectiveColumns{{
    {"slice", SqlType::integer, "", "slice.id of the kernel, or of the host call if only that is known",
     SqlKey::none, uint8_t(CollectiveField::slice)},
    {"report", SqlType::integer, "", "report.id", SqlKey::report, uint8_t(CollectiveField::report)},
    {"rank", SqlType::integer, "", "rank in the job (zero-based)", SqlKey::none,
     uint8_t(CollectiveField::rank)},
    {"collective", SqlType::text, "",
     "collective name as recorded: allreduce, ncclAllReduce, _allgather_base ...", SqlKey::none,
     uint8_t(CollectiveField::collective)},
    {"group_name", SqlType::text, "", "process group or communicator; identical on all its ranks",
     SqlKey::none, uint8_t(CollectiveField::group)},
    {"group_size", SqlType::integer, "", "number of ranks in the group", SqlKey::none,
     uint8_t(CollectiveField::groupSize)},
    {"rank_in_group", SqlType::integer, "", "rank within the group", SqlKey::none,
     uint8_t(CollectiveField::rankInGroup)},
    {"data_type", SqlType::text, "", "Float, BFloat16 ...", SqlKey::none, uint8_t(CollectiveField::dataType)},
    {"in_elements", SqlType::integer, "", "number of input elements", SqlKey::none,
     uint8_t(CollectiveField::inElements)},
    {"out_elements", SqlType::integer, "", "number of output elements", SqlKey::none,
     uint8_t(CollectiveField::outElements)},
    {"bytes", SqlType::integer, "bytes", "message size, if recorded", SqlKey::none,
     uint8_t(CollectiveField::bytes)},
    {"sequence", SqlType::integer, "", "sequence number of the operation in its group, equal on all ranks",
     SqlKey::none, uint8_t(CollectiveField::sequence)},
    {"peer", SqlType::integer, "", "rank of the peer or of the root", SqlKey::none,
     uint8_t(CollectiveField::peer)},
    {"point_to_point", SqlType::integer, "", "1 for a send or receive", SqlKey::none,
     uint8_t(CollectiveField::pointToPoint)},
    {"start_ns", SqlType::integer, "ns", "start of the slice on the aligned axis", SqlKey::none,
     uint8_t(CollectiveField::start), ColumnMeaning::alignedTime},
    {"end_ns", SqlType::integer, "ns", "end of the slice on the aligned axis", SqlKey::none,
     uint8_t(CollectiveField::end), ColumnMeaning::alignedTime},
    {"duration_ns", SqlType::integer, "ns", "duration, including waiting for other ranks", SqlKey::none,
     uint8_t(CollectiveField::duration)},
}};

SqlValue countOrNone(uint32_t count)
{
    return count == CollectiveOp::kAbsent ? SqlValue::none() : SqlValue::of(int64_t(count));
}

SqlValue countOrNone(uint64_t count)
{
    return count == CollectiveOp::kAbsentCount ? SqlValue::none() : SqlValue::of(static_cast<int64_t>(count));
}

class CollectiveRows final : public ReportwiseRows {
  public:
    using ReportwiseRows::ReportwiseRows;

    SqlValue value(const SqlColumn& column) const override
    {
        const CollectiveOp& op = m_report->collectives[m_at];
        const SliceTable& slices = m_report->slices;
        switch (static_cast<CollectiveField>(column.field)) {
        case CollectiveField::slice:
            return sqlIdValue(m_key, op.slice);
        case CollectiveField::report:
            return SqlValue::of(int64_t(m_key.value));
        case CollectiveField::rank: {
            const TrackKey& track = m_report->track(m_report->trackOf(op.slice)).key;
            const auto& rank = m_scene.shown().identity(m_key, track.process).rank.value;
            return rank ? SqlValue::of(int64_t(*rank)) : SqlValue::none();
        }
        case CollectiveField::groupSize:
            return countOrNone(op.groupSize);
        case CollectiveField::rankInGroup:
            return countOrNone(op.rankInGroup);
        case CollectiveField::inElements:
            return countOrNone(op.inElements);
        case CollectiveField::outElements:
            return countOrNone(op.outElements);
        case CollectiveField::bytes:
            return countOrNone(op.message_bytes);
        case CollectiveField::sequence:
            return countOrNone(op.sequence);
        case CollectiveField::peer:
            return countOrNone(op.peer);
        case CollectiveField::pointToPoint:
            return SqlValue::of(int64_t(op.isPointToPoint));
        case CollectiveField::start:
            return SqlValue::of(alignedTimestamp(*m_map, slices.start(op.slice).ns));
        case CollectiveField::end:
            return SqlValue::of(alignedTimestamp(*m_map, slices.end(op.slice).ns));
        case CollectiveField::duration:
            return SqlValue::of(slices.duration(op.slice).ns);
        default:
            return textOf(op, static_cast<CollectiveField>(column.field));
        }
    }

  private:
    SqlValue textOf(const CollectiveOp& op, CollectiveField field) const
    {
        const StringId text = field == CollectiveField::collective ? op.collective
                              : field == CollectiveField::group    ? op.group
                                                                   : op.dataType;
        return SqlValue::ofNonEmpty(m_report->strings.at(text));
    }
    void beginReport() override { setRows(0, m_report->collectives.size()); }
};

double countLinks(const SqlScene& scene)
{
    return static_cast<double>(scene.linkCount());
}

double countSamples(const SqlScene& scene)
{
    return static_cast<double>(scene.sampleCount());
}

} // namespace

std::span<const SqlTable> bulkSqlTables()
{
    static constexpr std::array<SqlTable, 3> kTables{{
        {"link", "cause and effect, within one report", kLinkColumns, openReportwise<LinkRows>, countLinks},
        {"counter", "counter samples: memory in use, throughput, power ...", kCounterColumns,
         openReportwise<CounterRows>, countSamples},
        {"collective", "communication operations, one row per participating slice", kCollectiveColumns,
         openReportwise<CollectiveRows>, countLinks},
    }};
    return kTables;
}

} // namespace lockstep
