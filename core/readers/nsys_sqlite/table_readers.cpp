// SPDX-License-Identifier: Apache-2.0
#include "core/readers/nsys_sqlite/table_readers.h"

#include <array>

namespace lockstep {

namespace {

using Names = std::string_view;

// The first seven columns of all GPU tables have the same positions; see gpu_rows.cpp.
constexpr std::array kKernelColumns{Names("start"),
                                    Names("end"),
                                    Names("deviceId"),
                                    Names("contextId"),
                                    Names("greenContextId"),
                                    Names("streamId"),
                                    Names("correlationId"),
                                    Names("globalPid"),
                                    Names("demangledName"),
                                    Names("shortName"),
                                    Names("mangledName"),
                                    Names("graphNodeId"),
                                    Names("gridX"),
                                    Names("gridY"),
                                    Names("gridZ"),
                                    Names("blockX"),
                                    Names("blockY"),
                                    Names("blockZ"),
                                    Names("registersPerThread"),
                                    Names("staticSharedMemory"),
                                    Names("dynamicSharedMemory")};
constexpr std::array kCopyColumns{
    Names("start"),          Names("end"),           Names("deviceId"),      Names("contextId"),
    Names("greenContextId"), Names("streamId"),      Names("correlationId"), Names("globalPid"),
    Names("bytes"),          Names("copyKind"),      Names("srcKind"),       Names("dstKind"),
    Names("graphNodeId"),    Names("virtualAddress")};
constexpr std::array kMemsetColumns{
    Names("start"),          Names("end"),      Names("deviceId"),      Names("contextId"),
    Names("greenContextId"), Names("streamId"), Names("correlationId"), Names("globalPid"),
    Names("bytes"),          Names("memKind"),  Names("graphNodeId")};
constexpr std::array kGraphColumns{
    Names("start"),          Names("end"),      Names("deviceId"),      Names("contextId"),
    Names("greenContextId"), Names("streamId"), Names("correlationId"), Names("globalPid"),
    Names("graphId")};
constexpr std::array kEventColumns{Names("timestamp"),      Names("deviceId"), Names("contextId"),
                                   Names("greenContextId"), Names("streamId"), Names("correlationId"),
                                   Names("globalPid"),      Names("eventId"),  Names("eventSyncId")};
constexpr std::array kSyncColumns{
    Names("start"),          Names("end"),        Names("deviceId"),      Names("contextId"),
    Names("greenContextId"), Names("streamId"),   Names("correlationId"), Names("globalPid"),
    Names("syncType"),       Names("eventSyncId")};
constexpr std::array kApiColumns{Names("start"),      Names("end"),           Names("globalTid"),
                                 Names("nameId"),     Names("correlationId"), Names("eventClass"),
                                 Names("returnValue")};
constexpr std::array kCallColumns{Names("start"), Names("end"), Names("globalTid"), Names("nameId"),
                                  Names("textId")};
constexpr std::array kOsColumns{Names("start"),  Names("end"),    Names("globalTid"),
                                Names("nameId"), Names("textId"), Names("eventClass")};
constexpr std::array kRankColumns{Names("globalTid"), Names("rank")};
constexpr std::array kNvtxColumns{Names("start"),     Names("end"),       Names("eventType"),
                                  Names("globalTid"), Names("textId"),    Names("text"),
                                  Names("domainId"),  Names("color"),     Names("jsonTextId"),
                                  Names("jsonText"),  Names("binaryData")};
constexpr std::array kScheduleColumns{Names("start"), Names("cpu"), Names("isSchedIn"), Names("globalTid")};
constexpr std::array kSampleColumns{Names("start"), Names("globalTid")};
constexpr std::array kStackColumns{Names("id"), Names("symbol"), Names("stackDepth")};
constexpr std::array kFileColumns{Names("startedAt"), Names("endedAt"), Names("fileAccessId"),
                                  Names("threadId"), Names("eventType")};
constexpr std::array kSwitchColumns{Names("timestamp"), Names("globalPid"), Names("gpuId"), Names("tag")};
constexpr std::array kMetricColumns{Names("timestamp"), Names("typeId"), Names("metricId"), Names("value")};
constexpr std::array kUsageColumns{
    Names("start"),   Names("globalPid"),           Names("deviceId"),     Names("address"), Names("bytes"),
    Names("memKind"), Names("memoryOperationType"), Names("correlationId")};
constexpr std::array kGenericColumns{Names("timestamp"), Names("typeId"), Names("data"),
                                     Names("genericEventId")};
constexpr std::array kValueColumns{Names("genericEventId"), Names("fieldIdx"), Names("intVal"),
                                   Names("uintVal"),        Names("floatVal"), Names("doubleVal")};
constexpr std::array kNetworkColumns{Names("start"),      Names("end"),    Names("globalId"),
                                     Names("GUID"),       Names("portId"), Names("metricsListId"),
                                     Names("metricsIdx"), Names("value")};
constexpr std::array kCpuFaultColumns{Names("start"), Names("globalPid"), Names("CpuInstruction"),
                                      Names("address")};
constexpr std::array kGpuFaultColumns{
    Names("start"),           Names("end"),     Names("globalPid"),         Names("deviceId"),
    Names("faultAccessType"), Names("address"), Names("numberOfPageFaults")};
constexpr std::array kPoolColumns{Names("start"), Names("globalPid"), Names("deviceId"),
                                  Names("operationType")};
constexpr std::array kDiagnosticColumns{Names("timestamp"), Names("timestampType"), Names("severity"),
                                        Names("text"), Names("globalPid")};

// Returns a reader for a table whose rows are calls of one thread with a start, an end and a name.
constexpr TableReader calls(std::string_view table, CountedRows counted, TrackKind track, RowKind kind,
                            SliceCategory category, int64_t lane = 0, std::string_view trackName = {})
{
    return {table, kCallColumns, readCalls, true, false, counted, track, kind, category, lane, trackName};
}

constexpr TableReader library(std::string_view table, int64_t lane, std::string_view trackName)
{
    return calls(table, CountedRows::libraryApi, TrackKind::libraryApi, RowKind::libraryApi,
                 SliceCategory::other, lane, trackName);
}

} // namespace

std::optional<TableReader> callTableReader(std::string_view table, const SchemaProbe& schema, int64_t lane)
{
    const bool isCall = schema.has(table, "start") && schema.has(table, "end") &&
                        schema.has(table, "globalTid") &&
                        (schema.has(table, "nameId") || schema.has(table, "textId"));
    if (!isCall) return std::nullopt;
    return calls(table, CountedRows::otherCall, TrackKind::libraryApi, RowKind::libraryApi,
                 SliceCategory::other, lane, table);
}

std::span<const TableReader> tableReaders()
{
    using enum CountedRows;
    static constexpr bool kWhole = false; // rows depend on each other, so one worker reads all of them
    static constexpr bool kSecond = true;
    static constexpr std::array kReaders{
        TableReader{"CUPTI_ACTIVITY_KIND_KERNEL", kKernelColumns, readKernels},
        TableReader{"CUPTI_ACTIVITY_KIND_MEMCPY", kCopyColumns, readCopies},
        TableReader{"CUPTI_ACTIVITY_KIND_MEMSET", kMemsetColumns, readMemsets},
        TableReader{"CUPTI_ACTIVITY_KIND_GRAPH_TRACE", kGraphColumns, readGraphLaunches},
        TableReader{"CUPTI_ACTIVITY_KIND_CUDA_EVENT", kEventColumns, readCudaEvents, true, kSecond},
        TableReader{"CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", kSyncColumns, readSynchronizations, true, kSecond},
        TableReader{"CUPTI_ACTIVITY_KIND_RUNTIME", kApiColumns, readCudaApi},
        TableReader{"NVTX_EVENTS", kNvtxColumns, readNvtx},
        TableReader{"OSRT_API", kOsColumns, readOsRuntime, true, false, osRuntime, TrackKind::osRuntime,
                    RowKind::osRuntime, SliceCategory::osRuntime},
        TableReader{"SCHED_EVENTS", kScheduleColumns, readScheduling, kWhole},
        TableReader{"SYSCALL", kCallColumns, readCalls, true, false, osRuntime, TrackKind::osRuntime,
                    RowKind::systemCall, SliceCategory::osRuntime, 2, "system calls"},
        TableReader{"SAMPLING_CALLCHAINS", kStackColumns, readSampleSymbols},
        TableReader{"COMPOSITE_EVENTS", kSampleColumns, readSamples, true, kSecond, sample},
        TableReader{"OSRT_FILE_ACCESS_EVENTS", kFileColumns, readFileAccess, true, kSecond},
        TableReader{"GPU_CONTEXT_SWITCH_EVENTS", kSwitchColumns, readContextSwitches},
        TableReader{"FECS_EVENTS", kSwitchColumns, readContextSwitches},
        calls("PROFILER_OVERHEAD", overhead, TrackKind::overhead, RowKind::overhead, SliceCategory::overhead),
        calls("CUPTI_ACTIVITY_KIND_OVERHEAD", overhead, TrackKind::overhead, RowKind::overhead,
              SliceCategory::overhead),
        TableReader{"CUDA_GPU_MEMORY_USAGE_EVENTS", kUsageColumns, readMemoryUsage, kWhole},
        TableReader{"GPU_METRICS", kMetricColumns, readGpuMetrics},
        TableReader{"CUDA_GPU_MEMORY_POOL_EVENTS", kPoolColumns, readMemoryPools},
        TableReader{"CUDA_UM_CPU_PAGE_FAULT_EVENTS", kCpuFaultColumns, readCpuPageFaults},
        TableReader{"CUDA_UM_GPU_PAGE_FAULT_EVENTS", kGpuFaultColumns, readGpuPageFaults},
        TableReader{"GENERIC_EVENT_DATA", kValueColumns, readGenericValues},
        TableReader{"GENERIC_EVENTS", kGenericColumns, readGenericEvents, true, kSecond},
        TableReader{"NET_NIC_METRIC", kNetworkColumns, readNetworkMetrics},
        TableReader{"NET_IB_SWITCH_METRIC", kNetworkColumns, readNetworkMetrics},
        calls("CUDA_GRAPH_EVENTS", graphEvent, TrackKind::graphEvents, RowKind::graphEvent,
              SliceCategory::graph),
        calls("CUDA_GRAPH_NODE_EVENTS", graphEvent, TrackKind::graphEvents, RowKind::graphEvent,
              SliceCategory::graph),
        library("CUDNN_EVENTS", 28, "cuDNN"),
        library("CUBLAS_EVENTS", 29, "cuBLAS"),
        library("MPI_P2P_EVENTS", 100, "MPI"),
        library("MPI_COLLECTIVES_EVENTS", 100, "MPI"),
        library("MPI_START_WAIT_EVENTS", 100, "MPI"),
        library("MPI_OTHER_EVENTS", 100, "MPI"),
        library("UCP_SUBMIT_EVENTS", 101, "UCX"),
        library("UCP_PROGRESS_EVENTS", 101, "UCX"),
        library("UCP_EVENTS", 101, "UCX"),
        TableReader{"MPI_RANKS", kRankColumns, readMpiRanks, kWhole},
        TableReader{"DIAGNOSTIC_EVENT", kDiagnosticColumns, readDiagnostics, kWhole},
    };
    return kReaders;
}

} // namespace lockstep
