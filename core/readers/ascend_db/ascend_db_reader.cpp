// SPDX-License-Identifier: Apache-2.0
// Reader of ascend_pytorch_profiler_<k>.db and msprof_<stamp>.db, the SQLite exports of torch_npu's profiler.
// Tables and columns follow msprof's documentation of its .db files; timestamps are Unix ns.
#include "core/readers/registry.h"

#include <algorithm>
#include <array>

#include "core/readers/ascend_db/ascend_import.h"

namespace lockstep {

namespace {

bool isAscend(const SchemaProbe& schema)
{
    return schema.has("STRING_IDS") &&
           (schema.has("TASK") || schema.has("PYTORCH_API") || schema.has("CANN_API"));
}

// The list of tables may be anywhere in an SQLite file, so the first bytes are not enough.
bool isAscendDbFile(const FileSniff& file)
{
    if (!file.head.starts_with(kSqliteMagic)) return false;
    const auto database = SqliteDatabase::open(file.path);
    if (!database) return false;
    const auto schema = SchemaProbe::of(*database);
    return schema && isAscend(*schema);
}

Result<std::unique_ptr<Report>> readAscendDbFile(const FileSniff& file, const Progress& progress)
{
    const SqliteDatabase database = LOCKSTEP_TRY(SqliteDatabase::open(file.path));
    const SchemaProbe schema = LOCKSTEP_TRY(SchemaProbe::of(database));
    ReportBuilder builder;
    Provenance& provenance = builder.report().provenance;
    provenance.path = file.path;
    provenance.size_bytes = file.size_bytes;
    provenance.kind = "ascend db";
    provenance.producer = "Ascend PyTorch Profiler";
    if (database.missingBytes() > 0) {
        builder.report().notes.add("file.cut_short", NoteSeverity::dataLoss,
                                   "the file is shorter than its header states; the readable part is shown",
                                   std::to_string(database.missingBytes()) + " bytes are missing");
    }
    LOCKSTEP_TRY(AscendImport(database, schema, builder, progress).run());
    return builder.freeze(progress);
}

// Returns true for columns that contain string IDs.
bool namesText(std::string_view column)
{
    static constexpr std::array<std::string_view, 17> kColumns{
        "name",         "opName",         "groupName",    "taskType",      "opType",          "algType",
        "inputFormats", "inputDataTypes", "inputShapes",  "outputFormats", "outputDataTypes", "outputShapes",
        "attrInfo",     "opState",        "hf32Eligible", "message",       "inputDtypes"};
    return std::ranges::find(kColumns, column) != kColumns.end();
}

Result<SliceDetails> ascendDbDetails(const Report& report, SliceId slice)
{
    const SqliteDatabase database = LOCKSTEP_TRY(SqliteDatabase::open(report.provenance.path));
    const SourceRow source = report.slices.source[slice.value];
    const std::string& table = report.sourceTables[source.table()];
    SqliteQuery row = LOCKSTEP_TRY(database.query("SELECT * FROM " + quotedName(table) + " WHERE rowid = ?"));
    row.bind(1, static_cast<int64_t>(source.row()));
    if (!LOCKSTEP_TRY(row.step())) {
        return makeError(ErrorKind::corrupt,
                         report.provenance.path.string() + ": changed since it was read; open it again",
                         HelpTopic::changedFile);
    }
    SliceDetails out;
    out.source = table + " row " + std::to_string(source.row());
    for (int column = 0; column < row.columnCount(); ++column) {
        std::string value;
        if (namesText(row.columnName(column)) && row.type(column) == SQLITE_INTEGER) {
            SqliteQuery one = LOCKSTEP_TRY(database.query("SELECT value FROM STRING_IDS WHERE id = ?"));
            one.bind(1, row.integer(column));
            if (LOCKSTEP_TRY(one.step())) value = one.text(0);
        }
        if (value.empty()) value = row.text(column);
        out.arguments.emplace_back(row.columnName(column), value);
    }
    return out;
}

} // namespace

Reader ascendDbReader()
{
    return {.format = formatNamed("ascend db"),
            .title = "Ascend profiler databases",
            .recognizes = isAscendDbFile,
            .read = readAscendDbFile,
            .details = ascendDbDetails};
}

} // namespace lockstep
