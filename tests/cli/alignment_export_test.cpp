// SPDX-License-Identifier: Apache-2.0
// Tests the alignment and straggler tables for scripts: from PyTorch traces of two hosts, with provenance,
// and the same bytes on each call.
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include "tests/support/program_run.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using lockstep::test::ProgramRun;
using lockstep::test::runLockstep;
using lockstep::test::TempDir;

namespace {

// 40 all-reduces of one rank. Rank 1's clock is 200 us ahead, and every fourth time the rank arrives 300 us
// late.
std::string traceOf(int rank)
{
    std::string text = "{\"host_name\": \"node" + std::to_string(rank) +
                       "\", \"distributedInfo\": {\"rank\": " + std::to_string(rank) +
                       ", \"world_size\": 2}, \"traceEvents\": [";
    for (int k = 0; k < 40; ++k) {
        const bool isLate = rank == 1 && k % 4 == 0;
        const int64_t begin_us = 1'700'000'000'000'000 + k * 5'000 + (rank == 1 ? 200 : 0);
        const int start_us = isLate ? 300 : 10 * (k % 3) * (1 - rank);
        const int end_us = k % 4 == 0 ? 350 : 80;
        text +=
            std::string(k > 0 ? ",\n" : "\n") +
            "{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"ncclDevKernel_AllReduce_Sum_f32\", \"pid\": 0, "
            "\"tid\": 20, \"ts\": " +
            std::to_string(begin_us + start_us) + ", \"dur\": " + std::to_string(end_us - start_us) +
            ", \"args\": {\"device\": 0, \"stream\": 20, \"Collective name\": \"allreduce\", \"dtype\": "
            "\"Float\", \"In msg nelems\": 64, \"Out msg nelems\": 64, \"Process Group Name\": \"0\", "
            "\"Process Group Ranks\": \"[0, 1]\", \"Seq\": " +
            std::to_string(k) + "}}";
    }
    return text + "\n]}\n";
}

} // namespace

class AlignmentExportTest : public QObject {
    Q_OBJECT

  private slots:
    void twoHosts()
    {
        const TempDir folder;
        for (int rank = 0; rank < 2; ++rank)
            (void)folder.write("run/rank" + std::to_string(rank) + ".pt.trace.json", traceOf(rank));
        const QStringList arguments{"--export", "alignment,stragglers,collectives", "--format", "json",
                                    QString::fromStdString((folder.path() / "run").string())};
        const ProgramRun first = runLockstep(arguments);
        QCOMPARE(first.status, 0);
        QCOMPARE(runLockstep(arguments).output, first.output);
        const QJsonObject all = QJsonDocument::fromJson(first.output).object();
        const QJsonArray tables = all["tables"].toArray();
        const QJsonObject aligned = tables[0].toObject()["rows"].toArray()[1].toObject();
        QCOMPARE(aligned["method"].toString(), QString("collectives"));
        QVERIFY(std::abs(aligned["correction_ns"].toInteger() + 200'000) <=
                aligned["statistical_error_ns"].toInteger());
        QVERIFY(aligned["violations_before"].toInteger() > 0);
        QCOMPARE(aligned["violations_after"].toInteger(-1), 0);
        const QJsonObject worst = tables[1].toObject()["rows"].toArray()[0].toObject();
        QCOMPARE(worst["rank"].toInteger(), 1);
        QCOMPARE(worst["host"].toString(), QString("node1"));
        const QByteArray provenance = QJsonDocument(all["provenance"].toObject()).toJson();
        QVERIFY(provenance.contains("sha256") && provenance.contains("violations"));
    }
};

LOCKSTEP_TEST(AlignmentExportTest, "alignment_export_test")
#include "alignment_export_test.moc"
