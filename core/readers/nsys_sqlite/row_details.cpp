// SPDX-License-Identifier: Apache-2.0
// One row of an export in readable form: strings instead of string IDs, labels instead of enumerators, pid
// and tid instead of global IDs. Used when a slice is selected; any thread.
#include "core/readers/nsys_sqlite/nsys_sqlite_reader.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>

#include "core/base/text.h"
#include "core/readers/nsys_sqlite/global_id.h"
#include "core/readers/nsys_sqlite/payload_schemas.h"
#include "core/readers/nsys_sqlite/schema_probe.h"

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

// Returns the label of an enumerator from the export's own ENUM_ table, otherwise the built-in label; "" if
// unknown. syncType is shown as a number, because two of its labels are swapped in many exports, and the
// slice's name shows what was waited for.
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

constexpr int kShownFrames = 64;

// Runs a statement whose only parameter is a row ID. Does nothing if one of its tables or columns is missing.
template<class Take>
void eachOf(const SqliteDatabase& database, const std::string& sql, int64_t row, Take take)
{
    auto query = database.query(sql);
    if (!query) return;
    query->bind(1, row);
    while (query->step().value_or(false))
        take(*query);
}

// Adds a call stack. `stacks` has one row per frame, and frame 0 is the innermost. `key` is the column of the
// event that contains the stack ID.
void addStack(const SqliteDatabase& database, std::string_view table, std::string_view stacks,
              std::string_view key, int64_t row, SliceDetails& details)
{
    const std::string sql =
        "SELECT c.stackDepth, s.value, m.value FROM " + quotedName(table) + " e JOIN " + quotedName(stacks) +
        " c ON c.id = e." + std::string(key) +
        " LEFT JOIN StringIds s ON s.id = c.symbol LEFT JOIN StringIds m ON m.id = c.module "
        "WHERE e.rowid = ?1 ORDER BY c.stackDepth LIMIT " +
        std::to_string(kShownFrames);
    eachOf(database, sql, row, [&](const SqliteQuery& frame) {
        const std::string module = repairedUtf8(frame.text(2));
        details.arguments.emplace_back("frame " + std::to_string(frame.integer(0)),
                                       repairedUtf8(frame.text(1)) + (module.empty() ? "" : " in " + module));
    });
}

// A cloned node refers to its original. The call that created the original shows where in the program the
// node comes from.
void addGraphNode(const SqliteDatabase& database, std::string_view table, int64_t row, SliceDetails& details)
{
    const std::string sql =
        "SELECT n.start, s.value, n.graphNodeId FROM " + quotedName(table) +
        " e "
        "LEFT JOIN CUDA_GRAPH_NODE_EVENTS c ON c.graphNodeId = e.graphNodeId AND c.originalGraphNodeId IS "
        "NOT NULL "
        "JOIN CUDA_GRAPH_NODE_EVENTS n ON n.graphNodeId = coalesce(c.originalGraphNodeId, e.graphNodeId) "
        "LEFT JOIN StringIds s ON s.id = n.nameId WHERE e.rowid = ?1 ORDER BY n.start LIMIT 1";
    eachOf(database, sql, row, [&](const SqliteQuery& node) {
        details.arguments.emplace_back("graph node created by",
                                       repairedUtf8(node.text(1)) + " at " + std::to_string(node.integer(0)) +
                                           " ns, node " + std::to_string(node.integer(2)));
    });
}

void addCommunicator(const SqliteDatabase& database, std::string_view table, int64_t row,
                     SliceDetails& details)
{
    const std::string sql =
        "SELECT c.size, c.localRank, c.members FROM " + quotedName(table) +
        " e JOIN MPI_COMMUNICATORS c "
        "ON c.commHandle = e.commHandle LEFT JOIN MPI_RANKS r ON r.globalTid >> 24 = e.globalTid >> 24 "
        "WHERE e.rowid = ?1 AND (r.rank IS NULL OR r.rank = c.rank) ORDER BY c.timestamp DESC LIMIT 1";
    eachOf(database, sql, row, [&](const SqliteQuery& communicator) {
        details.arguments.emplace_back("communicator size", std::to_string(communicator.integer(0)));
        details.arguments.emplace_back("communicator rank", std::to_string(communicator.integer(1)));
        details.arguments.emplace_back("communicator members", repairedUtf8(communicator.text(2)));
    });
}

// Adds arguments after the row's own arguments. Missing tables and columns add nothing. May read a whole
// table, because an export has no indexes.
void addRelatedRows(const SqliteDatabase& database, std::string_view table, int64_t row,
                    SliceDetails& details)
{
    if (table == "COMPOSITE_EVENTS") {
        addStack(database, table, "SAMPLING_CALLCHAINS", "rowid", row, details);
    } else if (table == "OSRT_API") {
        addStack(database, table, "OSRT_CALLCHAINS", "callchainId", row, details);
    } else if (table == "SYSCALL") {
        addStack(database, table, "SYSCALL_CALLCHAINS", "callchainId", row, details);
    } else if (table == "CUPTI_ACTIVITY_KIND_RUNTIME") {
        addStack(database, table, "CUDA_CALLCHAINS", "callchainId", row, details);
    } else if (table == "CUPTI_ACTIVITY_KIND_KERNEL" || table == "CUPTI_ACTIVITY_KIND_MEMCPY" ||
               table == "CUPTI_ACTIVITY_KIND_MEMSET") {
        addGraphNode(database, table, row, details);
    } else if (table.starts_with("MPI_")) {
        addCommunicator(database, table, row, details);
    }
}

// Returns true for columns that contain a StringIds.id. Other columns whose names end in "Id" contain
// unrelated numbers.
bool isStringId(std::string_view column)
{
    static constexpr std::array<std::string_view, 6> kNames{"demangledName", "shortName", "mangledName",
                                                            "nameId",        "textId",    "jsonTextId"};
    return std::ranges::find(kNames, column) != kNames.end();
}

bool isGlobalTid(std::string_view column)
{
    return column == "globalTid" || column == "endGlobalTid";
}

std::string stringOf(const SqliteDatabase& database, int64_t id)
{
    auto query = database.query("SELECT value FROM StringIds WHERE id = ?1");
    if (!query) return {};
    query->bind(1, id);
    return query->step().value_or(false) ? repairedUtf8(query->text(0)) : std::string();
}

std::string hexText(std::string_view bytes)
{
    static constexpr std::string_view kHex = "0123456789abcdef";
    std::string out = "0x";
    for (const char c : bytes) {
        out += kHex[static_cast<unsigned char>(c) >> 4];
        out += kHex[static_cast<unsigned char>(c) & 15];
    }
    return out;
}

std::string integerText(const SqliteDatabase& database, std::string_view column, int64_t value)
{
    const std::string number = std::to_string(value);
    const auto global = static_cast<uint64_t>(value);
    if (isStringId(column)) {
        const std::string text = stringOf(database, value);
        return text.empty() ? number : text;
    }
    if (isGlobalTid(column)) {
        return "pid " + std::to_string(pidOf(global)) + ", tid " + std::to_string(tidOf(global));
    }
    if (column == "globalPid") return "pid " + std::to_string(pidOf(global));
    const std::string label = enumLabel(database, column, value);
    return label.empty() ? number : label + " (" + number + ")";
}

std::string columnText(const SqliteDatabase& database, const SqliteQuery& row, int column)
{
    switch (row.type(column)) {
    case SQLITE_NULL:
        return "NULL";
    case SQLITE_INTEGER:
        return integerText(database, row.columnName(column), row.integer(column));
    case SQLITE_BLOB:
        return hexText(row.text(column));
    default:
        return repairedUtf8(row.text(column));
    }
}

// Returns the displayed value of a column; "" if the row has no value.
std::string shown(const SliceDetails& details, std::string_view column)
{
    for (const auto& [name, value] : details.arguments) {
        if (name == column && value != "NULL") return value;
    }
    return {};
}

// Adds the fields of an NVTX row's payload with the names from its schema; adds nothing if the payload cannot
// be decoded.
Status addPayload(const SqliteDatabase& database, int64_t row, SliceDetails& details)
{
    const SchemaProbe schema = LOCKSTEP_TRY(SchemaProbe::of(database));
    constexpr std::array<std::string_view, 1> kBinary{"binaryData"};
    std::optional<std::vector<PayloadField>> fields;
    SqliteQuery query =
        LOCKSTEP_TRY(database.query(schema.select("NVTX_EVENTS", kBinary) + " WHERE rowid = ?1"));
    query.bind(1, row);
    ImportNotes notes; // already counted when the file was read
    if (LOCKSTEP_TRY(query.step()) && query.type(1) != SQLITE_NULL)
        fields = PayloadSchemas::load(database, schema, notes).decode(query.text(1));
    for (const std::string_view column : {"jsonTextId", "jsonText"}) {
        if (!fields) fields = jsonPayload(shown(details, column));
    }
    if (!fields) return {};
    for (PayloadField& field : *fields)
        details.arguments.emplace_back(std::move(field.name), std::move(field.text));
    return {};
}

// Rows with eventType 33 (64 if imported from text) name the categories of a process and domain.
void nameCategory(const SqliteDatabase& database, int64_t row, SliceDetails& details)
{
    auto query = database.query("SELECT coalesce(s.value, n.text) FROM NVTX_EVENTS n LEFT JOIN StringIds s "
                                "ON s.id = n.textId, NVTX_EVENTS r "
                                "WHERE r.rowid = ?1 AND n.eventType IN (33, 64) AND n.category = r.category "
                                "AND n.domainId IS r.domainId AND "
                                "n.globalTid >> 24 = r.globalTid >> 24");
    if (!query) return;
    query->bind(1, row);
    if (!query->step().value_or(false)) return;
    for (auto& [name, value] : details.arguments) {
        if (name == "category") value = repairedUtf8(query->text(0)) + " (" + value + ")";
    }
}

// Returns all columns of the row in table order, followed by details from other tables and the NVTX payload
// of the row. Returns notFound if the row does not exist.
Result<SliceDetails> readRow(const SqliteDatabase& database, std::string_view table, int64_t row)
{
    const std::string place = std::string(table) + " row " + std::to_string(row);
    SqliteQuery query =
        LOCKSTEP_TRY(database.query("SELECT * FROM " + quotedName(table) + " WHERE rowid = ?1"));
    query.bind(1, row);
    if (!LOCKSTEP_TRY(query.step())) {
        return makeError(ErrorKind::notFound, place + " is no longer in the file; open the file again");
    }
    SliceDetails details;
    details.source = place;
    for (int column = 0; column < query.columnCount(); ++column) {
        details.arguments.emplace_back(repairedUtf8(query.columnName(column)),
                                       columnText(database, query, column));
    }
    addRelatedRows(database, table, row, details);
    if (table != "NVTX_EVENTS") return details;
    if (!shown(details, "category").empty()) nameCategory(database, row, details);
    const bool hasPayload = std::ranges::any_of(details.arguments, [](const auto& argument) {
        return (argument.first == "binaryData" || argument.first.starts_with("jsonText")) &&
               argument.second != "NULL";
    });
    if (hasPayload) LOCKSTEP_TRY(addPayload(database, row, details));
    return details;
}

} // namespace

Result<SliceDetails> readNsysDetails(const std::filesystem::path& file, const Report& report, SliceId slice)
{
    if (slice.value >= report.slices.size())
        return makeError(ErrorKind::invalid, "no such slice in this report");
    const SourceRow source = report.slices.source[slice.value];
    if (source.table() >= report.sourceTables.size()) {
        return makeError(ErrorKind::invalid, "the slice does not belong to any table in this report");
    }
    const SqliteDatabase database = LOCKSTEP_TRY(SqliteDatabase::open(file));
    SliceDetails details = LOCKSTEP_TRY(
        readRow(database, report.sourceTables[source.table()], static_cast<int64_t>(source.row())));
    const std::string start = std::to_string(report.slices.start_ns[slice.value]);
    for (const auto& [name, value] : details.arguments) {
        if ((name == "start" || name == "timestamp") && value != start) {
            return makeError(ErrorKind::corrupt,
                             details.source +
                                 " has a different time than when the file was read; open the file again");
        }
    }
    return details;
}

} // namespace lockstep
