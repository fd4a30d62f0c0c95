// SPDX-License-Identifier: Apache-2.0
#include "core/readers/samples/otlp_frameworks.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "core/base/text.h"
#include "core/readers/samples/otlp_names.h"
#include "core/readers/samples/otlp_processes.h"
#include "core/readers/samples/otlp_span_ids.h"
#include "core/readers/samples/otlp_updates.h"

namespace lockstep {

namespace {

constexpr std::string_view kGenerate = "generate", kStep = "pipeline_step";
constexpr std::string_view kRollGeneration = "rollout.generate", kRollReward = "rollout.compute_rewards";
constexpr int kMaxDepth = 64; // a cycle of parents ends here

int64_t nsOf(const OtlpAttribute* seconds)
{
    if (seconds == nullptr || !(seconds->number >= 0) || seconds->number > 1e6) return kUnrecorded;
    return std::llround(seconds->number * 1e9);
}

// finish_reason "stop", "length", "abort", as both servers write it; a list in JSON from vLLM.
SampleStatus statusOfReason(std::string_view reason)
{
    const auto has = [&](std::string_view word) { return reason.find(word) != std::string_view::npos; };
    if (has("abort")) return SampleStatus::aborted;
    if (has("length")) return SampleStatus::truncated;
    return has("stop") ? SampleStatus::completed : SampleStatus::unknown;
}

// What a span is, apart from a part of a sample or of a process.
enum class SpanRole : uint8_t { part, request, trajectory };

class Interpretation {
  public:
    Interpretation(const OtlpSpans& spans, SampleRows& rows)
        : m_spans(spans), m_rows(rows), m_processes(spans)
    {
    }

    void run();

  private:
    std::string_view text(StringId id) const
    {
        return id.isValid() ? m_rows.builder().text(id) : std::string_view();
    }
    const OtlpAttribute* find(const OtlpSpan& span, OtlpKey key) const
    {
        return attributeOf(m_spans.attributesOf(span), key);
    }
    std::string_view textOf(const OtlpSpan& span, OtlpKey key) const
    {
        const OtlpAttribute* const found = find(span, key);
        return found != nullptr ? text(found->text) : std::string_view();
    }
    // Returns an integer, also if it is written as text.
    int64_t numberOf(const OtlpSpan& span, OtlpKey key) const;
    std::string idOf(const OtlpSpan& span, OtlpKey key) const;
    size_t indexOf(const OtlpSpan& span) const { return size_t(&span - m_spans.spans().data()); }
    // Returns the span that encloses a span, or nullptr if it is not in the file.
    const OtlpSpan* parentOf(const OtlpSpan& span) const
    {
        const uint32_t parent = m_parents[indexOf(span)];
        return parent != OtlpSpanIds::kNone ? &m_spans.spans()[parent] : nullptr;
    }
    bool hasLostParent(const OtlpSpan& span) const
    {
        return span.parent != 0 && span.parent != span.id && parentOf(span) == nullptr;
    }
    SpanRole roleOf(const OtlpSpan& span) const { return m_roles[indexOf(span)]; }
    SpanRole readRole(const OtlpSpan& span) const;
    void setSample(const OtlpSpan& span, SampleId sample)
    {
        m_samples[indexOf(span)] = sample;
        m_hasSample[indexOf(span)] = true;
    }
    void findParents();
    void noteLostParents();
    SpanKind processKind(const OtlpSpan& span) const;

    void addRequest(const OtlpSpan& span);
    void addDerived(const OtlpSpan& span, SampleId request);
    void addTrajectory(const OtlpSpan& span);
    void addRollouts();
    void addRollout(const OtlpSpan& whole, std::span<const OtlpSpan* const> parts);
    int64_t stepOf(const OtlpSpan& span) const;
    void setStep(const OtlpSpan& span, Sample& sample) const;
    void setOutcome(const OtlpSpan& prompt, Sample& sample);
    const OtlpSpan* ancestorNamed(const OtlpSpan& span, std::string_view name) const;
    void addSpan(const OtlpSpan& span);
    void addProcessSpan(const OtlpSpan& span, SpanKind kind);
    void addEvents(const OtlpSpan& span, const SpanRecord& of);
    // Returns the details of the batch that an event of a span names, see SpanRecord::factSet.
    uint32_t batchOf(const OtlpSpan& span, const OtlpEvent& event);
    void setUsage(const OtlpSpan& span, Sample& sample) const;
    // Returns the sample that contains a span, of itself or of a span above; invalid for process spans.
    SampleId sampleOf(const OtlpSpan& span, int depth = 0);
    bool isOfOtherRank(const OtlpSpan& span) const;
    int64_t endOf(const OtlpSpan& span, const Sample& of) const;
    void setThread(const OtlpSpan& thread, Sample& request);
    bool isAutoClosed(const OtlpSpan& span) const;
    void numberTurns();

    const OtlpSpans& m_spans;
    SampleRows& m_rows;
    // By span:
    std::vector<uint32_t> m_parents;
    std::vector<SpanRole> m_roles;
    std::vector<SampleId> m_samples;
    std::vector<bool> m_isWhole;                             // the span is the slice of its sample
    std::vector<bool> m_hasSample;                           // sampleOf() is known, even if there is none
    std::unordered_map<const OtlpSpan*, int32_t> m_attempts; // of generations and rewards of ROLL
    OtlpProcesses m_processes;
    // The lowest tensor-parallel rank of the schedulers that wrote spans of a request.
    std::unordered_map<uint32_t, int64_t> m_lowestRank;         // by sample
    std::map<std::pair<ProcessId, std::string>, int> m_outputs; // of vLLM, number of spans by request id
    RollUpdates m_updates;
    std::unordered_set<uint64_t> m_lostPipelines; // steps of pipelines that are not in the file, by id
    std::map<SampleId, std::vector<std::pair<int64_t, SpanRecord>>> m_turns;
};

int64_t Interpretation::numberOf(const OtlpSpan& span, OtlpKey key) const
{
    const OtlpAttribute* const found = find(span, key);
    if (found == nullptr) return kUnrecorded;
    return found->integer != kUnrecorded ? found->integer : numberOrNone(text(found->text));
}

// Returns an id, which may be a number or a text.
std::string Interpretation::idOf(const OtlpSpan& span, OtlpKey key) const
{
    const OtlpAttribute* const found = find(span, key);
    if (found == nullptr) return {};
    return found->integer != kUnrecorded ? std::to_string(found->integer) : std::string(text(found->text));
}

void Interpretation::findParents()
{
    const OtlpSpanIds ids(m_spans.spans());
    m_parents.reserve(m_spans.spans().size());
    for (const OtlpSpan& span : m_spans.spans()) {
        const uint32_t parent = span.parent != 0 ? ids.find(span.parent) : OtlpSpanIds::kNone;
        m_parents.push_back(parent != indexOf(span) ? parent : OtlpSpanIds::kNone);
    }
    for (const OtlpSpan& span : m_spans.spans()) {
        const std::string_view name = text(span.name);
        if (hasLostParent(span) && name != kGenerate && processKindOf(name) != SpanKind::other)
            m_lostPipelines.insert(span.parent);
    }
}

// A span is exported when it ends. Requests may also have been sent by a program that exports elsewhere, so
// that nothing of them is missing.
void Interpretation::noteLostParents()
{
    uint64_t count = 0;
    std::string_view example;
    NoteSeverity severity = NoteSeverity::info;
    for (const OtlpSpan& span : m_spans.spans()) {
        if (!hasLostParent(span)) continue;
        if (roleOf(span) != SpanRole::request) severity = NoteSeverity::warning;
        if (count++ == 0) example = text(span.name);
    }
    if (count == 0) return;
    m_rows.builder().report().notes.add(
        "otlp.parent_missing", severity,
        "spans whose parent is not in the file: not exported, or in another file", std::string(example),
        count);
}

// ROLL has a phase `generate` of the pipeline, and turns `generate` of trajectories. If the span around one
// is not in the file, it is a phase if that span also contains others of a pipeline, such as model_update.
SpanKind Interpretation::processKind(const OtlpSpan& span) const
{
    const std::string_view name = text(span.name);
    const bool isTurn = name == kGenerate && hasLostParent(span) && !m_lostPipelines.contains(span.parent);
    return isTurn ? SpanKind::generate : processKindOf(name);
}

SpanRole Interpretation::readRole(const OtlpSpan& span) const
{
    const std::string_view name = text(span.name);
    if (name == "llm_request" || textOf(span, OtlpKey::module).starts_with("sglang::request"))
        return SpanRole::request;
    const bool isTrajectory = name == "trajectory" && find(span, OtlpKey::trajectory) != nullptr;
    return isTrajectory ? SpanRole::trajectory : SpanRole::part;
}

void Interpretation::setUsage(const OtlpSpan& span, Sample& sample) const
{
    const auto set = [&](int64_t& field, OtlpKey key) {
        const int64_t number = numberOf(span, key);
        if (number >= 0) field = std::max(field, number); // the prefill half of a request has one token
    };
    set(sample.promptTokens, OtlpKey::promptTokens);
    set(sample.outputTokens, OtlpKey::completionTokens);
    set(sample.cachedTokens, OtlpKey::cachedTokens);
    if (const OtlpAttribute* const reason = find(span, OtlpKey::finishReasons); reason != nullptr) {
        sample.statusText = reason->text;
        sample.status = statusOfReason(text(reason->text));
    }
}

// A request to vLLM or SGLang. The two halves of a request with separate prefill and decode servers have the
// same rid and share one row. All outputs of a request with n > 1 have the same id, and spans of their own
// from the same process of vLLM: v1/engine/async_llm.py, add_request, and v1/engine/output_processor.py,
// do_tracing.
void Interpretation::addRequest(const OtlpSpan& span)
{
    std::string id = idOf(span, OtlpKey::rid);
    const bool isVllm = id.empty();
    if (isVllm) id = idOf(span, OtlpKey::genAiRequest);
    if (id.empty()) id = "span at " + RecordPosition::of(span.position).text();
    const SourceRow source = SourceRow::of(kSampleSource, span.position);
    StringId group;
    const int output = isVllm ? ++m_outputs[{m_processes.of(span), id}] : 1;
    if (output > 1) {
        group = m_rows.intern(id);
        m_rows.at(m_rows.sample(id, source)).group = group;
        id += " (" + std::to_string(output) + ")";
    }
    const size_t known = m_rows.sampleCount();
    const SampleId request = m_rows.sample(id, source);
    setSample(span, request);
    Sample& sample = m_rows.at(request);
    const bool isNew = m_rows.sampleCount() > known;
    const bool isHalf = find(span, OtlpKey::bootstrapRoom) != nullptr;
    if (!isNew && !isHalf) ++sample.attempts;
    if (group.isValid()) sample.group = group;
    sample.level = SampleLevel::request;
    sample.process = m_processes.of(span);
    sample.start_ns = isNew ? span.start_ns : std::min(sample.start_ns, span.start_ns);
    sample.end_ns = std::max(sample.end_ns, span.end_ns);
    setUsage(span, sample);
    if (span.isError) sample.status = SampleStatus::aborted;
    if (isVllm && sample.status == SampleStatus::unknown && sample.end_ns != kUnrecorded)
        sample.status = SampleStatus::completed; // vLLM writes a span only for a finished request
    if (isVllm) addDerived(span, request);
}

// vLLM records only durations: of waiting, until the first token, of prefill and of decode. The positions are
// derived from the first token's.
void Interpretation::addDerived(const OtlpSpan& span, SampleId request)
{
    const int64_t first = nsOf(find(span, OtlpKey::timeToFirstToken));
    const int64_t queue = nsOf(find(span, OtlpKey::timeInQueue));
    const int64_t prefill = nsOf(find(span, OtlpKey::timeInPrefill));
    const int64_t decode = nsOf(find(span, OtlpKey::timeInDecode));
    if (first == kUnrecorded) return;
    uint8_t number = kDerivedSource;
    const auto add = [&](std::string_view name, SpanKind kind, int64_t start, int64_t end) {
        SpanRecord part;
        part.sample = request;
        part.name = m_rows.intern(name);
        part.start_ns = std::clamp(start, span.start_ns, span.end_ns);
        part.end_ns = std::clamp(end, part.start_ns, span.end_ns);
        part.source = SourceRow::of(number++, span.position);
        part.kind = kind;
        part.isDerived = true;
        m_rows.add(part);
    };
    const int64_t token = span.start_ns + first;
    if (decode != kUnrecorded) add("decode", SpanKind::decode, token, token + decode);
    if (prefill == kUnrecorded) return;
    add("prefill", SpanKind::prefill, token - prefill, token);
    if (queue != kUnrecorded) add("queue", SpanKind::queue, token - prefill - queue, token - prefill);
}

void Interpretation::addTrajectory(const OtlpSpan& span)
{
    const SampleId id =
        m_rows.sample(idOf(span, OtlpKey::trajectory), SourceRow::of(kSampleSource, span.position));
    setSample(span, id);
    Sample& sample = m_rows.at(id);
    sample.process = m_processes.of(span);
    sample.start_ns =
        sample.start_ns == kUnrecorded ? span.start_ns : std::min(sample.start_ns, span.start_ns);
    sample.end_ns = std::max(sample.end_ns, span.end_ns);
    const std::string group = idOf(span, OtlpKey::trajectoryGroup);
    if (!group.empty()) sample.group = m_rows.intern(group);
    setStep(span, sample);
    sample.status = span.isError ? SampleStatus::failed : SampleStatus::completed;
}

// Sets the step in which ROLL requested a sample. Validation is named by the pipeline: RLVR, agentic.
void Interpretation::setStep(const OtlpSpan& span, Sample& sample) const
{
    sample.step = stepOf(span);
    const bool isEvaluation =
        ancestorNamed(span, "validation") != nullptr || ancestorNamed(span, "val") != nullptr;
    if (isEvaluation) sample.flags |= sampleFlag::kEvaluation;
}

// Returns the number of the step of ROLL's pipeline that contains a span.
int64_t Interpretation::stepOf(const OtlpSpan& span) const
{
    const OtlpSpan* const step = ancestorNamed(span, kStep);
    return step != nullptr ? numberOf(*step, OtlpKey::globalStep) : kUnrecorded;
}

// Returns the nearest span with this name among a span and those above it, or nullptr.
const OtlpSpan* Interpretation::ancestorNamed(const OtlpSpan& span, std::string_view name) const
{
    const OtlpSpan* at = &span;
    for (int depth = 0; at != nullptr && depth < kMaxDepth; ++depth, at = parentOf(*at)) {
        if (text(at->name) == name) return at;
    }
    return nullptr;
}

// ROLL's RLVR pipelines generate a prompt's responses in spans rollout.generate: a response each, or, without
// is_num_return_sequences_expand, all of them at once. Its own loop encloses the generations and the reward
// of one request in a span generate_and_reward, which is the only record that joins them. A request has
// several generations if it was paused, and several rewards if some of its responses were filtered. In a loop
// of the user without such spans, each generation is a sample, and rewards belong to the process.
void Interpretation::addRollouts()
{
    std::map<uint64_t, std::vector<const OtlpSpan*>> requests; // by position of the whole, for a stable order
    std::unordered_map<uint64_t, const OtlpSpan*> wholes;
    for (const OtlpSpan& span : m_spans.spans()) {
        const bool isGeneration = text(span.name) == kRollGeneration;
        if (!isGeneration && text(span.name) != kRollReward) continue;
        const OtlpSpan* const whole = ancestorNamed(span, "generate_and_reward");
        if (whole == nullptr && !isGeneration) continue;
        const OtlpSpan& of = whole != nullptr ? *whole : span;
        wholes[of.position] = &of;
        requests[of.position].push_back(&span);
    }
    for (auto& [position, parts] : requests) {
        std::ranges::sort(parts, {},
                          [](const OtlpSpan* part) { return std::pair(part->start_ns, part->position); });
        addRollout(*wholes[position], parts);
    }
}

void Interpretation::addRollout(const OtlpSpan& whole, std::span<const OtlpSpan* const> parts)
{
    const auto isGeneration = [&](const OtlpSpan* part) { return text(part->name) == kRollGeneration; };
    const auto first = std::ranges::find_if(parts, isGeneration);
    if (first == parts.end()) return;
    std::string id = idOf(**first, OtlpKey::requestId);
    if (id.empty()) id = "span at byte " + std::to_string(whole.position);
    const SampleId rollout = m_rows.sample(id, SourceRow::of(kSampleSource, whole.position));
    setSample(whole, rollout);
    m_isWhole[indexOf(whole)] = text(whole.name) != kRollGeneration;
    Sample& sample = m_rows.at(rollout);
    sample.process = m_processes.of(whole);
    sample.start_ns = whole.start_ns;
    sample.end_ns = whole.end_ns;
    const std::string group = idOf(**first, OtlpKey::promptId);
    if (!group.empty()) sample.group = m_rows.intern(group);
    int32_t attempt = 0;
    for (const OtlpSpan* const part : parts) {
        if (isGeneration(part)) sample.attempts = attempt + 1;
        m_attempts.emplace(part, attempt);
        if (!isGeneration(part)) ++attempt;
    }
    setStep(whole, sample);
    const OtlpSpan* const prompt = ancestorNamed(whole, "process_new_prompt");
    if (prompt != nullptr) setOutcome(*prompt, sample);
}

// ROLL ends a prompt that it filters or aborts by CancelledError. Only some versions of OpenTelemetry record
// it (1.31.0 of opentelemetry-api does), so a prompt without an error may have been used or not: it has no
// status.
void Interpretation::setOutcome(const OtlpSpan& prompt, Sample& sample)
{
    const bool isCancelled = std::ranges::any_of(m_spans.eventsOf(prompt), [&](const OtlpEvent& event) {
        const OtlpAttribute* const type = attributeOf(m_spans.attributesOf(event), OtlpKey::exceptionType);
        return type != nullptr && type->text.isValid() && text(type->text).ends_with("CancelledError");
    });
    if (!isCancelled && !prompt.isError) return;
    sample.status = isCancelled ? SampleStatus::dropped : SampleStatus::failed;
    sample.statusText = m_rows.intern(isCancelled ? "CancelledError" : "error");
}

SampleId Interpretation::sampleOf(const OtlpSpan& span, int depth)
{
    if (m_hasSample[indexOf(span)]) return m_samples[indexOf(span)];
    const OtlpSpan* const parent = parentOf(span);
    const SampleId found = parent != nullptr && depth < kMaxDepth ? sampleOf(*parent, depth + 1) : SampleId();
    setSample(span, found);
    return found;
}

// All tensor-parallel schedulers of SGLang write the spans of a request; those of the lowest rank count.
bool Interpretation::isOfOtherRank(const OtlpSpan& span) const
{
    const OtlpSpan* at = &span;
    for (int depth = 0; at != nullptr && depth < kMaxDepth; ++depth, at = parentOf(*at)) {
        const int64_t rank = numberOf(*at, OtlpKey::tpRank);
        if (rank == kUnrecorded) continue;
        const auto lowest = m_lowestRank.find(m_samples[indexOf(*at)].value);
        return lowest != m_lowestRank.end() && rank != lowest->second;
    }
    return false;
}

// SGLang closes the span of a thread, with those below it, when Python deletes a request whose spans have not
// ended: srt/observability/trace.py, __del__. This is no abort, and the time has no meaning.
bool Interpretation::isAutoClosed(const OtlpSpan& span) const
{
    return span.isError && textOf(span, OtlpKey::reason).ends_with("auto closed");
}

// Returns the end of a part of a request, at the latest that of the request if its time has no meaning.
int64_t Interpretation::endOf(const OtlpSpan& span, const Sample& of) const
{
    if (of.level != SampleLevel::request || of.end_ns == kUnrecorded) return span.end_ns;
    const OtlpSpan* at = &span;
    for (int depth = 0; at != nullptr && depth < kMaxDepth; ++depth, at = parentOf(*at)) {
        if (isAutoClosed(*at)) return std::max(span.start_ns, std::min(span.end_ns, of.end_ns));
    }
    return span.end_ns;
}

// The span of a thread of SGLang. That of an aborted request is an error, with the type and message of the
// finish reason, or with a reason. The finish reason of the request's own span counts more.
void Interpretation::setThread(const OtlpSpan& thread, Sample& request)
{
    const bool isOpen = request.status == SampleStatus::unknown;
    if (thread.isError && !isAutoClosed(thread) && (isOpen || request.status == SampleStatus::aborted)) {
        request.status = SampleStatus::aborted;
        for (const OtlpKey key : {OtlpKey::reason, OtlpKey::message}) {
            const OtlpAttribute* const found = find(thread, key);
            if (found != nullptr && found->text.isValid()) request.statusText = found->text;
        }
    }
    if (!textOf(thread, OtlpKey::threadLabel).ends_with("Scheduler")) return;
    std::string replica(textOf(thread, OtlpKey::hostId).substr(0, 8));
    const int64_t dp = numberOf(thread, OtlpKey::dpRank);
    if (dp != kUnrecorded) replica += " dp " + std::to_string(dp);
    // Servers on the same host differ in the thread of their scheduler.
    const int64_t number = numberOf(thread, OtlpKey::pid);
    if (number != kUnrecorded) replica += " thread " + std::to_string(number);
    request.replica = m_rows.intern(replica);
}

void Interpretation::addEvents(const OtlpSpan& span, const SpanRecord& of)
{
    for (const OtlpEvent& event : m_spans.eventsOf(span)) {
        SpanRecord record = of;
        record.factSet = of.sample.isValid() ? batchOf(span, event) : 0;
        record.name = event.name;
        record.start_ns = record.end_ns = event.time_ns;
        record.source = SourceRow::of(kSpanSource, event.position);
        record.kind = text(event.name) == "retract" ? SpanKind::preemption : SpanKind::other;
        record.isInstant = true;
        m_rows.add(record);
        if (record.kind != SpanKind::preemption || !record.sample.isValid()) continue;
        int64_t& preemptions = m_rows.at(record.sample).preemptions;
        preemptions = preemptions == kUnrecorded ? 1 : preemptions + 1;
    }
}

// Whenever SGLang's scheduler runs a batch, it adds an event `schedule` with the batch's id to each of its
// requests, at the same time: sglang srt/observability/req_time_stats.py, set_schedule_time_batch. Events
// belong to the stage that contains their time, or to the thread: srt/observability/trace.py.
uint32_t Interpretation::batchOf(const OtlpSpan& span, const OtlpEvent& event)
{
    const auto attributes = m_spans.attributesOf(event);
    const OtlpAttribute* const batch = attributeOf(attributes, OtlpKey::batchId);
    if (text(event.name) != "schedule" || batch == nullptr || !batch->text.isValid()) return 0;
    FactList facts;
    const auto setText = [&](RowFact fact, const OtlpAttribute* from) {
        if (from != nullptr && from->text.isValid()) facts.set(fact, int64_t(from->text.value));
    };
    setText(RowFact::batch, batch);
    setText(RowFact::forwardMode, attributeOf(attributes, OtlpKey::forwardMode));
    const OtlpAttribute* const size = attributeOf(attributes, OtlpKey::batchSize);
    if (size != nullptr && size->integer >= 0) facts.set(RowFact::batchSize, size->integer);
    const OtlpSpan* thread = &span;
    for (int depth = 0; depth < kMaxDepth && thread != nullptr; ++depth) {
        if (find(*thread, OtlpKey::threadLabel) != nullptr) break;
        thread = parentOf(*thread);
    }
    if (thread != nullptr) {
        setText(RowFact::threadHost, find(*thread, OtlpKey::hostId));
        const int64_t number = numberOf(*thread, OtlpKey::pid);
        if (number >= 0) facts.set(RowFact::thread, number);
    }
    return m_rows.factSet(facts);
}

void Interpretation::addProcessSpan(const OtlpSpan& span, SpanKind kind)
{
    SpanRecord record;
    const ProcessId process = m_processes.of(span);
    record.track = m_rows.builder().track({.kind = TrackKind::other, .process = process});
    m_rows.builder().setTrackName(record.track, m_rows.intern("spans"));
    record.name = span.name;
    const int64_t step = text(span.name) == kStep ? numberOf(span, OtlpKey::globalStep) : kUnrecorded;
    if (step != kUnrecorded) // steps with numbers are found by their names
        record.name = m_rows.intern(std::string(kStep) + " " + std::to_string(step));
    record.start_ns = span.start_ns;
    record.end_ns = span.end_ns;
    record.source = SourceRow::of(kSpanSource, span.position);
    record.kind = kind;
    m_rows.add(record);
    addEvents(span, record);
    if (kind != SpanKind::weightUpdate || span.end_ns == kUnrecorded) return;
    m_updates.add(span.end_ns, record.source, stepOf(span), hasLostParent(span));
}

void Interpretation::addSpan(const OtlpSpan& span)
{
    const SampleId sample = sampleOf(span);
    if (!sample.isValid()) return addProcessSpan(span, processKind(span));
    if (isOfOtherRank(span)) return;
    if (find(span, OtlpKey::threadLabel) != nullptr) setThread(span, m_rows.at(sample));
    SpanRecord record;
    record.sample = sample;
    record.name = span.name;
    record.start_ns = span.start_ns;
    record.end_ns = endOf(span, m_rows.at(sample));
    record.isDerived = record.end_ns != span.end_ns;
    record.source = SourceRow::of(kSpanSource, span.position);
    record.kind = stageKindOf(text(span.name));
    if (const auto attempt = m_attempts.find(&span); attempt != m_attempts.end()) {
        record.attempt = attempt->second;
        const std::string request = idOf(span, OtlpKey::requestId);
        if (!request.empty()) record.request = m_rows.intern(request);
    }
    const OtlpSpan* const parent = parentOf(span);
    if (parent != nullptr && roleOf(*parent) == SpanRole::trajectory) {
        if (text(span.name) == kGenerate) record.kind = SpanKind::generate;
        if (text(span.name) == "step") record.kind = SpanKind::tool;
        m_turns[sample].emplace_back(span.start_ns, record);
        return addEvents(span, record);
    }
    m_rows.add(record);
    addEvents(span, record);
}

// ROLL does not number turns: each pair of generate and step is one, in chronological order.
void Interpretation::numberTurns()
{
    for (auto& [sample, spans] : m_turns) {
        std::ranges::sort(spans, {},
                          [](const auto& span) { return std::pair(span.first, span.second.source); });
        int32_t turn = -1;
        for (auto& [start_ns, record] : spans) {
            if (record.kind == SpanKind::generate || turn < 0) ++turn;
            record.turn = turn;
            m_rows.add(record);
        }
    }
}

void Interpretation::run()
{
    findParents();
    m_samples.resize(m_spans.spans().size());
    m_hasSample.resize(m_spans.spans().size());
    m_isWhole.resize(m_spans.spans().size());
    for (const OtlpSpan& span : m_spans.spans()) {
        const SpanRole role = m_roles.emplace_back(readRole(span));
        m_isWhole[indexOf(span)] = role != SpanRole::part;
        if (role == SpanRole::request) addRequest(span);
        if (role == SpanRole::trajectory) addTrajectory(span);
    }
    addRollouts();
    for (const OtlpSpan& span : m_spans.spans()) {
        const int64_t rank = numberOf(span, OtlpKey::tpRank);
        const SampleId sample = rank == kUnrecorded ? SampleId() : sampleOf(span);
        if (!sample.isValid()) continue;
        const auto [known, isNew] = m_lowestRank.try_emplace(sample.value, rank);
        known->second = std::min(known->second, rank);
    }
    for (const OtlpSpan& span : m_spans.spans()) {
        if (!m_isWhole[indexOf(span)]) addSpan(span); // otherwise it is the slice of its sample
    }
    numberTurns();
    m_updates.finish(m_rows);
    noteLostParents();
}

} // namespace

void interpretOtlp(const OtlpSpans& spans, SampleRows& rows)
{
    Interpretation(spans, rows).run();
}

} // namespace lockstep
