// SPDX-License-Identifier: Apache-2.0
// WorkspaceDatabase: the tables of a .lockstep file, one function per thing that is stored or fetched. Owns
// one SQLite connection; one thread.
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

class WorkspaceDatabase {
  public:
    // Large pages are read faster, small ones waste less behind each chunk: half a page.
    enum class PageSize { small, large };

    // A fresh database in an existing empty file, without journal: who writes a copy needs no second one.
    static Result<WorkspaceDatabase> create(const std::string& path, PageSize pages);
    // Read-only. corrupt when it is no database; unsupported when it is of another program.
    static Result<WorkspaceDatabase> open(const std::string& path);
    // The same from the bytes of a file, which must outlive the object.
    static Result<WorkspaceDatabase> openBytes(std::string_view bytes);

    // The file's format number (PRAGMA user_version).
    Result<int> format();
    Status addReport(int64_t report, const StoredReport& stored);
    Status addSection(const std::string& name, const std::string& body);
    // Ends the writing and closes the file: io when anything could not be written.
    Status finish();

    Result<int64_t> reportCount();
    Result<StoredReport> report(int64_t report, const Progress& progress);
    Result<std::map<std::string, std::string>> sections();
    // Bytes that all columns take unpacked, as the file claims.
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
    // The next row; false at the end.
    Result<bool> step(sqlite3_stmt* statement);
    tl::unexpected<Error> failure();

    std::unique_ptr<sqlite3, Close> m_database;
    bool m_isWriting = false;
};

} // namespace lockstep
