// SPDX-License-Identifier: Apache-2.0
// Tests identities that an identity file gives.
#include "app/cli/identity_file.h"

#include "core/readers/reader.h"
#include "core/readers/workspace_file/workspace_file.h"
#include "tests/support/job_report.h"
#include "tests/support/nsys_pair_export.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"

using namespace lockstep;

class IdentityFileTest : public QObject {
    Q_OBJECT

  private slots:
    void pathsNamesAndPatterns()
    {
        const IdentityFile file = *IdentityFile::parse("rank, path ,role,host,step\n"
                                                       "# a comment\n"
                                                       ",*.json,\"roll,out\",n0,\r\n"
                                                       "3,/data/w3.json,,,7\n\n",
                                                       "who.csv");
        const Identity both = file.statedFor("/data/w3.json");
        QCOMPARE(both.rank, (Sourced<int>{3, "who.csv line 4", Confidence::confirmed}));
        QCOMPARE(both.step.value, std::optional(7));
        QCOMPARE(both.role, (Sourced<std::string>{"roll,out", "who.csv line 3", Confidence::confirmed}));
        QVERIFY(!file.statedFor("/data/w4.json").rank.isKnown());
        QCOMPARE(file.statedFor("/data/w4.json").host.value, std::optional<std::string>("n0"));
        QCOMPARE(file.statedFor("/data/w4.sqlite"), Identity());
    }

    void everyPartHasAColumn()
    {
        const IdentityFile file =
            *IdentityFile::parse("path,run,local_rank,stage\n*,r1,4,generate\n", "who.csv");
        const Identity stated = file.statedFor("x");
        QCOMPARE(stated.run.value, std::optional<std::string>("r1"));
        QCOMPARE(stated.localRank.value, std::optional(4));
        QCOMPARE(stated.stage.value, std::optional<std::string>("generate"));
    }

    // A line with a pid applies to that process only and has priority over lines for the whole report, in any
    // order.
    void linesOfProcesses()
    {
        const IdentityFile file = *IdentityFile::parse("path,pid,rank,role\n"
                                                       "*.sqlite,4101,1,\n"
                                                       "*.sqlite,4100,0,\n"
                                                       "*.sqlite,,9,actor\n"
                                                       "*.sqlite,77,3,\n",
                                                       "who.csv");
        QCOMPARE(file.statedFor("mfu.sqlite").rank.value, std::optional(9));
        const test::TempDir folder;
        QVERIFY(test::writePairExport(folder.path() / "mfu.sqlite", {0, 1}));
        const auto report = readReport(folder.path() / "mfu.sqlite", Progress());
        QVERIFY(report);
        Workspace workspace;
        const auto path = (*report)->provenance.path;
        const ReportKey id = workspace.add(*report, file.statedFor(path), {}, file.processEdits(path));
        std::vector<std::string> told;
        for (size_t p = 0; p < (*report)->processes.size(); ++p) {
            const Identity& own = workspace.identity(id, ProcessId(p));
            told.push_back(std::to_string(own.pid.value.value_or(-1)) + " " + partText(own, "rank") + " " +
                           partText(own, "role"));
        }
        std::ranges::sort(told);
        QCOMPARE(told, (std::vector<std::string>{"4100 0 actor", "4101 1 actor"}));
        QCOMPARE(file.linesWithoutProcess(workspace),
                 std::vector<std::string>{"who.csv line 5: no process 77 in *.sqlite"});
        // Identities survive saving and opening.
        const auto saved = folder.path() / "run.lockstep";
        QVERIFY(saveWorkspaceFile(saved, workspace, {}, Progress()));
        const auto opened = openWorkspaceFile(saved, Progress());
        QVERIFY(opened);
        QVERIFY(opened->sections.empty());
        for (size_t p = 0; p < (*report)->processes.size(); ++p) {
            QCOMPARE(opened->workspace.identity(id, ProcessId(p)), workspace.identity(id, ProcessId(p)));
        }
    }

    void mistakesNameTheLine_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("expected");
        QTest::newRow("empty") << ""
                               << "the file is empty";
        QTest::newRow("no path") << "rank,host\n1,a\n"
                                 << "missing column 'path'";
        QTest::newRow("unknown column") << "path,node\na,b\n"
                                        << "line 1: unknown column 'node'";
        QTest::newRow("rank is not a number") << "path,rank\na,first\n"
                                              << "line 2: rank 'first' is not a number";
        QTest::newRow("negative") << "path,step\na,-1\n"
                                  << "line 2: step '-1' is not a number";
        QTest::newRow("pid is not a number") << "path,pid,rank\na,x,1\n"
                                             << "line 2: pid 'x' is not a valid process ID";
        QTest::newRow("too many cells") << "path\na,b\n"
                                        << "line 2: more cells than columns";
        QTest::newRow("no pattern") << "path,rank\n,1\n"
                                    << "line 2: empty path";
    }
    void mistakesNameTheLine()
    {
        QFETCH(QString, text);
        QFETCH(QString, expected);
        const auto file = IdentityFile::parse(text.toStdString(), "who.csv");
        QVERIFY(!file);
        QCOMPARE(file.error().kind, ErrorKind::invalid);
        QVERIFY2(QString::fromStdString(file.error().message).contains(expected),
                 file.error().message.c_str());
    }

    void manualFieldsOverrideTheFile()
    {
        Identity stated;
        QVERIFY(editPart(stated, "rank", "5", "who.csv line 2"));
        Workspace workspace;
        const auto report = test::jobReport({.rank = 0, .host = "n0"});
        const ReportKey id = workspace.add(report, stated);
        QCOMPARE(workspace.identity(id).rank.value, std::optional(5));
        QCOMPARE(workspace.identity(id).rank.confidence, Confidence::confirmed);
        QCOMPARE(workspace.identity(id, ProcessId(0u)).rank.value, std::optional(5));
        QCOMPARE(workspace.identity(id).host.value, std::optional<std::string>("n0"));
        QCOMPARE(report->identity.rank.value, std::optional(0)); // the report itself is unchanged
    }

    void manualIdentitiesAreRevoked()
    {
        Identity stated;
        QVERIFY(editPart(stated, "role", "critic", "set by hand"));
        QVERIFY(!editPart(stated, "rank", "first", "set by hand"));
        QVERIFY(!editPart(stated, "pid", "1", "set by hand"));
        QCOMPARE(partText(stated, "role"), std::string("critic"));
        QCOMPARE(partSource(stated, "role"), std::string_view("set by hand"));
        QVERIFY(editPart(stated, "role", "", "set by hand"));
        QCOMPARE(stated, Identity());
    }
};

LOCKSTEP_TEST(IdentityFileTest, "identity_file_test")
#include "identity_file_test.moc"
