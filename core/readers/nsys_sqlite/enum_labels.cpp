// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <span>

#include "core/base/text.h"
#include "core/readers/nsys_sqlite/row_details.h"

namespace lockstep {

namespace {

using Labels = std::span<const std::string_view>;

// Built-in labels, for exports without ENUM_ tables (until 2022) and for enumerations that an export omits.
constexpr std::array<std::string_view, 14> kCopyKinds{"Unknown",
                                                      "Host-to-Device",
                                                      "Device-to-Host",
                                                      "Host-to-Array",
                                                      "Array-to-Host",
                                                      "Array-to-Array",
                                                      "Array-to-Device",
                                                      "Device-to-Array",
                                                      "Device-to-Device",
                                                      "Host-to-Host",
                                                      "Peer-to-Peer",
                                                      "Unified Host-to-Device",
                                                      "Unified Device-to-Host",
                                                      "Unified Device-to-Device"};
constexpr std::array<std::string_view, 8> kMemoryKinds{
    "Pageable", "Pinned", "Device", "Array", "Managed", "Device Static", "Managed Static", "Unknown"};
constexpr std::array<std::string_view, 4> kLaunchTypes{"Unknown", "Regular", "Cooperative, one device",
                                                       "Cooperative, several devices"};
constexpr std::array<std::string_view, 4> kCacheConfigs{"None", "Shared", "L1", "Equal"};
constexpr std::array<std::string_view, 2> kSharedLimits{"Default", "Opt-in"};
constexpr std::array<std::string_view, 6> kMigrations{
    "Unknown", "User prefetch", "Page fault", "Speculative prefetch", "Eviction", "Access counters"};
constexpr std::array<std::string_view, 9> kOverheads{"Undefined",
                                                     "Unknown",
                                                     "Driver compiler",
                                                     "Buffer flush",
                                                     "Instrumentation",
                                                     "Resource management",
                                                     "Runtime module loading",
                                                     "Lazy function loading",
                                                     "Command buffer full"};
constexpr std::array<std::string_view, 11> kThreadStates{
    "Unknown",     "Running", "Interruptible", "Uninterruptible", "Stopped",   "Terminated",
    "Unscheduled", "Waiting", "OS runtime",    "Initialized",     "Transition"};
constexpr std::array<std::string_view, 5> kSeverities{"Unknown", "Info", "Warning", "Error", "Verbose"};
constexpr std::array<std::string_view, 4> kSources{"Unknown", "Injection", "Daemon", "Analysis"};
constexpr std::array<std::string_view, 3> kTimes{"Unknown", "Target", "Host"};
constexpr std::array<std::string_view, 2> kMemoryOperations{"Allocation", "Deallocation"};

struct EnumColumn {
    std::string_view column;
    std::string_view enumTable;
    Labels labels;
};

constexpr std::array kEnumColumns{
    EnumColumn{"copyKind", "ENUM_CUDA_MEMCPY_OPER", kCopyKinds},
    EnumColumn{"srcKind", "ENUM_CUDA_MEM_KIND", kMemoryKinds},
    EnumColumn{"dstKind", "ENUM_CUDA_MEM_KIND", kMemoryKinds},
    EnumColumn{"memKind", "ENUM_CUDA_MEM_KIND", kMemoryKinds},
    EnumColumn{"launchType", "ENUM_CUDA_KERNEL_LAUNCH_TYPE", kLaunchTypes},
    EnumColumn{"cacheConfig", "ENUM_CUDA_FUNC_CACHE_CONFIG", kCacheConfigs},
    EnumColumn{"sharedMemoryLimitConfig", "ENUM_CUDA_SHARED_MEM_LIMIT_CONFIG", kSharedLimits},
    EnumColumn{"migrationCause", "ENUM_CUDA_UNIF_MEM_MIGRATION", kMigrations},
    EnumColumn{"memoryOperationType", "ENUM_CUDA_DEV_MEM_EVENT_OPER", kMemoryOperations},
    EnumColumn{"overheadType", "ENUM_CUPTI_OVERHEAD_TYPE", kOverheads},
    EnumColumn{"eventClass", "ENUM_NSYS_EVENT_CLASS", {}},
    EnumColumn{"eventType", "ENUM_NSYS_EVENT_TYPE", {}},
    EnumColumn{"threadState", "ENUM_SAMPLING_THREAD_STATE", kThreadStates},
    EnumColumn{"threadBlock", "ENUM_SCHEDULING_THREAD_BLOCK", {}},
    EnumColumn{"severity", "ENUM_DIAGNOSTIC_SEVERITY_LEVEL", kSeverities},
    EnumColumn{"source", "ENUM_DIAGNOSTIC_SOURCE_TYPE", kSources},
    EnumColumn{"timestampType", "ENUM_DIAGNOSTIC_TIMESTAMP_SOURCE", kTimes},
};

} // namespace

// syncType is shown as a number, because two of its labels are swapped in many exports, and the slice's name
// shows what was waited for.
std::string enumLabel(const SqliteDatabase& database, std::string_view column, int64_t number)
{
    const auto known = std::ranges::find(kEnumColumns, column, &EnumColumn::column);
    if (known == kEnumColumns.end()) return {};
    if (auto query = database.query("SELECT label FROM " + quotedName(known->enumTable) + " WHERE id = ?1")) {
        query->bind(1, number);
        if (query->step().value_or(false)) return repairedUtf8(query->text(0));
    }
    const bool isBuiltIn = number >= 0 && static_cast<uint64_t>(number) < known->labels.size();
    return isBuiltIn ? std::string(known->labels[static_cast<size_t>(number)]) : std::string();
}

} // namespace lockstep
