// SPDX-License-Identifier: Apache-2.0
// Tests tables that are written page by page: the same bytes as the whole table in every format, for any page
// size; errors in the middle; how much of the table is held in memory.
#include "core/analysis/row_stream.h"

#include "core/export/table_writer.h"
#include "tests/support/test_registry.h"

using namespace lockstep;

namespace {

// Numbers and texts; every third row has no number.
Table numberedTable(int64_t rows, std::string name)
{
    Table table(std::move(name), "Rows one by one");
    table.addColumn({"Start", "ns", ColumnType::time, 0, "when"});
    table.addColumn({"Name", "", ColumnType::text, 0, "what"});
    for (int64_t row = 0; row < rows; ++row) {
        table.addRow();
        if (row % 3 != 0) table.setNumber(0, row * 1'000'003);
        table.setText(1, "row " + std::string(static_cast<size_t>(row % 17), 'x') + ", \"" +
                             std::to_string(row));
    }
    return table;
}

// Makes the rows of a table in pages of the given size; fails at a given row.
class Paged : public RowStream {
  public:
    Paged(Table&& table, size_t page, size_t failAt = SIZE_MAX)
        : m_all(std::move(table)), m_page(m_all.withoutRows()), m_size(page), m_failAt(failAt)
    {
    }
    const Table& head() const override { return m_page; }
    Result<const Table*> next(const Progress& progress) override
    {
        LOCKSTEP_TRY(progress.check());
        if (m_next >= m_failAt) return makeError(ErrorKind::corrupt, "the file changed");
        m_page.clearRows();
        for (size_t i = 0; i < m_size && m_next < m_all.rowCount(); ++i, ++m_next) {
            m_page.addRow();
            if (m_all.hasNumber(0, m_next)) m_page.setNumber(0, m_all.number(0, m_next));
            m_page.setText(1, m_all.text(1, m_next));
        }
        return m_page.rowCount() > 0 ? &m_page : nullptr;
    }
    void restart() override { m_next = 0; }

  private:
    Table m_all, m_page;
    size_t m_size, m_failAt, m_next = 0;
};

constexpr std::array kFormats{TableFormat::table, TableFormat::csv,   TableFormat::tsv,
                              TableFormat::json,  TableFormat::jsonl, TableFormat::markdown};

std::string wholeText(const std::vector<Table>& tables, TableFormat format, const WriteOptions& options)
{
    std::vector<const Table*> all;
    for (const Table& table : tables)
        all.push_back(&table);
    std::string out;
    writeTables(all, format, options, [&](std::string_view text) { out += text; });
    return out;
}

} // namespace

class RowStreamTest : public QObject {
    Q_OBJECT

  private slots:
    void pagesEqualTheWholeTable()
    {
        for (const TableFormat format : kFormats) {
            for (const size_t limit : {0u, 1u, 7u, 20u, 1000u}) {
                WriteOptions options;
                options.rows = limit;
                options.provenanceJson = "{}";
                options.provenanceLines = {"a line"};
                std::vector<Table> whole;
                whole.push_back(numberedTable(20, "a"));
                whole.push_back(numberedTable(0, "b"));
                whole.push_back(numberedTable(9, "c"));
                const std::string expected = wholeText(whole, format, options);
                for (const size_t page : {1u, 3u, 20u, 50u}) {
                    Paged a(numberedTable(20, "a"), page), b(numberedTable(0, "b"), page),
                        c(numberedTable(9, "c"), page);
                    const std::array<RowStream*, 3> streams{&a, &b, &c};
                    std::string text;
                    std::vector<size_t> rows;
                    QVERIFY(writeRows(
                        streams, format, options, [&](std::string_view piece) { text += piece; }, Progress(),
                        &rows));
                    QCOMPARE(text, expected);
                    const auto of = [&](size_t all) { return limit == 0 ? all : std::min(limit, all); };
                    QCOMPARE(rows, (std::vector<size_t>{of(20), 0, of(9)}));
                }
            }
        }
    }

    // A page is freed once it is written: at most one is held.
    void errorsEndTheDocument()
    {
        for (const TableFormat format : kFormats) {
            Paged rows(numberedTable(20, "a"), 4, 8);
            RowStream* const only = &rows;
            const Status written = writeRows(
                {&only, 1}, format, {}, [](std::string_view) {}, Progress());
            QVERIFY(!written && written.error().kind == ErrorKind::corrupt);
            // Rows after the requested ones are not made.
            Paged few(numberedTable(20, "a"), 4, 8);
            RowStream* const first = &few;
            WriteOptions options;
            options.rows = 8;
            QVERIFY(writeRows(
                {&first, 1}, format, options, [](std::string_view) {}, Progress()));
        }
        std::stop_source stop;
        stop.request_stop();
        Paged rows(numberedTable(20, "a"), 4);
        RowStream* const only = &rows;
        const Status written = writeRows(
            {&only, 1}, TableFormat::csv, {}, [](std::string_view) {}, Progress(stop.get_token()));
        QVERIFY(!written && written.error().kind == ErrorKind::canceled);
    }

    void memoryInUseIsReported()
    {
        for (const size_t page : {1u, 4u, 50u}) {
            Paged rows(numberedTable(20, "a"), page);
            const Table all = collectTable(rows, 20, Progress()).value();
            QCOMPARE(wholeTextOf(all), wholeTextOf(numberedTable(20, "a")));
            QVERIFY(all.source.rules.empty());
            rows.restart();
            const Table some = collectTable(rows, 19, Progress()).value();
            QCOMPARE(some.rowCount(), size_t(19));
            QCOMPARE(some.source.rules,
                     (std::vector<std::string>{
                         "only the first 19 rows are shown here; an export writes all of them"}));
        }
    }

  private:
    static std::string wholeTextOf(const Table& table)
    {
        const Table* const only = &table;
        std::string out;
        writeTables({&only, 1}, TableFormat::csv, {}, [&](std::string_view text) { out += text; });
        return out;
    }
};

LOCKSTEP_TEST(RowStreamTest, "row_stream_test")
#include "row_stream_test.moc"
