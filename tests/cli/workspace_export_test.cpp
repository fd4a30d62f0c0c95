// SPDX-License-Identifier: Apache-2.0
// Tests `--export workspace`: one file that opens again without its inputs, complete or not there.
#include <QDir>
#include <QFile>

#include "tests/support/program_run.h"
#include "tests/support/report_tree.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using test::runLockstep;

class WorkspaceExportTest : public QObject {
    Q_OBJECT

  private slots:
    void reopensWithoutItsInputs()
    {
        const test::TempDir folder;
        const auto tree = test::writeReportTree(folder, 2, 1);
        const QString workspace = text(folder.path() / "all.lockstep");
        const QStringList table{"--export", "inventory", "--format", "csv"};
        const auto before = runLockstep(QStringList(table) << text(tree));
        auto made = runLockstep({"--export", "workspace", "-o", workspace, "--align", "zero", text(tree)});
        QCOMPARE(made.errors, QByteArray());
        QCOMPARE(made.status, 0);
        const QByteArray first = contentOf(workspace);
        made = runLockstep({"--export", "workspace", "-o", workspace, "--align", "zero", text(tree)});
        QVERIFY(contentOf(workspace) == first); // the same inputs and options give the same bytes

        std::filesystem::remove_all(tree);
        const auto after = runLockstep(QStringList(table) << workspace);
        QCOMPARE(after.status, 0);
        QCOMPARE(after.output.count('\n'), before.output.count('\n'));
        QVERIFY(after.output.contains("critic"));
    }

    void workspaceNextToTablesInAFolder()
    {
        const test::TempDir folder;
        const auto tree = test::writeReportTree(folder, 1, 1);
        const QString out = text(folder.path() / "out");
        const auto run = runLockstep({"--export", "inventory,workspace", "-o", out, text(tree)});
        QCOMPARE(run.status, 0);
        QCOMPARE(QDir(out).entryList(QDir::Files | QDir::Hidden),
                 (QStringList{"inventory.csv", "workspace.lockstep"}));
    }

    void invalidCombinations()
    {
        const test::TempDir folder;
        const auto trace = folder.write("a.json", test::smallTrace());
        QCOMPARE(runLockstep({"--export", "workspace", text(trace)}).status, 2);
        const QString nowhere = text(folder.path() / "nowhere" / "x.lockstep");
        const auto run = runLockstep({"--export", "workspace", "-o", nowhere, text(trace)});
        QCOMPARE(run.status, 1);
        QCOMPARE(run.errorLines().size(), 1);
        QVERIFY(run.errors.contains("nowhere/x.lockstep"));
        const auto partial = runLockstep({"--export", "workspace", "-o", text(folder.path() / "x.lockstep"),
                                          text(trace), text(folder.write("b.json", "no trace"))});
        QCOMPARE(partial.status, 3); // one input could not be opened; the file holds the other
        QVERIFY(QFile::exists(text(folder.path() / "x.lockstep")));
    }

  private:
    static QString text(const std::filesystem::path& path) { return QString::fromStdString(path.string()); }

    static QByteArray contentOf(const QString& name)
    {
        QFile file(name);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("absent");
    }
};

LOCKSTEP_TEST(WorkspaceExportTest, "workspace_export_test")
#include "workspace_export_test.moc"
