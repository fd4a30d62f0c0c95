// SPDX-License-Identifier: Apache-2.0
// Tests which symbols the library exports to the processes that load it, and which it needs from them.
#include <set>

#include "tests/capture/captured_run.h"
#include "tests/support/test_registry.h"

using namespace lockstep::test;

namespace {

QList<QByteArray> dynamicSymbols()
{
    QProcess objdump;
    objdump.start("objdump", {"-T", captureLibrary()});
    objdump.waitForFinished(kPatience_ms);
    return objdump.readAllStandardOutput().split('\n');
}

} // namespace

class CaptureExportsTest : public QObject {
    Q_OBJECT

  private slots:
    void onlyTheEntryPointsAreExported()
    {
        std::set<QByteArray> exported;
        for (const QByteArray& line : dynamicSymbols()) {
            const QByteArray name = line.mid(line.lastIndexOf(' ') + 1);
            if (line.contains(" g ") && !line.contains("*UND*") && !name.startsWith("lockstep_"))
                exported.insert(name);
        }
        QCOMPARE(exported, (std::set<QByteArray>{"InitializeInjection", "InitializeInjectionNvtx2",
                                                 "InitializeInjectionNvtxExtension"}));
    }

    void loadsOnGlibc231()
    {
        int versions = 0;
        for (const QByteArray& line : dynamicSymbols()) {
            const qsizetype at = line.indexOf("GLIBC_2.");
            if (at < 0) continue;
            ++versions;
            QVERIFY2(line.mid(at + 8).split(')')[0].split('.')[0].toInt() <= 31, line.constData());
        }
        QVERIFY(versions > 10);
        for (const QByteArray& line : dynamicSymbols())
            QVERIFY2(!line.contains("GLIBCXX") && !line.contains("GCC_"), line.constData());
    }
};

LOCKSTEP_TEST(CaptureExportsTest, "capture_exports_test")
#include "capture_exports_test.moc"
