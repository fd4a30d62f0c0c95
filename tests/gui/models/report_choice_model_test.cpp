// SPDX-License-Identifier: Apache-2.0
// Tests ReportChoiceModel: grouping by the parts of file names, check boxes of groups, the filter, and ten
// thousand files.
#include "ui/models/report_choice_model.h"

#include <QAbstractItemModelTester>
#include <QElapsedTimer>

#include "tests/gui/support/leaf_labels.h"
#include "tests/support/report_tree.h"
#include "tests/support/test_registry.h"

using namespace lockstep;

namespace {

QString labelAt(const QAbstractItemModel& model, const std::vector<int>& rows)
{
    QModelIndex index;
    for (const int row : rows)
        index = model.index(row, 0, index);
    return index.data().toString();
}

FoundReports foundOf(const std::vector<std::string>& paths)
{
    FoundReports found;
    for (const std::string& path : paths) {
        found.reports.emplace_back(path);
        found.files.push_back(unexaminedFile(path));
        found.files.back().size_bytes = 1000;
        found.files.back().memory_bytes = 2000;
        found.files.back().kind = "chrome json";
    }
    return found;
}

std::string verlName(const std::string& role, int rank, int step)
{
    return "/p/" + role + "/" + role + "_step" + std::to_string(step) + "_rank" + std::to_string(rank) +
           "-of-8_pid9_20261120143501123.json";
}

} // namespace

class ReportChoiceModelTest : public QObject {
    Q_OBJECT

  private slots:
    void groupsByNameParts()
    {
        ReportChoiceModel model;
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setChoices(
            sortedChoices(foundOf({verlName("critic", 10, 1), verlName("actor", 2, 2),
                                   verlName("actor", 2, 1), verlName("actor", 10, 1), "/p/odd.json"})));
        QCOMPARE(model.rowCount(), 3); // no run is known, so there is no such level
        QCOMPARE(labelAt(model, {0}), "actor");
        QCOMPARE(labelAt(model, {0, 0}), "rank 2");
        QCOMPARE(labelAt(model, {0, 1}), "rank 10");
        QVERIFY(labelAt(model, {0, 0, 0}).startsWith("step 1 \u00B7 actor_step1"));
        QCOMPARE(labelAt(model, {2}), "unknown role");
        QCOMPARE(labelAt(model, {2, 0}), "odd.json");
    }

    // Two runs side by side whose files have the same names.
    void foldersDistinguishEqualNames()
    {
        ReportChoiceModel model;
        model.setChoices(sortedChoices(
            foundOf({"/p/base/torch/rank0.json", "/p/slow/torch/rank0.json", "/p/slow/torch/rank1.json"})));
        QCOMPARE(test::leafLabels(model),
                 (QStringList{"base/torch/rank0.json", "rank1.json", "slow/torch/rank0.json"}));
    }

    void groupsSelectTheirReports()
    {
        ReportChoiceModel model;
        model.setChoices(sortedChoices(
            foundOf({verlName("actor", 0, 1), verlName("actor", 1, 1), verlName("critic", 0, 1)})));
        const QModelIndex actor = model.index(0, 0), second = model.index(1, 0, actor);
        QVERIFY(model.setData(actor, Qt::Checked, Qt::CheckStateRole));
        QCOMPARE(model.totals().files, size_t(2));
        QCOMPARE(model.totals().memory_bytes, uint64_t(4000));
        QVERIFY(model.setData(second, Qt::Unchecked, Qt::CheckStateRole));
        QCOMPARE(actor.data(Qt::CheckStateRole).toInt(), int(Qt::PartiallyChecked));
        QCOMPARE(model.ticked(), std::vector<size_t>{0});
        QCOMPARE(model.index(1, 0).data(Qt::CheckStateRole).toInt(), int(Qt::Unchecked));
    }

    void filterLimitsQuickChoices()
    {
        ReportChoiceModel model;
        model.setChoices(sortedChoices(foundOf({verlName("actor", 0, 1), verlName("actor", 1, 2),
                                                verlName("critic", 0, 2), verlName("actor", 12, 2)})));
        model.setFilter("role:actor step:2");
        QCOMPARE(model.shownCount(), size_t(2));
        model.setFilter("rank:1"); // not 12
        QCOMPARE(model.shownCount(), size_t(1));
        model.setFilter("critic_step2");
        QCOMPARE(model.shownCount(), size_t(1));
        model.setFilter("role:actor");
        model.tickOnly([](const ReportChoice& choice) { return *choice.file.identity.step.value == 2; });
        model.setFilter("");
        QCOMPARE(model.ticked(), (std::vector<size_t>{1, 3}));
    }

    void tenThousandFilesAreFast()
    {
        const test::TempDir folder;
        const auto root = test::writeReportTree(folder, 500, 10);
        QElapsedTimer clock;
        clock.start();
        const auto found = findReports({root}, Progress());
        const qint64 walk_ms = clock.restart();
        QVERIFY(found);
        QCOMPARE(found->reports.size(), size_t(10'000));
        ReportChoiceModel model;
        model.setChoices(sortedChoices(*found));
        const qint64 build_ms = clock.restart();
        model.tickOnly([](const ReportChoice& choice) { return choice.file.identity.step.value == 3; });
        const qint64 tick_ms = clock.restart();
        model.setFilter("role:actor rank:7");
        const qint64 filter_ms = clock.restart();
        QCOMPARE(model.shownCount(), size_t(10));
        QCOMPARE(model.totals().files, size_t(1000));
        qInfo("walk %lld ms, tree %lld ms, tick %lld ms, filter %lld ms", walk_ms, build_ms, tick_ms,
              filter_ms);
    }
};

LOCKSTEP_TEST(ReportChoiceModelTest, "report_choice_model_test")
#include "report_choice_model_test.moc"
