// SPDX-License-Identifier: Apache-2.0
#include "core/sql/scene_file.h"

#include <cerrno>
#include <cstring>
#include <memory>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include "core/base/output_file.h"
#include "core/base/sqlite_database.h"
#include "core/sql/virtual_table.h"

namespace lockstep {

namespace {

namespace fs = std::filesystem;

constexpr int kStepsBetweenCancelChecks = 10'000; // number of SQLite VM steps between two cancellation checks

constexpr size_t kCopyBuffer_bytes = 1 << 20;

// PartFile is a file that SQLite fills. The file is unlinked once SQLite has opened it, so that nothing
// remains if the program ends. When SQLite has finished, the bytes are copied to an OutputFile.
class PartFile {
  public:
    // Creates the file. Error: io.
    static Result<std::unique_ptr<PartFile>> create(const fs::path& path)
    {
        OutputFile output = LOCKSTEP_TRY(OutputFile::create(path));
        const fs::path part = path.parent_path() /
                              ("." + path.filename().string() + "." + std::to_string(::getpid()) + ".part");
        const int file = ::open(part.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (file < 0) return makeError(ErrorKind::io, path.string() + ": " + std::strerror(errno));
        return std::unique_ptr<PartFile>(new PartFile(std::move(output), part, file));
    }
    PartFile(const PartFile&) = delete;
    PartFile& operator=(const PartFile&) = delete;
    ~PartFile()
    {
        dropName();
        ::close(m_file);
    }

    const fs::path& path() const { return m_part; }
    void dropName() const
    {
        std::error_code ignored;
        fs::remove(m_part, ignored);
    }
    // Copies the bytes to the output file. Errors: io, canceled.
    Status commit(const Progress& progress)
    {
        std::vector<char> buffer(kCopyBuffer_bytes);
        for (off_t at = 0;;) {
            LOCKSTEP_TRY(progress.check());
            const ssize_t got = ::pread(m_file, buffer.data(), buffer.size(), at);
            if (got < 0)
                return makeError(ErrorKind::io,
                                 m_part.string() + ": cannot read back: " + std::strerror(errno));
            if (got == 0) return m_output.commit();
            m_output.write({buffer.data(), static_cast<size_t>(got)});
            at += got;
        }
    }

  private:
    PartFile(OutputFile output, fs::path part, int file)
        : m_output(std::move(output)), m_part(std::move(part)), m_file(file)
    {
    }

    OutputFile m_output;
    fs::path m_part;
    int m_file;
};

class FileDatabase {
  public:
    FileDatabase(SqliteDatabase database, const SqlScene& scene, const Progress& progress)
        : m_progress(progress), m_database(std::move(database)),
          m_code(addVirtualTables(m_database.handle(), scene, progress))
    {
        const auto isStopped = [](void* of) {
            return static_cast<const Progress*>(of)->isCanceled() ? 1 : 0;
        };
        sqlite3_progress_handler(m_database.handle(), kStepsBetweenCancelChecks, isStopped,
                                 const_cast<Progress*>(&progress));
    }

    Status run(const std::string& sql)
    {
        sqlite3* const database = m_database.handle();
        if (m_code == SQLITE_OK) m_code = sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr);
        LOCKSTEP_TRY(m_progress.check());
        if (m_code != SQLITE_OK) return makeError(ErrorKind::io, sqlite3_errmsg(database));
        return {};
    }

  private:
    const Progress& m_progress;
    SqliteDatabase m_database;
    int m_code; // the first failure
};

std::string sqlQuoted(std::string_view text, char mark)
{
    std::string out(1, mark);
    for (const char c : text)
        out += c == mark ? std::string(2, mark) : std::string(1, c);
    return out + mark;
}

Status copyTable(FileDatabase& database, const SqlTable& table)
{
    const std::string name = quotedName(table.name);
    std::string declared;
    for (const SqlColumn& column : table.columns) {
        const bool isKey = column.key == SqlKey::id && column.name == "id";
        declared += (declared.empty() ? "" : ", ") + quotedName(column.name) + " " +
                    std::string(sqlTypeName(column.type)) + (isKey ? " PRIMARY KEY" : "");
        LOCKSTEP_TRY(database.run("INSERT INTO file.documentation VALUES (" + sqlQuoted(table.name, '\'') +
                                  ", " + sqlQuoted(column.name, '\'') + ", " + sqlQuoted(column.unit, '\'') +
                                  ", " + sqlQuoted(column.doc, '\'') + ")"));
    }
    LOCKSTEP_TRY(database.run("CREATE TABLE file." + name + "(" + declared + ")"));
    return database.run("INSERT INTO file." + name + " SELECT * FROM main." + name);
}

Status fill(FileDatabase& database, const PartFile& part)
{
    LOCKSTEP_TRY(database.run("ATTACH " + sqlQuoted(part.path().string(), '\'') + " AS file"));
    part.dropName();
    // Because the journal is disabled, SQLite does not access the file by name again.
    LOCKSTEP_TRY(database.run("PRAGMA file.journal_mode = OFF; PRAGMA file.synchronous = OFF; BEGIN"));
    LOCKSTEP_TRY(database.run(
        "CREATE TABLE file.documentation(\"table\" TEXT, \"column\" TEXT, unit TEXT, meaning TEXT)"));
    for (const SqlTable& table : sqlTables())
        LOCKSTEP_TRY(copyTable(database, table));
    LOCKSTEP_TRY(database.run("CREATE INDEX file.link_cause ON link(cause); CREATE INDEX file.link_effect ON "
                              "link(effect); CREATE INDEX file.slice_start ON slice(start_ns); COMMIT"));
    return database.run("DETACH file");
}

} // namespace

Status saveSceneFile(const fs::path& path, const ScenePtr& scene, const Progress& progress)
{
    const SqlScene read(scene);
    const std::unique_ptr<PartFile> part = LOCKSTEP_TRY(PartFile::create(path));
    {
        FileDatabase database(LOCKSTEP_TRY(SqliteDatabase::inMemory()), read, progress);
        const Status filled = fill(database, *part);
        if (!filled && filled.error().kind == ErrorKind::canceled) return filled;
        if (!filled) return tl::make_unexpected(withContext(filled.error(), path.string()));
    }
    return part->commit(progress);
}

} // namespace lockstep
