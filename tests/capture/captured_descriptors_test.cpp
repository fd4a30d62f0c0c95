// SPDX-License-Identifier: Apache-2.0
// Tests that the library writes only to its own files, whatever the program does with its descriptors, and
// that the program never sees one of the library's descriptors.
#include <fcntl.h>
#include <sys/stat.h>

#include "capture/inject/descriptors.h"
#include "tests/capture/captured_run.h"
#include "tests/support/test_registry.h"

using namespace lockstep::test;

namespace {

// Runs the program in `folder`, in a shell that has run `setup` first.
CapturedRun runIn(const std::filesystem::path& folder, const QString& before, const QString& mode)
{
    return runCaptured("/bin/sh",
                       {"-c",
                        "cd \"$2\"; " + before + " exec \"$0\" \"$1\"" + (mode == "quiet" ? " 2>&-" : ""),
                        builtProgram("capture-descriptors"), mode, QString::fromStdString(folder)},
                       folder / "out");
}

} // namespace

class CapturedDescriptorsTest : public QObject {
    Q_OBJECT

  private slots:
    void filesOfTheProgramAreUnchanged_data()
    {
        QTest::addColumn<QString>("mode");
        QTest::addColumn<QString>("before");
        QTest::newRow("all closed") << "closed"
                                    << "";
        QTest::newRow("all closed, few allowed") << "closed"
                                                 << "ulimit -n 40;";
        QTest::newRow("standard error closed") << "quiet"
                                               << "";
        QTest::newRow("standard error closed, few allowed") << "quiet"
                                                            << "ulimit -n 20;";
    }

    void filesOfTheProgramAreUnchanged()
    {
        QFETCH(QString, mode);
        QFETCH(QString, before);
        const TempDir folder;
        const CapturedRun run = runIn(folder.path(), before, mode);
        QCOMPARE(run.status, 0);
        QVERIFY2(run.problem.empty(), run.problem.c_str());
        QVERIFY2(run.log.empty(), run.log.c_str());
        QCOMPARE(run.reports.size(), 1u);
        QCOMPARE(countOf(*run.reports[0], "nvtx_pushpop"), mode == "quiet" ? 1001u : 3001u);
        QVERIFY(!run.reports[0]->notes.hasDataLoss());
    }

    void replacedDescriptorIsNotUsed()
    {
        const TempDir folder;
        const CapturedRun run = runIn(folder.path(), "", "replaced");
        QCOMPARE(run.status, 0);
        QCOMPARE(run.reports.size(), 1u); // reopened by its path
        QCOMPARE(countOf(*run.reports[0], "nvtx_pushpop"), 3004u);
    }

    void deletedReportIsReported()
    {
        const TempDir folder;
        const CapturedRun run = runIn(folder.path(), "", "removed");
        QCOMPARE(run.status, 0);
        QVERIFY(run.reports.empty());
        QVERIFY2(run.log.find("the rest of this report is lost") != std::string::npos, run.log.c_str());
        QVERIFY2(run.log.find("\"event\":\"lost\"") != std::string::npos, run.log.c_str());
    }

    void childClosesOnlyOwnDescriptors()
    {
        const TempDir folder;
        const CapturedRun run = runIn(folder.path(), "", "forked");
        QCOMPARE(run.status, 0);
        QCOMPARE(run.reports.size(), 2u);
    }

    void descriptorNumbersAreHigh_data()
    {
        QTest::addColumn<QString>("limit");
        QTest::addColumn<int>("lowest");
        QTest::newRow("1024") << "ulimit -n 1024;" << 512;
        QTest::newRow("600") << "ulimit -n 600;" << 512;
        QTest::newRow("100") << "ulimit -n 100;" << 50;
        QTest::newRow("8") << "ulimit -n 8;" << 4;
    }

    void descriptorNumbersAreHigh()
    {
        QFETCH(QString, limit);
        QFETCH(int, lowest);
        const TempDir folder;
        const CapturedRun run = runIn(folder.path(), limit, "listed");
        QCOMPARE(run.status, 0);
        const QByteArrayList numbers = run.output.trimmed().split('\n');
        QVERIFY(!run.output.isEmpty());
        for (const QByteArray& number : numbers)
            QVERIFY2(number.toInt() >= lowest, number.constData());
    }

    void onlyRegularFilesAreRead()
    {
        using namespace lockstep::capture;
        const TempDir folder;
        const std::string fifo = folder.path() / "fifo";
        QCOMPARE(mkfifo(fifo.c_str(), 0600), 0);
        QCOMPARE(readFile(fifo.c_str(), 100), std::string());
        QCOMPARE(readFile("/dev/zero", 100), std::string());
        const std::string file = folder.write("file", std::string(10'000, 'x'));
        QCOMPARE(readFile(file.c_str(), 5000).size(), 5000u);
        QVERIFY(!readFile("/proc/self/comm", 100).empty());
        const int kept = openHigh(file.c_str(), O_RDONLY);
        QVERIFY(kept >= 512);
        QVERIFY((fcntl(kept, F_GETFD) & FD_CLOEXEC) != 0);
        closeOwn(kept, {});
        QVERIFY(fileIdentity(kept).has_value()); // belongs to another file
        closeOwn(kept, *fileIdentity(kept));
        QVERIFY(!fileIdentity(kept).has_value());
    }
};

LOCKSTEP_TEST(CapturedDescriptorsTest, "captured_descriptors_test")
#include "captured_descriptors_test.moc"
