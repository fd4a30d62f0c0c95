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
