// SPDX-License-Identifier: Apache-2.0
#include "core/readers/nsys_sqlite/related_rows.h"

#include <string>

#include "core/base/text.h"

namespace lockstep {

namespace {

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

} // namespace

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

} // namespace lockstep
