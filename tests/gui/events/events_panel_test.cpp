// SPDX-License-Identifier: Apache-2.0
// Tests EventsPanel: the slices of 64 ranks as rows, with real keys and clicks: navigating, searching,
// filtering, sorting, copying, exporting; and the timeline's selection in both directions, without loops.
#include "ui/events/events_panel.h"

#include <fstream>

#include <QClipboard>
#include <QGuiApplication>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QSignalSpy>
#include <QtTest>

#include "tests/support/made_reports.h"
#include "tests/support/part.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"
#include "ui/events/column_chooser.h"
#include "ui/events/event_row_painter.h"
#include "ui/panels/filter_header.h"
#include "ui/window/view_state.h"

using namespace lockstep;

namespace {

uint64_t slicesOf(const Scene& scene)
{
    uint64_t slices = 0;
    for (const ReportKey key : scene.shown.keys())
        slices += scene.shown.report(key).slices.size();
    return slices;
}

} // namespace

class EventsPanelTest : public QObject {
    Q_OBJECT

  private slots:
    void matchesAreMarkedInElidedNames()
    {
        using Part = std::pair<qsizetype, qsizetype>;
        const QString whole = "ampere_bf16_s1688gemm_tn";
        QCOMPARE(shownPart(whole, whole, 12, 20), Part(12, 20));
        const QString right = QString::fromUtf8("ampere_bf16\u2026");
        QCOMPARE(shownPart(whole, right, 0, 6), Part(0, 6));
        QCOMPARE(shownPart(whole, right, 7, 17), Part(7, 12)); // ends behind the ellipsis
        QCOMPARE(shownPart(whole, right, 17, 21), Part(11, 12));
        const QString middle = QString::fromUtf8("ampere\u2026gemm_tn");
        QCOMPARE(shownPart(whole, middle, 17, 21), Part(7, 11));
        QCOMPARE(shownPart(whole, middle, 7, 11), Part(6, 7));
    }

    void initTestCase()
    {
        m_scene = test::madeScene(test::madeWorkspace(32, 3)); // 64 ranks on two hosts, 3 steps
        QCOMPARE(m_scene->shown.size(), size_t(64));
    }

    void init()
    {
        m_view = std::make_unique<ViewState>();
        m_view->setScopeChoice(ScopeChoice::whole);
        m_panel = std::make_unique<EventsPanel>(*m_view, test::workers());
        m_panel->resize(1280, 320);
        m_panel->show();
        QVERIFY(QTest::qWaitForWindowActive(m_panel.get()));
        m_panel->setScene(m_scene);
        settle();
    }

    void cleanup()
    {
        m_panel.reset();
        m_view.reset();
    }

    void everySliceIsARow()
    {
        QCOMPARE(static_cast<uint64_t>(model().rowCount()), slicesOf(*m_scene));
        QVERIFY2(m_panel->countText().startsWith("Events: "), qPrintable(m_panel->countText()));
        QVERIFY(m_panel->hint().isEmpty());
    }

    void keysMoveAndTheTimelineFollows()
    {
        const QSignalSpy reveals(m_view.get(), &ViewState::revealRequested);
        EventTable& table = *m_panel->table();
        table.setFocus();
        QTest::keyClick(&table, Qt::Key_Home);
        QTest::keyClick(&table, Qt::Key_Down);
        QCOMPARE(table.currentRow(), 1);
        QCOMPARE(reveals.count(), 2);
        QCOMPARE(m_view->slice(), model().sliceAt(1));
        QTest::keyClick(&table, Qt::Key_End);
        QCOMPARE(table.currentRow(), model().rowCount() - 1);
        QVERIFY(table.firstRow() + table.rowsShown() >= model().rowCount());
        QTest::mouseClick(table.viewport(), Qt::LeftButton, {},
                          table.cellRect(table.firstRow() + 2, EventColumn::name).center());
        QCOMPARE(m_view->slice(), model().sliceAt(table.firstRow() + 2));
    }

    void timelineSelectionIsShownAndNotSentBack()
    {
        const SliceRef wanted = model().sliceAt(model().rowCount() / 2);
        const QSignalSpy reveals(m_view.get(), &ViewState::revealRequested);
        m_view->setSlice(wanted);
        QCOMPARE(m_panel->table()->currentRow(), model().rowCount() / 2);
        QCOMPARE(reveals.count(), 0);
        m_view->setSlice({});
        QCOMPARE(m_panel->table()->currentRow(), -1);
    }

    void fieldsNarrowTheList()
    {
        QTest::mouseClick(m_panel->filterSwitch(), Qt::LeftButton);
        QLineEdit* const name = field(EventColumn::name);
        QVERIFY(name != nullptr && name->isEnabled() && !field(EventColumn::bus)->isEnabled());
        // The column titles stay visible above the fields.
        const FilterHeader& head = *m_panel->table()->header();
        QVERIFY(name->y() >= head.viewport()->geometry().bottom() &&
                name->geometry().bottom() < head.height());
        QTest::keyClicks(name, "NCCL /reduce_?scatter|allreduce/");
        QTest::keyClicks(field(EventColumn::rank), "0-7");
        settle();
        QVERIFY(model().rowCount() > 0 && static_cast<uint64_t>(model().rowCount()) < slicesOf(*m_scene));
        for (int row = 0; row < std::min(model().rowCount(), 200); ++row) {
            const EventFacts& facts = model().factsAt(row);
            QVERIFY(facts.rank && *facts.rank <= 7);
            QVERIFY(QByteArray(facts.name.data(), static_cast<qsizetype>(facts.name.size()))
                        .toLower()
                        .contains("nccl"));
        }
        const int before = model().rowCount();
        QTest::keyClicks(field(EventColumn::duration), "> 1000000");
        settle();
        QVERIFY(model().rowCount() < before);
        // An invalid filter is reported, and the list stays.
        field(EventColumn::rank)->setText("x");
        settle();
        QVERIFY2(m_panel->noteText().contains("is not a valid rank"), qPrintable(m_panel->noteText()));
        QTest::mouseClick(m_panel->filterSwitch(), Qt::LeftButton);
        settle();
        QCOMPARE(static_cast<uint64_t>(model().rowCount()), slicesOf(*m_scene));
        QVERIFY(m_panel->noteText().isEmpty());
    }

    void headersSortRows()
    {
        clickHead(EventColumn::duration); // the longest first
        settle();
        for (int row = 1; row < 300; ++row)
            QVERIFY(model().factsAt(row - 1).duration >= model().factsAt(row).duration);
        clickHead(EventColumn::duration);
        settle();
        QVERIFY(model().factsAt(0).duration <= model().factsAt(200).duration);
        clickHead(EventColumn::bytes);
        QVERIFY(!m_panel->noteText().isEmpty());
        QCOMPARE(m_panel->table()->header()->sortIndicatorSection(), static_cast<int>(EventColumn::duration));
    }

    void rangesMatchTheWindow()
    {
        const TimeRange all = m_scene->extent();
        m_view->setVisible({all.begin, all.begin + Duration{all.length().ns / 50}});
        m_view->setScopeChoice(ScopeChoice::visible);
        settle();
        QVERIFY(model().rowCount() > 0 && static_cast<uint64_t>(model().rowCount()) < slicesOf(*m_scene));
        m_view->setScopeChoice(ScopeChoice::selected);
        settle();
        QVERIFY(m_panel->hint().contains("No range selected") && model().rowCount() == 0);
    }

    // Area selections are times and lanes, and selected slices count too, not just the time range they
    // span.
    void selectedScopeMatchesTheSelection()
    {
        const Lane* lane = nullptr;
        for (const Lane& each : m_scene->tree->lanes()) {
            if (lane == nullptr && each.label.find("stream") != std::string::npos) lane = &each;
        }
        QVERIFY(lane != nullptr);
        const TimeRange whole = m_scene->extent();
        const Duration quarter{whole.length().ns / 4};
        const TimeRange first{whole.begin, whole.begin + quarter}, last{whole.end - quarter, whole.end};
        m_view->setScopeChoice(ScopeChoice::selected);
        m_view->setAreas({{first, {{lane->key, false}}}, {last, {{lane->key, false}}}}, nullptr);
        m_view->setRange(TimeRange{first.begin, last.end});
        settle();
        const int inAreas = model().rowCount();
        QVERIFY2(inAreas > 0 && m_panel->countText().startsWith("Events: "),
                 qPrintable(m_panel->countText()));
        for (int row = 0; row < inAreas; ++row) {
            const SliceRef slice = model().sliceAt(row);
            const Report& report = m_scene->shown.report(slice.report);
            const uint32_t of = m_scene->tree->laneOf({slice.report, report.trackOf(slice.slice)});
            QCOMPARE(m_scene->tree->lane(of).key, lane->key);
            const TimeRange own =
                m_scene->alignment.map(slice.report).alignedFromTrace(report.slices.range(slice.slice));
            QVERIFY((own.begin < first.end && own.end > first.begin) || own.end > last.begin);
        }
        // A filter narrows the list, and the count shows the total.
        m_panel->filterByName("no such name at all");
        m_view->setScopeChoice(ScopeChoice::selected);
        settle();
        QCOMPARE(model().rowCount(), 0);
        QVERIFY2(m_panel->countText().startsWith(QString("Events: 0 of %1").arg(inAreas)),
                 qPrintable(m_panel->countText()));
        for (QPushButton* const button : m_panel->findChildren<QPushButton*>()) {
            if (button->text() == "Filter row") QTest::mouseClick(button, Qt::LeftButton);
        }
        const SliceRef picked = SliceRef{m_scene->shown.keys()[5], SliceId(3u)};
        m_view->setRange(std::nullopt);
        m_view->setAreas({}, sliceListOf({picked}));
        settle();
        QVERIFY2(model().rowCount() == 1 && model().sliceAt(0) == picked, qPrintable(m_panel->countText()));
        m_view->setAreas({}, nullptr);
        settle();
        QVERIFY(m_panel->hint().startsWith("No range selected"));
    }

    void matchesAreThoseOfTheSearch()
    {
        m_panel->showHits();
        settle();
        QVERIFY2(m_panel->hint().contains("No search active"), qPrintable(m_panel->hint()));
        const EventQuery query = parseEventQuery("nccl rank:3").value();
        const auto hits = EventHits::find(*m_scene, query, Progress(test::workers())).value();
        m_panel->setSearch(hits, query);
        settle();
        QCOMPARE(static_cast<uint64_t>(model().rowCount()), hits->count());
        QVERIFY(hits->count() > 0);
        m_panel->setSearch(nullptr, {});
        settle();
        QCOMPARE(model().rowCount(), 0);
    }

    void unknownValuesAreEmpty()
    {
        for (int row = 0; row < 200; ++row) {
            const EventFacts& facts = model().factsAt(row);
            const QString size = model().index(row, static_cast<int>(EventColumn::bytes)).data().toString();
            QCOMPARE(size.isEmpty(), !facts.size_bytes.has_value());
            if (facts.size_bytes) QCOMPARE(size.toDouble() > 0, *facts.size_bytes > 0); // in MiB, never 0
            if (!facts.bus_GBps)
                QVERIFY(model().index(row, static_cast<int>(EventColumn::bus)).data().toString().isEmpty());
        }
    }

    void chosenRowsAreCopiedAndSummedUp()
    {
        EventTable& table = *m_panel->table();
        table.setFocus();
        const QSignalSpy sums(m_panel.get(), &Panel::summaryChanged);
        QTest::mouseClick(table.viewport(), Qt::LeftButton, {},
                          table.cellRect(0, EventColumn::duration).center());
        QTest::mouseClick(table.viewport(), Qt::LeftButton, Qt::ShiftModifier,
                          table.cellRect(3, EventColumn::duration).center());
        settle();
        QVERIFY2(sums.last().first().toString().startsWith("4 cells"),
                 qPrintable(sums.last().first().toString()));
        QVERIFY(sums.last().first().toString().contains("mean"));
        QSignalSpy copies(&table, &EventTable::copied);
        QTest::keyClick(&table, Qt::Key_C, Qt::ControlModifier);
        QTRY_COMPARE(copies.count(), 1);
        const QStringList lines = QGuiApplication::clipboard()->text().split('\n', Qt::SkipEmptyParts);
        QCOMPARE(lines.size(), qsizetype(5));
        QCOMPARE(lines[0], QString("Duration (ns)"));
        QCOMPARE(lines[1], QString::number(model().factsAt(0).duration.ns));
    }

    void columnsAreChosenAndRestored()
    {
        const QSignalSpy changes(m_panel.get(), &EventsPanel::columnsChanged);
        QTest::mouseClick(&test::part<QPushButton>(*m_panel, "columns"), Qt::LeftButton);
        ColumnChooser& chooser = test::part<ColumnChooser>(*m_panel);
        QTRY_VERIFY(chooser.isVisible());
        chooser.list()->item(0)->setCheckState(Qt::Unchecked);
        QCOMPARE(m_panel->table()->columns().front().column, EventColumn::start);
        QVERIFY(changes.count() > 0);
        const QString kept = m_panel->columnsText();
        QTest::keyClicks(chooser.findField(), "grid");
        QCOMPARE(chooser.list()->item(0)->isHidden(), true);
        chooser.findChild<QPushButton*>("resetColumns")->click();
        QVERIFY(hasFirstColumns());
        m_panel->setColumnsText(kept);
        QCOMPARE(m_panel->columnsText(), kept);
        m_panel->setColumnsText("nonsense start:0 name:99999999 start:x");
        QVERIFY(hasFirstColumns());
    }

    void rowsAreExported()
    {
        QTest::mouseClick(m_panel->filterSwitch(), Qt::LeftButton);
        QTest::keyClicks(field(EventColumn::name), "nccl");
        settle();
        const int rows = model().rowCount();
        QVERIFY(rows > 0);
        const test::TempDir folder;
        QSignalSpy outcome(m_panel.get(), &EventsPanel::exported);
        m_panel->exportTo(folder.path() / "events.csv");
        QTRY_COMPARE(outcome.count(), 1);
        std::ifstream file(folder.path() / "events.csv");
        std::string line, first;
        std::getline(file, first);
        QVERIFY2(first.starts_with("\"#\",Start (ns),Duration (ns),Name") ||
                     first.starts_with("#,Start (ns)"),
                 first.c_str());
        int lines = 0;
        while (std::getline(file, line))
            ++lines;
        QCOMPARE(lines, rows);
        m_panel->exportTo(folder.path() / "no" / "such" / "folder.csv");
        QTRY_COMPARE(outcome.count(), 2);
        QVERIFY(!outcome.last().first().toString().startsWith("Exported"));
    }

  private:
    // Widths are whole screen pixels: as text they are exact to one pixel.
    bool hasFirstColumns()
    {
        return std::ranges::equal(m_panel->table()->columns(), firstColumns(),
                                  [](const ShownColumn& a, const ShownColumn& b) {
                                      return a.column == b.column && std::abs(a.width - b.width) <= 1;
                                  });
    }
    EventModel& model() { return m_panel->table()->model(); }
    void settle() { QTRY_VERIFY(!m_panel->isBusy()); }
    QLineEdit* field(EventColumn column)
    {
        return m_panel->table()->header()->filterField(static_cast<int>(column));
    }
    void clickHead(EventColumn column)
    {
        FilterHeader& header = *m_panel->table()->header();
        const int x = header.sectionViewportPosition(static_cast<int>(column)) + 20;
        QTest::mouseClick(header.viewport(), Qt::LeftButton, {}, {x, 8});
    }

    ScenePtr m_scene;
    std::unique_ptr<ViewState> m_view;
    std::unique_ptr<EventsPanel> m_panel;
};

LOCKSTEP_TEST(EventsPanelTest, "events_panel_test")
#include "events_panel_test.moc"
