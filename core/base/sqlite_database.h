// SPDX-License-Identifier: Apache-2.0
// SqliteDatabase and SqliteQuery: a connection and a statement on it, wrapping sqlite3 with Result instead of
// error codes; each belongs to one thread at a time. Files are opened read-only, and nothing is ever written
// to the file or to its folder.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <sqlite3.h>

#include "core/base/result.h"

namespace lockstep {

// The first bytes of every SQLite database.
inline constexpr std::string_view kSqliteMagic{"SQLite format 3\0", 16};

struct FinalizeSqlite {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using SqliteStatement = std::unique_ptr<sqlite3_stmt, FinalizeSqlite>;

// A prepared SELECT. Columns are zero-based; types are converted as in SQLite.
class SqliteQuery {
  public:
    // Advances to the next row. Returns true if a row is available, and false after the last row. Errors:
    // corrupt, io.
    Result<bool> step();
    // Resets to the position before the first row; parameters keep their bindings.
    void restart() { sqlite3_reset(m_statement.get()); }
    // Binds a value; parameters are one-based.
    void bind(int parameter, int64_t value) { sqlite3_bind_int64(m_statement.get(), parameter, value); }

    // Returns the value, 0 for NULL.
    int64_t integer(int column) const { return sqlite3_column_int64(m_statement.get(), column); }
    // Returns nullopt for NULL and for text that is not a number. Cheaper than a type test for all values
    // except 0.
    std::optional<int64_t> optionalInteger(int column) const
    {
        const int64_t value = integer(column);
        if (value == 0 && sqlite3_column_type(m_statement.get(), column) != SQLITE_INTEGER)
            return std::nullopt;
        return value;
    }
    double real(int column) const { return sqlite3_column_double(m_statement.get(), column); }
    // Returns "" for NULL. Returns the bytes as stored, without checking that they are UTF-8. Valid until the
    // next step().
    std::string_view text(int column) const;
    // Returns SQLITE_INTEGER, SQLITE_FLOAT, SQLITE_TEXT, SQLITE_BLOB or SQLITE_NULL. Call it before any
    // function that converts the value.
    int type(int column) const { return sqlite3_column_type(m_statement.get(), column); }
    int columnCount() const { return sqlite3_column_count(m_statement.get()); }
    std::string_view columnName(int column) const { return sqlite3_column_name(m_statement.get(), column); }

  private:
    friend class SqliteDatabase;
    SqliteStatement m_statement;
    std::string m_file;
};

class SqliteDatabase {
  public:
    // Opens a database read-only. If there is no -wal or -journal file, the database is treated as immutable.
    // It may then be on a read-only disk, and no lock is taken. Rows in a write-ahead log are also read, but
    // without the "-shm" file that SQLite would use, because the index of the log is built on the heap.
    // Writers are not blocked, and changes are detected only by hasChanged(). A truncated file is opened as
    // far as possible, see missingBytes(). Errors: notFound, io (locked by a writer, unreadable), corrupt
    // (not an SQLite file, or its first page is missing).
    static Result<SqliteDatabase> open(const std::filesystem::path& path);
    // Opens a file that another program may be using: takes no lock, and ignores a journal. The schema is not
    // read yet, so that a damaged file is reported by the first query. Errors: io, corrupt.
    static Result<SqliteDatabase> openImmutable(const std::filesystem::path& path);
    // Creates an empty database in memory, for virtual tables. Errors: io.
    static Result<SqliteDatabase> inMemory();

    // Returns the connection, for the functions of sqlite3 that have no counterpart here.
    sqlite3* handle() const { return m_database.get(); }
    // Prepares one statement. Returns corrupt if a table or column does not exist, or if the schema cannot be
    // read.
    Result<SqliteQuery> query(std::string_view sql) const;
    // Returns how much shorter the file is than its header states; 0 for a complete file.
    uint64_t missingBytes() const { return m_missing_bytes; }
    // Returns true if another program has written to the file or its log since this object opened it; the
    // data that was read may then be inconsistent.
    bool hasChanged() const;

  private:
    struct Close {
        void operator()(sqlite3* database) const { sqlite3_close_v2(database); }
    };
    using Handle = std::unique_ptr<sqlite3, Close>;
    static Result<Handle> connect(const std::filesystem::path& path, std::string_view parameter);

    Handle m_database;
    std::string m_file;
    std::string m_state; // state of the file and its log when opened
    uint64_t m_missing_bytes = 0;
};

// The part of a database file's first 100 bytes that shows whether the file is whole.
struct SqliteFileHeader {
    uint64_t expected_bytes = 0; // size of the complete file; 0 if the header does not state it
    bool isWriteAhead = false;   // opening the database in the normal way would create files next to it
};
// Returns nullopt if the first bytes of a file are not those of an SQLite database.
std::optional<SqliteFileHeader> sqliteFileHeader(std::string_view head);

// Returns true if a writer left a log next to the file ("-wal", "-journal"); the file alone is then
// incomplete.
bool hasJournalFile(const std::filesystem::path& path);
// Returns "name" quoted for SQL, with inner quotes escaped by doubling.
std::string quotedName(std::string_view name);

} // namespace lockstep
