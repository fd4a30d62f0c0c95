// SPDX-License-Identifier: Apache-2.0
// TorchTitan's structured logs: one file per process, with a record at the start and at the end of each span,
// metrics, and instants. Source: torchtitan/observability/structured_logger (structured_logging.py and
// jsonl_handler.py). A span's `value` is its duration in ms by a monotonic clock.
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "core/readers/samples/counter_rows.h"
#include "core/readers/samples/record_fields.h"
#include "core/readers/samples/sample_formats.h"

namespace lockstep {

namespace {

SpanKind titanKindOf(std::string_view name)
{
    // Spans of RL: torchtitan/experiments/rl.
    constexpr std::array<std::string_view, 9> kPhases{
        "train_step",  "wait_for_training_batch", "rollout_group",
        "engine_loop", "vllm_engine_step",        "generate",
        "score_group", "forward_backward",        "optim_step"};
    if (name == "trainer_push_model_state_dict" || name == "generator_pull_model_state_dict")
        return SpanKind::weightTransfer;
    return std::ranges::find(kPhases, name) != kPhases.end() ? SpanKind::phase : SpanKind::other;
}

class TitanLog : public SampleRecords {
  public:
    explicit TitanLog(SampleRows& rows) : m_rows(rows), m_counters(rows.builder()) {}

    bool read(record::Object object, const JsonRecords& records) override
    {
        Row row;
        const bool isGood = record::eachField(object, [&](std::string_view key, record::Value value) {
            if (key == "pid") row.pid = record::integer(value);
            if (key == "tid") row.tid = record::integer(value);
            if (key == "rank") row.rank = record::integer(value);
            if (key == "local_rank") row.localRank = record::integer(value);
            if (key == "time_us") row.time_us = record::integer(value);
            if (key == "step") row.step = record::integer(value);
            if (key == "value") row.value = record::number(value);
            if (key == "source") row.source = record::text(value).value_or("");
            if (key == "host_name") row.host = record::text(value).value_or("");
            if (key == "log_type") row.type = record::text(value).value_or("");
            if (key == "log_type_name") row.name = record::text(value).value_or("");
            if (key == "event_name") row.event = record::text(value).value_or("");
            if (key == "task_name") row.task = record::text(value).value_or("");
            return true;
        });
        if (!isGood || !row.time_us || row.name.empty()) return false;
        row.position = records.position();
        setProcess(row);
        add(row);
        return true;
    }

    void finish() override
    {
        for (auto& [stack, open] : m_open) {
            for (OpenSpan& one : open)
                m_rows.add(one.span);
        }
        m_counters.finish();
        if (m_unmatched > 0)
            m_rows.builder().report().notes.add(
                "titan.unmatched_end", NoteSeverity::warning,
                "ends of spans without a start: only their duration places them", "", m_unmatched);
    }

  private:
    struct Row {
        std::optional<int64_t> pid, tid, rank, localRank, time_us, step;
        std::optional<double> value;
        std::string_view source, host, type, name, event, task;
        uint64_t position = 0;

        int64_t time_ns() const { return *time_us * 1'000; }
    };

    void setProcess(const Row& row)
    {
        ReportBuilder& builder = m_rows.builder();
        m_process = builder.process(static_cast<uint64_t>(row.pid.value_or(0)), row.pid.value_or(-1));
        Process& process = builder.report().processes[m_process.value];
        if (process.name.isValid() && !builder.text(process.name).empty()) return;
        process.name = builder.intern(row.source.empty() ? "torchtitan" : row.source);
        Identity& identity = process.identity;
        if (!row.host.empty()) identity.host.learn(std::string(row.host), "host_name", Confidence::stated);
        if (!row.source.empty()) identity.role.learn(std::string(row.source), "source", Confidence::stated);
        if (row.rank) identity.rank.learn(static_cast<int>(*row.rank), "rank", Confidence::stated);
        if (row.localRank)
            identity.localRank.learn(static_cast<int>(*row.localRank), "local_rank", Confidence::stated);
    }

    // Spans of asynchronous tasks overlap, and share a track of their own.
    TrackId trackOf(const Row& row)
    {
        ReportBuilder& builder = m_rows.builder();
        const bool isTask = !row.task.empty();
        const ThreadId thread = isTask ? ThreadId() : builder.thread(m_process, row.tid.value_or(0));
        const TrackId track =
            builder.track({.kind = TrackKind::other, .process = m_process, .thread = thread, .lane = isTask});
        builder.setTrackName(track, builder.intern(isTask ? "tasks" : "spans"));
        return track;
    }

    // A step has its number in its name, as steps in traces do.
    static std::string numbered(const Row& row, std::string_view name)
    {
        const bool isStep = name == "train_step" && row.step;
        return std::string(name) + (isStep ? " " + std::to_string(*row.step) : "");
    }

    SpanRecord spanOf(const Row& row, std::string_view name)
    {
        SpanRecord span;
        span.track = trackOf(row);
        span.name = m_rows.intern(name);
        span.start_ns = row.time_ns();
        span.end_ns = kUnrecorded;
        span.source = SourceRow::of(kSpanSource, row.position);
        span.kind = titanKindOf(name.starts_with("train_step ") ? "train_step" : name);
        return span;
    }

    void add(const Row& row)
    {
        if (row.name == "metric_value") {
            if (row.value) m_counters.add(m_process, {}, row.event, "", row.time_ns(), *row.value);
        } else if (row.type == "event" && row.name.ends_with("_start")) {
            const std::string_view name = row.name.substr(0, row.name.size() - 6);
            m_open[stackOf(row)].push_back({std::string(name), spanOf(row, numbered(row, name))});
        } else if (row.type == "event" && row.name.ends_with("_end")) {
            close(row, row.name.substr(0, row.name.size() - 4));
        } else {
            SpanRecord instant = spanOf(row, row.name);
            instant.end_ns = instant.start_ns;
            instant.isInstant = true;
            m_rows.add(instant);
        }
    }

    // Spans nest within an asynchronous task, otherwise within a thread.
    using Stack = std::pair<std::string, int64_t>;
    static Stack stackOf(const Row& row)
    {
        return {std::string(row.task), row.task.empty() ? row.tid.value_or(0) : 0};
    }

    // The last open span with this name ends. Its end is computed from the duration if that agrees with the
    // record of the end, which is written later: after the record of an error, and not at once.
    void close(const Row& row, std::string_view name)
    {
        std::vector<OpenSpan>& open = m_open[stackOf(row)];
        const auto found =
            std::find_if(open.rbegin(), open.rend(), [&](const OpenSpan& one) { return one.name == name; });
        const std::optional<int64_t> length = row.value && *row.value >= 0 && *row.value < 1e12
                                                  ? std::optional(std::llround(*row.value * 1e6))
                                                  : std::nullopt;
        if (found == open.rend()) {
            ++m_unmatched;
            if (!length) return;
            SpanRecord span = spanOf(row, numbered(row, name));
            span.end_ns = row.time_ns();
            span.start_ns = span.end_ns - *length;
            span.isDerived = true;
            return m_rows.add(span);
        }
        constexpr int64_t kAgrees_ns = 5'000'000;
        SpanRecord span = found->span;
        open.erase(std::next(found).base());
        span.end_ns = std::max(span.start_ns, row.time_ns());
        if (length && std::abs(span.start_ns + *length - row.time_ns()) < kAgrees_ns)
            span.end_ns = span.start_ns + *length;
        m_rows.add(span);
    }

    SampleRows& m_rows;
    CounterRows m_counters;
    ProcessId m_process;
    struct OpenSpan {
        std::string name; // in the records of its start and end
        SpanRecord span;
    };
    std::map<Stack, std::vector<OpenSpan>> m_open;
    uint64_t m_unmatched = 0;
};

} // namespace

SampleFormat torchtitanLogFormat()
{
    return {
        "torchtitan structured log",
        "torchtitan",
        {"Unix epoch (torchtitan)", 0, 1'000, {}, "time_us"},
        {"log_type_name", "seq_id"},
        [](SampleRows& rows) -> std::unique_ptr<SampleRecords> { return std::make_unique<TitanLog>(rows); }};
}

} // namespace lockstep
