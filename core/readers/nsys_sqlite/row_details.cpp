#include "core/readers/nsys_sqlite/row_details.h"

#include <algorithm>
#include <array>

#include "core/base/text.h"
#include "core/readers/nsys_sqlite/global_id.h"

namespace lockstep {

namespace {

// Columns that hold a StringIds.id. Others that end in "Id" are numbers of something else.
bool isStringId(std::string_view column)
{
    static constexpr std::array<std::string_view, 6> kNames{"demangledName", "shortName",  "mangledName",
                                                            "nameId",        "textId",     "jsonTextId"};
    return std::ranges::find(kNames, column) != kNames.end();
}

bool isGlobalTid(std::string_view column)
{
    return column == "globalTid" || column == "endGlobalTid";
}

std::string stringOf(const SqliteDatabase& database, int64_t id)
{
    auto query = database.query("SELECT value FROM StringIds WHERE id = ?1");
    if (!query) return {};
    query->bind(1, id);
    return query->step().value_or(false) ? repairedUtf8(query->text(0)) : std::string();
}

std::string hexText(std::string_view bytes)
{
    static constexpr std::string_view kHex = "0123456789abcdef";
    std::string out = "0x";
    for (const char c : bytes) {
        out += kHex[static_cast<unsigned char>(c) >> 4];
        out += kHex[static_cast<unsigned char>(c) & 15];
    }
    return out;
}

std::string integerText(const SqliteDatabase& database, std::string_view column, int64_t value)
{
    const std::string number = std::to_string(value);
    const auto global = static_cast<uint64_t>(value);
    if (isStringId(column)) {
        const std::string text = stringOf(database, value);
        return text.empty() ? number : text;
    }
    if (isGlobalTid(column)) {
        return "pid " + std::to_string(pidOf(global)) + ", tid " + std::to_string(tidOf(global));
    }
    if (column == "globalPid") return "pid " + std::to_string(pidOf(global));
    const std::string label = enumLabel(database, column, value);
    return label.empty() ? number : label + " (" + number + ")";
}

std::string columnText(const SqliteDatabase& database, const SqliteQuery& row, int column)
{
    switch (row.type(column)) {
    case SQLITE_NULL: return "NULL";
    case SQLITE_INTEGER: return integerText(database, row.columnName(column), row.integer(column));
    case SQLITE_BLOB: return hexText(row.text(column));
    default: return repairedUtf8(row.text(column));
    }
}

} // namespace

Result<SliceDetails> readRow(const SqliteDatabase& database, std::string_view table, int64_t row)
{
    const std::string place = std::string(table) + " row " + std::to_string(row);
    SqliteQuery query =
        LOCKSTEP_TRY(database.query("SELECT * FROM " + quotedName(table) + " WHERE rowid = ?1"));
    query.bind(1, row);
    if (!LOCKSTEP_TRY(query.step())) {
        return makeError(ErrorKind::notFound, place + " is not in the file any more; open it again");
    }
    SliceDetails details;
    details.source = place;
    for (int column = 0; column < query.columnCount(); ++column) {
        details.arguments.emplace_back(repairedUtf8(query.columnName(column)), columnText(database, query, column));
    }
    return details;
}

Result<SliceDetails> readNsysDetails(const std::filesystem::path& file, const Report& report, SliceId slice)
{
    if (slice.value >= report.slices.size()) return makeError(ErrorKind::invalid, "no such slice in this report");
    const SourceRow source = report.slices.source[slice.value];
    if (source.table() >= report.sourceTables.size()) {
        return makeError(ErrorKind::invalid, "a slice of no table of this report");
    }
    const SqliteDatabase database = LOCKSTEP_TRY(SqliteDatabase::open(file));
    return readRow(database, report.sourceTables[source.table()], static_cast<int64_t>(source.row()));
}

} // namespace lockstep
