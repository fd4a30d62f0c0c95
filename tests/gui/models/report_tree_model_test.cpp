// SPDX-License-Identifier: Apache-2.0
// Tests ReportTreeModel: known levels, natural order, check boxes of groups.
#include "ui/models/report_tree_model.h"

#include <QAbstractItemModelTester>
#include <QSignalSpy>

#include "tests/gui/support/leaf_labels.h"
#include "tests/support/made_reports.h"
#include "tests/support/test_registry.h"

using namespace lockstep;

namespace {

ReportEntry entry(uint32_t key, const std::string& host, int rank, const std::string& role = "actor")
{
    test::MadeRank made;
    made.host = host;
    made.rank = rank;
    made.role = role;
    made.steps = 1;
    ReportEntry out;
    out.key = ReportKey(key);
    out.path = "/runs/r/rank" + std::to_string(rank) + ".sqlite";
    out.state = ReportState::open;
    out.report = test::madeRank(made);
    return out;
}

std::vector<ReportKey> keysOf(std::initializer_list<uint32_t> numbers)
{
    std::vector<ReportKey> keys;
    for (const uint32_t number : numbers)
        keys.emplace_back(number);
    return keys;
}

QString textAt(const QAbstractItemModel& model, const std::vector<int>& rows, int column = 0)
{
    QModelIndex at;
    for (const int row : rows)
        at = model.index(row, 0, at);
    return at.siblingAtColumn(column).data().toString();
}

} // namespace

class ReportTreeModelTest : public QObject {
    Q_OBJECT

  private slots:
    void groupsAndOrders()
    {
        ReportTreeModel model;
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setEntries({entry(1, "node10", 10), entry(2, "node2", 9), entry(3, "node2", 8),
                          entry(4, "node2", 11, "rollout")});
        QCOMPARE(model.rowCount(), 1);
        QCOMPARE(textAt(model, {0}), "verl-grpo 2026-11-20");
        QCOMPARE(textAt(model, {0}, 1), "4");
        QCOMPARE(textAt(model, {0, 0}), "node2"); // before node10
        QCOMPARE(textAt(model, {0, 1}), "node10");
        QCOMPARE(textAt(model, {0, 0, 0}), "actor");
        QCOMPARE(textAt(model, {0, 0, 0, 0}), "rank 8");
        QCOMPARE(textAt(model, {0, 0, 0, 1}), "rank 9");
        QCOMPARE(textAt(model, {0, 0, 1, 0}), "rank 11");
        QVERIFY(model.keysUnder(model.index(0, 0)) == keysOf({3, 2, 4, 1}));
    }

    // Two captures of one rank with unknown steps, and a trace of another tool.
    void capturesOfOneRankAreDistinguished()
    {
        const auto captured = [](uint32_t key, int capture) {
            ReportEntry made = entry(key, "node0", 0);
            auto identity = std::make_shared<ReportIdentity>();
            identity->whole = made.report->identity;
            identity->whole.step = {};
            identity->whole.captureIndex = {capture, "file name", Confidence::stated};
            made.identity = identity;
            return made;
        };
        ReportTreeModel model;
        model.setEntries({captured(1, 1), captured(2, 2), entry(3, "node0", 1)});
        QCOMPARE(test::leafLabels(model),
                 (QStringList{"rank 0 \u00B7 capture 1", "rank 0 \u00B7 capture 2", "rank 1"}));
    }

    void labelsAreDistinguished()
    {
        std::vector<std::string> labels{"a", "b", "a", "a"};
        disambiguate(labels, {{"1", "x"}, {"1", "x"}, {"2", "x"}, {"2", "y"}});
        QCOMPARE(QString::fromStdString(labels[0]), "a \u00B7 1");
        QCOMPARE(QString::fromStdString(labels[1]), "b");
        QCOMPARE(QString::fromStdString(labels[2]), "a \u00B7 2 \u00B7 x");
        QCOMPARE(QString::fromStdString(labels[3]), "a \u00B7 2 \u00B7 y");
        std::vector<std::string> none;
        disambiguate(none, {});
        QVERIFY(none.empty());
    }

    void unknownLevelsAreLeftOut()
    {
        auto report = std::make_shared<Report>();
        ReportEntry plain;
        plain.key = ReportKey(1u);
        plain.path = "/data/traces/one.json";
        plain.state = ReportState::open;
        plain.report = report;
        ReportEntry loading = plain;
        loading.key = ReportKey(2u);
        loading.state = ReportState::loading;
        ReportTreeModel model;
        model.setEntries({plain, loading});
        QCOMPARE(model.rowCount(), 1);
        QCOMPARE(textAt(model, {0}), "traces");
        QCOMPARE(textAt(model, {0, 0}), "one.json");
        QCOMPARE(model.rowCount(model.index(0, 0)), 1);
    }

    void groupsShowAndRequestTheirReports()
    {
        ReportTreeModel model;
        std::vector<ReportEntry> entries{entry(1, "a", 0), entry(2, "a", 1)};
        entries[0].isShown = false;
        model.setEntries(entries);
        const QModelIndex run = model.index(0, 0);
        QCOMPARE(run.data(Qt::CheckStateRole).toInt(), int(Qt::PartiallyChecked));
        QCOMPARE(textAt(model, {0}, 1), "1 / 2");
        std::vector<ReportKey> keys;
        bool shown = false;
        connect(&model, &ReportTreeModel::showRequested, &model,
                [&](const std::vector<ReportKey>& asked, bool isShown) {
                    keys = asked;
                    shown = isShown;
                });
        QVERIFY(model.setData(run, Qt::Checked, Qt::CheckStateRole));
        QVERIFY(keys == keysOf({1, 2}) && shown);
        QSignalSpy resets(&model, &QAbstractItemModel::modelReset);
        entries[0].isShown = true;
        model.setEntries(entries);
        QCOMPARE(resets.count(), 0); // rows keep their place, selection and expansion survive
        QCOMPARE(run.data(Qt::CheckStateRole).toInt(), int(Qt::Checked));
    }

    void hiddenLanesAreMarked()
    {
        ReportTreeModel model;
        std::vector<ReportEntry> entries{entry(1, "a", 0), entry(2, "a", 1), entry(3, "a", 2)};
        entries[2].isShown = false; // has no lanes
        model.setEntries(entries);
        const QSignalSpy changes(&model, &QAbstractItemModel::dataChanged);
        model.setHiddenLanes(keysOf({2}));
        QVERIFY(!changes.isEmpty());
        QVERIFY(textAt(model, {0, 0, 0, 0}, 1) != "hidden");
        QCOMPARE(textAt(model, {0, 0, 0, 1}, 1), "hidden");
        QCOMPARE(textAt(model, {0}, 1), "2 / 3");
        model.setHiddenLanes(keysOf({1, 2}));
        QCOMPARE(textAt(model, {0}, 1), "hidden");
        QVERIFY(textAt(model, {0, 0, 0, 2}, 1) != "hidden");
        model.setHiddenLanes({});
        QCOMPARE(textAt(model, {0}, 1), "2 / 3");
    }
};

LOCKSTEP_TEST(ReportTreeModelTest, "report_tree_model_test")
#include "report_tree_model_test.moc"
