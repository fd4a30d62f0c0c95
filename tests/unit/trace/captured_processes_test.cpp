// SPDX-License-Identifier: Apache-2.0
// Tests two hosts with the same name, each with a process of the same number: they are two processes, because
// each report was collected from a different host.
#include "core/readers/reader.h"
#include "core/trace/process_groups.h"
#include "tests/support/places.h"
#include "tests/support/test_registry.h"

using namespace lockstep;

class CapturedProcessesTest : public QObject {
    Q_OBJECT

  private slots:
    void sameNameAndNumberOnTwoHosts_data()
    {
        QTest::addColumn<QString>("second");
        QTest::addColumn<int>("processes");
        QTest::newRow("two hosts") << "node1" << 2;
        QTest::newRow("one host") << "node0" << 1;
    }
    void sameNameAndNumberOnTwoHosts()
    {
        QFETCH(QString, second);
        Workspace workspace;
        for (const std::string& host : {std::string("node0"), second.toStdString()}) {
            auto report = readReport(test::sourceFolder() / "tests/data/capture/all.lsc", Progress());
            QVERIFY(report.has_value());
            QVERIFY((*report)->identity.host.isKnown() && (*report)->identity.pid.isKnown());
            Identity stated;
            stated.host.learn(host, "collected", Confidence::confirmed);
            workspace.add(*report, stated);
        }
        completeIdentities(workspace);
        QTEST(static_cast<int>(findProcessGroups(workspace).size()), "processes");
    }
};

LOCKSTEP_TEST(CapturedProcessesTest, "captured_processes_test")
#include "captured_processes_test.moc"
