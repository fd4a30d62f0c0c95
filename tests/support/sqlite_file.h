// SPDX-License-Identifier: Apache-2.0
// Creates databases from SQL text, and runs plain SQL on a file, as an independent check for reader tests.
#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include <sqlite3.h>

namespace lockstep::test {

// Creates (or adds to) the database at `path` by running `sql`. On failure returns false and prints the
// reason to standard error.
inline bool runSql(const std::filesystem::path& path, const std::string& sql)
{
    sqlite3* database = nullptr;
    char* message = nullptr;
    bool isDone = sqlite3_open(path.c_str(), &database) == SQLITE_OK;
    sqlite3_exec(database, "PRAGMA synchronous=OFF", nullptr, nullptr,
                 nullptr); // a test file need not survive a crash
    isDone = isDone && sqlite3_exec(database, sql.c_str(), nullptr, nullptr, &message) == SQLITE_OK;
    if (!isDone) std::fprintf(stderr, "%s\n", message != nullptr ? message : sqlite3_errmsg(database));
    sqlite3_free(message);
    sqlite3_close(database);
    return isDone;
}

// Returns the first column of the first row as an integer; empty if the statement cannot run (a missing
// table) or returns no row.
inline std::optional<int64_t> askSql(const std::filesystem::path& path, const std::string& sql)
{
    sqlite3* database = nullptr;
    sqlite3_stmt* statement = nullptr;
    std::optional<int64_t> answer;
    const std::string uri = "file:" + path.string() + "?immutable=1";
    if (sqlite3_open_v2(uri.c_str(), &database, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, nullptr) ==
            SQLITE_OK &&
        sqlite3_prepare_v2(database, sql.c_str(), -1, &statement, nullptr) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW) {
        answer = sqlite3_column_int64(statement, 0);
    }
    sqlite3_finalize(statement);
    sqlite3_close(database);
    return answer;
}

} // namespace lockstep::test
