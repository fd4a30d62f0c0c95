// SPDX-License-Identifier: Apache-2.0
// WorkspaceDatabase: a .lockstep file of format 1, which was an SQLite database. It has one function per
// query. Owns one SQLite connection; one thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/readers/workspace_file/stored_report.h"

struct sqlite3;
struct sqlite3_stmt;

namespace lockstep {

// PRAGMA application_id: "LkSt". Stored at byte 68 of the file, big-endian. Distinguishes a workspace of this
// format from other databases.
inline constexpr int64_t kWorkspaceMagic = 0x4C6B5374;

class WorkspaceDatabase {
  public:
    // Opens a database read-only. Returns corrupt if it is not a database, and unsupported if it belongs to
    // another program.
    static Result<WorkspaceDatabase> open(const std::string& path);
    // Opens a file in memory. `bytes` must outlive the object.
    static Result<WorkspaceDatabase> openBytes(std::string_view bytes);

    // Returns the format version of the file (PRAGMA user_version).
    Result<int> format();
    Result<int64_t> reportCount();
    Result<StoredReport> report(int64_t report, const Progress& progress);
    Result<std::map<std::string, std::string>> sections();
    // Returns the decompressed size of all columns, according to the file.
    Result<uint64_t> unpackedBytes();

  private:
    struct Close {
        void operator()(sqlite3* database) const;
    };
    struct Finalize {
        void operator()(sqlite3_stmt* statement) const;
    };
    using Statement = std::unique_ptr<sqlite3_stmt, Finalize>;

    WorkspaceDatabase() = default;
    Status harden();
    Status execute(const char* sql);
    Result<Statement> prepare(const char* sql);
    Result<int64_t> number(const char* sql);
    // Advances to the next row; returns false at the end.
    Result<bool> step(sqlite3_stmt* statement);
    tl::unexpected<Error> failure();

    std::unique_ptr<sqlite3, Close> m_database;
};

} // namespace lockstep
