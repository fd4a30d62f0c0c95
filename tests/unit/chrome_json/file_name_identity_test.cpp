// SPDX-License-Identifier: Apache-2.0
// Tests the names that verl, PyTorch, vLLM and SGLang give their traces.
#include "core/readers/chrome_json/file_name_identity.h"

#include "tests/support/test_registry.h"

using namespace lockstep;

class FileNameIdentityTest : public QObject {
    Q_OBJECT

  private slots:
    void names_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<int>("rank");
        QTest::addColumn<int>("world");
        QTest::addColumn<int>("step");
        QTest::addColumn<QString>("role");
        const auto add = [](const char* name, int rank, int world, int step, const char* role) {
            QTest::newRow(name) << QString(name) << rank << world << step << QString(role);
        };
        add("actor-rollout-ref_train_step5_rank8-of-16_pid81231_20260822143501123.json.gz", 8, 16, 5,
            "actor-rollout-ref");
        add("value-model_step5_rank0-of-8_pid9_20260822143501123.json.gz", 0, 8, 5, "value-model");
        add("step5_rank3_pid9_20260822143501123.json.gz", 3, -1, 5, "");
        add("prof_rank-3_4711_20260822143501123.json.gz", 3, -1, -1, "");
        add("e2e_prof_rank-12.json.gz", 12, -1, -1, "");
        add("prof_start_2_end_4_rank_1.json", 1, -1, -1, "");
        add("worker3_step_12.1694128201557.pt.trace.json.gz", 3, -1, 12, "");
        add("ns_resolution.rank-0.pt.trace.json.gz", 0, -1, -1, "");
        add("rollout-replica4-globalrank8_1694.12-TP-0.trace.json.gz", 8, -1, -1, "rollout");
        add("sampled_rank-1.json.gz", 1, -1, -1, "");
        add("trace.json", -1, -1, -1, "");
        add("frank7.json", -1, -1, -1, "");
        add("ranking.json", -1, -1, -1, "");
        add("rank99999999999.json", -1, -1, -1, "");
    }

    void names()
    {
        QFETCH(QString, name);
        QFETCH(int, rank);
        QFETCH(int, world);
        QFETCH(int, step);
        QFETCH(QString, role);
        const Identity identity = identityOfFileName("/some/rank5/" + name.toStdString());
        QCOMPARE(identity.rank.value.value_or(-1), rank);
        QCOMPARE(identity.worldSize.value.value_or(-1), world);
        QCOMPARE(identity.step.value.value_or(-1), step);
        QCOMPARE(QString::fromStdString(identity.role.value.value_or("")), role);
        QVERIFY(identity.rank.confidence <= Confidence::guessed);
    }
};

LOCKSTEP_TEST(FileNameIdentityTest, "file_name_identity_test")
#include "file_name_identity_test.moc"
