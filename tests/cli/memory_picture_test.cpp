// SPDX-License-Identifier: Apache-2.0
// Tests `--export memory`: a picture of the memory lanes only, of snapshots with and without times, and a
// clear message where there are none.
#include <QFile>

#include "tests/support/places.h"
#include "tests/support/program_run.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using lockstep::test::ProgramRun;
using lockstep::test::runLockstep;
using lockstep::test::TempDir;

namespace {

QString snapshot(const char* name)
{
    const auto folder = test::sourceFolder() / "tests/golden/memory/snapshots";
    return QString::fromStdString((folder / (std::string(name) + ".pickle")).string());
}

QByteArray svgOf(const QStringList& arguments)
{
    const TempDir folder;
    const QString to = QString::fromStdString((folder.path() / "m.svg").string());
    const ProgramRun run =
        runLockstep(QStringList{"--export", "memory", "--format", "svg", "-o", to} + arguments);
    if (run.status != 0) return "status " + QByteArray::number(run.status) + run.errors;
    QFile file(to);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("none");
}

} // namespace

class MemoryPictureTest : public QObject {
    Q_OBJECT

  private slots:
    void onlyMemoryLanes()
    {
        const QByteArray svg = svgOf({"--size", "1000x400", snapshot("oom")});
        QVERIFY2(svg.contains(">memory<") && svg.contains(">reserved<"), svg.left(300));
        QVERIFY(svg.contains("OOM, 140 MiB requested"));
        QVERIFY(!svg.contains("memory events")); // a timeline lane, not a memory lane
        QVERIFY(!svg.contains("Lanes that do not fit"));
    }

    // Lanes that don't fit are collapsed, and counted if even that is not enough.
    void manyLanesAreCollapsedAndCounted()
    {
        const QStringList all{snapshot("oom"), snapshot("plain"), snapshot("late"), snapshot("streams")};
        QVERIFY(svgOf(QStringList{"--size", "1000x900"} + all).contains(">activations<"));
        const QByteArray folded = svgOf(QStringList{"--size", "1000x500"} + all);
        QVERIFY(!folded.contains(">activations<") && !folded.contains("Lanes that do not fit"));
        QVERIFY(svgOf(QStringList{"--size", "1000x300"} + all).contains("Lanes that do not fit"));
    }

    void byStack()
    {
        const TempDir folder;
        const QString to = QString::fromStdString(folder.path().string());
        QCOMPARE(
            runLockstep({"--export", "memory:stack,memory", "--format", "svg", "-o", to, snapshot("plain")})
                .status,
            0);
        QFile byStack(to + "/memory+stack.svg"), byCategory(to + "/memory.svg");
        QVERIFY(byStack.open(QIODevice::ReadOnly) && byCategory.open(QIODevice::ReadOnly));
        QVERIFY(byStack.readAll().contains(".py"));
        QVERIFY(byCategory.readAll().contains(">activations<"));
        QCOMPARE(runLockstep({"--export", "memory:stacks", "-o", to, snapshot("plain")}).status, 2);
    }

    void samePictureTwice()
    {
        const TempDir folder;
        const QString one = QString::fromStdString((folder.path() / "one.png").string());
        const QString two = QString::fromStdString((folder.path() / "two.png").string());
        for (const QString& to : {one, two})
            QCOMPARE(
                runLockstep({"--export", "memory", "--theme", "dark", "-o", to, snapshot("plain")}).status,
                0);
        QFile first(one), second(two);
        QVERIFY(first.open(QIODevice::ReadOnly) && second.open(QIODevice::ReadOnly));
        const QByteArray bytes = first.readAll();
        QCOMPARE(bytes.mid(16, 8).toHex(), QByteArray("0000078000000438")); // 1920 x 1080, as PNG says it
        QCOMPARE(bytes, second.readAll());
    }

    void nothingToDrawIsReported()
    {
        const TempDir folder;
        const QString trace = QString::fromStdString(
            folder
                .write("a.json",
                       R"({"schemaVersion": 1, "traceEvents": [{"ph": "X", "cat": "kernel", "name": "gemm",
                "pid": 0, "tid": 7, "ts": 10, "dur": 2, "args": {"device": 0, "stream": 7}}]})")
                .string());
        const QString to = QString::fromStdString((folder.path() / "m.svg").string());
        const ProgramRun run = runLockstep({"--export", "memory", "--format", "svg", "-o", to, trace});
        QCOMPARE(run.status, 0);
        QVERIFY2(run.errors.contains("no input contains a memory snapshot"), run.errors);
        QFile file(to);
        QVERIFY(file.open(QIODevice::ReadOnly) && file.readAll().contains("no memory snapshot"));
    }
};

LOCKSTEP_TEST(MemoryPictureTest, "memory_picture_test")
#include "memory_picture_test.moc"
