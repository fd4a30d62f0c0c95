// SPDX-License-Identifier: Apache-2.0
// Tests the layout of the collection status and its picture.
#include "ui/run/ledger_view.h"

#include <set>

#include <QPainter>
#include <QToolButton>

#include "tests/support/test_registry.h"
#include "ui/run/ledger_card.h"
#include "ui/run/run_text.h"

using namespace lockstep;

namespace {

// Two ranks on two hosts, two steps of two stages; a controller over the whole run.
Ledger twoNodes()
{
    ExpectedFile actor;
    actor.role = "actor";
    actor.host = "node0";
    actor.ranks = {0};
    actor.rankCount = 1;
    actor.reportsPerRank = 4;
    actor.steps = {{2}, {5}};
    ExpectedFile other = actor;
    other.host = "node1";
    other.ranks = {8};
    ExpectedFile controller;
    controller.role = "controller";
    controller.host = "node0";
    controller.rankCount = 1;
    return Ledger(std::vector<ExpectedFile>{controller, actor, other});
}

} // namespace

class LedgerViewTest : public QObject {
    Q_OBJECT

  private slots:
    void arrangesRolesRanksAndSteps()
    {
        const LedgerGrid grid = ledgerGrid(twoNodes());
        QCOMPARE(grid.sections.size(), size_t(2));
        QCOMPARE(grid.sections[0].role, std::string("actor")); // the whole run is last
        QCOMPARE(grid.sections[0].columns.size(), size_t(2));
        QCOMPARE(grid.sections[0].columns[0].slotCount, size_t(2));
        QCOMPARE(grid.sections[0].rows.size(), size_t(2));
        QCOMPARE(ledgerRowText(grid.sections[0].rows[1], false), QString("rank 8 \u00B7 node1"));
        QVERIFY(grid.sections[1].isWholeRun());
        QCOMPARE(ledgerRowText(grid.sections[1].rows[0], true), QString("controller \u00B7 node0"));
    }

    void everyCellCanBeHit()
    {
        const Ledger ledger = twoNodes();
        LedgerView view;
        view.resize(900, 400);
        view.show();
        view.setLedger(ledger);
        for (size_t entry = 0; entry < ledger.entries().size(); ++entry) {
            const QRect rect = view.rectOf(entry);
            QVERIFY(!rect.isEmpty());
            QCOMPARE(view.entryAt(rect.center()), std::optional<size_t>(entry));
        }
        QCOMPARE(ledgerRemark(ledger), QString("9 expected \u00B7 9 pending"));
    }

    // The view never needs a scroll bar, and every report belongs to a cell that the mouse and the keys
    // reach.
    void fitsManyRanks_data()
    {
        QTest::addColumn<int>("ranks");
        QTest::addColumn<int>("reports");
        QTest::addColumn<int>("detail");
        using enum LedgerLayout::Detail;
        QTest::newRow("2") << 2 << 4 << static_cast<int>(words);
        QTest::newRow("64") << 64 << 4 << static_cast<int>(reports);
        QTest::newRow("64, one report") << 64 << 1 << static_cast<int>(reports);
        QTest::newRow("256") << 256 << 4 << static_cast<int>(reports);
        QTest::newRow("1000") << 1000 << 6 << static_cast<int>(ranks);
        QTest::newRow("20000") << 20'000 << 4 << static_cast<int>(hosts);
    }

    void fitsManyRanks()
    {
        QFETCH(int, ranks);
        QFETCH(int, reports);
        QFETCH(int, detail);
        std::vector<ExpectedFile> files;
        for (int first = 0; first < ranks; first += 8) {
            ExpectedFile file;
            file.role = "actor";
            file.host = "node" + std::to_string(first / 8);
            for (int rank = first; rank < std::min(first + 8, ranks); ++rank)
                file.ranks.push_back(rank);
            file.rankCount = static_cast<int64_t>(file.ranks.size());
            file.reportsPerRank = reports;
            files.push_back(std::move(file));
        }
        const Ledger ledger{files};
        QCOMPARE(ledger.entries().size(), static_cast<size_t>(ranks * reports));
        LedgerCard card(nullptr);
        card.resize(790, 400);
        card.show();
        card.setLedger(ledger, false);
        LedgerView* const view = card.view();
        QTRY_VERIFY(view->width() > 700);
        QCOMPARE(static_cast<int>(view->cells().detail), detail);
        QVERIFY2(view->contentHeight() <= 330, qPrintable(QString::number(view->contentHeight())));
        QCOMPARE(view->height(), view->contentHeight());
        size_t entries = 0;
        for (const LedgerTile& tile : view->cells().tiles) {
            entries += tile.entries.size();
            QVERIFY(view->rect().contains(tile.rect));
            QVERIFY(view->entryAt(tile.rect.center()).has_value());
        }
        QCOMPARE(entries, ledger.entries().size());
        view->setFocus();
        QTest::keyClick(view, Qt::Key_End);
        QTest::keyClick(view, Qt::Key_Down);
        QCOMPARE(view->cells().tileOf(*view->current()), std::optional(view->cells().tiles.size() - 1));
        QVERIFY(view->accessibleDescription().contains("pending"));
        QTest::keyClick(view, Qt::Key_Home);
        QTest::keyClick(view, Qt::Key_Space);
        QCOMPARE(view->chosen().size(), view->cells().tiles.front().entries.size());
        const bool hasNumbers = std::ranges::any_of(view->cells().texts, &LedgerText::isNumber);
        if (detail == static_cast<int>(LedgerLayout::Detail::reports)) QVERIFY(hasNumbers);
    }

    void statesDifferWithoutColor()
    {
        std::set<QByteArray> pictures;
        for (size_t state = 0; state < kLedgerStates; ++state) {
            QImage image(12, 12, QImage::Format_Grayscale8);
            image.fill(Qt::white);
            QPainter painter(&image);
            drawLedgerSign(painter, QRectF(1, 1, 10, 10), static_cast<LedgerState>(state), Qt::black);
            painter.end();
            pictures.insert(
                QByteArray(reinterpret_cast<const char*>(image.constBits()), image.sizeInBytes()));
        }
        QCOMPARE(pictures.size(), kLedgerStates);
    }

    void fetchesChosenAndRetriesBroken()
    {
        Ledger ledger = twoNodes();
        const size_t good = ledger.noteFound("node0", "/r/a.nsys-rep", "nsys report", 1000, true, "");
        const size_t bad = ledger.noteFound("node1", "/r/b.nsys-rep", "nsys report", 0, true, "");
        ledger.noteMissing(bad, "it opens, but holds no rows");
        LedgerCard card(nullptr);
        card.resize(900, 400);
        card.show();
        card.setLedger(ledger, false);
        std::vector<std::set<size_t>> asked;
        connect(&card, &LedgerCard::fetchRequested, this,
                [&](const std::set<size_t>& entries, CollectMode) { asked.push_back(entries); });
        const auto press = [&card](const QString& text) {
            for (QToolButton* button : card.findChildren<QToolButton*>()) {
                if (button->isVisible() && button->text().startsWith(text)) button->click();
            }
        };
        press("Retry");
        card.view()->setChosen({good, bad});
        press("Fetch selected");
        press("Fetch all");
        QCOMPARE(asked.size(), size_t(3));
        QCOMPARE(asked[0], std::set<size_t>{bad});
        QVERIFY(asked[1].contains(good));
        QVERIFY(asked[2].empty());
        QVERIFY(ledgerEntryText(ledger.entries()[bad]).contains("it opens, but holds no rows"));
    }
};

LOCKSTEP_TEST(LedgerViewTest, "ledger_view_test")
#include "ledger_view_test.moc"
