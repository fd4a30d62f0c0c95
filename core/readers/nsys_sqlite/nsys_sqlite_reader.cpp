// SPDX-License-Identifier: Apache-2.0
#include "core/readers/nsys_sqlite/nsys_sqlite_reader.h"

#include "core/readers/nsys_sqlite/export_import.h"
#include "core/readers/registry.h"

namespace lockstep {

namespace {

bool isSqliteFile(const FileSniff& file)
{
    return file.head.starts_with(kSqliteMagic);
}

// Recognizes exports; databases of other programs are rejected. If the tables cannot be listed because the
// file is truncated, corrupt or locked, the decision depends on its first pages, because SQLite stores the
// CREATE TABLE statements there.
bool isNsysSqliteFile(const FileSniff& file)
{
    if (!isSqliteFile(file)) return false;
    const auto database = SqliteDatabase::open(file.path);
    const auto schema = database ? SchemaProbe::of(*database) : tl::make_unexpected(database.error());
    if (schema && schema->isNsysExport()) return true;
    if (schema && database->missingBytes() == 0) return false;
    const auto has = [&](std::string_view word) { return file.head.find(word) != std::string::npos; };
    return has("CREATE TABLE StringIds") || has("CREATE TABLE META_DATA_EXPORT") ||
           has("CUPTI_ACTIVITY_KIND_") || has("TABLE ENUM_NSYS_");
}

Result<std::unique_ptr<Report>> readNsysSqliteFile(const FileSniff& file, const Progress& progress)
{
    Provenance opened;
    opened.path = file.path;
    opened.size_bytes = file.size_bytes;
    opened.kind = "nsys sqlite";
    return readNsysExport(file.path, std::move(opened), progress);
}

Result<SliceDetails> nsysSqliteDetails(const Report& report, SliceId slice)
{
    return readNsysDetails(report.provenance.path, report, slice);
}

} // namespace

Reader nsysSqliteReader()
{
    return {.format = formatNamed("nsys sqlite"),
            .title = "nsys SQLite exports",
            .memory_tenths = 8,
            .recognizes = isNsysSqliteFile,
            .read = readNsysSqliteFile,
            .details = nsysSqliteDetails,
            .explains = isSqliteFile};
}

bool isCompleteNsysExport(const std::filesystem::path& path)
{
    const auto database = SqliteDatabase::open(path);
    if (!database || database->missingBytes() > 0) return false;
    const auto schema = SchemaProbe::of(*database);
    return schema && schema->isNsysExport();
}

Result<std::unique_ptr<Report>> readNsysExport(const std::filesystem::path& file, Provenance opened,
                                               const Progress& progress)
{
    const SqliteDatabase database = LOCKSTEP_TRY(SqliteDatabase::open(file));
    SchemaProbe schema = LOCKSTEP_TRY(SchemaProbe::of(database));
    if (!schema.isNsysExport()) {
        if (database.missingBytes() > 0) {
            return makeError(
                ErrorKind::corrupt,
                file.string() +
                    ": an SQLite database cut short before the first Nsight Systems table; copy it again",
                HelpTopic::truncatedFile);
        }
        return makeError(
            ErrorKind::unsupported,
            file.string() +
                ": an SQLite database, but not an Nsight Systems export: it has no Nsight Systems tables");
    }
    return ExportImport(file, std::move(opened), std::move(schema), progress).run(database);
}

} // namespace lockstep
