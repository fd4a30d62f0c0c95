// SPDX-License-Identifier: Apache-2.0
// SqliteDatabase and SqliteQuery: one read-only connection and one statement on it, over sqlite3, with Result
// instead of codes. Used by the readers of SQLite-based reports; each belongs to one thread at a time.
// Nothing is ever written to or beside the file.
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

// A prepared SELECT. Columns are numbered from 0; a column of another type is converted as SQLite does it.
class SqliteQuery {
  public:
    // True while a row stands ready to be read, false after the last one. corrupt or io.
    Result<bool> step();
    // Back to before the first row; parameters keep what they were bound to.
    void restart() { sqlite3_reset(m_statement.get()); }
    // Parameters are numbered from 1.
    void bind(int parameter, int64_t value) { sqlite3_bind_int64(m_statement.get(), parameter, value); }

    // 0 for NULL.
    int64_t integer(int column) const { return sqlite3_column_int64(m_statement.get(), column); }
    // Empty for NULL and for text that is no number. Cheaper than a type test for all values but 0.
    std::optional<int64_t> optionalInteger(int column) const
    {
        const int64_t value = integer(column);
        if (value == 0 && sqlite3_column_type(m_statement.get(), column) != SQLITE_INTEGER)
            return std::nullopt;
        return value;
    }
    double real(int column) const { return sqlite3_column_double(m_statement.get(), column); }
    // "" for NULL. Bytes as stored, not checked to be UTF-8. Valid until the next step().
    std::string_view text(int column) const;
    // SQLITE_INTEGER, SQLITE_FLOAT, SQLITE_TEXT, SQLITE_BLOB or SQLITE_NULL. Call it before a conversion.
    int type(int column) const { return sqlite3_column_type(m_statement.get(), column); }
    int columnCount() const { return sqlite3_column_count(m_statement.get()); }
    std::string_view columnName(int column) const { return sqlite3_column_name(m_statement.get(), column); }

  private:
    friend class SqliteDatabase;
    struct Finalize {
        void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
    };

    std::unique_ptr<sqlite3_stmt, Finalize> m_statement;
    std::string m_file;
};

class SqliteDatabase {
  public:
    // Opens read-only. Without a -wal or -journal beside it the file is taken as unchanging, so that it can
    // lie on a read-only disk and no lock is taken. Rows in a write-ahead log are read too, without the file
    // "-shm" that SQLite would create or use for that: its index of the log is built on the heap. A writer is
    // neither seen nor disturbed; hasChanged() reports one. A file cut short is opened as far as it goes: see
    // missingBytes(). notFound, io (locked by a writer, unreadable), corrupt (no SQLite file, or its first
    // page is gone).
    static Result<SqliteDatabase> open(const std::filesystem::path& path);

    // Prepares one statement. corrupt when a table or column it names is not there or the schema cannot be
    // read.
    Result<SqliteQuery> query(std::string_view sql) const;
    // How much shorter the file is than its header says; 0 for a whole one.
    uint64_t missingBytes() const { return m_missing_bytes; }
    // Whether another program wrote the file or its log since it was opened: what was read meanwhile may not
    // fit together.
    bool hasChanged() const;

  private:
    struct Close {
        void operator()(sqlite3* database) const { sqlite3_close_v2(database); }
    };
    using Handle = std::unique_ptr<sqlite3, Close>;
    static Result<Handle> connect(const std::filesystem::path& path, std::string_view parameter);

    Handle m_database;
    std::string m_file;
    std::string m_state; // of the file and its log when they were opened
    uint64_t m_missing_bytes = 0;
};

// A file name as an SQLite URI that opens it read-only. parameter: one more, "immutable=1", or empty.
std::string sqliteUri(const std::filesystem::path& path, std::string_view parameter);

// Whether a writer left a log beside the file ("-wal", "-journal"): then the file alone is not the whole
// database.
bool hasLogBeside(const std::filesystem::path& path);
// "name" quoted for SQL, inner quotes doubled.
std::string quotedName(std::string_view name);

} // namespace lockstep
