// SPDX-License-Identifier: Apache-2.0
// Tests a window's search with real keys, on public files. The field grows, matches are listed below it and
// marked in lanes, and filters become chips. Arguments are read from the files, and the events table shows
// the matches.
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QToolButton>
#include <QTreeView>

#include "core/timeline/hit_rows.h"
#include "tests/support/places.h"
#include "tests/support/test_registry.h"
#include "tests/support/window_fixture.h"
#include "ui/events/events_panel.h"
#include "ui/panels/reports_panel.h"
#include "ui/panels/top_strip.h"
#include "ui/search/search_panel.h"
#include "ui/window/view_state.h"

using namespace lockstep;

namespace {

std::string rankText(int rank)
{
    const auto at = [rank](int us) { return std::to_string(1'700'000'000'000'000 + rank * 10 + us); };
    std::string text =
        R"({"distributedInfo":{"rank":)" + std::to_string(rank) + R"(,"world_size":2},"traceEvents":[)";
    for (int i = 0; i < 6; ++i) {
        text += R"({"ph":"X","ts":)" + at(i * 100) + R"(,"dur":)" + std::to_string(20 + i) +
                R"(,"pid":0,"tid":7,"name":")" + (i % 2 == 0 ? "gemm_kernel" : "ncclDevKernel_AllReduce") +
                R"(","cat":"kernel","args":{"device":0,"stream":7,"batch":)" + std::to_string(i) + "}},";
    }
    return text + R"({"ph":"X","ts":)" + at(0) +
           R"(,"dur":900,"pid":1,"tid":1,"name":"nccl:all_reduce","cat":"cpu_op"}]})";
}

} // namespace

class SearchWindowTest : public test::WindowFixture {
    Q_OBJECT

  private slots:
    void init()
    {
        makeWindow();
        QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
        open({m_folder->write("t/r0.json", rankText(0)), m_folder->write("t/r1.json", rankText(1))});
    }

    void matchesAreListedVisitedAndMarked()
    {
        const int rest = field().width();
        type("nccl");
        QVERIFY(field().width() > rest);
        QVERIFY(panel().isVisible());
        QCOMPARE(rows(), 8); // three kernels and one operator per rank
        QVERIFY2(footerText().contains("8 hits") && footerText().contains("2 ranks"),
                 qPrintable(footerText()));
        const DisplayList& list = view().displayList();
        QVERIFY(list.hits != nullptr && list.hits->count() == 8);
        QVERIFY(std::ranges::any_of(list.lanes, &DisplayLane::isHitCount));
        QVERIFY(std::ranges::any_of(list.rows, [](const DisplayRow& row) {
            return std::ranges::any_of(row.spans,
                                       [](const Span& span) { return span.ink.kind == Ink::Kind::hit; });
        }));
        QCOMPARE(reportCounts(), (QStringList{"8", "4", "4"}));
        // Down and Enter move to the next match, Shift+Enter and Up to the previous one; the current row is
        // the slice selected in the timeline.
        QTest::keyClick(&field(), Qt::Key_Down);
        settle();
        QCOMPARE(panel().table()->currentRow(), 0);
        const SliceRef first = view().viewState().slice();
        QVERIFY(first.isValid() && first == panel().table()->currentSlice());
        QTest::keyClick(&field(), Qt::Key_Return);
        settle();
        QCOMPARE(panel().table()->currentRow(), 1);
        QTest::keyClick(&field(), Qt::Key_Return, Qt::ShiftModifier);
        settle();
        QCOMPARE(view().viewState().slice(), first);
        QVERIFY(field().hasFocus());
        // A click on a row does not move the focus out of the field.
        EventTable& table = *panel().table();
        QTest::mouseClick(table.viewport(), Qt::LeftButton, {},
                          table.cellRect(3, EventColumn::name).center());
        settle();
        QCOMPARE(view().viewState().slice(), table.model().sliceAt(3));
        QVERIFY(field().hasFocus());
        QTRY_VERIFY(isOnTop());
        QTest::keyClick(&field(), Qt::Key_Return, Qt::ControlModifier);
        settle();
        QVERIFY(!panel().isVisible() && view().displayList().hits != nullptr);
        QVERIFY(view().viewState().slices() != nullptr);
        QCOMPARE(view().viewState().slices()->size(), size_t(8)); // all matches are selected
        field().clear();
        settle();
        QCOMPARE(reportCounts().front(), "2"); // reports are counted again
    }

    // Whatever comes to the front meanwhile: a tab that shows the selection, or buttons that are laid out
    // again.
    void listIsOnTop()
    {
        type("nccl");
        QTRY_VERIFY(isOnTop());
        run("Events");
        run("Details");
        QTest::keyClick(&field(), Qt::Key_Down);
        settle();
        QTRY_VERIFY(isOnTop());
        m_window->resize(1300, 760);
        QTRY_VERIFY(isOnTop());
        QTest::qWait(50); // delayed layout is done after this
        QTRY_VERIFY(isOnTop());
    }

    void escapeEndsTheSearch()
    {
        type("nccl");
        QTest::keyClick(&field(), Qt::Key_Escape);
        settle();
        QVERIFY(!panel().isVisible() && field().text().isEmpty() && !field().hasFocus());
        QVERIFY(view().displayList().hits == nullptr);
    }

    void filtersAreChips()
    {
        type("nccl rank:1 dur>22us");
        QCOMPARE(panel().chips(), (QStringList{"rank:1", "dur>22us"}));
        QCOMPARE(rows(), 3); // of 23 and 25 us, and the operator
        for (QToolButton* const button : panel().findChildren<QToolButton*>()) {
            if (button->property("clause").toString() == "rank:1") QTest::mouseClick(button, Qt::LeftButton);
        }
        settle();
        QCOMPARE(field().text(), QString("nccl dur>22us"));
        QCOMPARE(rows(), 6);
    }

    void optionsTakeEffect()
    {
        type("NCCLdev.*reduce");
        QCOMPARE(rows(), 0);
        QTest::mouseClick(&test::part<QToolButton>(part<TopStrip>(), "regex"), Qt::LeftButton);
        settle();
        QCOMPARE(rows(), 6);
        QTest::mouseClick(&test::part<QToolButton>(part<TopStrip>(), "matchCase"), Qt::LeftButton);
        settle();
        QCOMPARE(rows(), 0);
    }

    void invalidQueriesAreReported()
    {
        type("nccl rnk:3");
        QVERIFY(panel().isVisible() && panel().message()->isVisible());
        QVERIFY2(panel().message()->text().startsWith("character 6"), qPrintable(panel().message()->text()));
        QCOMPARE(rows(), 0);
        // A name may contain a colon.
        type("nccl:all");
        QCOMPARE(rows(), 2);
    }

    void argumentsAreReadFromFilesAndMissingFilesReported()
    {
        type("kernel arg:batch=3");
        QCOMPARE(rows(), 2);
        std::filesystem::remove(m_folder->path() / "t/r1.json");
        type("kernel arg:batch=2");
        QCOMPARE(rows(), 1);
        QVERIFY2(footerText().contains("not searched: 6"), qPrintable(footerText()));
        QVERIFY(footerText().contains("r1.json"));
    }

    void eventsShowTheMatches()
    {
        type("nccl");
        QTest::keyClick(&field(), Qt::Key_Return, Qt::AltModifier);
        settle();
        EventsPanel& events = part<EventsPanel>();
        QTRY_COMPARE(events.table()->model().rowCount(), 8);
        QVERIFY(events.isVisible());
        // When the search ends, its matches are cleared.
        type("");
        QTRY_COMPARE(events.table()->model().rowCount(), 0);
    }

    // Columns are as before.
    void columnsArePreserved()
    {
        part<EventsPanel>().table()->setColumns({{EventColumn::name, 200}, {EventColumn::start, 90}});
        emit part<EventsPanel>().columnsChanged("name:200 start:90");
        makeWindow();
        QCOMPARE(part<EventsPanel>().columnsText(), QString("name:200 start:90"));
    }

    void publicFileIsSearched()
    {
        const std::filesystem::path folder = test::sharedData("kineto");
        if (!std::filesystem::exists(folder)) QSKIP("no shared data");
        std::filesystem::path found;
        for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
            const bool isTrace = entry.path().string().ends_with(".json.gz") && entry.file_size() < 8'000'000;
            if (isTrace && (found.empty() || entry.path() < found)) found = entry.path();
        }
        QVERIFY(!found.empty());
        run("Close all reports");
        settle();
        m_window->open({found});
        settle();
        type("a dur>1us");
        QVERIFY(rows() > 0);
        QVERIFY(view().displayList().hits->count() > 0);
    }

  private:
    // Column 1 of the Reports panel: counts of the run and its reports.
    QStringList reportCounts()
    {
        const QAbstractItemModel& model = *part<ReportsPanel>().tree()->model();
        const QModelIndex run = model.index(0, 0);
        QStringList out{run.siblingAtColumn(1).data().toString()};
        for (int row = 0; row < model.rowCount(run); ++row)
            out << model.index(row, 1, run).data().toString();
        return out;
    }

    bool isOnTop()
    {
        const QPoint middle = panel().mapTo(m_window.get(), panel().rect().center());
        const QPoint foot = panel().mapTo(m_window.get(), panel().rect().bottomRight() - QPoint(20, 20));
        const auto isOurs = [&](QPoint at) {
            const QWidget* const there = m_window->childAt(at);
            return there != nullptr && (there == &panel() || panel().isAncestorOf(there));
        };
        return panel().isVisible() && isOurs(middle) && isOurs(foot);
    }
    void type(const QString& text)
    {
        part<TopStrip>().startSearch({});
        QTRY_VERIFY(field().hasFocus());
        field().clear();
        settle();
        QTest::keyClicks(&field(), text);
        settle();
    }
    QLineEdit& field() { return *part<TopStrip>().searchField(); }
    QString footerText() { return test::part<QLabel>(panel(), "footer").text(); }
    SearchPanel& panel() { return part<SearchPanel>(); }
    int rows() { return panel().table()->model().rowCount(); }
};

LOCKSTEP_TEST(SearchWindowTest, "search_window_test")
#include "search_window_test.moc"
