// SPDX-License-Identifier: Apache-2.0
// Tests the SQL tables of samples against the files of tests/golden/samples. The expected values are written
// from these files by hand.
#include "core/readers/reader.h"
#include "core/sql/sql_query.h"
#include "tests/support/places.h"
#include "tests/support/table_text.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"

using namespace lockstep;

namespace {

ScenePtr sceneOf(const char* file)
{
    Workspace workspace;
    const auto path = test::sourceFolder() / "tests/golden/samples" / file;
    workspace.add(readReport(path, Progress(test::workers())).value());
    return makeHeadlessScene(workspace, alignReports(workspace, {}));
}

// The rows without the header, with ';' after each.
QString rows(const char* file, std::string_view query)
{
    const auto tables = runQuery(query, sceneOf(file), {}, Progress());
    if (!tables) return QString::fromStdString(tables.error().message);
    QString text = QString::fromStdString(test::tableText(tables->front()));
    return text.mid(text.indexOf('\n') + 1)
        .trimmed()
        .replace(" |", ",")
        .replace(", ", ",")
        .replace('\n', "; ");
}

} // namespace

class SampleSqlTest : public QObject {
    Q_OBJECT

  private slots:
    void requestsAndTheirBatches()
    {
        QCOMPARE(rows("sglang.jsonl", "SELECT name, status, prompt_tokens, cached_tokens, preemptions, "
                                      "duration_ns FROM request ORDER BY name"),
                 "5555,aborted,,,,200000000; 9f3c11aa77,completed,900,600,1,2500000000");
        QCOMPARE(rows("sglang.jsonl", "SELECT batch, forward_mode, batch_size FROM span WHERE batch IS NOT "
                                      "NULL ORDER BY start_ns"),
                 "ab12cd34,prefill,6; 77e0a1b2,decode,31");
        QCOMPARE(rows("sglang.jsonl", "SELECT count(*) FROM sample"), "0");
    }

    void samplesAndTheirSpans()
    {
        QCOMPARE(rows("12.pt",
                      "SELECT name, prompt, status, step, first_version, last_version, output_tokens, "
                      "reward FROM sample ORDER BY name"),
                 "4,0,completed,12,11,12,2000,1.00; 5,0,truncated,12,9,12,3000,; "
                 "6,1,aborted,12,,,200,; 7,1,completed,12,12,12,200,-0.25");
        QCOMPARE(rows("12.pt",
                      "SELECT p.kind, p.request, p.end_ns - p.start_ns, p.is_derived FROM span p JOIN "
                      "sample s ON s.id = p.sample WHERE s.name = '4' AND p.kind <> 'other' ORDER BY "
                      "p.start_ns, p.kind DESC"),
                 "prefill,,500000000,1; generate,9f3c11aa,18000000000,0; "
                 "generate,9f3c11ab,4000000000,0; reward,,4000000000,0");
    }

    void weightUpdatesAndStepValues()
    {
        QCOMPARE(rows("roll.jsonl", "SELECT version, end_ns - start_ns, bytes FROM weight_version"),
                 "3,1000000000,");
        QVERIFY(rows("verl_metrics.jsonl", "SELECT name, step, value FROM step_value ORDER BY step, name")
                    .contains("timing_s/"));
    }
};

LOCKSTEP_TEST(SampleSqlTest, "sample_sql_test")
#include "sample_sql_test.moc"
