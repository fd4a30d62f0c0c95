// SPDX-License-Identifier: Apache-2.0
#include "core/readers/workspace_file/workspace_database.h"

#include <deque>
#include <limits>

#include <sqlite3.h>

#include "core/readers/nsys_sqlite/sqlite_database.h"

namespace lockstep {

namespace {

constexpr int kLargestBlob_bytes = 1'000'000'000; // SQLite's own default value

std::string blobAt(sqlite3_stmt* statement, int column)
{
    const auto* const bytes = static_cast<const char*>(sqlite3_column_blob(statement, column));
    const auto size = static_cast<size_t>(sqlite3_column_bytes(statement, column));
    return bytes == nullptr ? std::string() : std::string(bytes, size);
}

template<class Number>
Number numberAt(sqlite3_stmt* statement, int column)
{
    const int64_t value = sqlite3_column_int64(statement, column);
    // A value that does not fit becomes the largest value, which every check rejects.
    if (value < 0 || static_cast<uint64_t>(value) > std::numeric_limits<Number>::max()) {
        return std::numeric_limits<Number>::max();
    }
    return static_cast<Number>(value);
}

} // namespace

void WorkspaceDatabase::Close::operator()(sqlite3* database) const
{
    sqlite3_close_v2(database);
}

void WorkspaceDatabase::Finalize::operator()(sqlite3_stmt* statement) const
{
    sqlite3_finalize(statement);
}

tl::unexpected<Error> WorkspaceDatabase::failure()
{
    const int code = m_database ? sqlite3_errcode(m_database.get()) : SQLITE_NOMEM;
    const bool isBroken = code == SQLITE_CORRUPT || code == SQLITE_NOTADB || code == SQLITE_ERROR;
    return makeError(isBroken ? ErrorKind::corrupt : ErrorKind::io,
                     m_database ? sqlite3_errmsg(m_database.get()) : "not enough memory for a database");
}

Result<WorkspaceDatabase> WorkspaceDatabase::open(const std::string& path)
{
    WorkspaceDatabase out;
    sqlite3* raw = nullptr;
    // The database is opened as immutable, so that nothing is created next to a file that claims to have a
    // write-ahead log.
    const int opened = sqlite3_open_v2(sqliteUri(path, "immutable=1").c_str(), &raw,
                                       SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, nullptr);
    out.m_database.reset(raw);
    if (opened != SQLITE_OK) return out.failure();
    LOCKSTEP_TRY(out.harden());
    return out;
}

Result<WorkspaceDatabase> WorkspaceDatabase::openBytes(std::string_view bytes)
{
    WorkspaceDatabase out;
    sqlite3* raw = nullptr;
    const int opened = sqlite3_open_v2(":memory:", &raw, SQLITE_OPEN_READWRITE, nullptr);
    out.m_database.reset(raw);
    if (opened != SQLITE_OK) return out.failure();
    auto* const data = reinterpret_cast<unsigned char*>(const_cast<char*>(bytes.data()));
    const auto size = static_cast<sqlite3_int64>(bytes.size());
    if (sqlite3_deserialize(raw, "main", data, size, size, SQLITE_DESERIALIZE_READONLY) != SQLITE_OK) {
        return out.failure();
    }
    LOCKSTEP_TRY(out.harden());
    return out;
}

// A file may come from an untrusted source. Disables views and triggers, and requires that the expected names
// belong to tables.
Status WorkspaceDatabase::harden()
{
    sqlite3* const database = m_database.get();
    sqlite3_limit(database, SQLITE_LIMIT_LENGTH, kLargestBlob_bytes);
    sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
    sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
    sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    LOCKSTEP_TRY(execute("PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0"));
    if (LOCKSTEP_TRY(number("PRAGMA application_id")) != kWorkspaceMagic) {
        return makeError(ErrorKind::unsupported, "an SQLite database, but not a Lockstep workspace");
    }
    const int64_t tables =
        LOCKSTEP_TRY(number("SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND "
                            "name IN ('report', 'chunk', 'section') AND sql LIKE 'CREATE TABLE %'"));
    if (tables != 3) return makeError(ErrorKind::corrupt, "the workspace tables are missing");
    return {};
}

Status WorkspaceDatabase::execute(const char* sql)
{
    if (sqlite3_exec(m_database.get(), sql, nullptr, nullptr, nullptr) != SQLITE_OK) return failure();
    return {};
}

Result<WorkspaceDatabase::Statement> WorkspaceDatabase::prepare(const char* sql)
{
    sqlite3_stmt* raw = nullptr;
    if (sqlite3_prepare_v2(m_database.get(), sql, -1, &raw, nullptr) != SQLITE_OK) return failure();
    return Statement(raw);
}

Result<bool> WorkspaceDatabase::step(sqlite3_stmt* statement)
{
    const int state = sqlite3_step(statement);
    if (state == SQLITE_ROW) return true;
    if (state == SQLITE_DONE) return false;
    return failure();
}

Result<int64_t> WorkspaceDatabase::number(const char* sql)
{
    const Statement statement = LOCKSTEP_TRY(prepare(sql));
    if (!LOCKSTEP_TRY(step(statement.get()))) return 0;
    return sqlite3_column_int64(statement.get(), 0);
}

Result<int> WorkspaceDatabase::format()
{
    return static_cast<int>(LOCKSTEP_TRY(number("PRAGMA user_version")));
}

Result<int64_t> WorkspaceDatabase::reportCount()
{
    return number("SELECT count(*) FROM report");
}

Result<StoredReport> WorkspaceDatabase::report(int64_t report, const Progress& progress)
{
    StoredReport out;
    out.format = 1;
    const auto bodies = std::make_shared<std::deque<std::string>>();
    out.keeper = bodies;
    const Statement header = LOCKSTEP_TRY(prepare("SELECT header FROM report WHERE id = ?"));
    sqlite3_bind_int64(header.get(), 1, report);
    if (!LOCKSTEP_TRY(step(header.get()))) return makeError(ErrorKind::corrupt, "a report is missing");
    out.header = bodies->emplace_back(blobAt(header.get(), 0));
    const Statement chunks =
        LOCKSTEP_TRY(prepare("SELECT \"column\", part, rows, coding, width, body FROM chunk "
                             "WHERE report = ? ORDER BY id"));
    sqlite3_bind_int64(chunks.get(), 1, report);
    while (LOCKSTEP_TRY(step(chunks.get()))) {
        LOCKSTEP_TRY(progress.check());
        const std::string name = blobAt(chunks.get(), 0);
        const auto part = numberAt<uint32_t>(chunks.get(), 1);
        if (part == 0) out.columns.push_back({.name = name});
        if (out.columns.empty() || out.columns.back().name != name ||
            out.columns.back().chunks.size() != part) {
            return makeError(ErrorKind::corrupt, "chunks out of order");
        }
        ColumnChunk chunk;
        chunk.rows = numberAt<uint32_t>(chunks.get(), 2);
        chunk.coding = static_cast<ColumnCoding>(numberAt<uint8_t>(chunks.get(), 3));
        chunk.width = numberAt<uint8_t>(chunks.get(), 4);
        chunk.body = bodies->emplace_back(blobAt(chunks.get(), 5));
        if (chunk.rows > kChunkRows) return makeError(ErrorKind::corrupt, "a chunk has too many rows");
        out.columns.back().chunks.push_back(chunk);
        if (out.columns.back().chunks.back().rows == 0) out.columns.back().chunks.pop_back();
    }
    return out;
}

Result<std::map<std::string, std::string>> WorkspaceDatabase::sections()
{
    std::map<std::string, std::string> out;
    const Statement rows = LOCKSTEP_TRY(prepare("SELECT name, body FROM section"));
    while (LOCKSTEP_TRY(step(rows.get())))
        out[blobAt(rows.get(), 0)] = blobAt(rows.get(), 1);
    return out;
}

Result<uint64_t> WorkspaceDatabase::unpackedBytes()
{
    constexpr int kWidest = 8;
    const int64_t words = LOCKSTEP_TRY(number("SELECT total(abs(rows)) FROM chunk"));
    if (words < 0 || words > std::numeric_limits<int64_t>::max() / kWidest)
        return std::numeric_limits<uint64_t>::max();
    return static_cast<uint64_t>(words) * kWidest;
}

} // namespace lockstep
