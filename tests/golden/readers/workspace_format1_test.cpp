// SPDX-License-Identifier: Apache-2.0
// Tests a workspace from the time when workspaces were SQLite databases. It contains what its writer counted,
// and it stays the same when it is saved again, compressed or raw.
#include "core/readers/workspace_file/workspace_file.h"
#include "tests/support/places.h"
#include "tests/support/report_compare.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"

using namespace lockstep;

class WorkspaceFormat1Test : public QObject {
    Q_OBJECT

  private slots:
    void contentIsPreserved()
    {
        const auto path = lockstep::test::sourceFolder() / "tests/golden/readers/workspaces/format1.lockstep";
        const auto old = openWorkspaceFile(path, Progress(test::workers()));
        QVERIFY(old);
        std::string counts;
        for (const ReportKey key : old->workspace.keys()) {
            const Report& report = old->workspace.report(key);
            const size_t entries = report.memory ? report.memory->entries.size() : 0;
            counts += report.provenance.kind + " " + std::to_string(report.slices.size()) + " " +
                      std::to_string(report.links.size()) + " " + std::to_string(report.memoryOps.size()) +
                      " " + std::to_string(entries) + "\n";
        }
        QCOMPARE(QString::fromStdString(counts), QString("nsys sqlite 793 8 1 0\n"
                                                         "chrome json 4811 1204 50 0\n"
                                                         "chrome json 4676 1154 50 0\n"
                                                         "memory snapshot 0 0 0 8092\n"
                                                         "chrome json 1539 434 9 0\n"));
        const test::TempDir folder;
        const auto anew = folder.path() / "anew.lockstep";
        for (const StoredColumns columns : {StoredColumns::packed, StoredColumns::raw}) {
            QVERIFY(saveWorkspaceFile(anew, old->workspace, old->sections, Progress(), columns));
            const auto opened = openWorkspaceFile(anew, Progress(test::workers()));
            QVERIFY(opened && opened->sections == old->sections);
            for (const ReportKey key : old->workspace.keys())
                QCOMPARE(lockstep::test::firstDifference(old->workspace.report(key),
                                                         opened->workspace.report(key)),
                         std::string());
        }
    }
};

LOCKSTEP_TEST(WorkspaceFormat1Test, "workspace_format1_test")
#include "workspace_format1_test.moc"
