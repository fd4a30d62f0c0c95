// SPDX-License-Identifier: Apache-2.0
// Tests `--export step_chart`: each training step by its phases, by group, in each format, with the same
// bytes each time, and no picture where there is no step.
#include <QFile>
#include <QXmlStreamReader>

#include "tests/support/program_run.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"

using lockstep::test::ProgramRun;
using lockstep::test::runLockstep;
using lockstep::test::TempDir;

namespace {

std::string eventOf(const std::string& category, const std::string& name, int64_t begin_us,
                    int64_t duration_us)
{
    return R"({"ph": "X", "cat": ")" + category + R"(", "name": ")" + name +
           R"(", "pid": 0, "tid": 1, "ts": )" + std::to_string(begin_us) + R"(, "dur": )" +
           std::to_string(duration_us) + "}";
}

// Steps of 1 s: 500 ms generation, 300 ms update, the rest in no phase.
std::string stepsOf(int rank, int steps)
{
    std::string text = R"({"schemaVersion": 1, "distributedInfo": {"backend": "nccl", "rank": )" +
                       std::to_string(rank) + R"(, "world_size": 2}, "traceEvents": [)";
    for (int i = 0; i < steps; ++i) {
        const int64_t at = 1'000'000 * i;
        text += (i > 0 ? "," : "") +
                eventOf("user_annotation", "ProfilerStep#" + std::to_string(i + 1), at, 1'000'000) + "," +
                eventOf("user_annotation", "generate_sequences", at, 500'000) + "," +
                eventOf("user_annotation", "update_actor", at + 500'000, 300'000);
    }
    return text + "]}";
}

QString stepPathOf(const std::filesystem::path& path)
{
    return QString::fromStdString(path.string());
}

ProgramRun chartRun(const QString& input, const QStringList& more = {})
{
    return runLockstep(QStringList{"--export", "step_chart", "--format", "svg"} + more + QStringList{input});
}

} // namespace

class StepChartTest : public QObject {
    Q_OBJECT

  private slots:
    void barsOfPhases()
    {
        const TempDir folder;
        folder.write("a<&>.json", stepsOf(0, 3));
        folder.write("b.json", stepsOf(1, 3));
        const ProgramRun run = chartRun(stepPathOf(folder.path()));
        QVERIFY2(run.status == 0 && run.errors.isEmpty(), run.errors);
        QXmlStreamReader xml(run.output);
        while (!xml.atEnd())
            xml.readNext();
        QVERIFY2(!xml.hasError(), qPrintable(xml.errorString()));
        // The mean of both ranks, not their sum.
        QVERIFY2(run.output.contains("step 2, generation: 500 ms of 1 s"), run.output.left(3000));
        QVERIFY(run.output.contains("update actor: 300 ms of 1 s") &&
                run.output.contains("outside phases: 200 ms"));
        for (const char* said :
             {"time (s)", "3 steps", "2 reports: ", "a&lt;&amp;&gt;.json", "generate_sequences",
              "Clocks: ", "Steps: ", "#FFFFFF", "Training steps by phase"})
            QVERIFY2(run.output.contains(said), said);
        QVERIFY(chartRun(stepPathOf(folder.path()), {"--theme", "dark"}).output.contains("#15181D"));
    }

    void groupsAndFilters()
    {
        const TempDir folder;
        folder.write("a.json", stepsOf(0, 3));
        folder.write("b.json", stepsOf(1, 2));
        const QString input = stepPathOf(folder.path());
        const QByteArray ranks = chartRun(input, {"--by", "rank"}).output;
        QVERIFY(ranks.contains(">rank 0<") && ranks.contains(">rank 1<"));
        QVERIFY(chartRun(input).output.contains("1 bar for steps that some processes lack"));
        const ProgramRun one = chartRun(input, {"--by", "rank", "--filter", "rank=1"});
        QVERIFY(!one.output.contains(">rank 0<") && one.output.contains("Only rank=1"));
        QVERIFY2(one.errors.isEmpty(), one.errors); // filters apply to this picture
        QCOMPARE(chartRun(input, {"--by", "step"}).output, chartRun(input).output);
    }

    void formatsAndSameBytes()
    {
        const TempDir folder, to;
        const QString input = stepPathOf(folder.write("a.json", stepsOf(0, 2)));
        for (const QString format : {"png", "svg", "pdf"}) {
            QByteArray first;
            for (const char* jobs : {"1", "4"}) {
                const QString file = stepPathOf(to.path()) + "/" + jobs + "." + format;
                const ProgramRun run = runLockstep({"--export", "step_chart", "--format", format, "--size",
                                                    "640x360", "--jobs", jobs, "-o", file, input});
                QVERIFY2(run.status == 0, run.errors);
                QFile made(file);
                QVERIFY(made.open(QIODevice::ReadOnly));
                const QByteArray bytes = made.readAll();
                QVERIFY(bytes.size() > 500 && (first.isEmpty() || bytes == first));
                first = bytes;
            }
            if (format == "pdf") QVERIFY(first.startsWith("%PDF") && first.contains("19700101000000"));
            if (format != "png") continue;
            QCOMPARE(first.mid(16, 8).toHex(), QByteArray("0000028000000168")); // 640 x 360, as PNG says it
        }
    }

    void noPictureWithoutSteps()
    {
        const TempDir folder, to;
        const QString input = stepPathOf(folder.write(
            "a.json", R"({"schemaVersion": 1, "traceEvents": [{"ph": "C", "name": "n", "pid": 0, "ts": 1,
                "args": {"v": 1}}]})"));
        const QString file = stepPathOf(to.path() / "s.svg");
        const ProgramRun run = runLockstep({"--export", "step_chart", "--format", "svg", "-o", file, input});
        QCOMPARE(run.status, 1);
        QVERIFY2(run.errors.contains("step_chart: no rows") && run.errors.contains("training steps"),
                 run.errors);
        QVERIFY(!QFile::exists(file));
        const ProgramRun both =
            runLockstep({"--export", "step_chart,inventory", "-o", stepPathOf(to.path() / "all"), input});
        QCOMPARE(both.status, 3);
        const TempDir some;
        const QString steps = stepPathOf(some.write("a.json", stepsOf(0, 2)));
        QCOMPARE(chartRun(steps, {"--filter", "rank=7"}).status, 1);
    }

    // More groups and steps than fit.
    void manyGroupsAndSteps()
    {
        const TempDir folder;
        for (int rank = 0; rank < 24; ++rank)
            folder.write("r" + std::to_string(rank) + ".json", stepsOf(rank, rank == 17 ? 30 : 3));
        const ProgramRun run =
            chartRun(stepPathOf(folder.path()), {"--by", "rank", "--size", "300x400", "--theme", "dark"});
        QVERIFY2(run.status == 0, run.errors);
        QVERIFY2(run.output.contains("of 24 groups"), run.output.right(1500));
        const ProgramRun low =
            chartRun(stepPathOf(folder.path()), {"--by", "rank", "--size", "600x200", "--theme", "dark"});
        QVERIFY2(low.output.contains("more lines. Increase the picture height"), low.output.right(1500));
    }
};

LOCKSTEP_TEST(StepChartTest, "step_chart_test")
#include "step_chart_test.moc"
