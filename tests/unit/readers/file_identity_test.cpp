// SPDX-License-Identifier: Apache-2.0
// Tests every naming scheme of the tools, with names alone.
#include "core/readers/identity/file_identity.h"

#include "tests/support/test_registry.h"

using namespace lockstep;

namespace {

// "role=actor rank=3 ...": the known parts, in a fixed order.
std::string known(const Identity& id)
{
    std::string out;
    const auto add = [&](const char* name, const auto& field) {
        if (!field.isKnown()) return;
        out += (out.empty() ? "" : " ") + std::string(name) + "=";
        if constexpr (std::is_same_v<std::decay_t<decltype(*field.value)>, std::string>) {
            out += *field.value;
        } else {
            out += std::to_string(*field.value);
        }
    };
    add("run", id.run);
    add("host", id.host);
    add("role", id.role);
    add("rank", id.rank);
    add("world", id.worldSize);
    add("step", id.step);
    add("stage", id.stage);
    add("tool", id.tool);
    add("capture", id.captureIndex);
    add("replica", id.replica);
    add("tp", id.replicaRank);
    add("pid", id.pid);
    return out;
}

} // namespace

class FileIdentityTest : public QObject {
    Q_OBJECT

  private slots:
    void namesOfTools_data()
    {
        QTest::addColumn<QString>("path");
        QTest::addColumn<QString>("expected");
        const auto row = [](const char* path, const char* expected) {
            QTest::newRow(path) << path << expected;
        };
        row("worker_process_81231.2.nsys-rep", "tool=nsys capture=2 pid=81231");
        row("worker_process_81231.nsys-rep", "tool=nsys pid=81231");
        row("worker_process_81231.2.sqlite", "tool=nsys capture=2 pid=81231");
        row("actor_rollout_ref_node03_worker_process_81231.2.nsys-rep",
            "host=node03 role=actor_rollout_ref tool=nsys capture=2 pid=81231");
        row("node03_worker_process_81231.12.qdstrm", "host=node03 tool=nsys capture=12 pid=81231");
        row("actor-rollout-ref_train_step5_rank8-of-16_pid81231_20260822143501123.json.gz",
            "role=actor_rollout_ref rank=8 world=16 step=5 stage=train tool=torch pid=81231");
        row("actor-rollout-ref_actor-update_step5_rank8-of-16_tp0-pp1-dp0-cp0_pid81231_20260822143509456_mb2-3.json.gz",
            "role=actor_rollout_ref rank=8 world=16 step=5 stage=actor_update tool=torch pid=81231");
        row("value-model_step5_rank0-of-8_pid9_20260822143501123.json.gz",
            "role=critic rank=0 world=8 step=5 tool=torch pid=9");
        row("rank3_pid9_20260822143501123_part1.json", "rank=3 tool=torch pid=9");
        row("critic/rank3-of-8_pid9_20260822143501123_cycle0.json.gz",
            "role=critic rank=3 world=8 tool=torch pid=9");
        row("e2e/language_model_prof_rank-3_81231_20260822143501123.json.gz",
            "role=language_model rank=3 stage=e2e tool=torch pid=81231");
        row("prof_rank-3.json.gz", "rank=3 tool=torch");
        row("prof_start_2_end_2_rank_5.json", "rank=5 step=2 tool=torch");
        row("prof_start_2_end_4_rank_5.json", "rank=5 tool=torch");
        row("step5/torch_memory_rank8_pid81231.pickle", "rank=8 step=5 tool=torch_memory pid=81231");
        row("20260822-1435/torch_memory_rank8_pid81231.pickle", "rank=8 tool=torch_memory pid=81231");
        row("agent_loop_rollout_replica_4/gpu-07_4242.1755871501123456789.pt.trace.json.gz",
            "host=gpu-07 role=rollout tool=torch replica=4 pid=4242");
        row("agent_loop_rollout_replica_4/w-rank-3.1755871501123456789.pt.trace.json",
            "role=rollout tool=torch replica=4 tp=3");
        row("reward_model/agent_loop_rollout_replica_1/x_dp0_pp0_tp0_dcp0_ep0_rank2.1755871501123456789.pt.trace.json.gz",
            "role=reward tool=torch replica=1 tp=2");
        row("1755871501.25-TP-3.trace.json.gz", "tool=torch tp=3");
        row("EXTEND-1755871501.25-TP-3-DP-1.trace.json.gz", "stage=EXTEND tool=torch replica=1");
        row("rollout-replica4-globalrank8_1755871501.25-TP-0.trace.json.gz",
            "role=rollout rank=8 tool=torch replica=4 tp=0");
        row("rollout-replica4_gpu-07_4242.1755871501123456789.pt.trace.json.gz",
            "host=gpu-07 role=rollout tool=torch replica=4 pid=4242");
        row("dtensor_policy_worker_3:4_4711.nsys-rep",
            "role=dtensor_policy_worker step=3 tool=nsys pid=4711");
        row("dtensor_policy_worker_v2_3-5_4711.nsys-rep", "role=dtensor_policy_worker_v2 tool=nsys pid=4711");
        row("vllm_tp_worker_3:4_4711.2.nsys-rep", "role=vllm_tp_worker step=3 tool=nsys capture=2 pid=4711");
        row("ray_timeline_2019.json.gz", "tool=ray");
        row("/tmp/ray/session_2026-08-22_14-35-01_123456_789/logs/nsight/worker_process_7.1.nsys-rep",
            "run=session_2026-08-22_14-35-01_123456_789 tool=nsys capture=1 pid=7");
        row("99-1-logs/ray/gpu-07/session_2026-08-22_14-35-01_123456_789/logs/nsight/worker_process_7.nsys-rep",
            "run=slurm 99 host=gpu-07 tool=nsys pid=7");
        row("99-logs/worker_process_7.nsys-rep", "run=slurm 99 tool=nsys pid=7");
        row("actor/gpu-07_4242_20260822143501123_ascend_pt/ASCEND_PROFILER_OUTPUT/trace_view.json",
            "host=gpu-07 tool=torch_npu pid=4242");
        row("ns_resolution.rank-0.pt.trace.json.gz", "rank=0");
        row("graph_capture_rank_3.1755871501123456789.pt.trace.json.gz", "tool=torch tp=3");
        row("rank-34.Jul_15_10_52_41.1074.pt.trace.json.gz", "tool=torch tp=34 pid=1074");
        row("gpu-07_4242.Jul_15_10_52_41.1074.pt.trace.json.gz", "tool=torch pid=1074");
        row("worker_7.1755871501123456789.pt.trace.json.gz", "rank=7 tool=torch");
        row("worker3_step_12.1694128201557.pt.trace.json.gz", "rank=3 step=12 tool=torch");
        row("rlinf_profile_ActorGroup_3_4711.2.nsys-rep",
            "role=actorgroup rank=3 tool=nsys capture=2 pid=4711");
        row("rlinf_profile_RolloutGroup_3_0_4711.nsys-rep", "role=rolloutgroup rank=3 tool=nsys pid=4711");
        row("step_000000000012/000003_step_12.pickle", "rank=3 step=12 tool=torch_memory");
        row("host-10-0-0-5_rank0of8.json", "rank=0 world=8");
        row("my_job_12345.1755871501123456789.pt.trace.json.gz", "tool=torch");
        row("franking_3.1755871501123456789.pt.trace.json.gz", "host=franking tool=torch pid=3");
        row("rank_3.nsys-rep", "rank=3 tool=nsys");
        row("perf_tracer/actor/traces-r3.jsonl", "role=actor rank=3");
        row("session_tracer/eval-rollout/sessions-r0.jsonl", "role=eval_rollout rank=0");
        row("perf_tracer/master/traces-r0.jsonl", "role=master rank=0");
    }
    void namesOfTools()
    {
        QFETCH(QString, path);
        QFETCH(QString, expected);
        QCOMPARE(QString::fromStdString(known(identityFromPath(path.toStdString()))), expected);
    }

    void otherNamesGiveNothing_data()
    {
        QTest::addColumn<QString>("path");
        for (const char* path :
             {"report1.sqlite", "trace.json", "franking3.json", "step.json", "rank.json", "", "/",
              "worker_process_.nsys-rep", "xworker_process_1.json", "a_3:2_1.json", "steps/x.json",
              "my_rank12b.json", "rank99999999999999999999.json", "2026-08-22_session/x.json"}) {
            QTest::newRow(path) << path;
        }
    }
    void otherNamesGiveNothing()
    {
        QFETCH(QString, path);
        Identity identity = identityFromPath(path.toStdString());
        identity.tool = {}; // the suffix may contain it
        QCOMPARE(QString::fromStdString(known(identity)), QString());
    }

    // Hosts share clocks, and a name must not decide the host.
    void hostsOfNamesAreGuesses()
    {
        for (const char* path :
             {"actor_rollout_ref_node03_worker_process_81231.2.nsys-rep",
              "gpu-07_4242.1755871501123.pt.trace.json",
              "ray/gpu-07/session_2026-08-22_14-35-01_123456_789/logs/nsight/worker_process_7.nsys-rep",
              "gpu-07_4242_20260822143501123_ascend_pt/ASCEND_PROFILER_OUTPUT/trace_view.json"}) {
            const Identity identity = identityFromPath(path);
            QVERIFY2(identity.host.isKnown(), path);
            QVERIFY2(identity.host.confidence == Confidence::guessed, path);
        }
    }
};

LOCKSTEP_TEST(FileIdentityTest, "file_identity_test")
#include "file_identity_test.moc"
