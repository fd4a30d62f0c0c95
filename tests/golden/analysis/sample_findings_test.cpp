// SPDX-License-Identifier: Apache-2.0
// Tests the findings about samples with a small asynchronous run.
#include "core/analysis/training/findings.h"

#include "tests/support/sample_run.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"

using namespace lockstep;
using lockstep::test::SampleRun;

namespace {

// Nine samples of 10 s and one of 50 s, on two replicas.
void addTail(SampleRun& run)
{
    for (int i = 0; i < 10; ++i) {
        const double end = i == 9 ? 50 : 10;
        run.add("s" + std::to_string(i), i % 2 == 0 ? "R0" : "R1", 0, end, {{SpanKind::decode, 0, end}})
            .outputTokens = static_cast<int64_t>(end * 100);
    }
}

QStringList sentencesOf(const std::shared_ptr<const Report>& report)
{
    Workspace workspace;
    workspace.add(report);
    const auto found =
        findingsOf(*makeHeadlessScene(workspace, alignReports(workspace, {})), {}, Progress(test::workers()));
    QStringList sentences;
    for (const RunFinding& each : found->found)
        sentences << QString::fromStdString(std::string(findingSeverityName(each.severity)) + ": " +
                                            each.sentence);
    return sentences;
}

} // namespace

class SampleFindingsTest : public QObject {
    Q_OBJECT

  private slots:
    // R0 is idle from 10 to 50 s: 40 of 100 GPU-s.
    void idleGpus()
    {
        SampleRun run;
        addTail(run);
        run.addReplica("R0", 1);
        run.addReplica("R1", 1);
        QCOMPARE(
            sentencesOf(run.made()),
            QStringList{
                "high: Rollout GPUs idle 40.0 % of the time of all samples while they wait for its slowest "
                "samples; the last one: decode: long output"});
    }

    void unknownGpus()
    {
        SampleRun run;
        addTail(run);
        QCOMPARE(sentencesOf(run.made()),
                 QStringList{
                     "high: The last tenth of the samples takes 80.0 % of the time of all samples; the last "
                     "one: decode: long output"});
    }

    void waitingTrainer()
    {
        SampleRun run;
        for (const double at : {0.0, 100.0}) {
            run.addPhase("train_wait", at, at + 30);
            run.addPhase("update_weights", at + 18, at + 30, SpanKind::weightUpdate);
            run.addPhase("train", at + 30, at + 100);
        }
        run.addPhase("train_wait", 200, 210);
        QCOMPARE(sentencesOf(run.made()),
                 (QStringList{"medium: The trainer waits for samples 18.0 % of step 0 (worst of 2)",
                              "medium: The weight update takes 12.0 % of step 0 (worst of 2)"}));
    }

    void fullCache()
    {
        SampleRun run;
        run.addGauge("R0", "sglang:token_usage", {{0, 0.95}, {10, 0.95}, {20, 0.5}, {30, 0.5}});
        run.add("a", "R0", 0, 30);
        QCOMPARE(sentencesOf(run.made()), QStringList{"high: KV cache of R0 full 66.7 % of the time"});
    }

    void nothingToReport()
    {
        SampleRun run;
        for (int i = 0; i < 10; ++i)
            run.add("s" + std::to_string(i), "R0", 0, 10, {{SpanKind::decode, 0, 10}});
        run.addReplica("R0", 1);
        QCOMPARE(sentencesOf(run.made()), QStringList());
    }
};

LOCKSTEP_TEST(SampleFindingsTest, "sample_findings_test")
#include "sample_findings_test.moc"
