// SPDX-License-Identifier: Apache-2.0
// Tests the tables about samples with runs computed by hand.
#include "core/analysis/analysis.h"

#include "core/samples/request_replicas.h"
#include "tests/support/sample_run.h"
#include "tests/support/table_text.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"

using namespace lockstep;
using lockstep::test::SampleRun;

namespace {

// Prefill for one second, then decode with 100 tokens per second, then a reward for one second.
void addPlain(SampleRun& run, const std::string& id, const std::string& replica, double begin, double end)
{
    run.add(id, replica, begin, end,
            {{SpanKind::prefill, begin, begin + 1},
             {SpanKind::decode, begin + 1, end - 1},
             {SpanKind::reward, end - 1, end}})
        .outputTokens = static_cast<int64_t>((end - begin - 2) * 100);
}

// Ten samples on two replicas; s4 waits, calls a tool and writes a long answer.
void addTenSamples(SampleRun& run)
{
    for (const auto& [id, end] : {std::pair("s0", 10), {"s1", 12}, {"s2", 14}, {"s3", 30}})
        addPlain(run, id, "R0", 0, end);
    Sample& last = run.add("s4", "R0", 0, 60,
                           {{SpanKind::queue, 0, 2},
                            {SpanKind::prefill, 2, 3},
                            {SpanKind::decode, 3, 20},
                            {SpanKind::tool, 20, 38},
                            {SpanKind::decode, 38, 58},
                            {SpanKind::reward, 58, 60}});
    last.outputTokens = 3700;
    last.group = run.intern("prompt 2");
    for (const auto& [id, end] : {std::pair("s5", 11), {"s6", 13}, {"s7", 15}, {"s8", 16}})
        addPlain(run, id, "R1", 0, end);
    addPlain(run, "s9", "R1", 5, 20);
}

QStringList linesOf(const std::shared_ptr<const Report>& report, const char* what, const Scope& scope = {})
{
    Workspace workspace;
    workspace.add(report);
    const auto table = runAnalysis(what, *makeHeadlessScene(workspace, alignReports(workspace, {})), scope,
                                   Progress(test::workers()));
    if (!table) return {QString(), QString::fromStdString(table.error().message)};
    return QString::fromStdString(test::tableText(*table)).split('\n', Qt::SkipEmptyParts);
}

QString tailRow(const std::shared_ptr<const Report>& report, const char* what = "rollout_tail")
{
    return linesOf(report, what).value(1);
}

QStringList unitsOf(const std::shared_ptr<const Report>& report, const char* what, const Scope& scope = {})
{
    QStringList units;
    for (const QString& line : linesOf(report, what, scope).mid(1))
        units << line.section(" | ", 0, 0);
    return units;
}

} // namespace

class SampleTablesTest : public QObject {
    Q_OBJECT

  private slots:
    void tailOfTenSamples()
    {
        SampleRun run;
        addTenSamples(run);
        run.addReplica("R0", 4);
        run.addReplica("R1", 4);
        QCOMPARE(
            tailRow(run.made()),
            "all samples | 10 | 0 | 14000000000 | 30000000000 | 60000000000 | 60000000000 | s4 | prompt 2 | R0 | "
            "completed | decode: long output | 25000000000 | 60000000000 | 8 | engine | 272.000 | 208.000 | "
            "208.000 | 160.000 | 30000000000 | 1 | ");
    }

    void whatCannotBeComputed()
    {
        SampleRun run;
        addTenSamples(run);
        // GPUs are unknown, and the last sample is longer than its spans.
        run.add("s10", "R0", 0, 90, {{SpanKind::generate, 0, 70}}).attempts = 2;
        const auto report = run.made();
        QVERIFY(tailRow(report).endsWith(
            "reason: spans cover less than 80 % of the last sample's time; idle: the GPUs of a replica are unknown "
            "(argument gpus)"));
        const QString assigned = tailRow(report, "rollout_tail:gpus=4");
        QVERIFY2(assigned.contains("| 8 | engine |"), qPrintable(assigned));
    }

    void groupsOfSamples()
    {
        SampleRun run;
        addTenSamples(run);
        run.add("r", "R2", 0, 1).level = SampleLevel::request; // not counted next to samples
        const auto report = run.made();
        const auto groupsOf = [&](const char* what, GroupBy by) {
            Scope scope;
            scope.by = by;
            QStringList groups;
            for (const QString& line : linesOf(report, what, scope).mid(1))
                groups << line.section(" | ", 0, 2);
            return groups;
        };
        QCOMPARE(groupsOf("rollout_tail", GroupBy::replica),
                 (QStringList{"R0 | all samples | 5", "R1 | all samples | 5"}));
        QCOMPARE(groupsOf("rollout_tail", GroupBy::group),
                 (QStringList{"prompt 2 | all samples | 1", " | all samples | 9"}));
        QCOMPARE(groupsOf("rollout_tail", GroupBy::version), QStringList{" | all samples | 10"});
        QCOMPARE(groupsOf("serving", GroupBy::replica), QStringList{"R2 | R2 | 1"});
        Scope scope;
        scope.by = GroupBy::replica;
        QCOMPARE(linesOf(report, "stragglers", scope).value(1),
                 "stragglers: rows have no sample; tables with samples: rollout_tail, serving");
    }

    // A sample without a replica has that of its requests, unless they ran on several.
    void replicasOfRequests()
    {
        SampleRun samples, engines;
        for (const auto& [sample, requests] : std::vector<std::pair<const char*, std::vector<const char*>>>{
                 {"one", {"a", "b"}}, {"two", {"b", "c"}}, {"unknown", {"a", "x"}}, {"none", {}}}) {
            samples.add(sample, "", 0, 10);
            for (const char* const request : requests)
                samples.addGeneration(sample, request, 1, 2);
        }
        for (const auto& [request, replica] : {std::pair("a", "R0"), {"b", "R0"}, {"c", "R1"}})
            engines.add(request, replica, 1, 2).level = SampleLevel::request;
        Workspace workspace;
        const ReportKey key = workspace.add(samples.made());
        workspace.add(engines.made());
        const RequestReplicas replicas(workspace);
        QStringList found;
        for (uint32_t row = 0; row < 4; ++row)
            found << QString::fromStdString(std::string(replicas.of(workspace.report(key), SampleId(row))));
        QCOMPARE(found, (QStringList{"R0", "", "", ""}));
    }

    void tooFewSamples()
    {
        SampleRun run;
        for (const char* id : {"a", "b", "c"})
            addPlain(run, id, "R0", 0, 10);
        QVERIFY(tailRow(run.made()).endsWith("| fewer than 4 samples"));
    }

    void samplesWithoutTimes()
    {
        SampleRun run;
        addTenSamples(run);
        for (const char* id : {"a", "b"}) {
            Sample& sample = run.add(id, "R0", 0, 1);
            sample.start_ns = sample.end_ns = kUnrecorded;
        }
        const QString row = tailRow(run.made());
        QVERIFY2(row.startsWith("all samples | 10 | 2 |  |"), qPrintable(row));
        QVERIFY2(row.endsWith("16 % of the samples have no start or end"), qPrintable(row));
    }

    void unknownReplica()
    {
        SampleRun run;
        for (int i = 0; i < 5; ++i)
            addPlain(run, "s" + std::to_string(i), "", i, 10 + i);
        const QString row = tailRow(run.made());
        QVERIFY2(row.endsWith("p90, p99: n too small; idle: the replica of a sample is unknown"),
                 qPrintable(row));
    }

    void stepsAndVersions()
    {
        SampleRun run;
        for (int i = 0; i < 8; ++i) {
            Sample& sample = run.add("s" + std::to_string(i), "R0", i, 10 + i);
            sample.step = i / 4;
            sample.firstVersion = i / 2;
        }
        const auto report = run.made();
        QCOMPARE(unitsOf(report, "rollout_tail"), QStringList({"step 0", "step 1"}));
        QCOMPARE(unitsOf(report, "rollout_tail:unit=version"),
                 QStringList({"version 0", "version 1", "version 2", "version 3"}));
        Scope scope;
        QVERIFY(scope.addFilter("step", "1"));
        QCOMPARE(unitsOf(report, "rollout_tail", scope), QStringList({"step 1"}));
    }

    // The requests of a sample are not counted a second time.
    void samplesAndTheirRequests()
    {
        SampleRun run;
        for (int i = 0; i < 5; ++i) {
            run.add("s" + std::to_string(i), "R0", i, 10 + i);
            run.add("r" + std::to_string(i), "R0", i, 8 + i).level = SampleLevel::request;
        }
        QVERIFY(tailRow(run.made()).startsWith("all samples | 5 | 0 | 10000000000 |"));
    }

    void servers()
    {
        SampleRun run;
        run.addGauge("R0", "token_usage dp_rank=0", {{0, 0.40}, {10, 0.95}, {20, 0.60}});
        run.addGauge("R0", "num_running_reqs", {{0, 30}, {20, 10}});
        const std::array<int64_t, 3> cached{1200, 0, 2400};
        for (int i = 0; i < 10; ++i) {
            Sample& request = run.add("r" + std::to_string(i), "R0", i, 30 + i,
                                      {{SpanKind::queue, double(i), i + 1.0},
                                       {SpanKind::prefill, i + 1.0, i + 2.0},
                                       {SpanKind::decode, i + 2.0, 30.0 + i}});
            request.level = SampleLevel::request;
            request.outputTokens = 281; // 100 ms per token
            request.preemptions = i < 3 ? 1 : 0;
            if (i >= 3) continue;
            request.promptTokens = 3000;
            request.cachedTokens = cached[size_t(i)];
        }
        run.add("idle", "R0", 0, 40); // a sample is no request; it ends the report at 40 s
        QCOMPARE(
            linesOf(run.made(), "serving").mid(1),
            QStringList(
                {"R0 | 10 | 63.75 | 95.00 | 25.00 | 40.00 | 3 | 30.0 | 1000000000 | 1000000000 |  | 20.00 | "
                 "10.00 | 2000000000 | 100000000 | 72.1"}));
    }
};

LOCKSTEP_TEST(SampleTablesTest, "sample_tables_test")
#include "sample_tables_test.moc"
