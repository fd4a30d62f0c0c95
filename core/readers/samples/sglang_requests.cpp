// SPDX-License-Identifier: Apache-2.0
// SGLang's --export-metrics-to-file: one line per finished request, in the order in which they finished.
// Source: request_metrics_exporter.py of sglang. Times are present only with --enable-metrics; requests
// without them are listed but have no place in time. Servers that share a folder write to one file, without
// their names. Texts of prompts and responses in request_parameters are not read.
#include "core/readers/samples/record_fields.h"
#include "core/readers/samples/sample_formats.h"

namespace lockstep {

namespace {

class SglangRequests : public SampleRecords {
  public:
    explicit SglangRequests(SampleRows& rows) : m_rows(rows), m_process(rows.builder().process(0, -1))
    {
        rows.builder().report().processes[m_process.value].name = rows.intern("SGLang");
    }

    bool read(record::Object object, const JsonRecords& records) override
    {
        Sample found;
        Times times;
        std::string id;
        std::optional<int64_t> dpRank;
        const bool isGood = record::eachField(object, [&](std::string_view key, record::Value value) {
            if (key == "id") id = record::text(value).value_or("");
            if (key == "dp_rank") dpRank = record::integer(value);
            if (key == "finish_reason") return readReason(value, found);
            if (key == "weight_version") {
                // "default" if no version was ever set
                found.lastVersion = numberOrNone(record::text(value).value_or(""));
                found.firstVersion = found.lastVersion;
            }
            readTokens(key, value, found);
            readTime(key, value, times);
            return true;
        });
        if (!isGood || id.empty()) return false;
        const size_t known = m_rows.sampleCount();
        const SampleId request = m_rows.sample(id, SourceRow::of(kSampleSource, records.position()));
        Sample& sample = m_rows.at(request);
        if (m_rows.sampleCount() == known) found.attempts = sample.attempts + 1;
        found.id = sample.id;
        found.level = SampleLevel::request;
        found.process = m_process;
        if (dpRank) found.replica = m_rows.intern("dp " + std::to_string(*dpRank));
        found.start_ns = times.received.value_or(kUnrecorded);
        found.end_ns = times.finished ? *times.finished : times.sent.value_or(kUnrecorded);
        sample = found;
        if (sample.isPlaced()) addParts(request, times, records);
        return true;
    }

  private:
    // Epoch times and durations in ns; see the header of this file.
    struct Times {
        std::optional<int64_t> received, sent, finished, forward, prefilled, queue;
    };

    static void readTokens(std::string_view key, record::Value value, Sample& found)
    {
        int64_t* const field = key == "prompt_tokens"                                   ? &found.promptTokens
                               : key == "completion_tokens"                             ? &found.outputTokens
                               : key == "cached_tokens"                                 ? &found.cachedTokens
                               : key == "num_retractions" || key == "total_retractions" ? &found.preemptions
                                                                                        : nullptr;
        if (field == nullptr) return;
        const auto number = record::integer(value);
        if (number && *number >= 0) *field = *number;
    }

    static void readTime(std::string_view key, record::Value value, Times& times)
    {
        if (key == "request_received_ts") times.received = record::seconds(value);
        if (key == "response_sent_to_client_ts") times.sent = record::seconds(value);
        if (key == "request_finished_ts") times.finished = record::seconds(value);
        if (key == "forward_entry_time") times.forward = record::seconds(value);
        if (key == "prefill_finished_time") times.prefilled = record::seconds(value);
        if (key == "queue_time") times.queue = record::seconds(value);
    }

    bool readReason(record::Value value, Sample& found) const
    {
        const auto reason = record::object(value);
        return !reason || record::eachField(*reason, [&](std::string_view key, record::Value of) {
            const std::string_view word = record::text(of).value_or("");
            if (key == "type" || (key == "message" && !word.empty())) found.statusText = m_rows.intern(word);
            if (key != "type") return true;
            found.status = word == "stop"     ? SampleStatus::completed
                           : word == "length" ? SampleStatus::truncated
                           : word == "abort"  ? SampleStatus::aborted
                                              : SampleStatus::unknown;
            return true;
        });
    }

    // Prefill and decode where the server recorded their borders as epoch times; the queue ends where the
    // forward pass was entered.
    void addParts(SampleId request, const Times& times, const JsonRecords& records)
    {
        const Sample& sample = m_rows.at(request);
        const auto isInside = [&](std::optional<int64_t> time) {
            return time && *time >= sample.start_ns && *time <= sample.end_ns;
        };
        if (!isInside(times.forward)) return;
        uint8_t number = kDerivedSource;
        const auto add = [&](std::string_view name, SpanKind kind, int64_t start, int64_t end,
                             bool isDerived) {
            SpanRecord span;
            span.sample = request;
            span.name = m_rows.intern(name);
            span.start_ns = std::max(start, sample.start_ns);
            span.end_ns = end;
            span.source = SourceRow::of(number++, records.position());
            span.kind = kind;
            span.isDerived = isDerived;
            m_rows.add(span);
        };
        if (times.queue && *times.queue >= 0)
            add("queue", SpanKind::queue, *times.forward - *times.queue, *times.forward, true);
        if (!isInside(times.prefilled) || *times.prefilled < *times.forward) return;
        add("prefill", SpanKind::prefill, *times.forward, *times.prefilled, false);
        add("decode", SpanKind::decode, *times.prefilled, sample.end_ns, false);
    }

    SampleRows& m_rows;
    ProcessId m_process;
};

} // namespace

SampleFormat sglangRequestsFormat()
{
    return {"SGLang request metrics",
            "SGLang",
            {"Unix epoch (SGLang)", 0, 1, {}, "request_received_ts"},
            {"request_parameters", "id", "finish_reason"},
            [](SampleRows& rows) -> std::unique_ptr<SampleRecords> {
                return std::make_unique<SglangRequests>(rows);
            },
            PartNaming::hourly};
}

} // namespace lockstep
