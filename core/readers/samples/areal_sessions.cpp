// SPDX-License-Identifier: Apache-2.0
// AReaL's session traces, `sessions-r*.jsonl`: one line per finished session of a workflow, with its phases.
// Source: areal/utils/perf_tracer.py, SessionRecord. Sessions are counted per process, so the file's rank and
// role are part of a sample's identity. A process that starts again appends to the file and counts from 0
// again, so a session with another start is another sample. The time at which a session was finalized is the
// same for all sessions of a task: it is when the group was complete, not when the sample ended.
#include <algorithm>
#include <map>

#include "core/readers/samples/record_fields.h"
#include "core/readers/samples/sample_formats.h"

namespace lockstep {

namespace {

SampleStatus arealStatusOf(std::string_view status)
{
    if (status == "accepted") return SampleStatus::completed;
    if (status == "rejected") return SampleStatus::rejected;
    if (status == "failed") return SampleStatus::failed;
    if (status == "dropped") return SampleStatus::dropped;
    return status == "pending" ? SampleStatus::pending : SampleStatus::unknown;
}

SpanKind arealKindOf(std::string_view phase)
{
    if (phase == "generate") return SpanKind::generate;
    if (phase == "toolcall") return SpanKind::tool;
    return phase == "reward" ? SpanKind::reward : SpanKind::other;
}

class ArealSessions : public SampleRecords {
  public:
    explicit ArealSessions(SampleRows& rows) : m_rows(rows) {}

    bool read(record::Object object, const JsonRecords& records) override
    {
        Sample found;
        std::vector<SpanRecord> spans;
        std::optional<int64_t> submitted, finalized, session, rank;
        std::string_view task, role;
        const bool isGood = record::eachField(object, [&](std::string_view key, record::Value value) {
            if (key == "task_id") task = taskOf(value);
            if (key == "session_id") session = record::integer(value);
            if (key == "rank") rank = record::integer(value);
            if (key == "role") role = record::text(value).value_or("");
            if (key == "submit_ts") submitted = record::seconds(value);
            if (key == "finalized_ts") finalized = record::seconds(value);
            if (key == "status" || key == "reason") {
                const std::string_view word = record::text(value).value_or("");
                if (key == "status") found.status = arealStatusOf(word);
                if (!word.empty()) found.statusText = m_rows.intern(word);
            }
            const auto phases = key == "phases" ? record::object(value) : std::nullopt;
            return !phases || record::eachField(*phases, [&](std::string_view phase, record::Value list) {
                return readPhases(phase, list, records, spans);
            });
        });
        if (!isGood || !session || !submitted) return false;
        add(found, std::to_string(*session), task, role, rank.value_or(0), *submitted, finalized, spans,
            records);
        return true;
    }

  private:
    // A task is an integer or a text.
    static std::string_view taskOf(record::Value value)
    {
        if (const auto text = record::text(value)) return *text;
        std::string_view token = value.raw_json_token();
        return token.substr(0, token.find_first_of(" \t\r\n"));
    }

    bool readPhases(std::string_view phase, record::Value list, const JsonRecords& records,
                    std::vector<SpanRecord>& spans) const
    {
        int32_t turn = 0;
        return record::eachObject(list, [&](record::Object object, const char* at) {
            SpanRecord span;
            span.name = m_rows.intern(phase);
            span.kind = arealKindOf(phase);
            span.source = SourceRow::of(kSpanSource, records.positionOf(at));
            span.end_ns = kUnrecorded;
            span.turn = turn++;
            std::optional<int64_t> start;
            const bool isGood = record::eachField(object, [&](std::string_view key, record::Value value) {
                if (key == "start_ts") start = record::seconds(value);
                if (key == "end_ts") span.end_ns = record::seconds(value).value_or(kUnrecorded);
                return true;
            });
            if (isGood && start) {
                span.start_ns = *start;
                spans.push_back(span);
            }
            return isGood;
        });
    }

    void add(const Sample& found, const std::string& session, std::string_view task, std::string_view role,
             int64_t rank, int64_t submitted, std::optional<int64_t> finalized,
             std::vector<SpanRecord>& spans, const JsonRecords& records)
    {
        ReportBuilder& builder = m_rows.builder();
        const ProcessId process = builder.process(static_cast<uint64_t>(rank), -1);
        Identity& identity = builder.report().processes[process.value].identity;
        identity.rank.learn(static_cast<int>(rank), "rank", Confidence::stated);
        if (!role.empty()) identity.role.learn(std::string(role), "role", Confidence::stated);
        const SampleId id =
            m_rows.sample(nameOf(session, submitted), SourceRow::of(kSampleSource, records.position()));
        Sample& sample = m_rows.at(id);
        const StringId name = sample.id;
        sample = found;
        sample.id = name;
        sample.process = process;
        sample.start_ns = submitted;
        if (!task.empty()) sample.group = m_rows.intern(task);
        int64_t end = kUnrecorded;
        bool isOpen = false; // the tracer was flushed while the session ran
        for (SpanRecord& span : spans) {
            span.sample = id;
            isOpen |= span.end_ns == kUnrecorded;
            end = std::max(end, span.end_ns);
            m_rows.add(span);
        }
        sample.end_ns = isOpen ? kUnrecorded : end;
        if (sample.end_ns != kUnrecorded || !finalized) return;
        sample.end_ns = *finalized;
        sample.flags |= sampleFlag::kGroupEnd;
    }

    std::string nameOf(const std::string& session, int64_t submitted)
    {
        std::vector<int64_t>& starts = m_starts[session];
        auto known = std::ranges::find(starts, submitted);
        if (known == starts.end()) known = starts.insert(starts.end(), submitted);
        const auto copy = known - starts.begin() + 1;
        return copy == 1 ? session : session + " (" + std::to_string(copy) + ")";
    }

    SampleRows& m_rows;
    std::map<std::string, std::vector<int64_t>> m_starts; // by session
};

} // namespace

SampleFormat arealSessionsFormat()
{
    return {"AReaL sessions",
            "AReaL",
            {"Unix epoch (AReaL)", 0, 1, {}, "submit_ts"},
            {"session_id", "submit_ts"},
            [](SampleRows& rows) -> std::unique_ptr<SampleRecords> {
                return std::make_unique<ArealSessions>(rows);
            }};
}

} // namespace lockstep
