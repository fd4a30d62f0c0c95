// SPDX-License-Identifier: Apache-2.0
// Tests the phases of range names, which come from the recipes.
#include "core/lanes/rl_phase.h"

#include "tests/support/test_registry.h"

using namespace lockstep;

class RlPhaseTest : public QObject {
    Q_OBJECT

  private slots:
    void phases_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("role");
        QTest::addColumn<QString>("phase");
        const auto row = [](const char* name, const char* role, const char* phase) {
            QTest::addRow("%s in %s", name, role) << name << role << phase;
        };
        row("gen", "", "generation");
        row("Generate_Sequences", "", "generation");
        row("train_batch", "", "update_actor");
        row("train_batch", "actor", "update_actor");
        row("train_batch", "critic", "update_critic");
        row("compute_log_prob", "ref", "ref");
        row("compute_log_prob", "actor", "old_log_prob");
        row("RefPolicy", "", "ref");
        row("update_weights", "", "weight_sync");
        row("switch_wait", "", "waiting");
        row("save_checkpoint", "", "other");
        row("dtensor_policy_worker_v2/train", "", "update_actor");
        row("megatron_policy_worker/get_logprobs", "", "old_log_prob");
        row("policy_worker/get_reference_policy_logprobs", "", "ref");
        row("megatron_value_worker/train", "", "update_critic");
        row("megatron_value_worker/get_values", "", "values");
        row("vllm_genertion_worker/generate_async", "", "generation");
        row("sglang_genertion/generate", "", "generation");
        row("vllm_genertion_worker/update_weights_from_collective", "", "weight_sync");
        row("policy_worker/save", "", "");
        row("x/train", "", "");
        row("generation", "", "generation");
        row("step", "", "");
        row("gen2", "", "");
        row("", "", "");
    }
    void phases()
    {
        QFETCH(QString, name);
        QFETCH(QString, role);
        QFETCH(QString, phase);
        const auto found = rlPhaseOf(name.toStdString(), role.toStdString());
        const std::string_view text = found ? rlPhaseName(*found) : "";
        QCOMPARE(std::string(text), phase.toStdString());
    }

    // A phase without names could never be found.
    void everyPhaseHasNames()
    {
        for (size_t i = 0; i < kRlPhases; ++i)
            QVERIFY(!rlPhaseDoc(static_cast<RlPhase>(i)).empty());
    }
};

LOCKSTEP_TEST(RlPhaseTest, "rl_phase_test")
#include "rl_phase_test.moc"
