// SPDX-License-Identifier: Apache-2.0
// OtlpSpans: the spans of a file in OpenTelemetry's JSON encoding (OTLP), as written by a collector: one
// export request per line, or one request, or an array of them. Source: opentelemetry-proto
// docs/specification.md and examples/trace.json. Readers of one framework's spans interpret them, see
// otlp_frameworks.h. Times are Unix ns of the emitting host. Filled by one thread, then read only.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <simdjson.h>

#include "core/readers/json_records.h"
#include "core/trace/report_builder.h"

namespace lockstep {

// The attributes that an interpretation uses. All others, which may contain private text, stay in the file
// and are shown as details. Sources: see otlp_frameworks.cpp.
#define LOCKSTEP_OTLP_KEYS(X)                                                                                \
    X(serviceName, "service.name")                                                                           \
    X(serviceInstance, "service.instance.id")                                                                \
    X(hostName, "host.name")                                                                                 \
    X(vllmProcess, "vllm.process_id")                                                                        \
    X(genAiRequest, "gen_ai.request.id")                                                                     \
    X(promptTokens, "gen_ai.usage.prompt_tokens")                                                            \
    X(completionTokens, "gen_ai.usage.completion_tokens")                                                    \
    X(cachedTokens, "gen_ai.usage.cached_tokens")                                                            \
    X(finishReasons, "gen_ai.response.finish_reasons")                                                       \
    X(timeInQueue, "gen_ai.latency.time_in_queue")                                                           \
    X(timeToFirstToken, "gen_ai.latency.time_to_first_token")                                                \
    X(timeInPrefill, "gen_ai.latency.time_in_model_prefill")                                                 \
    X(timeInDecode, "gen_ai.latency.time_in_model_decode")                                                   \
    X(rid, "rid")                                                                                            \
    X(module, "module")                                                                                      \
    X(bootstrapRoom, "bootstrap_room")                                                                       \
    X(hostId, "host_id")                                                                                     \
    X(pid, "pid")                                                                                            \
    X(threadLabel, "thread_label")                                                                           \
    X(tpRank, "tp_rank")                                                                                     \
    X(ppRank, "pp_rank")                                                                                     \
    X(dpRank, "dp_rank")                                                                                     \
    X(batchId, "bid")                                                                                        \
    X(batchSize, "batch_size")                                                                               \
    X(forwardMode, "forward_mode")                                                                           \
    X(reason, "reason")                                                                                      \
    X(message, "message")                                                                                    \
    X(globalStep, "global_step")                                                                             \
    X(promptId, "prompt_id")                                                                                 \
    X(requestId, "request_id")                                                                               \
    X(trajectory, "traj_id")                                                                                 \
    X(trajectoryGroup, "traj_group_id")                                                                      \
    X(iteration, "megatron.iteration")                                                                       \
    X(localRank, "dl.local_rank")                                                                            \
    X(exceptionType, "exception.type")

#define LOCKSTEP_ENTRY(key, name) key,
enum class OtlpKey : uint8_t { LOCKSTEP_OTLP_KEYS(LOCKSTEP_ENTRY) none };
#undef LOCKSTEP_ENTRY

struct OtlpAttribute {
    OtlpKey key = OtlpKey::none;
    StringId text;     // a text, also of a number that is written as text; invalid for other values
    double number = 0; // of numbers, and 1 for true
    int64_t integer = kUnrecorded; // exact, of integers
};

struct OtlpEvent {
    StringId name;
    int64_t time_ns = 0;
    uint64_t position = 0; // of the event's object in the text
    uint32_t firstAttribute = 0, attributeCount = 0;
};

struct OtlpSpan {
    uint64_t trace = 0;  // hash of traceId
    uint64_t id = 0;     // hash of spanId
    uint64_t parent = 0; // hash of parentSpanId; 0 for a root
    StringId name;
    uint32_t resource = 0; // index in OtlpSpans::resources()
    int64_t start_ns = 0;
    int64_t end_ns = 0;
    uint64_t position = 0; // of the span's object in the text
    uint32_t firstAttribute = 0, attributeCount = 0;
    uint32_t firstEvent = 0, eventCount = 0;
    bool isError = false; // status code 2
};

class OtlpSpans {
  public:
    explicit OtlpSpans(ReportBuilder& builder) : m_builder(builder) {}

    // Reads one export request. Returns false if it is damaged; spans before the damage are kept.
    bool read(simdjson::ondemand::object request, const JsonRecords& records);

    const std::vector<OtlpSpan>& spans() const { return m_spans; }
    // Returns the attributes of the resource that emitted a span, such as a process.
    std::span<const OtlpAttribute> resourceOf(const OtlpSpan& span) const;
    // of: an OtlpSpan or OtlpEvent
    std::span<const OtlpAttribute> attributesOf(const auto& of) const
    {
        return std::span(m_attributes).subspan(of.firstAttribute, of.attributeCount);
    }
    std::span<const OtlpEvent> eventsOf(const OtlpSpan& span) const
    {
        return std::span(m_events).subspan(span.firstEvent, span.eventCount);
    }
    size_t resourceCount() const { return m_resources.size(); }
    // Spans without a name or times, which are dropped.
    uint64_t incomplete() const { return m_incomplete; }

    ReportBuilder& builder() const { return m_builder; }

  private:
    using Object = simdjson::ondemand::object;
    using Value = simdjson::ondemand::value;

    bool readResource(Object object);
    bool readScope(Object object, const JsonRecords& records);
    bool readSpan(Object object, uint64_t position, const JsonRecords& records);
    bool readAttributes(Value list, std::vector<OtlpAttribute>& out);
    bool readAttribute(Object object, OtlpAttribute& out);
    bool readEvents(Value list, OtlpSpan& span, const JsonRecords& records);

    struct Attributes {
        uint32_t first = 0, count = 0;
    };
    ReportBuilder& m_builder;
    std::vector<OtlpSpan> m_spans;
    std::vector<OtlpAttribute> m_attributes;
    std::vector<OtlpEvent> m_events;
    std::vector<Attributes> m_resources;
    std::vector<OtlpAttribute> m_ofSpan, m_ofEvent; // while these are read
    uint64_t m_incomplete = 0;
};

// Returns the attribute with this key, or nullptr.
const OtlpAttribute* attributeOf(std::span<const OtlpAttribute> attributes, OtlpKey key);

} // namespace lockstep
