// SPDX-License-Identifier: Apache-2.0
// The cache of slime's trace viewer, `N.trace_timeline_cache.json`: the samples of a rollout with their
// spans. Source: tools/trace_timeline_viewer.py. `display_end_ts` of an open span is where the viewer draws
// its end, and is not used. Spans named sglang_pd_* and those of the viewer's own lanes have positions
// computed from durations.
#include "core/readers/samples/record_fields.h"
#include "core/readers/samples/sample_formats.h"
#include "core/readers/samples/slime_samples.h"

namespace lockstep {

namespace {

class SlimeTimeline : public SampleRecords {
  public:
    explicit SlimeTimeline(SampleRows& rows) : m_samples(rows) {}

    bool read(record::Object object, const JsonRecords& records) override
    {
        return record::eachField(object, [&](std::string_view key, record::Value value) {
            if (key == "pt_path") m_samples.setPath(record::text(value).value_or(""));
            return key != "rows" || record::eachObject(value, [&](record::Object row, const char* at) {
                       return readRow(row, records.positionOf(at), records);
                   });
        });
    }

    void finish() override { m_samples.finish(); }

  private:
    bool readRow(record::Object row, uint64_t position, const JsonRecords& records)
    {
        Sample found;
        // The index of slime's Sample may be any value; the viewer copies it.
        std::string index = std::to_string(m_rowCount++);
        std::vector<SpanRecord> spans;
        const bool isGood = record::eachField(row, [&](std::string_view key, record::Value value) {
            if (key == "sample_index") index = indexOf(value, index);
            if (key == "attempt")
                found.attempts = static_cast<int32_t>(record::integer(value).value_or(0)) + 1;
            if (key == "reward") found.reward = record::number(value).value_or(found.reward);
            const auto group = key == "group_index" ? record::integer(value) : std::nullopt;
            if (group) found.group = m_samples.rows().intern(std::to_string(*group));
            const auto status = key == "status" ? record::text(value) : std::nullopt;
            if (status) m_samples.setStatus(*status, found);
            return key != "items" || record::eachObject(value, [&](record::Object item, const char* at) {
                       return readItem(item, records.positionOf(at), spans, found);
                   });
        });
        if (!isGood) return false;
        m_samples.add(index, position, found, spans);
        return true;
    }

    static std::string indexOf(record::Value value, const std::string& standard)
    {
        if (const auto text = record::text(value)) return std::string(*text);
        const auto number = record::integer(value);
        return number ? std::to_string(*number) : standard;
    }

    bool readItem(record::Object item, uint64_t position, std::vector<SpanRecord>& spans, Sample& sample)
    {
        SpanRecord span;
        std::optional<int64_t> start, end, time;
        std::string_view state;
        SlimeUsage usage;
        const bool isGood = record::eachField(item, [&](std::string_view key, record::Value value) {
            if (key == "state") state = record::text(value).value_or("");
            if (key == "name") m_samples.setName(record::text(value).value_or(""), span);
            if (key == "start_ts") start = record::seconds(value);
            if (key == "end_ts") end = record::seconds(value);
            if (key == "ts") time = record::seconds(value);
            if (key == "attempt") span.attempt = static_cast<int32_t>(record::integer(value).value_or(0));
            const auto attributes = key == "attrs" ? record::object(value) : std::nullopt;
            return !attributes || readAttributes(*attributes, span, usage);
        });
        if (!isGood) return false;
        span.isInstant = !start;
        if (!start) start = time;
        if (!start || !span.name.isValid() || state == "orphan_end") return true;
        span.start_ns = *start;
        span.end_ns = span.isInstant ? *start : end.value_or(kUnrecorded);
        span.source = SourceRow::of(kSpanSource, position);
        spans.push_back(span);
        if (span.kind == SpanKind::generate) SlimeSamples::add(usage, sample);
        return true;
    }

    // {"start_attrs": {}, "end_attrs": {}}
    bool readAttributes(record::Object attributes, SpanRecord& span, SlimeUsage& usage)
    {
        return record::eachField(attributes, [&](std::string_view part, record::Value value) {
            const auto ends = part == "end_attrs" ? record::object(value) : std::nullopt;
            return !ends || record::eachField(*ends, [&](std::string_view key, record::Value of) {
                if (key == "prompt_tokens") usage.prompt = record::integer(of);
                if (key == "completion_tokens") usage.output = record::integer(of);
                if (key == "cached_tokens") usage.cached = record::integer(of);
                const auto request = key == "sglang_request_id" ? record::text(of) : std::nullopt;
                if (request) span.request = m_samples.rows().intern(*request);
                return true;
            });
        });
    }

    SlimeSamples m_samples;
    uint64_t m_rowCount = 0;
};

} // namespace

SampleFormat slimeTimelineFormat()
{
    return {"slime trace timeline",
            "slime",
            {"Unix epoch (slime)", 0, 1, {}, "start_ts"},
            {"cache_version", "pt_path"},
            [](SampleRows& rows) -> std::unique_ptr<SampleRecords> {
                return std::make_unique<SlimeTimeline>(rows);
            }};
}

} // namespace lockstep
