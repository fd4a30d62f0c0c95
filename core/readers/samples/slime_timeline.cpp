// SPDX-License-Identifier: Apache-2.0
// The cache of slime's trace viewer, `N.trace_timeline_cache.json`: the samples of a rollout with their
// spans. Source: tools/trace_timeline_viewer.py. `display_end_ts` of an open span is where the viewer draws
// its end, and is not used. Spans named sglang_pd_* and those of the viewer's own lanes have positions
// computed from durations.
#include <algorithm>

#include "core/readers/samples/record_fields.h"
#include "core/readers/samples/sample_formats.h"
#include "core/trace/sample_names.h"

namespace lockstep {

namespace {

SpanKind slimeKindOf(std::string_view name)
{
    const auto has = [&](std::string_view word) { return name.find(word) != std::string_view::npos; };
    if (name.starts_with("sglang_pd_")) {
        if (has("queue")) return SpanKind::queue;
        if (has("forward")) return has("prefill") ? SpanKind::prefill : SpanKind::decode;
        return SpanKind::kvTransfer;
    }
    if (name == "sglang_generate") return SpanKind::generate;
    return name == "reward_model" || name == "group_reward_model" ? SpanKind::reward : SpanKind::other;
}

class SlimeTimeline : public SampleRecords {
  public:
    explicit SlimeTimeline(SampleRows& rows) : m_rows(rows), m_process(rows.builder().process(0, -1))
    {
        rows.builder().report().processes[m_process.value].name = rows.intern("rollout");
    }

    bool read(record::Object object, const JsonRecords& records) override
    {
        return record::eachField(object, [&](std::string_view key, record::Value value) {
            if (key == "pt_path") setStep(record::text(value).value_or(""));
            return key != "rows" || record::eachObject(value, [&](record::Object row, const char* at) {
                       return readRow(row, records.offsetOf(at), records);
                   });
        });
    }

    void finish() override
    {
        for (uint32_t row = 0; row < m_rows.sampleCount(); ++row) {
            Sample& sample = m_rows.at(SampleId(row));
            sample.step = m_step;
            if (m_isEvaluation) sample.flags |= sampleFlag::kEvaluation;
        }
    }

  private:
    // What the attributes at the end of a span say about the sample.
    struct Usage {
        std::optional<int64_t> prompt, output, cached;
    };

    // rollout_data/12.pt is rollout 12; eval_12.pt is its evaluation.
    void setStep(std::string_view path)
    {
        const size_t slash = path.rfind('/');
        if (slash != std::string_view::npos) path.remove_prefix(slash + 1);
        m_isEvaluation = path.starts_with("eval_");
        if (m_isEvaluation) path.remove_prefix(5);
        m_step = numberOrNone(path.substr(0, path.find('.')));
    }

    bool readRow(record::Object row, uint64_t position, const JsonRecords& records)
    {
        Sample found;
        std::optional<int64_t> index;
        std::vector<SpanRecord> spans;
        const bool isGood = record::eachField(row, [&](std::string_view key, record::Value value) {
            if (key == "sample_index") index = record::integer(value);
            if (key == "attempt")
                found.attempts = static_cast<int32_t>(record::integer(value).value_or(0)) + 1;
            if (key == "reward") found.reward = record::number(value).value_or(found.reward);
            const auto group = key == "group_index" ? record::integer(value) : std::nullopt;
            if (group) found.group = m_rows.intern(std::to_string(*group));
            const auto status = key == "status" ? record::text(value) : std::nullopt;
            if (status) {
                found.statusText = m_rows.intern(*status);
                found.status = sampleStatusNamed(*status);
            }
            return key != "items" || record::eachObject(value, [&](record::Object item, const char* at) {
                       return readItem(item, records.offsetOf(at), spans, found);
                   });
        });
        if (!isGood || !index) return false;
        const SampleId id = m_rows.sample(std::to_string(*index), SourceRow::of(kSampleSource, position));
        Sample& sample = m_rows.at(id);
        found.id = sample.id;
        found.process = m_process;
        sample = found;
        for (SpanRecord& span : spans) {
            span.sample = id;
            m_rows.add(span);
        }
        return true;
    }

    bool readItem(record::Object item, uint64_t position, std::vector<SpanRecord>& spans, Sample& sample)
    {
        SpanRecord span;
        std::optional<int64_t> start, end, time;
        std::string_view state;
        Usage usage;
        const bool isGood = record::eachField(item, [&](std::string_view key, record::Value value) {
            if (key == "state") state = record::text(value).value_or("");
            if (key == "name") setName(record::text(value).value_or(""), span);
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
        if (span.kind == SpanKind::generate) add(usage, sample);
        return true;
    }

    void setName(std::string_view name, SpanRecord& span) const
    {
        span.name = m_rows.intern(name);
        span.kind = slimeKindOf(name);
        span.isDerived = name.starts_with("sglang_pd_") || name.ends_with(" [P]") || name.ends_with(" [D]");
    }

    // {"start_attrs": {}, "end_attrs": {}}
    bool readAttributes(record::Object attributes, SpanRecord& span, Usage& usage) const
    {
        return record::eachField(attributes, [&](std::string_view part, record::Value value) {
            const auto ends = part == "end_attrs" ? record::object(value) : std::nullopt;
            return !ends || record::eachField(*ends, [&](std::string_view key, record::Value of) {
                if (key == "prompt_tokens") usage.prompt = record::integer(of);
                if (key == "completion_tokens") usage.output = record::integer(of);
                if (key == "cached_tokens") usage.cached = record::integer(of);
                const auto request = key == "sglang_request_id" ? record::text(of) : std::nullopt;
                if (request) span.request = m_rows.intern(*request);
                return true;
            });
        });
    }

    // A sample with several generations has the tokens of all outputs, and the prompt of the first
    // generation, because later prompts contain earlier outputs.
    static void add(const Usage& usage, Sample& sample)
    {
        if (usage.prompt && sample.promptTokens == kUnrecorded) {
            sample.promptTokens = *usage.prompt;
            if (usage.cached) sample.cachedTokens = *usage.cached;
        }
        if (usage.output)
            sample.outputTokens =
                (sample.outputTokens == kUnrecorded ? 0 : sample.outputTokens) + *usage.output;
    }

    SampleRows& m_rows;
    ProcessId m_process;
    int64_t m_step = kUnrecorded;
    bool m_isEvaluation = false;
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
