// SPDX-License-Identifier: Apache-2.0
#include "core/base/sqlite_database.h"

#include <array>
#include <fstream>

#include <sys/stat.h>

namespace lockstep {

namespace {

constexpr size_t kHeaderSize = 100;

Error sqliteError(std::string_view file, int code, const char* message)
{
    const std::string where = std::string(file) + ": ";
    switch (code & 0xFF) {
    case SQLITE_NOTADB:
        return {ErrorKind::corrupt, where + "not an SQLite database, or an encrypted one"};
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return {
            ErrorKind::io,
            where +
                "locked: another program is writing to it. Open it again after that program has finished"};
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
    case SQLITE_AUTH:
        return {ErrorKind::io, where + "cannot open: " + message};
    case SQLITE_NOMEM:
        return {ErrorKind::io, where + "not enough memory to read the database"};
    case SQLITE_IOERR:
        return {ErrorKind::io, where + "cannot read: " + message};
    default:
        return {ErrorKind::corrupt, where + message};
    }
}

constexpr std::string_view kImmutable = "immutable=1";
// The log is read in place, see SqliteDatabase::open().
constexpr std::string_view kWithLog = "vfs=unix-none";

std::string logOf(const std::filesystem::path& path)
{
    return path.string() + "-wal";
}

bool hasWriteAheadLog(const std::filesystem::path& path)
{
    std::error_code error;
    const uintmax_t size = std::filesystem::file_size(logOf(path), error);
    return !error && size > 0;
}

// Returns a string that changes when another program writes to the database. It contains size, time and inode
// of the file and its log.
std::string stateOf(const std::filesystem::path& path)
{
    std::string out;
    for (const std::string& file : {path.string(), logOf(path)}) {
        struct stat found = {};
        if (::stat(file.c_str(), &found) != 0) continue;
        for (const auto number : {int64_t(found.st_ino), int64_t(found.st_size),
                                  int64_t(found.st_mtim.tv_sec), int64_t(found.st_mtim.tv_nsec)})
            out += std::to_string(number) + " ";
    }
    return out;
}

// Returns an SQLite URI that opens a file read-only. `parameter` is an additional URI parameter such as
// "immutable=1", or empty. Escapes everything except letters, digits and a few marks as %XX.
std::string sqliteUri(const std::filesystem::path& path, std::string_view parameter)
{
    static constexpr std::string_view kHex = "0123456789ABCDEF";
    std::string uri = "file:";
    for (const char c : std::filesystem::absolute(path).string()) {
        const auto byte = static_cast<unsigned char>(c);
        const bool isPlain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                             c == '/' || c == '.' || c == '-' || c == '_';
        if (isPlain) {
            uri += c;
        } else {
            uri += '%';
            uri += kHex[byte >> 4];
            uri += kHex[byte & 15];
        }
    }
    uri += "?mode=ro";
    return parameter.empty() ? uri : uri + "&" + std::string(parameter);
}

uint64_t bigEndian(std::string_view bytes)
{
    uint64_t value = 0;
    for (const char c : bytes)
        value = value << 8 | static_cast<unsigned char>(c);
    return value;
}

struct FileState {
    uint64_t missing_bytes = 0;
    bool isWriteAhead = false;
};

FileState readState(const std::filesystem::path& path)
{
    std::array<char, kHeaderSize> head = {};
    std::ifstream file(path, std::ios::binary);
    if (!file.read(head.data(), kHeaderSize)) return {};
    const auto header = sqliteFileHeader({head.data(), head.size()});
    if (!header) return {};
    FileState out;
    out.isWriteAhead = header->isWriteAhead;
    std::error_code error;
    const uint64_t actual = std::filesystem::file_size(path, error);
    if (!error && header->expected_bytes > actual) out.missing_bytes = header->expected_bytes - actual;
    return out;
}

} // namespace

Result<bool> SqliteQuery::step()
{
    const int code = sqlite3_step(m_statement.get());
    if (code == SQLITE_ROW) return true;
    if (code == SQLITE_DONE) return false;
    sqlite3* const database = sqlite3_db_handle(m_statement.get());
    return tl::make_unexpected(sqliteError(m_file, code, sqlite3_errmsg(database)));
}

std::string_view SqliteQuery::text(int column) const
{
    const unsigned char* const bytes = sqlite3_column_text(m_statement.get(), column);
    if (bytes == nullptr) return {};
    return {reinterpret_cast<const char*>(bytes),
            static_cast<size_t>(sqlite3_column_bytes(m_statement.get(), column))};
}

Result<SqliteDatabase::Handle> SqliteDatabase::connect(const std::filesystem::path& path,
                                                       std::string_view parameter)
{
    sqlite3* raw = nullptr;
    const int flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX;
    int code = sqlite3_open_v2(sqliteUri(path, parameter).c_str(), &raw, flags, nullptr);
    Handle database(raw);
    if (code == SQLITE_OK && parameter == kWithLog) {
        // The index of the log is then on the heap instead of in a "-shm" file, and closing the database
        // leaves the log unchanged.
        sqlite3_db_config(raw, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
        code = sqlite3_exec(raw, "PRAGMA locking_mode=EXCLUSIVE", nullptr, nullptr, nullptr);
    }
    if (code == SQLITE_OK) {
        // Functions in a foreign schema must not be called, pages are checked before use, and the schema is
        // read now.
        code = sqlite3_exec(raw, "PRAGMA trusted_schema=OFF; PRAGMA cell_size_check=ON; PRAGMA query_only=ON",
                            nullptr, nullptr, nullptr);
    }
    if (code != SQLITE_OK) {
        const char* const message = raw != nullptr ? sqlite3_errmsg(raw) : sqlite3_errstr(code);
        return tl::make_unexpected(sqliteError(path.string(), code, message));
    }
    return database;
}

Result<SqliteDatabase> SqliteDatabase::open(const std::filesystem::path& path)
{
    std::error_code error;
    if (!std::filesystem::exists(path, error)) {
        return makeError(ErrorKind::notFound, path.string() + ": no such file");
    }
    const FileState header = readState(path);
    const bool hasWal = hasWriteAheadLog(path);
    const bool hasJournal = std::filesystem::exists(path.string() + "-journal", error);
    SqliteDatabase out;
    out.m_file = path.string();
    out.m_missing_bytes = header.missing_bytes;
    out.m_state = stateOf(path);
    const char* const probe = "SELECT count(*) FROM sqlite_schema";
    if (!hasWal && !hasJournal && !header.isWriteAhead && header.missing_bytes == 0) {
        // Only the lock of a writer matters. Files on a disk that does not support locking are read anyway.
        out.m_database = LOCKSTEP_TRY(connect(path, {}));
        const int code = sqlite3_exec(out.m_database.get(), probe, nullptr, nullptr, nullptr);
        if ((code & 0xFF) == SQLITE_BUSY) return tl::make_unexpected(sqliteError(out.m_file, code, ""));
    }
    const bool isPlain = hasJournal && !header.isWriteAhead;
    out.m_database = LOCKSTEP_TRY(connect(path, hasWal    ? kWithLog
                                                : isPlain ? std::string_view()
                                                          : kImmutable));
    if (header.missing_bytes > 0) {
        // Without this setting, SQLite rejects a file that has fewer pages than its header specifies.
        sqlite3_exec(out.m_database.get(), "PRAGMA writable_schema=ON", nullptr, nullptr, nullptr);
    }
    const int code = sqlite3_exec(out.m_database.get(), probe, nullptr, nullptr, nullptr);
    if (code != SQLITE_OK) {
        return tl::make_unexpected(sqliteError(out.m_file, code, sqlite3_errmsg(out.m_database.get())));
    }
    return out;
}

Result<SqliteDatabase> SqliteDatabase::openImmutable(const std::filesystem::path& path)
{
    SqliteDatabase out;
    out.m_file = path.string();
    out.m_state = stateOf(path);
    out.m_database = LOCKSTEP_TRY(connect(path, kImmutable));
    return out;
}

Result<SqliteDatabase> SqliteDatabase::inMemory()
{
    sqlite3* raw = nullptr;
    const int code = sqlite3_open_v2(":memory:", &raw, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nullptr);
    SqliteDatabase out;
    out.m_database.reset(raw);
    if (code != SQLITE_OK) return makeError(ErrorKind::io, "not enough memory for a database");
    return out;
}

Result<SqliteQuery> SqliteDatabase::query(std::string_view sql) const
{
    sqlite3_stmt* raw = nullptr;
    const int code =
        sqlite3_prepare_v2(m_database.get(), sql.data(), static_cast<int>(sql.size()), &raw, nullptr);
    if (code != SQLITE_OK) {
        return tl::make_unexpected(sqliteError(m_file, code, sqlite3_errmsg(m_database.get())));
    }
    SqliteQuery out;
    out.m_statement.reset(raw);
    out.m_file = m_file;
    return out;
}

bool SqliteDatabase::hasChanged() const
{
    return stateOf(m_file) != m_state;
}

// SQLite file format: page size at 16, write version at 18 (2 = write-ahead log), change counter at 24, page
// count at 28, and at 92 the change counter for which the page count is valid.
std::optional<SqliteFileHeader> sqliteFileHeader(std::string_view head)
{
    if (head.size() < kHeaderSize || !head.starts_with(kSqliteMagic)) return std::nullopt;
    SqliteFileHeader header;
    header.isWriteAhead = head[18] == 2 || head[19] == 2;
    const uint64_t pageSize = bigEndian(head.substr(16, 2)) == 1 ? 65536 : bigEndian(head.substr(16, 2));
    if (bigEndian(head.substr(24, 4)) == bigEndian(head.substr(92, 4)))
        header.expected_bytes = pageSize * bigEndian(head.substr(28, 4));
    return header;
}

bool hasJournalFile(const std::filesystem::path& path)
{
    std::error_code error;
    return std::filesystem::exists(path.string() + "-wal", error) ||
           std::filesystem::exists(path.string() + "-journal", error);
}

std::string quotedName(std::string_view name)
{
    std::string out = "\"";
    for (const char c : name) {
        out += c;
        if (c == '"') out += c;
    }
    return out + "\"";
}

} // namespace lockstep
