// SPDX-License-Identifier: Apache-2.0
// Tests that the list of columns is complete, unambiguous, and equal to FORMAT.md.
#include "core/trace/report_columns.h"

#include <array>
#include <cstring>
#include <fstream>
#include <set>
#include <sstream>

#include "tests/support/places.h"
#include "tests/support/test_registry.h"

using namespace lockstep;

namespace {

const Report kEmpty;

// Returns the table of FORMAT.md between its two marks.
std::string documentedColumns()
{
    std::ostringstream text;
    text << std::ifstream(lockstep::test::sourceFolder() / "core/readers/workspace_file/FORMAT.md").rdbuf();
    const std::string all = text.str();
    const size_t begin = all.find("<!-- columns");
    const size_t first = all.find('\n', begin) + 1;
    return all.substr(first, all.find("<!-- end of columns") - first);
}

void addLine(std::string& table, std::string_view name, std::string_view type, std::string_view unit,
             std::string_view meaning)
{
    for (const std::string_view cell : {name, type, unit, meaning})
        table += "| " + std::string(cell) + (cell.empty() ? "" : " ");
    table += "|\n";
}

std::string listedColumns()
{
    std::string table = "| block | type | unit | what |\n|---|---|---|---|\n";
    ReportColumns::visit(kEmpty, [&](const ColumnFacts& facts, const auto& column) {
        using Row = typename std::remove_cvref_t<decltype(column)>::value_type;
        const auto fields = fieldsOf(static_cast<const Row*>(nullptr));
        if (rowBytesOf(columnType<Row>()) != sizeof(Row)) qFatal("%s", columnType<Row>().c_str());
        const std::string type = fields.empty() ? columnType<Row>() : std::to_string(sizeof(Row)) + " bytes";
        addLine(table, "`" + std::string(facts.name) + "`", type, facts.unit, facts.meaning);
        for (const RowField& field : fields) {
            addLine(table, "",
                    std::string(field.name) + " " + std::string(field.type) + " at " +
                        std::to_string(field.offset_bytes),
                    field.unit, field.meaning);
        }
    });
    return table;
}

} // namespace

class ReportColumnsTest : public QObject {
    Q_OBJECT

  private slots:
    void documentationListsAllColumns()
    {
        QCOMPARE(QString::fromStdString(documentedColumns()), QString::fromStdString(listedColumns()));
    }

    void namesAreUnique()
    {
        std::set<std::string_view> names;
        size_t columns = 0;
        ReportColumns::visit(kEmpty, [&](const ColumnFacts& facts, const auto&) {
            names.insert(facts.name);
            ++columns;
            QVERIFY(!facts.meaning.empty());
        });
        QCOMPARE(names.size(), columns);
    }

    // Fields follow each other in the row and none is omitted: the unused space is less than a word.
    void fieldsFillTheirRows()
    {
        ReportColumns::visit(kEmpty, [&](const ColumnFacts&, const auto& column) {
            using Row = typename std::remove_cvref_t<decltype(column)>::value_type;
            size_t end = 0, gaps = 0;
            for (const RowField& field : fieldsOf(static_cast<const Row*>(nullptr))) {
                QVERIFY(field.offset_bytes >= end);
                gaps += field.offset_bytes - end;
                end = field.offset_bytes + field.size_bytes;
            }
            QVERIFY(end <= sizeof(Row) && gaps < 8 && (end == 0 || sizeof(Row) - end < 8));
        });
    }

    void paddingBecomesZero()
    {
        std::array<Link, 3> links;
        std::memset(static_cast<void*>(links.data()), 0xAB, sizeof links);
        links[1] = {SliceId(1u), SliceId(2u), LinkKind::flow};
        clearPadding(fieldsOf(links.data()), sizeof(Link), std::as_writable_bytes(std::span(links)));
        const auto* const bytes = reinterpret_cast<const unsigned char*>(links.data());
        for (size_t row = 0; row < links.size(); ++row) {
            for (size_t at = 9; at < sizeof(Link); ++at)
                QCOMPARE(int(bytes[row * sizeof(Link) + at]), 0);
        }
        QVERIFY(links[1] == (Link{SliceId(1u), SliceId(2u), LinkKind::flow}));
        QCOMPARE(int(bytes[0]), 0xAB);
    }

    void columnsKeepAndCopyRows()
    {
        const auto owner = std::make_shared<std::vector<int64_t>>(std::vector<int64_t>{4, 5, 6});
        Column<int64_t> shared(std::span<const int64_t>(*owner), owner);
        QCOMPARE(shared.data(), owner->data());
        QCOMPARE(shared.residentBytes(), size_t(0));
        QCOMPARE(owner.use_count(), 2l);
        Column<int64_t> copy = shared;
        copy[0] = 9;
        QCOMPARE((*owner)[0], int64_t(4));
        copy.push_back(7);
        QVERIFY(copy == (Column<int64_t>{9, 5, 6, 7}));
        Column<int64_t> moved = std::move(shared);
        QCOMPARE(moved.data(), owner->data());
        moved.push_back(1); // goes to the heap first
        QCOMPARE(owner->size(), size_t(3));
        QCOMPARE(owner.use_count(), 1l);
        QVERIFY(moved == (Column<int64_t>{4, 5, 6, 1}));
        Column<int64_t> self{1, 2};
        self = Column<int64_t>(self);
        QVERIFY(self == (Column<int64_t>{1, 2}));
    }
};

LOCKSTEP_TEST(ReportColumnsTest, "report_columns_test")
#include "report_columns_test.moc"
