// SPDX-License-Identifier: Apache-2.0
// The files of miles's dashboard: one stream per file, one record per line. Source: miles/dashboard/store.py,
// whose Record subclasses are the schemas. Each stream is a format of its own, because each is a file.
#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "core/readers/samples/counter_rows.h"
#include "core/readers/samples/record_fields.h"
#include "core/readers/samples/sample_formats.h"
#include "core/readers/samples/step_records.h"
#include "core/trace/sample_names.h"

namespace lockstep {

namespace {

// Returns the process of a node or engine, named by its address.
ProcessId milesProcess(ReportBuilder& builder, std::string_view address)
{
    const ProcessId process = builder.process(std::hash<std::string_view>()(address), -1);
    Process& of = builder.report().processes[process.value];
    of.name = builder.intern(address);
    return process;
}

ClockDomain milesClock(std::string field)
{
    return {"Unix epoch (miles)", 0, 1, {}, std::move(field)};
}

template<class Records>
std::unique_ptr<SampleRecords> milesRecords(SampleRows& rows)
{
    return std::make_unique<Records>(rows);
}

// trajectories: the borders of attempts, generations and tool calls of each sample.
class MilesTrajectories : public SampleRecords {
  public:
    explicit MilesTrajectories(SampleRows& rows)
        : m_rows(rows), m_process(milesProcess(rows.builder(), "rollout"))
    {
    }

    bool read(record::Object object, const JsonRecords& records) override
    {
        Event event;
        event.position = records.position();
        std::optional<int64_t> time, sample;
        const bool isGood = record::eachField(object, [&](std::string_view key, record::Value value) {
            if (key == "ts") time = record::seconds(value);
            if (key == "sample_index") sample = record::integer(value);
            if (key == "group_index") event.group = record::integer(value).value_or(-1);
            if (key == "turn") event.turn = record::integer(value).value_or(-1);
            if (key == "kind") event.kind = m_rows.intern(record::text(value).value_or(""));
            if (key == "detail") event.detail = m_rows.intern(record::text(value).value_or(""));
            if (key == "weight_version") event.version = numberOrNone(record::text(value).value_or(""));
            return true;
        });
        if (!isGood || !time || !sample) return false;
        event.time_ns = *time;
        event.sample = *sample;
        m_events.push_back(event);
        return true;
    }

    // Rows are written in batches, so they are paired in the order of their times.
    void finish() override
    {
        std::ranges::stable_sort(m_events, {},
                                 [](const Event& event) { return std::tuple(event.sample, event.time_ns); });
        for (const Event& event : m_events)
            add(event);
        for (const auto& [key, span] : m_open)
            m_spans.emplace_back(std::get<1>(key), span);
        addSpans();
    }

  private:
    struct Event {
        int64_t time_ns = 0;
        int64_t sample = 0, group = -1, turn = -1;
        int64_t version = kUnrecorded;
        StringId kind, detail;
        uint64_t position = 0;
    };

    void add(const Event& event)
    {
        const SourceRow source = SourceRow::of(kSpanSource, event.position);
        const size_t known = m_rows.sampleCount();
        const SampleId id = m_rows.sample(std::to_string(event.sample), source);
        const bool isNew = m_rows.sampleCount() > known;
        Sample& sample = m_rows.at(id);
        sample.process = m_process;
        if (event.group >= 0) sample.group = m_rows.intern(std::to_string(event.group));
        if (event.version != kUnrecorded) {
            if (sample.firstVersion == kUnrecorded) sample.firstVersion = event.version;
            sample.lastVersion = event.version;
        }
        const std::string_view kind = m_rows.builder().text(event.kind);
        if (kind == "attempt_start") {
            if (!isNew) ++sample.attempts;
            sample.start_ns = sample.start_ns == kUnrecorded ? event.time_ns : sample.start_ns;
            sample.end_ns = kUnrecorded;
            sample.status = SampleStatus::unknown;
            sample.statusText = {};
            closeAll(event);
        } else if (kind == "attempt_end") {
            closeAll(event);
            if (sample.start_ns == kUnrecorded) sample.start_ns = event.time_ns;
            sample.end_ns = event.time_ns;
            sample.statusText = event.detail;
            sample.status = sampleStatusNamed(m_rows.builder().text(event.detail));
        } else {
            addBorder(id, event, kind, source);
        }
    }

    // What is still open in an attempt ends with it.
    void closeAll(const Event& at)
    {
        const auto first = m_open.lower_bound({at.sample, INT64_MIN, false});
        auto end = first;
        for (; end != m_open.end() && std::get<0>(end->first) == at.sample; ++end) {
            end->second.end_ns = at.time_ns;
            m_spans.emplace_back(std::get<1>(end->first), end->second);
        }
        m_open.erase(first, end);
    }

    void addBorder(SampleId id, const Event& event, std::string_view kind, SourceRow source)
    {
        const bool isTool = kind.starts_with("tool_");
        const auto key = std::tuple(event.sample, event.turn, isTool);
        if (kind.ends_with("_start")) {
            SpanRecord span;
            span.sample = id;
            span.name = m_rows.intern(isTool ? "tool" : "gen");
            span.start_ns = event.time_ns;
            span.end_ns = kUnrecorded;
            span.source = source;
            span.turn = event.turn > 0 ? static_cast<int32_t>(event.turn - 1) : SampleSpan::kNoTurn;
            span.attempt = m_rows.at(id).attempts - 1;
            span.kind = isTool ? SpanKind::tool : SpanKind::generate;
            m_open.insert_or_assign(key, span);
        } else if (const auto open = m_open.find(key); open != m_open.end()) {
            open->second.end_ns = event.time_ns;
            m_spans.emplace_back(event.turn, open->second);
            m_open.erase(open);
        }
    }

    // The generation of a whole attempt, turn -1, contains those of its turns, and is left out if there are
    // any: miles 31f1ca96 miles/dashboard/store.py, trajectory_lanes().
    void addSpans()
    {
        std::set<std::pair<SampleId, int32_t>> withTurns; // sample and attempt
        for (const auto& [turn, span] : m_spans) {
            if (span.kind == SpanKind::generate && turn > 0) withTurns.emplace(span.sample, span.attempt);
        }
        for (const auto& [turn, span] : m_spans) {
            const bool isWhole = span.kind == SpanKind::generate && turn < 0;
            if (!isWhole || !withTurns.contains({span.sample, span.attempt})) m_rows.add(span);
        }
    }

    SampleRows& m_rows;
    ProcessId m_process;
    std::vector<Event> m_events;
    std::map<std::tuple<int64_t, int64_t, bool>, SpanRecord> m_open;
    std::vector<std::pair<int64_t, SpanRecord>> m_spans; // with turn
};

// phases: timers of the trainer and of the rollout manager. A row with t1 = -1 is still open; a later row
// with the same name, start, rank and role replaces it.
class MilesPhases : public SampleRecords {
  public:
    explicit MilesPhases(SampleRows& rows) : m_rows(rows) {}

    bool read(record::Object object, const JsonRecords& records) override
    {
        std::string name, role, node;
        std::optional<int64_t> start, end, rank;
        const bool isGood = record::eachField(object, [&](std::string_view key, record::Value value) {
            if (key == "name") name = record::text(value).value_or("");
            if (key == "role") role = record::text(value).value_or("");
            if (key == "node") node = record::text(value).value_or("");
            if (key == "t0") start = record::seconds(value);
            if (key == "t1") end = record::seconds(value);
            if (key == "rank") rank = record::integer(value);
            return true;
        });
        if (!isGood || name.empty() || !start) return false;
        Phase phase;
        phase.end_ns = end && *end >= 0 ? *end : kUnrecorded;
        phase.position = records.position();
        phase.node = node;
        m_phases.insert_or_assign({role, rank.value_or(0), *start, name}, phase);
        return true;
    }

    void finish() override
    {
        for (const auto& [key, phase] : m_phases) {
            const auto& [role, rank, start_ns, name] = key;
            SpanRecord span;
            span.track = trackOf(role, rank, phase.node);
            span.name = m_rows.intern(name);
            span.start_ns = start_ns;
            span.end_ns = phase.end_ns;
            span.source = SourceRow::of(kSpanSource, phase.position);
            span.kind = name == "update_weights"                  ? SpanKind::weightUpdate
                        : name == "update_weights_implementation" ? SpanKind::weightTransfer
                        : name == "finalize_and_resume_engines"   ? SpanKind::weightResume
                                                                  : SpanKind::phase;
            m_rows.add(span);
            if (span.kind == SpanKind::weightUpdate) m_rows.addWeightUpdate(span.source, kUnrecorded);
        }
    }

  private:
    struct Phase {
        int64_t end_ns = kUnrecorded;
        uint64_t position = 0;
        std::string node;
    };

    TrackId trackOf(const std::string& role, int64_t rank, const std::string& node)
    {
        ReportBuilder& builder = m_rows.builder();
        const ProcessId process = milesProcess(builder, role + " " + std::to_string(rank));
        Identity& identity = builder.report().processes[process.value].identity;
        if (!role.empty()) identity.role.learn(role, "role", Confidence::stated);
        if (!node.empty()) identity.host.learn(node, "node", Confidence::stated);
        if (role == "train") identity.rank.learn(static_cast<int>(rank), "rank", Confidence::stated);
        const TrackId track = builder.track({.kind = TrackKind::other, .process = process});
        builder.setTrackName(track, builder.intern("timers"));
        return track;
    }

    SampleRows& m_rows;
    std::map<std::tuple<std::string, int64_t, int64_t, std::string>, Phase> m_phases;
};

// topology: the GPUs of each rollout engine, valid until the next row.
class MilesTopology : public SampleRecords {
  public:
    explicit MilesTopology(SampleRows& rows) : m_rows(rows) {}

    bool read(record::Object object, const JsonRecords&) override
    {
        std::optional<int64_t> time;
        std::vector<ReplicaGpu> gpus;
        const bool isGood = record::eachField(object, [&](std::string_view key, record::Value value) {
            if (key == "ts") time = record::seconds(value);
            return key != "engines" || record::eachObject(value, [&](record::Object engine, const char*) {
                       return readEngine(engine, gpus);
                   });
        });
        if (!isGood || !time) return false;
        for (ReplicaGpu& gpu : gpus) {
            gpu.validFrom_ns = *time;
            m_rows.addReplicaGpu(gpu);
        }
        return true;
    }

  private:
    bool readEngine(record::Object engine, std::vector<ReplicaGpu>& out) const
    {
        StringId address;
        std::vector<ReplicaGpu> gpus;
        std::vector<StringId> uuids;
        const bool isGood = record::eachField(engine, [&](std::string_view key, record::Value value) {
            if (key == "addr") address = m_rows.intern(record::text(value).value_or(""));
            if (key == "gpus") readGpus(value, gpus);
            if (key == "gpu_uuids") readUuids(value, uuids);
            return true;
        });
        for (size_t i = 0; i < gpus.size(); ++i) {
            gpus[i].replica = address;
            if (i < uuids.size()) gpus[i].uuid = uuids[i];
            out.push_back(gpus[i]);
        }
        return isGood;
    }

    // [[node, ordinal], ...]
    void readGpus(record::Value value, std::vector<ReplicaGpu>& out) const
    {
        simdjson::ondemand::array list, pair;
        if (value.get_array().get(list) != simdjson::SUCCESS) return;
        for (auto element : list) {
            if (element.get_array().get(pair) != simdjson::SUCCESS) return;
            ReplicaGpu gpu;
            for (auto part : pair) {
                record::Value of;
                if (part.get(of) != simdjson::SUCCESS) return;
                if (const auto text = record::text(of)) {
                    gpu.host = m_rows.intern(*text);
                } else if (const auto number = record::integer(of)) {
                    gpu.gpu = static_cast<int32_t>(*number);
                }
            }
            out.push_back(gpu);
        }
    }

    void readUuids(record::Value value, std::vector<StringId>& out) const
    {
        simdjson::ondemand::array list;
        if (value.get_array().get(list) != simdjson::SUCCESS) return;
        for (auto element : list) {
            record::Value of;
            if (element.get(of) != simdjson::SUCCESS) return;
            const auto text = record::text(of);
            out.push_back(text ? m_rows.intern(*text) : StringId());
        }
    }

    SampleRows& m_rows;
};

// data_buffer, gpu_util, gpu_processes and engine_series: values over time, of the run, of a GPU, of a
// process on a GPU, and of an engine.
class MilesSeries : public SampleRecords {
  public:
    explicit MilesSeries(SampleRows& rows) : m_rows(rows), m_counters(rows.builder()) {}

    bool read(record::Object object, const JsonRecords&) override
    {
        std::string node, address, metric, labels, program;
        std::optional<int64_t> time, gpu, pid;
        std::optional<double> length, value, use, memory, power;
        const bool isGood = record::eachField(object, [&](std::string_view key, record::Value of) {
            if (key == "ts") time = record::seconds(of);
            if (key == "node") node = record::text(of).value_or("");
            if (key == "addr") address = record::text(of).value_or("");
            if (key == "metric") metric = record::text(of).value_or("");
            if (key == "gpu") gpu = record::integer(of);
            if (key == "pid") pid = record::integer(of);
            if (key == "name") program = record::text(of).value_or("");
            if (key == "length") length = record::number(of);
            if (key == "value") value = record::number(of);
            if (key == "util") use = record::number(of);
            if (key == "mem_mb") memory = record::number(of);
            if (key == "power_w") power = record::number(of);
            const auto map = key == "labels" ? record::object(of) : std::nullopt;
            return !map || record::eachField(*map, [&](std::string_view name, record::Value text) {
                labels += " " + std::string(name) + "=" + std::string(record::text(text).value_or(""));
                return true;
            });
        });
        if (!isGood || !time) return false;
        ReportBuilder& builder = m_rows.builder();
        const auto add = [&](ProcessId process, DeviceId device, std::string_view name, std::string_view unit,
                             std::optional<double> number) {
            if (number) m_counters.add(process, device, name, unit, *time, *number);
        };
        if (length) add(milesProcess(builder, "rollout"), {}, "samples in the data buffer", "", length);
        if (!metric.empty()) add(milesProcess(builder, address), {}, metric + labels, "", value);
        if (!gpu) return true;
        const ProcessId process = milesProcess(builder, node);
        const DeviceId device = builder.device(process, static_cast<int>(*gpu));
        if (pid) {
            add(process, device, "GPU memory of " + program + " (" + std::to_string(*pid) + ")", "MiB",
                memory);
            return true;
        }
        add(process, device, "GPU utilization", "%", use);
        add(process, device, "GPU memory in use", "MiB", memory);
        add(process, device, "GPU power", "W", power);
        return true;
    }
    void finish() override { m_counters.finish(); }

  private:
    SampleRows& m_rows;
    CounterRows m_counters;
};

} // namespace

SampleFormat milesTrajectoriesFormat()
{
    return {"miles trajectories",
            "miles",
            milesClock("ts"),
            {"ts", "kind", "sample_index", "weight_version"},
            milesRecords<MilesTrajectories>,
            PartNaming::hourly};
}

SampleFormat milesPhasesFormat()
{
    return {
        "miles phases",    "miles", milesClock("t0"), {"name", "t0", "t1", "role"}, milesRecords<MilesPhases>,
        PartNaming::hourly};
}

SampleFormat milesTopologyFormat()
{
    return {"miles topology", "miles", milesClock("ts"), {"ts", "engines"}, milesRecords<MilesTopology>};
}

SampleFormat milesBufferFormat()
{
    return {"miles data buffer", "miles", milesClock("ts"), {"ts", "length"}, milesRecords<MilesSeries>};
}

SampleFormat milesGpusFormat()
{
    return {"miles GPU use",           "miles",           milesClock("ts"), {"ts", "node", "gpu", "util"},
            milesRecords<MilesSeries>, PartNaming::hourly};
}

SampleFormat milesGpuProcessesFormat()
{
    return {"miles GPU processes",     "miles",
            milesClock("ts"),          {"ts", "node", "gpu", "pid", "mem_mb"},
            milesRecords<MilesSeries>, PartNaming::hourly};
}

SampleFormat milesEnginesFormat()
{
    return {"miles engine series",     "miles",           milesClock("ts"), {"ts", "addr", "metric", "value"},
            milesRecords<MilesSeries>, PartNaming::hourly};
}

SampleFormat milesMetricsFormat()
{
    return {"miles metrics",
            "miles",
            milesClock("ts"),
            {"ts", "step_key", "metrics"},
            [](SampleRows& rows) -> std::unique_ptr<SampleRecords> {
                return std::make_unique<StepRecords>(rows, "metrics");
            }};
}

} // namespace lockstep
