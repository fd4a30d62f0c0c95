// SPDX-License-Identifier: Apache-2.0
// Tests identities from content and names together, over a generated tree of a run in each tool's naming
// scheme.
#include "core/readers/identity/identity_resolver.h"

#include <set>

#include "core/analysis/scope.h"
#include "core/trace/identity.h"
#include "tests/support/report_of.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using lockstep::test::MadeReport;
using lockstep::test::reportOf;

namespace {

constexpr int kResolverRanks = 16;
const std::vector<int> kResolverSteps{2, 5, 9};
const std::vector<std::string> kResolverRoles{"actor_rollout_ref", "critic"};

// Returns the identity of a file of the tree.
struct ResolverTruth {
    std::string role;
    int rank;
    int step;
    int capture; // 1-based
    int64_t pid;
    std::string host;
};

std::vector<ResolverTruth> wholeResolverRun()
{
    std::vector<ResolverTruth> out;
    for (size_t role = 0; role < kResolverRoles.size(); ++role) {
        for (int rank = 0; rank < kResolverRanks; ++rank) {
            for (size_t step = 0; step < kResolverSteps.size(); ++step) {
                out.push_back({kResolverRoles[role], rank, kResolverSteps[step], int(step) + 1,
                               int64_t(1000 + 100 * role) + rank, "node" + std::to_string(rank / 8)});
            }
        }
    }
    return out;
}

std::vector<std::string> stagesOf(const std::string& role)
{
    if (role == "critic") return {"critic_update", "compute_values"};
    return {"actor_update", "ref_compute_log_prob", "rollout_generate"};
}

std::vector<Fact> environmentOf(const ResolverTruth& truth)
{
    return {{"environment.RANK", std::to_string(truth.rank)},
            {"environment.WORLD_SIZE", std::to_string(kResolverRanks)},
            {"environment.WG_BACKEND", "ray"},
            {"environment.SLURM_PROCID", "0"}};
}

// Returns role, rank, step where known; "?" otherwise.
std::string toldIdentity(const Identity& id)
{
    const auto number = [](const Sourced<int>& field) {
        return field.value ? std::to_string(*field.value) : "?";
    };
    return id.role.value.value_or("?") + " " + number(id.rank) + " " + number(id.step);
}

std::string toldIdentity(const ResolverTruth& truth)
{
    return truth.role + " " + std::to_string(truth.rank) + " " + std::to_string(truth.step);
}

std::string sanitisedName(std::string role)
{
    if (role == "critic") return "value-model";
    std::ranges::replace(role, '_', '-');
    return role;
}

} // namespace

class IdentityResolverTest : public QObject {
    Q_OBJECT

  private slots:
    void nsysOfVerl()
    {
        const CapturePlan plan{kResolverSteps, false, 1};
        std::set<std::string> distinct;
        for (const ResolverTruth& truth : wholeResolverRun()) {
            const std::string name = "worker_process_" + std::to_string(truth.pid) + "." +
                                     std::to_string(truth.capture) + ".nsys-rep";
            const std::string folder = "/tmp/ray/session_2026-08-22_14-35-01_123456_789/logs/nsight/";
            MadeReport made{folder + name, truth.pid, environmentOf(truth), stagesOf(truth.role), {}};
            const ResolvedIdentity resolved = resolveIdentity(*reportOf(made), plan);
            QCOMPARE(toldIdentity(resolved.identity), toldIdentity(truth));
            QVERIFY(resolved.conflicts.empty());
            QCOMPARE(*resolved.identity.captureIndex.value, truth.capture);
            QCOMPARE(*resolved.identity.worldSize.value, kResolverRanks);
            distinct.insert(toldIdentity(resolved.identity));
            // Without the session's steps the capture index is not a step; without content there is no rank
            // or role.
            QVERIFY(!resolveIdentity(*reportOf(made)).identity.step.isKnown());
            made.facts.clear();
            made.ranges.clear();
            QCOMPARE(toldIdentity(resolveIdentity(*reportOf(made)).identity), std::string("? ? ?"));
            // If verl moved the file, its name contains the role and the host.
            made.path = "out/" + truth.role + "_" + truth.host + "_" + name;
            const Identity moved = resolveIdentity(*reportOf(made), plan).identity;
            QCOMPARE(toldIdentity(moved), truth.role + " ? " + std::to_string(truth.step));
            QCOMPARE(*moved.host.value, truth.host);
        }
        QCOMPARE(distinct.size(),
                 kResolverRoles.size() * kResolverRanks *
                     kResolverSteps.size()); // rank 0 of two roles counts as two
    }

    void torchOfVerl()
    {
        for (const ResolverTruth& truth : wholeResolverRun()) {
            const std::string rank = std::to_string(truth.rank);
            const std::string pid = std::to_string(truth.pid);
            const std::string step = std::to_string(truth.step);
            const auto at = [&](const std::string& path) {
                return toldIdentity(resolveIdentity(*reportOf({path, 0, {}, {}, {}})).identity);
            };
            QCOMPARE(at("o/" + sanitisedName(truth.role) + "_step" + step + "_rank" + rank +
                        "-of-16_tp0-pp0-dp" + rank + "-cp0_pid" + pid + "_20260822143501123.json.gz"),
                     toldIdentity(truth));
            const std::string unknownStep = truth.role + " " + rank + " ?";
            QCOMPARE(at("o/" + truth.role + "/rank" + rank + "-of-16_pid" + pid +
                        "_20260822143501123_cycle0.json.gz"),
                     unknownStep);
            QCOMPARE(
                at("o/e2e/" + truth.role + "_prof_rank-" + rank + "_" + pid + "_20260822143501123.json.gz"),
                unknownStep);
            QCOMPARE(at("o/prof_start_" + step + "_end_" + step + "_rank_" + rank + ".json"),
                     "? " + rank + " " + step);
            QCOMPARE(at("o/step" + step + "/torch_memory_rank" + rank + "_pid" + pid + ".pickle"),
                     "? " + rank + " " + step);
            QCOMPARE(at("o/trace" + pid + ".json"), std::string("? ? ?"));
        }
    }

    void rolloutEnginesAndNemo()
    {
        for (int replica = 0; replica < 4; ++replica) {
            for (int tp = 0; tp < 4; ++tp) {
                const std::string engine = "1755871501.25-TP-" + std::to_string(tp) + ".trace.json.gz";
                const int global = replica * 4 + tp;
                const std::string moved = "rollout-replica" + std::to_string(replica) + "-globalrank" +
                                          std::to_string(global) + "_" + engine;
                QCOMPARE(toldIdentity(resolveIdentity(*reportOf({moved, 0, {}, {}, {}})).identity),
                         "rollout " + std::to_string(global) + " ?");
                const std::string inside =
                    "agent_loop_rollout_replica_" + std::to_string(replica) + "/" + engine;
                const Identity identity = resolveIdentity(*reportOf({inside, 0, {}, {}, {}})).identity;
                QCOMPARE(toldIdentity(identity),
                         std::string("rollout ? ?")); // the width of the replica is unknown
                QCOMPARE(*identity.replicaRank.value, tp);
            }
        }
        for (const ResolverTruth& truth : wholeResolverRun()) {
            const std::string worker =
                truth.role == "critic" ? "megatron_value_worker" : "dtensor_policy_worker";
            const std::string name = worker + "_" + std::to_string(truth.step) + ":" +
                                     std::to_string(truth.step + 1) + "_" + std::to_string(truth.pid) +
                                     ".nsys-rep";
            const auto report = reportOf({name, truth.pid, environmentOf(truth), {worker + "/train"}, {}});
            QCOMPARE(toldIdentity(resolveIdentity(*report).identity),
                     worker + " " + std::to_string(truth.rank) + " " + std::to_string(truth.step));
        }
    }

    void contentOverridesNames()
    {
        const auto report = reportOf({"torch_memory_rank3_pid5.pickle", 5, {{"RANK", "2"}}, {}, {}});
        const ResolvedIdentity resolved = resolveIdentity(*report);
        QCOMPARE(*resolved.identity.rank.value, 2);
        QCOMPARE(resolved.conflicts.size(), size_t(1));
        QCOMPARE(resolved.conflicts[0],
                 std::string("rank: 2 (environment RANK), not 3 (file name (verl torch_memory))"));
        QVERIFY(resolved.identity.pid.confidence == Confidence::confirmed);
    }

    void ranges()
    {
        const auto roleOf = [](std::vector<std::string> names) {
            return toldIdentity(resolveIdentity(*reportOf({"x", 0, {}, std::move(names), {}})).identity);
        };
        QCOMPARE(roleOf({"start_profile", "step", "gen", "update_actor"}), std::string("controller ? ?"));
        QCOMPARE(roleOf({"update_actor"}), std::string("actor ? ?"));
        QCOMPARE(roleOf({"vllm_genertion_worker/generate"}), std::string("vllm_generation_worker ? ?"));
        QCOMPARE(roleOf({"ProfilerStep#551", "forward"}), std::string("? ? 551"));
        QCOMPARE(roleOf({"ProfilerStep#551", "ProfilerStep#552"}), std::string("? ? ?"));
        QCOMPARE(roleOf({"actor_update", "ProfilerStep#3"}),
                 std::string("actor ? ?")); // counts mini-batches there
    }

    // The name from PyTorch's handler says 12, but the file's only step is number 10: the file's value is
    // used, the other is reported, and a filter finds both.
    void stepsInTheContentOverrideNames()
    {
        const std::string name = "worker0_step_12.1694128201545.pt.trace.json.gz";
        Workspace workspace;
        workspace.add(withResolvedIdentity(reportOf({name, 1, {}, {"ProfilerStep#10"}, {}})));
        const Report& report = workspace.report(ReportKey(0u));
        QCOMPARE(report.identity.step.value, std::optional(10));
        QCOMPARE(report.identity.step.source, std::string("ProfilerStep#N"));
        const auto& notes = report.notes.all();
        QCOMPARE(notes.size(), size_t(1));
        QCOMPARE(notes[0].example,
                 std::string("step: 10 (ProfilerStep#N), not 12 (file name (tensorboard handler))"));
        for (const char* step : {"10", "12", "9..11", "11", "13"}) {
            Scope scope;
            QVERIFY(scope.addFilter("step", step));
            const bool isWanted = std::string(step) != "11" && std::string(step) != "13";
            QCOMPARE(isInScope(scope, workspace, ReportKey(0u), ProcessId(0u)), isWanted);
        }
        // A manual identity has priority over both.
        Identity stated;
        QVERIFY(editPart(stated, "step", "3", "set by hand"));
        const ReportKey corrected = workspace.add(workspace.shared(ReportKey(0u)), stated);
        Scope scope;
        QVERIFY(scope.addFilter("step", "12"));
        QVERIFY(!isInScope(scope, workspace, corrected, ProcessId(0u)));
    }

    void stepsOfFrameworksAreKept()
    {
        const auto stepsOf = [](const std::string& name, std::vector<std::string> ranges) {
            const ResolvedIdentity resolved =
                resolveIdentity(*reportOf({name, 9, {}, std::move(ranges), {}}));
            std::string text =
                resolved.identity.step.value ? std::to_string(*resolved.identity.step.value) : "?";
            for (const int other : resolved.otherSteps)
                text += " " + std::to_string(other);
            return text + " " + std::to_string(resolved.conflicts.size());
        };
        const std::string verl = "value-model_step5_rank0-of-8_pid9_20260822143501123.json.gz";
        QCOMPARE(stepsOf(verl, {"ProfilerStep#2"}), std::string("5 2 1"));
        QCOMPARE(stepsOf(verl, {"ProfilerStep#5"}), std::string("5 0"));
        QCOMPARE(stepsOf("x_step_7.json", {"ProfilerStep#7", "ProfilerStep#8"}), std::string("7 0"));
        QCOMPARE(stepsOf("x_step_9.json", {"ProfilerStep#7", "ProfilerStep#8"}), std::string("? 9 1"));
        QCOMPARE(stepsOf("x_step_9.json", {}), std::string("9 0"));
    }

    void capturesToSteps()
    {
        QCOMPARE(*stepOfCapture({{5, 2, 9}, false, 1}, 2), 5);
        QCOMPARE(*stepOfCapture({{1, 2, 5}, true, 1}, 2), 5);
        QCOMPARE(*stepOfCapture({{1, 2}, false, 3}, 4), 2);
        QVERIFY(!stepOfCapture({{1, 2}, false, 1}, 3));
        QVERIFY(!stepOfCapture({{1, 2}, false, 1}, 0));
        QVERIFY(!stepOfCapture({}, 1));
    }
};

LOCKSTEP_TEST(IdentityResolverTest, "identity_resolver_test")
#include "identity_resolver_test.moc"
