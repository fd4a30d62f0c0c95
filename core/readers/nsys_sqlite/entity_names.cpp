// SPDX-License-Identifier: Apache-2.0
#include "core/readers/nsys_sqlite/entity_names.h"

#include <algorithm>
#include <array>

#include "core/base/json_fields.h"
#include "core/base/text.h"
#include "core/readers/nsys_sqlite/global_id.h"
#include "core/readers/nsys_sqlite/small_table.h"

namespace lockstep {

namespace {

template<size_t N>
using Columns = std::array<std::string_view, N>;

uint64_t globalTidOf(const Report& report, const Thread& thread)
{
    return report.processes[thread.process.value].key | static_cast<uint64_t>(thread.tid);
}

} // namespace

EntityNames::EntityNames(const SqliteDatabase& database, const SchemaProbe& schema, const ExportFacts& facts,
                         const StringIds& strings, ReportBuilder& builder)
    : m_command(facts.command())
{
    ImportNotes& notes = builder.report().notes;
    constexpr Columns<2> kProcess{"globalPid", "name"};
    eachRow(database, schema, "PROCESSES", kProcess, notes, [&](const SqliteQuery& row) {
        const std::string name = shownText(row.text(2), notes, "PROCESSES", row.integer(0));
        m_processes[static_cast<uint64_t>(row.integer(1))] = builder.intern(name);
    });
    constexpr Columns<3> kThread{"globalTid", "nameId", "priority"};
    eachRow(database, schema, "ThreadNames", kThread, notes, [&](const SqliteQuery& row) {
        const auto thread = static_cast<uint64_t>(row.integer(1));
        m_threads[thread] = strings.at(row.integer(2)); // the last rename wins
        if (const auto priority = row.optionalInteger(3)) m_priorities.try_emplace(thread, *priority);
    });
    constexpr Columns<3> kMetric{"typeId", "metricId", "metricName"};
    eachRow(database, schema, "TARGET_INFO_GPU_METRICS", kMetric, notes, [&](const SqliteQuery& row) {
        m_metrics[{static_cast<uint64_t>(row.integer(1)), row.integer(2)}] = repairedUtf8(row.text(3));
    });
    readGpus(database, schema, facts, notes);
    readStreams(database, schema, strings, builder);
}

void EntityNames::readGpus(const SqliteDatabase& database, const SchemaProbe& schema,
                           const ExportFacts& facts, ImportNotes& notes)
{
    constexpr Columns<6> kGpu{"id", "name", "totalMemory", "smCount", "uuid", "cuDevice"};
    eachRow(database, schema, "TARGET_INFO_GPU", kGpu, notes, [&](const SqliteQuery& row) {
        m_gpus[row.integer(1)] = {repairedUtf8(row.text(2)), repairedUtf8(row.text(5)),
                                  static_cast<uint64_t>(row.integer(3)), static_cast<int>(row.integer(4))};
        if (const auto ordinal = row.optionalInteger(6)) m_gpuOfOrdinal.try_emplace(*ordinal, row.integer(1));
    });
    constexpr Columns<3> kDevice{"gpuId", "cudaId", "pid"};
    eachRow(database, schema, "TARGET_INFO_CUDA_DEVICE", kDevice, notes, [&](const SqliteQuery& row) {
        m_gpuOf[{row.integer(3), row.integer(2)}] = row.integer(1);
    });
    if (!m_gpus.empty()) return;
    const Json info = jsonFrom(firstValue(facts.system, "GpuInfo"));
    for (const Json& gpu : listAt(info, "Gpus")) {
        const auto id = numberAt(gpu, "Id");
        if (!id) continue;
        m_gpus[*id] = {textAt(gpu, "Name"), textAt(gpu, "Uuid"),
                       static_cast<uint64_t>(parseInt(textAt(gpu, "TotalMemory")).value_or(0)),
                       static_cast<int>(numberAt(gpu, "SmCount").value_or(0))};
    }
}

void EntityNames::readStreams(const SqliteDatabase& database, const SchemaProbe& schema,
                              const StringIds& strings, ReportBuilder& builder)
{
    constexpr int64_t kNullStream = 3; // TARGET_INFO_CUDA_STREAM.flag, ENUM_CUPTI_STREAM_TYPE
    ImportNotes& notes = builder.report().notes;
    constexpr Columns<4> kStream{"processId", "contextId", "streamId", "flag"};
    eachRow(database, schema, "TARGET_INFO_CUDA_STREAM", kStream, notes, [&](const SqliteQuery& row) {
        if (row.integer(4) == kNullStream) {
            m_streams[{row.integer(1), row.integer(2), row.integer(3)}].isDefault = true;
        }
    });
    constexpr Columns<4> kContext{"processId", "contextId", "nullStreamId", "streamId"};
    for (const char* const table : {"TARGET_INFO_CUDA_CONTEXT_INFO", "TARGET_INFO_CUDA_NULL_STREAM"}) {
        eachRow(database, schema, table, kContext, notes, [&](const SqliteQuery& row) {
            const auto stream = row.optionalInteger(3) ? row.optionalInteger(3) : row.optionalInteger(4);
            if (stream) m_streams[{row.integer(1), row.integer(2), *stream}].isDefault = true;
        });
    }
    constexpr Columns<4> kNamed{"processId", "contextId", "streamId", "name"};
    eachRow(database, schema, "TARGET_INFO_NVTX_CUDA_STREAM", kNamed, notes, [&](const SqliteQuery& row) {
        const std::string name = row.type(4) == SQLITE_INTEGER
                                     ? std::string(builder.text(strings.at(row.integer(4))))
                                     : repairedUtf8(row.text(4));
        m_streams[{row.integer(1), row.integer(2), row.integer(3)}].name = name;
    });
}

void EntityNames::apply(ReportBuilder& builder, const ScanFindings& found) const
{
    nameProcesses(builder);
    nameThreads(builder, found);
    nameDevices(builder);
    nameTracks(builder, found);
}

std::string EntityNames::metricName(uint64_t typeId, int64_t metric) const
{
    const auto found = m_metrics.find({typeId, metric});
    return found != m_metrics.end() ? found->second : "metric " + std::to_string(metric);
}

void EntityNames::nameProcesses(ReportBuilder& builder) const
{
    std::vector<Process>& processes = builder.report().processes;
    for (Process& process : processes) {
        if (const auto found = m_processes.find(process.key); found != m_processes.end())
            process.name = found->second;
    }
    // If an export has no process names, the command belongs to the only process.
    if (m_processes.empty() && processes.size() == 1 && !m_command.empty()) {
        processes[0].name = builder.intern(m_command.substr(0, m_command.find(' ')));
    }
}

void EntityNames::nameThreads(ReportBuilder& builder, const ScanFindings& found) const
{
    std::unordered_map<uint64_t, StringId> byNvtx;
    for (const ThreadName& thread : found.threads)
        byNvtx[thread.globalTid] = thread.name;
    Report& report = builder.report();
    for (Thread& thread : report.threads) {
        const uint64_t globalTid = globalTidOf(report, thread);
        const Process& process = report.processes[thread.process.value];
        if (const auto named = m_threads.find(globalTid); named != m_threads.end()) {
            thread.name = named->second;
        } else if (const auto nvtx = byNvtx.find(globalTid); nvtx != byNvtx.end()) {
            thread.name = nvtx->second;
        } else if (thread.tid == process.pid) {
            thread.name = process.name;
        }
    }
}

// Returns the GPU of a CUDA ordinal; nullopt if the file does not determine it. An ordinal counts the devices
// that are visible to the process. These need not be the first devices of the machine.
std::optional<EntityNames::Gpu> EntityNames::gpuOf(const Report& report, const Device& device) const
{
    int64_t id = device.ordinal;
    if (device.process.isValid()) {
        const auto mapped = m_gpuOf.find({report.processes[device.process.value].pid, device.ordinal});
        // Uses the machine's CUDA device order. The process uses the same order unless CUDA_VISIBLE_DEVICES
        // is set.
        const auto numbered = m_gpuOfOrdinal.find(device.ordinal);
        if (mapped == m_gpuOf.end() && numbered != m_gpuOfOrdinal.end() &&
            m_gpuOfOrdinal.size() == m_gpus.size()) {
            Gpu gpu = m_gpus.at(numbered->second);
            if (m_gpus.size() > 1) gpu.uuid.clear();
            return gpu;
        }
        if (mapped == m_gpuOf.end()) {
            const auto differs = [&](const auto& gpu) {
                return gpu.second.name != m_gpus.begin()->second.name;
            };
            if (m_gpus.empty() || std::ranges::any_of(m_gpus, differs)) return std::nullopt;
            Gpu gpu = m_gpus.begin()->second;
            if (m_gpus.size() > 1) gpu.uuid.clear();
            return gpu;
        }
        id = mapped->second;
    }
    const auto gpu = m_gpus.find(id);
    return gpu != m_gpus.end() ? std::optional<Gpu>(gpu->second) : std::nullopt;
}

void EntityNames::nameDevices(ReportBuilder& builder) const
{
    Report& report = builder.report();
    for (Device& device : report.devices) {
        const auto gpu = gpuOf(report, device);
        if (!gpu) continue;
        device.name = builder.intern(gpu->name);
        device.uuid = builder.intern(gpu->uuid);
        device.memory_bytes = gpu->memory_bytes;
        device.multiprocessors = gpu->multiprocessors;
    }
}

void EntityNames::nameTracks(ReportBuilder& builder, const ScanFindings& found) const
{
    std::map<std::pair<uint64_t, int64_t>, StringId> domains;
    for (const DomainName& domain : found.domains)
        domains[{domain.processKey, domain.domain}] = domain.name;
    Report& report = builder.report();
    for (size_t i = 0; i < report.tracks.size(); ++i) {
        const TrackKey key = report.tracks[i].key;
        if (!key.process.isValid()) continue;
        const Process& process = report.processes[key.process.value];
        if (key.kind == TrackKind::nvtx) {
            // Domain 0 has no name. In a filtered export, the names of other domains may be missing, too.
            const auto domain = domains.find({process.key, key.lane});
            const StringId plain = builder.intern(key.lane == 0 ? "" : "Domain " + std::to_string(key.lane));
            builder.setTrackName(TrackId(i), domain != domains.end() ? domain->second : plain);
        }
        if (!key.device.isValid()) continue;
        const auto stream = m_streams.find({process.pid, key.context, key.lane});
        std::string name = key.lane < 0 ? "no stream" : "stream " + std::to_string(key.lane);
        if (stream != m_streams.end()) {
            if (stream->second.isDefault) name += " (default)";
            if (!stream->second.name.empty()) name = stream->second.name;
        }
        builder.setTrackName(TrackId(i), builder.intern(name));
    }
}

} // namespace lockstep
