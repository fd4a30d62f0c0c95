// SPDX-License-Identifier: Apache-2.0
// Tests MemoryPanel: every view of real and generated snapshots by mouse and keys. Figures on screen must
// be those of the replay. With LOCKSTEP_PICTURES=FOLDER each view is also saved as a picture.
#include "ui/memory/memory_panel.h"

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QSignalSpy>
#include <QSlider>
#include <QToolButton>

#include "core/memory/allocations.h"
#include "core/readers/reader.h"
#include "tests/gui/memory/memory_panel_site.h"
#include "tests/support/part.h"
#include "tests/support/places.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"
#include "ui/memory/allocator_pane.h"
#include "ui/memory/area_pane.h"
#include "ui/memory/flame_pane.h"
#include "ui/memory/memory_card.h"
#include "ui/memory/scrubber.h"
#include "ui/memory/table_pane.h"
#include "ui/panels/table_view.h"
#include "ui/style/byte_text.h"
#include "ui/style/style_sheet.h"
#include "ui/window/view_state.h"

using namespace lockstep;

namespace {

std::filesystem::path snapshotFile(const char* name)
{
    return test::sourceFolder() / "tests/golden/memory/snapshots" / name;
}

} // namespace

class MemoryPanelTest : public QObject, private test::MemoryPanelSite {
    Q_OBJECT

  private:
    void open(const std::vector<std::filesystem::path>& files)
    {
        Workspace workspace;
        for (const auto& file : files)
            workspace.add(readReport(file, Progress()).value());
        show(workspace);
    }
    TablePane& tables(const QString& name) { return *paneNamed<TablePane>(name); }
    template<class T>
    T* paneNamed(const QString& name)
    {
        for (int row = 0; row < m_panel->views()->count(); ++row) {
            if (m_panel->views()->item(row)->text() != name) continue;
            m_panel->views()->setCurrentRow(row);
            return qobject_cast<T*>(m_panel->pane(row));
        }
        qFatal("no view %s", qPrintable(name));
    }

  private slots:
    void init() { makePanel(); }

    void emptyPanelShowsWhatToOpen()
    {
        QVERIFY(m_panel->hint()->isVisible());
        QVERIFY(m_panel->hint()->text().contains("memory snapshot"));
        open({snapshotFile("plain.pickle")});
        QVERIFY(!m_panel->hint()->isVisible());
        m_panel->setScene(std::make_shared<const Scene>());
        QVERIFY(m_panel->hint()->isVisible());
    }

    void cardShowsThePeakAndTheFailure()
    {
        open({snapshotFile("oom.pickle")});
        const MemorySource source = memorySources(*m_panel->scene()).at(0);
        const MemoryPeak& peak = source.device().peaks.active;
        const QString text = m_panel->card()->text();
        QVERIFY2(text.contains("Peak " + byteQText(peak.levels.active)), qPrintable(text));
        QVERIFY2(text.contains("OOM: requested"), qPrintable(text));
        QVERIFY2(text.contains(byteQText(peak.levels.reserved)), qPrintable(text));
    }

    void flameGraphShowsThePeakByStack()
    {
        open({snapshotFile("plain.pickle")});
        FlamePane& pane = m_panel->open<FlamePane>();
        settle();
        const FlamePicture& picture = *pane.view()->picture();
        const MemoryPeak& peak = picture.source.device().peaks.active;
        QCOMPARE(picture.nodes->front().size_bytes, peak.levels.active);
        QVERIFY(picture.layout.boxes.size() > 1);
        // A click on the first frame below the root selects it; a double click zooms to it.
        const FlameBox box = *std::ranges::find_if(
            picture.layout.boxes, [](const FlameBox& b) { return b.row == 1 && b.merged == 0; });
        const QPoint middle = pane.view()->rectOf(box).center();
        QTest::mouseClick(pane.view()->viewport(), Qt::LeftButton, {}, middle);
        QCOMPARE(pane.view()->chosen(), box.node);
        QTRY_VERIFY2(pane.footText().contains("the peak would be"), qPrintable(pane.footText()));
        QTest::mouseDClick(pane.view()->viewport(), Qt::LeftButton, {}, middle);
        settle();
        QCOMPARE(pane.view()->picture()->focus, box.node);
        pane.view()->setFocus();
        QTest::keyClick(pane.view(), Qt::Key_Escape);
        settle();
        QCOMPARE(pane.view()->picture()->focus, 0u);
    }

    void searchDimsOtherFrames()
    {
        open({snapshotFile("plain.pickle")});
        FlamePane& pane = m_panel->open<FlamePane>();
        settle();
        const MemorySource& source = pane.view()->picture()->source;
        const FlameNode& first = pane.view()->picture()->nodes->at(1);
        QVERIFY(first.frame.isValid());
        const MemoryFrame& frame = source.snapshot().frames[first.frame.value];
        const QString file = shownText(source.report->strings.at(frame.file));
        QTest::keyClicks(pane.find(), file.section('/', -1).section('.', 0, 0));
        QTRY_VERIFY(pane.view()->picture()->isSearched && !m_panel->isBusy());
        QVERIFY(pane.view()->picture()->nodes->front().found_bytes > 0);
        QVERIFY(pane.footText().contains("on stacks that match"));
    }

    void keysMoveThroughFrames()
    {
        open({snapshotFile("plain.pickle")});
        FlamePane& pane = m_panel->open<FlamePane>();
        settle();
        pane.view()->setFocus();
        QTest::keyClick(pane.view(), Qt::Key_Down);
        const uint32_t below = pane.view()->chosen();
        QCOMPARE(pane.view()->picture()->nodes->at(below).parent, 0u);
        QTest::keyClick(pane.view(), Qt::Key_Return);
        settle();
        QCOMPARE(pane.view()->picture()->focus, below);
        QTest::keyClick(pane.view(), Qt::Key_Up);
        QCOMPARE(pane.view()->chosen(), 0u);
    }

    void areasAddUpToActiveMemory()
    {
        open({snapshotFile("plain.pickle")});
        AreaPane& pane = m_panel->open<AreaPane>();
        settle();
        const auto check = [&] {
            const AreaPicture& picture = *pane.view()->picture();
            int64_t most = 0;
            for (const MemoryLevels& levels : picture.layout.levels)
                most = std::max(most, levels.active);
            QCOMPARE(most, picture.request.source.device().peaks.active.levels.active);
        };
        check();
        const size_t before = pane.view()->picture()->layout.stack.areas.size();
        pane.detail()->setValue(pane.detail()->minimum());
        settle();
        QVERIFY(pane.view()->picture()->layout.stack.areas.size() < before);
        QVERIFY(pane.view()->picture()->layout.stack.areas.size() <= 11);
        check();
    }

    void cursorNamesABlockAndZoomKeepsIt()
    {
        open({snapshotFile("plain.pickle")});
        AreaPane& pane = m_panel->open<AreaPane>();
        settle();
        const QRect plot = pane.view()->plot();
        QTest::mouseMove(pane.view(), QPoint(plot.center().x(), plot.bottom() - 2));
        QTest::mouseClick(pane.view(), Qt::LeftButton, {}, QPoint(plot.center().x(), plot.bottom() - 2));
        QVERIFY2(pane.cursorText().contains("entry"), qPrintable(pane.cursorText()));
        pane.view()->setFocus();
        QTest::keyClick(pane.view(), Qt::Key_W);
        settle();
        QVERIFY(pane.view()->until() - pane.view()->from() < 0.8);
        QTest::keyClick(pane.view(), Qt::Key_0);
        settle();
        QCOMPARE(pane.view()->until() - pane.view()->from(), 1.0);
        QSignalSpy states(&pane, &MemoryPane::stateRequested);
        QTest::keyClick(pane.view(), Qt::Key_Return);
        QCOMPARE(states.count(), 1);
    }

    void peakWithoutStacksMatchesTheCore()
    {
        open({snapshotFile("plain.pickle")});
        TablePane& pane = tables("By stack");
        settle();
        const MemorySource source = memorySources(*m_panel->scene()).at(0);
        const std::vector<StackUse> uses = stackUses(source.device());
        QCOMPARE(pane.table()->rowCount(), uses.size());
        const auto known = static_cast<size_t>(
            std::ranges::find_if(uses, [](const StackUse& use) { return use.stack.isValid(); }) -
            uses.begin());
        QVERIFY(known < uses.size());
        std::vector<bool> without(source.snapshot().stackCount());
        without[uses[known].stack.value] = true;
        const QString expected = byteQText(peakWithout(source.device(), without).levels.active);
        pane.view()->selectTableRow(static_cast<int>(known));
        QTRY_VERIFY2(pane.footText().contains("would be " + expected), qPrintable(pane.footText()));
        const auto frames = source.snapshot().stack(uses[known].stack);
        const QStringList lines = test::part<QPlainTextEdit>(pane).toPlainText().split('\n');
        QCOMPARE(lines.size(), qsizetype(frames.size()));
        const MemoryFrame& outermost = source.snapshot().frames[frames.back().value];
        const std::string_view function = source.report->strings.at(outermost.function);
        QVERIFY2(lines.last().endsWith(QString::fromUtf8(function)), qPrintable(lines.last()));
    }

    void otherTablesHaveTheirRows()
    {
        open({snapshotFile("annotated.pickle"), snapshotFile("plain.pickle")});
        TablePane& ranks = tables("Ranks");
        settle();
        QCOMPARE(ranks.table()->rowCount(), size_t(2));
        TablePane& compare = tables("Compare");
        settle();
        int64_t change = 0;
        for (size_t row = 0; row < compare.table()->rowCount(); ++row)
            change += compare.table()->number(0, row);
        const MemorySource source = memorySources(*m_panel->scene()).at(0);
        QCOMPARE(change, source.device().peaks.active.levels.active - source.device().levelsAt(0).active);
        TablePane& leaks = tables("Leak suspects");
        settle();
        QVERIFY(leaks.table() != nullptr);
        leaks.threshold()->setValue(0.5);
        settle();
        tables("Settings");
        settle();
    }

    void scrubbingShowsTheStateOfTheMoment()
    {
        open({snapshotFile("random.pickle")});
        AllocatorPane& pane = m_panel->open<AllocatorPane>();
        settle();
        const auto check = [&] {
            settle();
            const AllocatorPicture& picture = *pane.map()->picture();
            const AllocatorState expected =
                stateAt(picture.source.device(), test::part<Scrubber>(pane).moment());
            QCOMPARE(picture.state.moment, test::part<Scrubber>(pane).moment());
            QVERIFY(picture.state.segments == expected.segments && picture.state.blocks == expected.blocks);
            QVERIFY2(pane.momentText().contains(byteQText(expected.levels.active)),
                     qPrintable(pane.momentText()));
        };
        const MemoryMoment peak = memorySources(*m_panel->scene()).at(0).device().peaks.active.moment;
        QCOMPARE(test::part<Scrubber>(pane).moment(), peak);
        check();
        test::part<Scrubber>(pane).setFocus();
        QTest::keyClick(&test::part<Scrubber>(pane), Qt::Key_Left);
        QCOMPARE(test::part<Scrubber>(pane).moment(), peak - 1);
        check();
        const QRect plot = test::part<Scrubber>(pane).plot();
        QTest::mouseClick(&test::part<Scrubber>(pane), Qt::LeftButton, {}, plot.center());
        QVERIFY(test::part<Scrubber>(pane).moment() != peak - 1);
        check();
        QTest::keyClick(&test::part<Scrubber>(pane), Qt::Key_Home);
        QCOMPARE(test::part<Scrubber>(pane).moment(), 0u);
        check();
        open({snapshotFile("plain.pickle")}); // another file opens at its peak, even with the same key
        QCOMPARE(test::part<Scrubber>(pane).moment(),
                 memorySources(*m_panel->scene()).at(0).device().peaks.active.moment);
        check();
    }

    void cardDescribesAMapBlock()
    {
        open({snapshotFile("plain.pickle")});
        AllocatorPane& pane = m_panel->open<AllocatorPane>();
        settle();
        pane.map()->setFocus();
        QTest::keyClick(pane.map(), Qt::Key_Down);
        const BlockLifeId life = pane.map()->chosen();
        QVERIFY(life.isValid());
        const MemorySource source = memorySources(*m_panel->scene()).at(0);
        const QString size = byteQText(source.device().blocks.size_bytes[life.value]);
        QVERIFY2(m_panel->card()->text().contains("Block of " + size), qPrintable(m_panel->card()->text()));
        QTest::keyClick(pane.map(), Qt::Key_Escape);
        QVERIFY(m_panel->card()->text().startsWith("Peak"));
        // A click selects the block that is drawn there.
        const AllocatorLayout& drawn = pane.map()->picture()->layout;
        const AllocatorBox box =
            *std::ranges::find_if(drawn.boxes, [](const AllocatorBox& b) { return b.blocks > 0; });
        QTest::mouseClick(pane.map()->viewport(), Qt::LeftButton, {}, pane.map()->rectOf(0, box).center());
        QCOMPARE(pane.map()->chosen().value, box.life.value);
    }

    void cardLeadsToTheStateAtAFailure()
    {
        open({snapshotFile("oom.pickle")});
        const auto links = m_panel->card()->findChildren<QToolButton*>();
        const auto state = std::ranges::find(links, QString("Show allocator state"), &QToolButton::text);
        QVERIFY(state != links.end());
        QTest::mouseClick(*state, Qt::LeftButton);
        settle();
        QCOMPARE(m_panel->views()->currentItem()->text(), QString("Allocator state"));
        QVERIFY(m_panel->open<AllocatorPane>().map()->picture() != nullptr);
    }

    // Long names never widen the card.
    void cardIsNeverWidened()
    {
        test::TempDir folder;
        const std::filesystem::path copy = folder.path() / (std::string(180, 'x') + ".pickle");
        std::filesystem::copy_file(snapshotFile("deep_stacks.pickle"), copy);
        open({copy});
        const auto isWithin = [&] { return m_panel->card()->widget()->width() <= m_panel->card()->width(); };
        for (const QWidget* const part : m_panel->card()->widget()->findChildren<QWidget*>()) {
            if (!isWithin() && part->minimumSizeHint().width() > 120)
                qInfo() << part->minimumSizeHint() << part->accessibleName() << part->property("text");
        }
        QTRY_VERIFY(isWithin());
    }

    void namesAreNotMarkup()
    {
        const QString text = shownText("<img src=x>\x1b[31m\nname");
        QVERIFY(!text.contains('\n') && !text.contains(QChar(0x1b)));
        QCOMPARE(shownText(std::string(64 * 1024, 'x')).size(), 400);
        for (const QLabel* const label : m_panel->findChildren<QLabel*>())
            QVERIFY2(label->textFormat() != Qt::AutoText || !label->text().contains('<'),
                     qPrintable(label->text()));
    }

    void picturesForInspection()
    {
        const QString folder = qEnvironmentVariable("LOCKSTEP_PICTURES");
        if (folder.isEmpty()) return;
        const std::filesystem::path data = test::sharedData("memory");
        for (const char* const name : {"forward_cuda.pickle", "verl_mem.pickle", "snapshot_expandable.pkl",
                                       "snapshot_with_multi_devices.pkl"}) {
            open({data / name});
            for (const Theme* const theme : {&lightTheme(), &darkTheme()}) {
                qApp->setPalette(theme->palette());
                qApp->setStyleSheet(styleSheetOf(*theme, 1));
                m_panel->setTheme(*theme);
                for (int row = 0; row < m_panel->views()->count(); ++row) {
                    m_panel->openView(row);
                    settle();
                    m_panel->grab().save(QString("%1/%2_%3_%4.png")
                                             .arg(folder, QString(name).section('.', 0, 0),
                                                  m_panel->views()->item(row)->text().replace(' ', '_'),
                                                  theme->isDark ? "dark" : "light"));
                }
            }
        }
    }
};

LOCKSTEP_TEST(MemoryPanelTest, "memory_panel_test")
#include "memory_panel_test.moc"
