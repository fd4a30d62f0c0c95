// SPDX-License-Identifier: Apache-2.0
// Tests several processes in one file: tables by process, filters by pid, GPU and rank of each.
#include "core/analysis/analysis.h"
#include "core/readers/reader.h"
#include "core/trace/identity.h"
#include "tests/support/nsys_pair_export.h"
#include "tests/support/table_text.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using namespace lockstep::test;

class ProcessesTest : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase()
    {
        QVERIFY(writePairExport(m_folder.path() / "mfu.sqlite", {0, 1}));
        const auto report = readReport(m_folder.path() / "mfu.sqlite", Progress());
        QVERIFY(report);
        Identity first, second;
        QVERIFY(editPart(first, "rank", "0", "who.csv line 2"));
        QVERIFY(editPart(second, "rank", "1", "who.csv line 3"));
        m_workspace.add(*report, {}, {}, std::vector<ProcessEdit>{{4100, first}, {4101, second}});
    }

    void inventoryHasARowPerProcess()
    {
        Scope scope;
        scope.by = *groupByNamed("process");
        const Table table = made("inventory", scope);
        QCOMPARE(table.rowCount(), size_t(2));
        QCOMPARE(columnCells(table, "pid"), (std::vector<std::string>{"4100", "4101"}));
        QCOMPARE(columnCells(table, "rank"), (std::vector<std::string>{"0", "1"}));
        QCOMPARE(columnCells(table, "process"), (std::vector<std::string>{"python", "python"}));
        QCOMPARE(columnCells(table, "device"),
                 (std::vector<std::string>{"GPU 0 NVIDIA H100", "GPU 1 NVIDIA H100"}));
        QCOMPARE(columnCells(table, "slices"), (std::vector<std::string>{"70", "70"}));
        QCOMPARE(made("inventory", {}).rowCount(), size_t(1));
    }

    void sumsByProcess()
    {
        Scope scope;
        scope.by = *groupByNamed("process");
        const Table table = made("cuda_gpu_kern_sum", scope);
        QCOMPARE(table.rowCount(), size_t(4));
        QCOMPARE(columnCells(table, "Process"),
                 (std::vector<std::string>{"node0:4100", "node0:4100", "node0:4101", "node0:4101"}));
    }

    void filtersByPid()
    {
        Scope scope;
        QVERIFY(scope.addFilter("process", "4101..4200"));
        QCOMPARE(scope.description(), std::vector<std::string>{"process=4101..4200"});
        const Table table = made("cuda_gpu_kern_sum", scope);
        QCOMPARE(columnCells(table, "Instances"), (std::vector<std::string>{"35", "35"}));
        QVERIFY(!scope.addFilter("process", "python"));
    }

  private:
    Table made(std::string_view what, const Scope& scope) const
    {
        return runAnalysis(what, *makeHeadlessScene(m_workspace, alignReports(m_workspace, {})), scope,
                           Progress())
            .value();
    }

    TempDir m_folder;
    Workspace m_workspace;
};

LOCKSTEP_TEST(ProcessesTest, "processes_test")
#include "processes_test.moc"
