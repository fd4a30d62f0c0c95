// SPDX-License-Identifier: Apache-2.0
#include "core/sql/sql_query.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/table.h"
#include "core/base/sqlite_database.h"
#include "core/base/string_pool.h"
#include "core/sql/sql_scene.h"
#include "core/sql/virtual_table.h"

namespace lockstep {

namespace {

// ResultColumns collects the cells of a query result. SQLite types individual cells but tables type whole
// columns, so the column types are chosen at the end. Filled row by row and then converted to a Table.
// Thread: one.
class ResultColumns {
  public:
    // origins: for each result column, the table column that it comes from; nullptr for a computed column.
    ResultColumns(std::vector<std::string> names, std::vector<const SqlColumn*> origins);

    // Adds a cell to the current row. endRow() ends the row.
    void add(size_t column, const SqlValue& value);
    void endRow() { ++m_rows; }

    uint64_t rowCount() const { return m_rows; }
    uint64_t bytes() const;
    // Returns the table. sliceColumn: the column that contains slice IDs; names.size() if there is none.
    Table table(std::string name, std::string title, size_t sliceColumn, const SqlScene& scene) const;

  private:
    struct Cells {
        std::vector<SqlType> types;
        std::vector<int64_t> bits; // integer, bit pattern of the real, or ID of the string
    };
    TableColumn described(size_t column) const;
    std::string textOf(size_t column, size_t row) const;

    std::vector<std::string> m_names;
    std::vector<const SqlColumn*> m_origins;
    std::vector<Cells> m_cells;
    StringPool m_texts;
    uint64_t m_rows = 0;
};

constexpr int kMaxDecimals = 9;
constexpr double kMaxScaled = 9e18; // upper bound of an int64

double realOf(int64_t bits)
{
    return std::bit_cast<double>(bits);
}

// Returns the shortest string that parses back to the same number.
std::string realText(double value)
{
    std::array<char, 64> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
    return {text.data(), end};
}

// Returns the number of decimals that the value needs, at most kMaxDecimals.
int decimalsOf(double value)
{
    std::array<char, 400> text{};
    const auto end =
        std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed).ptr;
    const std::string_view digits(text.data(), static_cast<size_t>(end - text.data()));
    const size_t point = digits.find('.');
    return point == digits.npos ? 0 : std::min(kMaxDecimals, static_cast<int>(digits.size() - point - 1));
}

double powerOfTen(int exponent)
{
    double power = 1;
    for (int i = 0; i < exponent; ++i)
        power *= 10;
    return power;
}

ResultColumns::ResultColumns(std::vector<std::string> names, std::vector<const SqlColumn*> origins)
    : m_names(std::move(names)), m_origins(std::move(origins)), m_cells(m_names.size())
{
    // JSON rows use the column names as keys, so these must be unique.
    for (size_t i = 0; i < m_names.size(); ++i) {
        const std::string plain = m_names[i];
        const auto isTaken = [&] {
            return std::find(m_names.begin(), m_names.begin() + std::ptrdiff_t(i), m_names[i]) !=
                   m_names.begin() + std::ptrdiff_t(i);
        };
        for (int n = 2; isTaken(); ++n)
            m_names[i] = plain + "_" + std::to_string(n);
    }
}

void ResultColumns::add(size_t column, const SqlValue& value)
{
    Cells& cells = m_cells[column];
    cells.types.push_back(value.type);
    cells.bits.push_back(value.type == SqlType::integer ? value.integer
                         : value.type == SqlType::real  ? std::bit_cast<int64_t>(value.real)
                         : value.type == SqlType::text  ? int64_t(m_texts.intern(value.text).value)
                                                        : 0);
}

uint64_t ResultColumns::bytes() const
{
    return m_rows * m_cells.size() * 9 + m_texts.residentBytes();
}

// Determines the type of a column from its cells. The type is text if the cells have different types, or if a
// number cannot be written with a fixed number of decimal places.
TableColumn ResultColumns::described(size_t column) const
{
    const Cells& cells = m_cells[column];
    TableColumn out{m_names[column], "", ColumnType::integer, 0, "computed by the query"};
    if (const SqlColumn* const origin = m_origins[column]; origin != nullptr) {
        out.doc = origin->doc;
        out.meaning = origin->meaning;
    }
    bool hasReal = false, hasText = cells.types.empty();
    double largest = 0;
    for (size_t row = 0; row < cells.types.size(); ++row) {
        const SqlType type = cells.types[row];
        hasText |= type == SqlType::text || (type == SqlType::integer && cells.bits[row] == kNoNumber);
        if (type == SqlType::integer)
            largest = std::max(largest, std::abs(static_cast<double>(cells.bits[row])));
        if (type != SqlType::real) continue;
        hasReal = true;
        const double value = realOf(cells.bits[row]);
        hasText |= !std::isfinite(value) || (value != 0 && std::abs(value) < 1e-6);
        if (hasText) break;
        largest = std::max(largest, std::abs(value));
        out.decimals = std::max(out.decimals, decimalsOf(value));
    }
    while (hasReal && out.decimals > 0 && largest * powerOfTen(out.decimals) > kMaxScaled)
        --out.decimals;
    if (hasText || (hasReal && largest > kMaxScaled)) {
        out.type = ColumnType::text;
        out.decimals = 0;
        return out;
    }
    if (hasReal) out.type = ColumnType::real;
    if (out.name.ends_with("_ns") && out.name.size() > 3) {
        out.type = ColumnType::time;
        out.unit = "ns";
        out.name.resize(out.name.size() - 3);
    }
    return out;
}

std::string ResultColumns::textOf(size_t column, size_t row) const
{
    const int64_t bits = m_cells[column].bits[row];
    switch (m_cells[column].types[row]) {
    case SqlType::null:
        return {};
    case SqlType::integer:
        return std::to_string(bits);
    case SqlType::real:
        return realText(realOf(bits));
    case SqlType::text:
        return std::string(m_texts.at(StringId(static_cast<uint32_t>(bits))));
    }
    return {};
}

Table ResultColumns::table(std::string name, std::string title, size_t sliceColumn,
                           const SqlScene& scene) const
{
    Table table(std::move(name), std::move(title));
    table.headerStyle = HeaderStyle::query;
    for (size_t i = 0; i < m_cells.size(); ++i)
        table.addColumn(described(i));
    for (size_t row = 0; row < m_rows; ++row) {
        const bool leads =
            sliceColumn < m_cells.size() && m_cells[sliceColumn].types[row] == SqlType::integer;
        table.addRow(leads ? scene.sliceOf(m_cells[sliceColumn].bits[row]) : SliceRef{});
        for (size_t i = 0; i < m_cells.size(); ++i) {
            const TableColumn& column = table.column(i);
            const int64_t bits = m_cells[i].bits[row];
            if (column.type == ColumnType::text) {
                table.setText(i, textOf(i, row));
            } else if (m_cells[i].types[row] != SqlType::null) {
                const double scale = powerOfTen(column.decimals);
                table.setNumber(i, m_cells[i].types[row] == SqlType::real
                                       ? static_cast<int64_t>(std::llround(realOf(bits) * scale))
                                       : bits * static_cast<int64_t>(scale));
            }
        }
    }
    return table;
}

constexpr int kStepsBetweenChecks = 10'000; // number of SQLite VM steps between two cancellation checks
constexpr uint64_t kRowsBetweenChecks = 256;

// Allows only reading, and no function that accesses files or extensions.
int authorize(void*, int action, const char* first, const char* second, const char*, const char*)
{
    static constexpr std::array<std::string_view, 4> kRefused{"load_extension", "fts3_tokenizer", "readfile",
                                                              "writefile"};
    static_cast<void>(first);
    switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_RECURSIVE:
        return SQLITE_OK;
    case SQLITE_FUNCTION:
        return second != nullptr && std::ranges::find(kRefused, std::string_view(second)) == kRefused.end()
                   ? SQLITE_OK
                   : SQLITE_DENY;
    default:
        return SQLITE_DENY;
    }
}

void setLimits(sqlite3* database)
{
    static constexpr std::array<std::pair<int, int>, 9> kLimits{{{SQLITE_LIMIT_LENGTH, 64 << 20},
                                                                 {SQLITE_LIMIT_SQL_LENGTH, 1 << 20},
                                                                 {SQLITE_LIMIT_COLUMN, 500},
                                                                 {SQLITE_LIMIT_EXPR_DEPTH, 200},
                                                                 {SQLITE_LIMIT_COMPOUND_SELECT, 100},
                                                                 {SQLITE_LIMIT_VDBE_OP, 1'000'000},
                                                                 {SQLITE_LIMIT_ATTACHED, 0},
                                                                 {SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1'000},
                                                                 {SQLITE_LIMIT_TRIGGER_DEPTH, 0}}};
    for (const auto& [limit, value] : kLimits)
        sqlite3_limit(database, limit, value);
    sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, nullptr);
    sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    sqlite3_db_config(database, SQLITE_DBCONFIG_DQS_DML, 0, nullptr);
    sqlite3_db_config(database, SQLITE_DBCONFIG_DQS_DDL, 0, nullptr);
}

int isStopped(void* progress)
{
    return static_cast<const Progress*>(progress)->isCanceled() ? 1 : 0;
}

std::string tableNames()
{
    std::string names;
    for (const SqlTable& table : sqlTables())
        names += (names.empty() ? "" : ", ") + std::string(table.name);
    return names;
}

// Returns the position of the error, "line 2, column 7: ", or an empty string if SQLite does not report the
// position.
std::string placeOf(std::string_view text, size_t statementAt, int offset)
{
    if (offset < 0) return {};
    const std::string_view before =
        text.substr(0, std::min(text.size(), statementAt + static_cast<size_t>(offset)));
    const auto lines = std::ranges::count(before, '\n');
    const size_t begin = before.rfind('\n') == before.npos ? 0 : before.rfind('\n') + 1;
    return "line " + std::to_string(lines + 1) + ", column " + std::to_string(before.size() - begin + 1) +
           ": ";
}

Error errorOf(sqlite3* database, int code, std::string_view text, size_t statementAt)
{
    if (code == SQLITE_INTERRUPT) return {ErrorKind::canceled, "canceled"};
    const std::string reason = sqlite3_errmsg(database);
    std::string message = "query: " + placeOf(text, statementAt, sqlite3_error_offset(database)) + reason;
    const bool isNotAuthorized = code == SQLITE_AUTH || reason.ends_with("may not be modified");
    if (isNotAuthorized) message += "; only SELECT, WITH and VALUES are allowed";
    if (reason.starts_with("no such table")) message += "; available tables: " + tableNames();
    if (reason.starts_with("no such column"))
        message += "; see --sql-schema or the table list of the SQL panel";
    return {code == SQLITE_NOMEM || code == SQLITE_FULL || code == SQLITE_IOERR ? ErrorKind::io
                                                                                : ErrorKind::invalid,
            std::move(message), isNotAuthorized ? HelpTopic::sql : HelpTopic::none};
}

// The table and the column that a result column comes from; both empty for a computed column.
using ColumnOrigin = std::array<std::string_view, 2>;

ColumnOrigin originOf(sqlite3_stmt* statement, int column)
{
    const char* const table = sqlite3_column_table_name(statement, column);
    const char* const origin = sqlite3_column_origin_name(statement, column);
    return table == nullptr || origin == nullptr ? ColumnOrigin{} : ColumnOrigin{table, origin};
}

// Returns the first column that contains slice IDs, according to SQLite's column origins.
size_t sliceColumnOf(sqlite3_stmt* statement)
{
    static constexpr std::array<ColumnOrigin, 9> kIds{{{"slice", "id"},
                                                       {"kernel", "id"},
                                                       {"memcpy", "id"},
                                                       {"range", "id"},
                                                       {"api", "id"},
                                                       {"collective", "slice"},
                                                       {"step", "slice"},
                                                       {"link", "effect"},
                                                       {"link", "cause"}}};
    const int count = sqlite3_column_count(statement);
    for (int i = 0; i < count; ++i) {
        if (std::ranges::find(kIds, originOf(statement, i)) != kIds.end()) return static_cast<size_t>(i);
    }
    return static_cast<size_t>(count);
}

SqlValue cellOf(sqlite3_stmt* statement, int column, std::string& hex)
{
    switch (sqlite3_column_type(statement, column)) {
    case SQLITE_INTEGER:
        return SqlValue::of(int64_t(sqlite3_column_int64(statement, column)));
    case SQLITE_FLOAT:
        return SqlValue::ofReal(sqlite3_column_double(statement, column));
    case SQLITE_TEXT: {
        const auto* const text = reinterpret_cast<const char*>(sqlite3_column_text(statement, column));
        return SqlValue::of(
            std::string_view(text, static_cast<size_t>(sqlite3_column_bytes(statement, column))));
    }
    case SQLITE_BLOB: {
        static constexpr std::string_view kDigits = "0123456789abcdef";
        const auto* const bytes = static_cast<const unsigned char*>(sqlite3_column_blob(statement, column));
        hex = "x'";
        for (int i = 0; i < sqlite3_column_bytes(statement, column); ++i)
            hex += {kDigits[bytes[i] >> 4], kDigits[bytes[i] & 15]};
        return SqlValue::of(std::string_view(hex += '\''));
    }
    default:
        return SqlValue::none();
    }
}

struct QueryResult {
    ResultColumns columns;
    bool isCut = false; // there are more rows than the limit
};

Result<QueryResult> resultOf(sqlite3* database, sqlite3_stmt* statement, std::string_view text,
                             size_t statementAt, const SqlLimits& limits)
{
    std::vector<std::string> names;
    std::vector<const SqlColumn*> origins;
    for (int i = 0; i < sqlite3_column_count(statement); ++i) {
        names.emplace_back(sqlite3_column_name(statement, i));
        const auto [table, column] = originOf(statement, i);
        origins.push_back(findSqlColumn(table, column));
    }
    QueryResult result{ResultColumns(std::move(names), std::move(origins))};
    std::string hex;
    int code = SQLITE_ROW;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
        if (limits.rows > 0 && result.columns.rowCount() == limits.rows) {
            result.isCut = true;
            return result;
        }
        for (int i = 0; i < sqlite3_column_count(statement); ++i)
            result.columns.add(static_cast<size_t>(i), cellOf(statement, i, hex));
        result.columns.endRow();
        if (result.columns.rowCount() % kRowsBetweenChecks == 0 &&
            result.columns.bytes() > limits.result_bytes) {
            return makeError(ErrorKind::invalid, "query: the result exceeds its memory limit after " +
                                                     std::to_string(result.columns.rowCount()) +
                                                     " rows; group the rows or add LIMIT");
        }
    }
    if (code != SQLITE_DONE) return tl::make_unexpected(errorOf(database, code, text, statementAt));
    return result;
}

Table described(QueryResult result, size_t number, std::string_view statement, size_t sliceColumn,
                const SqlScene& scene, const SqlLimits& limits)
{
    const std::string name = number == 1 ? "sql" : "sql_" + std::to_string(number);
    Table table = result.columns.table(name, "Query result", sliceColumn, scene);
    std::string query(statement);
    std::ranges::replace(query, '\n', ' ');
    table.source.rows = "rows returned by the query";
    table.source.rules.push_back("query: " + query);
    table.source.rules.push_back(
        "times in the tables are on the aligned axis; duration_ns is on each report's own clock; sums "
        "are computed as written in the query and include overlaps");
    if (result.isCut)
        table.source.rules.push_back("truncated after " + std::to_string(limits.rows) +
                                     " rows; the query has more");
    return table;
}

} // namespace

Result<std::vector<Table>> runQuery(std::string_view text, const ScenePtr& scene, const SqlLimits& limits,
                                    const Progress& progress)
{
    const SqlScene read(scene);
    const SqliteDatabase database = LOCKSTEP_TRY(SqliteDatabase::inMemory());
    sqlite3* const opened = database.handle();
    if (addVirtualTables(opened, read, progress) != SQLITE_OK)
        return makeError(ErrorKind::io, "query: out of memory");
    setLimits(opened);
    sqlite3_set_authorizer(opened, authorize, nullptr);
    sqlite3_progress_handler(opened, kStepsBetweenChecks, isStopped, const_cast<Progress*>(&progress));
    std::vector<Table> tables;
    const std::string owned(text); // SQLite stops at a NUL
    if (owned.find('\0') != owned.npos) return makeError(ErrorKind::invalid, "query: contains a NUL byte");
    for (const char* at = owned.c_str(); *at != '\0';) {
        const auto place = static_cast<size_t>(at - owned.c_str());
        sqlite3_stmt* prepared = nullptr;
        const char* tail = nullptr;
        const int done = sqlite3_prepare_v2(opened, at, -1, &prepared, &tail);
        const SqliteStatement statement(prepared);
        if (done != SQLITE_OK) return tl::make_unexpected(errorOf(opened, done, owned, place));
        const std::string_view sql(at, static_cast<size_t>(tail - at));
        at = tail;
        if (prepared == nullptr) continue; // the statement is a comment or blank
        LOCKSTEP_TRY(progress.check());
        if (sqlite3_column_count(prepared) == 0 || sqlite3_stmt_readonly(prepared) == 0)
            return makeError(ErrorKind::invalid, "query: only SELECT, WITH and VALUES are allowed",
                             HelpTopic::sql);
        QueryResult result = LOCKSTEP_TRY(resultOf(opened, prepared, owned, place, limits));
        tables.push_back(
            described(std::move(result), tables.size() + 1, sql, sliceColumnOf(prepared), read, limits));
    }
    if (tables.empty()) return makeError(ErrorKind::invalid, "query: empty; write a SELECT");
    return tables;
}

} // namespace lockstep
