// SPDX-License-Identifier: Apache-2.0
// Compares rows decoded from pages with the rows that SQLite returns, value by value, for any types, row
// sizes and page size.
#include "core/readers/nsys_sqlite/row_cursor.h"

#include <array>

#include <rapidcheck.h>

#include "tests/support/sqlite_file.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using lockstep::test::TempDir;

namespace {

constexpr std::array<std::string_view, 4> kColumns{"a", "c", "absent", "d"};

std::string literal()
{
    switch (*rc::gen::inRange(0, 8)) {
    case 0:
        return "NULL";
    case 1:
        return std::to_string(*rc::gen::inRange<int64_t>(-130, 130));
    case 2:
        return std::to_string(*rc::gen::inRange<int64_t>(-(int64_t(1) << 25), int64_t(1) << 25));
    case 3:
        return std::to_string(*rc::gen::arbitrary<int64_t>() / 2 / 65536);
    case 4:
        return std::to_string(*rc::gen::arbitrary<int64_t>() / 2);
    case 5:
        return *rc::gen::element<std::string>("1.5", "-2e300", "9e18", "9.3e18", "0.0", "-0.5");
    case 6:
        return "'" +
               *rc::gen::element<std::string>("", "12", " +7x", "-3.25", "inf", "1e3", "abc", "0x10",
                                              "99999999999999999999") +
               "'";
    default:
        return "zeroblob(" + std::to_string(*rc::gen::inRange(0, 6000)) + ")";
    }
}

std::string tableSql()
{
    std::string sql = "PRAGMA page_size=" + *rc::gen::element<std::string>("512", "1024", "4096") +
                      "; CREATE TABLE t(a, b, c, d); BEGIN;";
    const int rows = *rc::gen::inRange(0, 120);
    for (int row = 0; row < rows; ++row) {
        sql +=
            "INSERT INTO t VALUES(" + literal() + "," + literal() + "," + literal() + "," + literal() + ");";
    }
    return sql + "DELETE FROM t WHERE rowid % 7 = 3; COMMIT;";
}

void compareRow(const RowCursor& stored, const RowCursor& stepped)
{
    RC_ASSERT(stored.rowId() == stepped.rowId());
    for (int column = 0; column < static_cast<int>(kColumns.size()); ++column) {
        RC_ASSERT(stored.type(column) == stepped.type(column));
        RC_ASSERT(stored.integer(column) == stepped.integer(column));
        RC_ASSERT(stored.optionalInteger(column) == stepped.optionalInteger(column));
        RC_ASSERT(stored.real(column) == stepped.real(column));
        if (stepped.type(column) != SQLITE_FLOAT) RC_ASSERT(stored.text(column) == stepped.text(column));
    }
}

} // namespace

class RowCursorTest : public QObject {
    Q_OBJECT

  private slots:
    void pagesEqualStatements()
    {
        QVERIFY(rc::check("page rows equal statement rows", [] {
            const TempDir folder;
            const auto path = folder.path() / "t.sqlite";
            RC_ASSERT(lockstep::test::runSql(path, tableSql()));
            const auto database = SqliteDatabase::open(path);
            const auto schema = SchemaProbe::of(*database);
            const auto pages = TablePages::of(PageFile::open(path), *database, "t", kColumns);
            RC_ASSERT(pages.has_value());
            RowCursor stepped(std::move(*database->query(schema->select("t", kColumns))));
            // Reads two ranges, as two workers would.
            const size_t middle = pages->leaves().size() / 2;
            RowCursor first(*pages, 0, middle), second(*pages, middle, pages->leaves().size());
            for (RowCursor* part : {&first, &second}) {
                while (*part->next()) {
                    RC_ASSERT(*stepped.next());
                    compareRow(*part, stepped);
                }
                RC_ASSERT(part->badPages() == 0u);
            }
            RC_ASSERT(!*stepped.next());
        }));
    }

    // Rows that pages alone cannot decode are left to SQL.
    void oddTablesAreLeftToSql()
    {
        const TempDir folder;
        const auto path = folder.path() / "t.sqlite";
        QVERIFY(lockstep::test::runSql(
            path, "CREATE TABLE alias(a INTEGER PRIMARY KEY, c, d); CREATE TABLE bare(a PRIMARY KEY, c, d) "
                  "WITHOUT ROWID;"
                  "CREATE TABLE virtual(a, x AS (a + 1), c, d); CREATE TABLE preset(a, c DEFAULT 5, d);"
                  "CREATE TABLE plain(a, c, d);"));
        const auto database = SqliteDatabase::open(path);
        for (const char* const table : {"alias", "bare", "virtual", "preset"}) {
            QVERIFY2(!TablePages::of(PageFile::open(path), *database, table, kColumns), table);
        }
        QVERIFY(TablePages::of(PageFile::open(path), *database, "plain", kColumns).has_value());
        folder.write("t.sqlite-wal", "x");
        QVERIFY(PageFile::open(path) == nullptr);
    }
};

LOCKSTEP_TEST(RowCursorTest, "row_cursor_test")
#include "row_cursor_test.moc"
