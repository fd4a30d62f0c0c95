// SPDX-License-Identifier: Apache-2.0
#include "core/sql/virtual_table.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <vector>

namespace lockstep {

namespace {

// TableModule is the context for one virtual table in a connection.
struct TableModule {
    const SqlTable* table;
    const SqlScene* scene;
    const Progress* progress;
};

struct ConnectedTable : sqlite3_vtab {
    explicit ConnectedTable(const TableModule& of) : sqlite3_vtab{}, module(of) {}
    TableModule module;
};

struct Cursor : sqlite3_vtab_cursor {
    Cursor() : sqlite3_vtab_cursor{} {}
    std::unique_ptr<SqlRows> rows;
    bool isAtEnd = true;
};

constexpr int kGroupedByName = 1; // value of idxNum
constexpr double kStartUp = 20;   // cost of starting a pass, in rows

// Exceptions must not propagate into C code; an out-of-memory exception is converted to a result code.
template<class Body>
int guarded(const Body& body)
{
    try {
        return body();
    } catch (const std::bad_alloc&) {
        return SQLITE_NOMEM;
    }
}

int connectTable(sqlite3* database, void* aux, int, const char* const*, sqlite3_vtab** out, char**)
{
    return guarded([&] {
        const TableModule& module = *static_cast<const TableModule*>(aux);
        std::string declaration = "CREATE TABLE t(";
        for (const SqlColumn& column : module.table->columns) {
            if (&column != module.table->columns.data()) declaration += ", ";
            declaration += '"' + std::string(column.name) + "\" " + std::string(sqlTypeName(column.type));
        }
        const int code = sqlite3_declare_vtab(database, (declaration + ")").c_str());
        if (code == SQLITE_OK) *out = new ConnectedTable(module);
        return code;
    });
}

int disconnectTable(sqlite3_vtab* table)
{
    delete static_cast<ConnectedTable*>(table);
    return SQLITE_OK;
}

std::optional<SqlOperator> operatorOf(unsigned char op)
{
    switch (op) {
    case SQLITE_INDEX_CONSTRAINT_EQ:
        return SqlOperator::equal;
    case SQLITE_INDEX_CONSTRAINT_LT:
        return SqlOperator::less;
    case SQLITE_INDEX_CONSTRAINT_LE:
        return SqlOperator::atMost;
    case SQLITE_INDEX_CONSTRAINT_GT:
        return SqlOperator::greater;
    case SQLITE_INDEX_CONSTRAINT_GE:
        return SqlOperator::atLeast;
    default:
        return std::nullopt;
    }
}

// Estimates how many rows a pass examines and returns if one more condition is added.
void estimate(const TableModule& module, SqlKey key, SqlOperator op, double& examined, double& returned)
{
    const SqlScene& scene = *module.scene;
    const auto part = [](size_t count) { return 1.0 / static_cast<double>(std::max<size_t>(1, count)); };
    const bool isEqual = op == SqlOperator::equal;
    double left = isEqual ? 0.1 : 0.3; // fraction of the rows that match
    switch (key) {
    case SqlKey::id:
    case SqlKey::cause:
    case SqlKey::effect:
        if (isEqual) {
            examined = returned = key == SqlKey::id ? 1 : 2;
            return;
        }
        break;
    case SqlKey::report:
    case SqlKey::rank:
        if (isEqual) left = part(scene.shown().size());
        break;
    case SqlKey::track:
        if (isEqual) left = part(scene.tracks().size());
        break;
    case SqlKey::name:
        if (isEqual) returned *= 0.02; // otherwise all rows are examined
        return;
    case SqlKey::start:
    case SqlKey::end:
    case SqlKey::none:
        break;
    }
    examined *= left;
    returned *= left;
}

// Chooses the conditions that are passed down: keys and operators as letters in idxStr, values as arguments
// to xFilter.
int planPass(sqlite3_vtab* table, sqlite3_index_info* info)
{
    return guarded([&] {
        const TableModule& module = static_cast<ConnectedTable*>(table)->module;
        std::string plan;
        double examined = std::max(1.0, module.table->rowCount(*module.scene)), returned = examined;
        for (int i = 0; i < info->nConstraint; ++i) {
            const auto& constraint = info->aConstraint[i];
            const auto op = operatorOf(constraint.op);
            if (!constraint.usable || !op || constraint.iColumn < 0) continue;
            const SqlColumn& column = module.table->columns[static_cast<size_t>(constraint.iColumn)];
            if (column.key == SqlKey::none) continue;
            const bool isText = column.type == SqlType::text;
            if (isText &&
                (*op != SqlOperator::equal || std::strcmp(sqlite3_vtab_collation(info, i), "BINARY") != 0))
                continue;
            plan += static_cast<char>('a' + static_cast<int>(column.key));
            plan += static_cast<char>('0' + static_cast<int>(*op));
            info->aConstraintUsage[i].argvIndex = static_cast<int>(plan.size() / 2);
            estimate(module, column.key, *op, examined, returned);
        }
        if (info->nOrderBy == 1 && info->aOrderBy[0].desc == 0 && info->aOrderBy[0].iColumn >= 0 &&
            module.table->columns[static_cast<size_t>(info->aOrderBy[0].iColumn)].key == SqlKey::name &&
            examined <= module.table->mostGrouped) {
            info->idxNum = kGroupedByName;
            info->orderByConsumed = 1;
            examined *= 3;
        }
        info->estimatedCost = kStartUp + examined;
        info->estimatedRows = static_cast<sqlite3_int64>(std::max(1.0, returned));
        info->idxStr = sqlite3_mprintf("%s", plan.c_str());
        info->needToFreeIdxStr = 1;
        return info->idxStr == nullptr ? SQLITE_NOMEM : SQLITE_OK;
    });
}

int openCursor(sqlite3_vtab*, sqlite3_vtab_cursor** out)
{
    return guarded([&] {
        *out = new Cursor();
        return SQLITE_OK;
    });
}

int closeCursor(sqlite3_vtab_cursor* cursor)
{
    delete static_cast<Cursor*>(cursor);
    return SQLITE_OK;
}

// Advances a pass. A canceled pass ends early and must not look complete.
int step(Cursor& cursor)
{
    return guarded([&] {
        cursor.isAtEnd = !cursor.rows->next();
        const bool isStopped =
            cursor.isAtEnd && static_cast<ConnectedTable*>(cursor.pVtab)->module.progress->isCanceled();
        return isStopped ? SQLITE_INTERRUPT : SQLITE_OK;
    });
}

SqlValue valueOf(sqlite3_value* value)
{
    switch (sqlite3_value_type(value)) {
    case SQLITE_INTEGER:
        return SqlValue::of(int64_t(sqlite3_value_int64(value)));
    case SQLITE_FLOAT:
        return SqlValue::ofReal(sqlite3_value_double(value));
    case SQLITE_TEXT: {
        const auto* const text = reinterpret_cast<const char*>(sqlite3_value_text(value));
        return SqlValue::of(std::string_view(text, static_cast<size_t>(sqlite3_value_bytes(value))));
    }
    default:
        return SqlValue::none();
    }
}

int filterRows(sqlite3_vtab_cursor* base, int grouped, const char* plan, int count, sqlite3_value** values)
{
    return guarded([&] {
        Cursor& cursor = *static_cast<Cursor*>(base);
        const TableModule& module = static_cast<ConnectedTable*>(base->pVtab)->module;
        std::vector<SqlCondition> conditions;
        cursor.isAtEnd = true;
        for (int i = 0; i < count; ++i) {
            const SqlValue value = valueOf(values[i]);
            if (value.type == SqlType::null && sqlite3_value_type(values[i]) == SQLITE_NULL)
                return SQLITE_OK; // comparisons with NULL are never true
            conditions.push_back({static_cast<SqlKey>(plan[2 * i] - 'a'),
                                  static_cast<SqlOperator>(plan[2 * i + 1] - '0'), value});
        }
        cursor.rows = module.table->open(*module.table, *module.scene, conditions, grouped == kGroupedByName,
                                         *module.progress);
        return step(cursor);
    });
}

int nextRow(sqlite3_vtab_cursor* base)
{
    return step(*static_cast<Cursor*>(base));
}

int isAtEnd(sqlite3_vtab_cursor* base)
{
    return static_cast<Cursor*>(base)->isAtEnd ? 1 : 0;
}

// SQLITE_STATIC: SQLite need not copy the strings, because the scene outlives the query.
int columnValue(sqlite3_vtab_cursor* base, sqlite3_context* context, int position)
{
    const Cursor& cursor = *static_cast<Cursor*>(base);
    const SqlTable& table = *static_cast<ConnectedTable*>(base->pVtab)->module.table;
    const SqlValue value = cursor.rows->value(table.columns[static_cast<size_t>(position)]);
    switch (value.type) {
    case SqlType::null:
        sqlite3_result_null(context);
        break;
    case SqlType::integer:
        sqlite3_result_int64(context, value.integer);
        break;
    case SqlType::real:
        sqlite3_result_double(context, value.real);
        break;
    case SqlType::text:
        sqlite3_result_text64(context, value.text.data(), value.text.size(), SQLITE_STATIC, SQLITE_UTF8);
        break;
    }
    return SQLITE_OK;
}

int rowIdOf(sqlite3_vtab_cursor* base, sqlite3_int64* id)
{
    *id = static_cast<Cursor*>(base)->rows->rowId();
    return SQLITE_OK;
}

// Without xCreate the tables are eponymous-only, i.e. they exist by name and cannot be created.
constexpr sqlite3_module kModule = [] {
    sqlite3_module module = {};
    module.xConnect = connectTable;
    module.xBestIndex = planPass;
    module.xDisconnect = disconnectTable;
    module.xOpen = openCursor;
    module.xClose = closeCursor;
    module.xFilter = filterRows;
    module.xNext = nextRow;
    module.xEof = isAtEnd;
    module.xColumn = columnValue;
    module.xRowid = rowIdOf;
    return module;
}();

} // namespace

int addVirtualTables(sqlite3* database, const SqlScene& scene, const Progress& progress)
{
    for (const SqlTable& table : sqlTables()) {
        const int code = sqlite3_create_module_v2(
            database, std::string(table.name).c_str(), &kModule, new TableModule{&table, &scene, &progress},
            [](void* module) { delete static_cast<TableModule*>(module); });
        if (code != SQLITE_OK) return code;
    }
    // Connects all tables now, because a table declares itself with CREATE, which the read-only authorizer
    // would reject later.
    for (const SqlTable& table : sqlTables()) {
        const std::string any = "SELECT 1 FROM \"" + std::string(table.name) + "\" LIMIT 0";
        const int code = sqlite3_exec(database, any.c_str(), nullptr, nullptr, nullptr);
        if (code != SQLITE_OK) return code;
    }
    return SQLITE_OK;
}

} // namespace lockstep
