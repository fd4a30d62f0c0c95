// SPDX-License-Identifier: Apache-2.0
// The sample, request, span, weight_version and step_value tables, read directly from the reports' columns.
// Thread: one per pass.
#include <algorithm>
#include <array>

#include "core/sql/cached_rows.h"
#include "core/sql/reportwise_rows.h"
#include "core/trace/sample_names.h"

namespace lockstep {

namespace {

// A row of a report's SampleTables.
template<class Row>
struct SampleRowRef {
    const SqlScene& scene;
    ReportKey key;
    const Report& report;
    const ClockMap& map;
    uint32_t row;
    const Row& of;

    SqlValue text(StringId id) const
    {
        return id.isValid() ? SqlValue::ofNonEmpty(report.strings.at(id)) : SqlValue::none();
    }
    SqlValue time(int64_t time_ns) const
    {
        return time_ns == kUnrecorded ? SqlValue::none()
                                      : SqlValue::of(map.alignedFromTrace(TraceTime{time_ns}).ns);
    }
    static SqlValue number(int64_t value)
    {
        return value == kUnrecorded ? SqlValue::none() : SqlValue::of(value);
    }
    // The start or end of the row's slice.
    SqlValue start() const { return time(report.slices.start(of.slice).ns); }
    SqlValue end() const { return time(report.slices.end(of.slice).ns); }
    RowFacts facts() const { return report.factsOf(of.slice); }
};

// A column, and the function that reads its value.
template<class Row>
struct ValueColumn {
    SqlColumn column;
    SqlValue (*value)(const SampleRowRef<Row>& row);
};

template<class Row, size_t N>
constexpr std::array<SqlColumn, N> columnsOf(const std::array<ValueColumn<Row>, N>& from)
{
    std::array<SqlColumn, N> out;
    for (size_t i = 0; i < N; ++i) {
        out[i] = from[i].column;
        out[i].field = static_cast<uint8_t>(i);
    }
    return out;
}

using OfSample = SampleRowRef<Sample>;
constexpr std::array<ValueColumn<Sample>, 21> kSampleValues{{
    {{"id", SqlType::integer, "", "sample id, unique across all reports"},
     [](const OfSample& r) { return SqlValue::of(sqlId(r.key, r.row)); }},
    {{"report", SqlType::integer, "", "report.id", SqlKey::report},
     [](const OfSample& r) { return SqlValue::of(int64_t(r.key.value)); }},
    {{"process", SqlType::integer, "", "process.id of the process that recorded it"},
     [](const OfSample& r) { return sqlIdValue(r.key, r.of.process); }},
    {{"slice", SqlType::integer, "", "slice.id; NULL if the file records no times"},
     [](const OfSample& r) { return sqlIdValue(r.key, r.of.slice); }},
    {{"name", SqlType::text, "", "id in the file"}, [](const OfSample& r) { return r.text(r.of.id); }},
    {{"prompt", SqlType::text, "", "prompt or group of samples"},
     [](const OfSample& r) { return r.text(r.of.group); }},
    {{"replica", SqlType::text, "", "rollout engine"},
     [](const OfSample& r) { return r.text(r.of.replica); }},
    {{"status", SqlType::text, "", "completed, truncated, aborted, failed, rejected, dropped, pending"},
     [](const OfSample& r) { return SqlValue::ofNonEmpty(sampleStatusName(r.of.status)); }},
    {{"status_text", SqlType::text, "", "status or reason in the file"},
     [](const OfSample& r) { return r.text(r.of.statusText); }},
    {{"start_ns", SqlType::integer, "ns", "start on the aligned axis", SqlKey::none, 0,
      ColumnMeaning::alignedTime},
     [](const OfSample& r) { return r.time(r.of.start_ns); }},
    {{"end_ns", SqlType::integer, "ns", "end on the aligned axis; NULL if it had not ended", SqlKey::none, 0,
      ColumnMeaning::alignedTime},
     [](const OfSample& r) { return r.time(r.of.end_ns); }},
    {{"duration_ns", SqlType::integer, "ns", "from start to end"},
     [](const OfSample& r) {
         return r.of.isPlaced() ? SqlValue::of(r.of.end_ns - r.of.start_ns) : SqlValue::none();
     }},
    {{"step", SqlType::integer, "", "training step"}, [](const OfSample& r) { return r.number(r.of.step); }},
    {{"first_version", SqlType::integer, "", "weight version of the first generation"},
     [](const OfSample& r) { return r.number(r.of.firstVersion); }},
    {{"last_version", SqlType::integer, "", "weight version of the last generation"},
     [](const OfSample& r) { return r.number(r.of.lastVersion); }},
    {{"prompt_tokens", SqlType::integer, "", "tokens of the prompt"},
     [](const OfSample& r) { return r.number(r.of.promptTokens); }},
    {{"output_tokens", SqlType::integer, "", "tokens of the output"},
     [](const OfSample& r) { return r.number(r.of.outputTokens); }},
    {{"cached_tokens", SqlType::integer, "", "tokens of the prompt found in a cache"},
     [](const OfSample& r) { return r.number(r.of.cachedTokens); }},
    {{"preemptions", SqlType::integer, "", "how often the engine discarded its work"},
     [](const OfSample& r) { return r.number(r.of.preemptions); }},
    {{"attempts", SqlType::integer, "", "number of attempts"},
     [](const OfSample& r) { return SqlValue::of(int64_t(r.of.attempts)); }},
    {{"reward", SqlType::real, "", "reward"},
     [](const OfSample& r) {
         return r.of.reward == r.of.reward ? SqlValue::ofReal(r.of.reward) : SqlValue::none();
     }},
}};
constexpr auto kSampleColumns = columnsOf(kSampleValues);

using OfSpan = SampleRowRef<SampleSpan>;
constexpr std::array<ValueColumn<SampleSpan>, 13> kSpanValues{{
    {{"report", SqlType::integer, "", "report.id", SqlKey::report},
     [](const OfSpan& r) { return SqlValue::of(int64_t(r.key.value)); }},
    {{"slice", SqlType::integer, "", "slice.id"},
     [](const OfSpan& r) { return sqlIdValue(r.key, r.of.slice); }},
    {{"sample", SqlType::integer, "", "sample.id or request.id; NULL for spans of a process"},
     [](const OfSpan& r) { return sqlIdValue(r.key, r.of.sample); }},
    {{"kind", SqlType::text, "", "queue, prefill, decode, generate, tool, reward, weight_update ..."},
     [](const OfSpan& r) { return SqlValue::of(spanKindName(r.of.kind)); }},
    {{"name", SqlType::text, "", "name in the file"},
     [](const OfSpan& r) { return SqlValue::of(r.report.nameOf(r.of.slice)); }},
    {{"turn", SqlType::integer, "", "turn of the sample (zero-based)"},
     [](const OfSpan& r) {
         return r.of.turn == SampleSpan::kNoTurn ? SqlValue::none() : SqlValue::of(int64_t(r.of.turn));
     }},
    {{"request", SqlType::text, "", "id of the request to an inference server"},
     [](const OfSpan& r) { return r.text(r.of.request); }},
    {{"start_ns", SqlType::integer, "ns", "start on the aligned axis", SqlKey::none, 0,
      ColumnMeaning::alignedTime},
     [](const OfSpan& r) { return r.start(); }},
    {{"end_ns", SqlType::integer, "ns", "end on the aligned axis", SqlKey::none, 0,
      ColumnMeaning::alignedTime},
     [](const OfSpan& r) { return r.end(); }},
    {{"is_derived", SqlType::integer, "", "1: the position is computed from recorded durations"},
     [](const OfSpan& r) { return SqlValue::of(int64_t(r.of.isDerived)); }},
    {{"batch", SqlType::text, "", "id of the batch that the server ran; of events named schedule"},
     [](const OfSpan& r) { return SqlValue::ofNonEmpty(r.facts().text(RowFact::batch)); }},
    {{"forward_mode", SqlType::text, "", "prefill, decode ... of the batch"},
     [](const OfSpan& r) { return SqlValue::ofNonEmpty(r.facts().text(RowFact::forwardMode)); }},
    {{"batch_size", SqlType::integer, "", "requests in the batch"},
     [](const OfSpan& r) { return r.number(r.facts().number(RowFact::batchSize).value_or(kUnrecorded)); }},
}};
constexpr auto kSpanColumns = columnsOf(kSpanValues);

using OfUpdate = SampleRowRef<WeightUpdate>;
constexpr std::array<ValueColumn<WeightUpdate>, 6> kUpdateValues{{
    {{"report", SqlType::integer, "", "report.id", SqlKey::report},
     [](const OfUpdate& r) { return SqlValue::of(int64_t(r.key.value)); }},
    {{"slice", SqlType::integer, "", "slice.id of the update"},
     [](const OfUpdate& r) { return sqlIdValue(r.key, r.of.slice); }},
    {{"version", SqlType::integer, "", "weight version after the update"},
     [](const OfUpdate& r) { return r.number(r.of.version); }},
    {{"start_ns", SqlType::integer, "ns", "start of the update on the aligned axis", SqlKey::none, 0,
      ColumnMeaning::alignedTime},
     [](const OfUpdate& r) { return r.start(); }},
    {{"end_ns", SqlType::integer, "ns", "end of the update on the aligned axis", SqlKey::none, 0,
      ColumnMeaning::alignedTime},
     [](const OfUpdate& r) { return r.end(); }},
    {{"bytes", SqlType::integer, "bytes", "bytes moved, if recorded"},
     [](const OfUpdate& r) { return r.number(r.of.size_bytes); }},
}};
constexpr auto kUpdateColumns = columnsOf(kUpdateValues);

using OfStep = SampleRowRef<StepValue>;
constexpr std::array<ValueColumn<StepValue>, 4> kStepValues{{
    {{"report", SqlType::integer, "", "report.id", SqlKey::report},
     [](const OfStep& r) { return SqlValue::of(int64_t(r.key.value)); }},
    {{"step", SqlType::integer, "", "training step"},
     [](const OfStep& r) { return SqlValue::of(r.of.step); }},
    {{"name", SqlType::text, "", "name in the file: timing_s/gen ..."},
     [](const OfStep& r) { return r.text(r.of.name); }},
    {{"value", SqlType::real, "", "value in the file"},
     [](const OfStep& r) { return SqlValue::ofReal(r.of.value); }},
}};
constexpr auto kStepValueColumns = columnsOf(kStepValues);

template<class Row, auto& kValues, auto kColumn>
class SampleTablePass : public ReportwiseRows {
  public:
    using ReportwiseRows::ReportwiseRows;

    SqlValue value(const SqlColumn& column) const override
    {
        return kValues[column.field].value(
            {m_scene, m_key, *m_report, *m_map, static_cast<uint32_t>(m_at), rows()[m_at]});
    }

  protected:
    const Column<Row>& rows() const { return m_report->samples.*kColumn; }
    void beginReport() override { setRows(0, rows().size()); }
};

using SpanPass = SampleTablePass<SampleSpan, kSpanValues, &SampleTables::spans>;
using UpdatePass = SampleTablePass<WeightUpdate, kUpdateValues, &SampleTables::weightUpdates>;
using StepPass = SampleTablePass<StepValue, kStepValues, &SampleTables::stepValues>;

// Samples, or requests: runs of rows of one level.
template<SampleLevel kLevel>
class LevelPass final : public SampleTablePass<Sample, kSampleValues, &SampleTables::samples> {
  public:
    using SampleTablePass::SampleTablePass;

  private:
    void beginReport() override
    {
        m_next = 0;
        setRows(0, 0);
    }
    bool moreRows() override
    {
        const auto isOther = [&](uint64_t row) { return rows()[row].level != kLevel; };
        while (m_next < rows().size() && isOther(m_next))
            ++m_next;
        const uint64_t first = m_next;
        while (m_next < rows().size() && !isOther(m_next))
            ++m_next;
        setRows(first, m_next);
        return first < m_next;
    }

    uint64_t m_next = 0;
};

template<auto kColumn>
double countRows(const SqlScene& scene)
{
    size_t rows = 0;
    for (const ReportKey key : scene.shown().keys())
        rows += (scene.shown().report(key).samples.*kColumn).size();
    return static_cast<double>(rows);
}

} // namespace

std::span<const SqlTable> sampleSqlTables()
{
    static constexpr std::array<SqlTable, 5> kTables{{
        {"sample", "samples of reinforcement learning", kSampleColumns,
         openReportwise<LevelPass<SampleLevel::sample>>, countRows<&SampleTables::samples>},
        {"request", "requests to inference servers, with the columns of sample", kSampleColumns,
         openReportwise<LevelPass<SampleLevel::request>>, countRows<&SampleTables::samples>},
        {"span", "parts of samples and requests, and weight updates", kSpanColumns, openReportwise<SpanPass>,
         countRows<&SampleTables::spans>},
        {"weight_version", "updates of the weights of rollout engines", kUpdateColumns,
         openReportwise<UpdatePass>, countRows<&SampleTables::weightUpdates>},
        {"step_value", "values of steps for which the file records no time", kStepValueColumns,
         openReportwise<StepPass>, countRows<&SampleTables::stepValues>},
    }};
    return kTables;
}

} // namespace lockstep
