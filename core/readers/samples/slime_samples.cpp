// SPDX-License-Identifier: Apache-2.0
#include "core/readers/samples/slime_samples.h"

#include <algorithm>

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

} // namespace

SlimeSamples::SlimeSamples(SampleRows& rows) : m_rows(rows), m_process(rows.builder().process(0, -1))
{
    rows.builder().report().processes[m_process.value].name = rows.intern("rollout");
}

void SlimeSamples::setPath(std::string_view path)
{
    const size_t slash = path.rfind('/');
    if (slash != std::string_view::npos) path.remove_prefix(slash + 1);
    m_isEvaluation = path.starts_with("eval_");
    if (m_isEvaluation) path.remove_prefix(5);
    m_step = numberOrNone(path.substr(0, path.find('.')));
}

void SlimeSamples::setName(std::string_view name, SpanRecord& span)
{
    span.name = m_rows.intern(name);
    span.kind = slimeKindOf(name);
    span.isDerived = name.starts_with("sglang_pd_") || name.ends_with(" [P]") || name.ends_with(" [D]");
}

void SlimeSamples::add(const SlimeUsage& usage, Sample& sample)
{
    if (usage.prompt && sample.promptTokens == kUnrecorded) {
        sample.promptTokens = *usage.prompt;
        if (usage.cached) sample.cachedTokens = *usage.cached;
    }
    if (usage.output)
        sample.outputTokens = (sample.outputTokens == kUnrecorded ? 0 : sample.outputTokens) + *usage.output;
}

void SlimeSamples::setStatus(std::string_view status, Sample& sample)
{
    sample.statusText = m_rows.intern(status);
    sample.status = sampleStatusNamed(status);
}

void SlimeSamples::add(const std::string& index, uint64_t source, Sample sample, std::span<SpanRecord> spans)
{
    std::string name = index;
    if (const int copy = ++m_known[index]; copy > 1) name += " (" + std::to_string(copy) + ")";
    const SampleId id = m_rows.sample(name, SourceRow::of(kSampleSource, source));
    sample.id = m_rows.at(id).id;
    sample.process = m_process;
    m_rows.at(id) = sample;
    for (SpanRecord& span : spans) {
        span.sample = id;
        m_rows.add(span);
    }
}

void SlimeSamples::finish()
{
    for (uint32_t row = 0; row < m_rows.sampleCount(); ++row) {
        Sample& sample = m_rows.at(SampleId(row));
        sample.step = m_step;
        if (m_isEvaluation) sample.flags |= sampleFlag::kEvaluation;
    }
}

} // namespace lockstep
