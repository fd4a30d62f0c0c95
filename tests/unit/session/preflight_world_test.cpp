// SPDX-License-Identifier: Apache-2.0
// Tests sessions that no run can satisfy or that contain unused settings: sizes compared with the hosts,
// ranks of the hook, settings of another tool, a failed probe outside the container, and folders whose names
// look like options.
#include <QTest>

#include <algorithm>

#include "core/session/launch_plan.h"
#include "core/session/preflight.h"
#include "core/session/session_yaml.h"
#include "core/session/shell_quote.h"
#include "tests/support/test_registry.h"

using namespace lockstep;

namespace {

Findings findingsOf(const SessionConfig& config, std::string_view rule,
                    const std::vector<HostFacts>& facts = {})
{
    const Result<LaunchPlan> plan = planLaunch(config, facts);
    Findings all = plan ? preflight(config, *plan, facts) : preflight(config, facts);
    std::erase_if(all, [&](const Finding& one) { return one.rule != rule; });
    return all;
}

SessionConfig worldSession(const std::string& yaml)
{
    Result<SessionConfig> config = sessionFromYaml(yaml);
    if (!config) qFatal("%s", config.error().message.c_str());
    return *config;
}

const std::string kVerlWorld = "framework: verl\nschema: head\ncommand: [x]\ntool: nsys\nsteps: [2]\n"
                               "roles: {actor: {enable: true}}\n";
const std::string kMemory = "framework: verl\nschema: head\ncommand: [x]\ntool: torch_memory\nsteps: [2]\n";
const std::string kTwo = "hosts: [{name: a, gpus: 8}, {name: b, gpus: 8}]\n";
const std::string kSsh = kTwo + "launcher: {kind: ssh, start_ray: true}\n";

} // namespace

class PreflightWorldTest : public QObject {
    Q_OBJECT

  private slots:
    void rules_data();
    void rules();
    void agreeingSizesAreFine_data();
    void agreeingSizesAreFine();
    void containersHaveTheirOwnPrograms();
    void foldersThatLookLikeOptions();
    void runLengthOfNemo();
};

// Columns: session, rule, severity, field, words of the reason; whether one click clears the rule.
void PreflightWorldTest::rules_data()
{
    QTest::addColumn<QString>("yaml");
    QTest::addColumn<QString>("rule");
    QTest::addColumn<int>("severity");
    QTest::addColumn<QString>("field");
    QTest::addColumn<QString>("says");
    QTest::addColumn<bool>("oneClick");
    const auto row = [](const char* name, const std::string& yaml, const char* rule, Severity severity,
                        const char* field, const char* says, bool oneClick = false) {
        QTest::newRow(name) << QString::fromStdString(yaml) << rule << static_cast<int>(severity) << field
                            << says << oneClick;
    };
    using enum Severity;
    row("more nodes than hosts", kVerlWorld + kSsh + "other_overrides: [trainer.nnodes=4]\n", "world.nodes",
        error, "hosts", "trainer.nnodes is 4 and the launch has 2 hosts");
    row("a cluster of others",
        kVerlWorld + kTwo + "launcher: {kind: ssh}\nother_overrides: [trainer.nnodes=4]\n", "world.nodes",
        warning, "hosts", "are not collected");
    row("fewer nodes than hosts", kVerlWorld + kSsh + "other_overrides: [trainer.nnodes=1]\n", "world.nodes",
        warning, "hosts", "some hosts are not used");
    row("in the command", "framework: verl\ncommand: [x, trainer.nnodes=3]\n" + kSsh, "world.nodes", error,
        "hosts", "is 3");
    row("slurm's own words",
        kVerlWorld + "launcher: {kind: slurm, login_node: l, slurm_options: [-N, \"2\"]}\n"
                     "other_overrides: [trainer.nnodes=4]\n",
        "world.nodes", error, "hosts", "2 hosts");
    row("slurm and a host's agent folder",
        kVerlWorld + "launcher: {kind: slurm, login_node: l}\nhosts: [{name: a, agent_folder: /scratch/a}]\n",
        "slurm.agent_folder", warning, "hosts", "agent_folder of a has no effect", true);
    row("slurm's joined word",
        kVerlWorld + "launcher: {kind: slurm, login_node: l, slurm_options: [--nodes=2]}\n"
                     "other_overrides: [++trainer.nnodes=4]\n",
        "world.nodes", error, "hosts", "2 hosts");
    row("more GPUs than a host has", kVerlWorld + kSsh + "other_overrides: [trainer.n_gpus_per_node=16]\n",
        "world.gpus", error, "hosts.a", "is 16 and the host uses 8 GPUs", true);
    row("fewer GPUs", kVerlWorld + kSsh + "other_overrides: [trainer.n_gpus_per_node=4]\n", "world.gpus",
        warning, "hosts.a", "the others are not used", true);
    row("NeMo RL's names",
        "framework: nemo_rl\ncommand: [x, cluster.num_nodes=4]\ntool: nsys\nsteps: [2]\n"
        "nemo_rl: {worker_patterns: [\"*policy*\"]}\n" +
            kSsh,
        "world.nodes", error, "hosts", "cluster.num_nodes is 4");
    row("no GPU", kVerlWorld + "hosts: [{name: a, gpus: 0}]\n", "host.gpus_positive", error, "hosts.a",
        "gpus is 0", true);
    row("less than no GPU", kVerlWorld + "hosts: [{name: a, gpus: -8}]\n", "host.gpus_positive", error,
        "hosts.a", "gpus is -8", true);
    row("hook beyond the world", kVerlWorld + kSsh + "hooks: {command: x, ranks: [0, 16]}\n",
        "hooks.rank_beyond_world", error, "hooks.ranks", "rank 16 does not exist", true);
    row("hook below 0", kVerlWorld + "hooks: {command: x, ranks: [-1]}\n", "hooks.rank_negative", error,
        "hooks.ranks", "not be negative", true);
    row("no entries in a role", kMemory + "roles: {actor: {enable: true, torch_memory: {max_entries: 0}}}\n",
        "torch_memory.positive", error, "roles.actor.torch_memory", "1 or more", true);
    row("no depth in a role", kMemory + "roles: {ref: {torch_memory: {stack_depth: 0}}}\n",
        "torch_memory.positive", error, "roles.ref.torch_memory", "1 or more", true);
    row("nsys options under torch_memory", kMemory + "nsys: {worker_options: {trace: cuda}}\n", "nsys.unused",
        warning, "nsys.worker_options", "the tool is torch_memory", true);
    row("controller options", kMemory + "nsys: {controller_options: {trace: cuda}}\n", "nsys.unused", warning,
        "nsys.controller_options", "no effect", true);
    row("discrete under torch_memory", kMemory + "discrete: true\n", "discrete.unused", warning, "discrete",
        "no effect", true);
    row("a role's discrete", kMemory + "roles: {actor: {enable: true, discrete: true}}\n", "discrete.unused",
        warning, "roles.actor.discrete", "no effect", true);
    row("torch under nsys", kVerlWorld + "torch: {contents: [cuda]}\n", "torch.unused", warning, "torch",
        "the tool is nsys", true);
    row("snapshots under nsys", kVerlWorld + "torch_memory: {stack_depth: 5}\n", "torch_memory.unused",
        warning, "torch_memory", "the tool is nsys", true);
    row("no process", "framework: torchrun\ncommand: [a.py]\ntorchrun: {processes_per_node: 0}\n",
        "torchrun.processes", error, "torchrun.processes_per_node", "at least 1 process", true);
    row("crowded GPUs",
        "framework: torchrun\ncommand: [a.py]\ntorchrun: {processes_per_node: 8}\nhosts: [{name: a, gpus: 4}]\n",
        "torchrun.processes", warning, "torchrun.processes_per_node", "share the 4 GPUs of a", true);
}

void PreflightWorldTest::rules()
{
    QFETCH(QString, yaml);
    QFETCH(QString, rule);
    QFETCH(int, severity);
    QFETCH(QString, field);
    QFETCH(QString, says);
    QFETCH(bool, oneClick);
    SessionConfig config = worldSession(yaml.toStdString());
    const Findings told = findingsOf(config, rule.toStdString());
    QVERIFY2(!told.empty(), findingsText(preflight(config, {})).c_str());
    QCOMPARE(static_cast<int>(told[0].severity), severity);
    QCOMPARE(QString::fromStdString(told[0].field), field);
    QVERIFY2(QString::fromStdString(told[0].reason).contains(says), told[0].reason.c_str());
    if (!oneClick) return;
    for (const Finding& finding : told) {
        QVERIFY(finding.apply);
        finding.apply(config);
    }
    QVERIFY(findingsOf(config, rule.toStdString()).empty());
}

void PreflightWorldTest::agreeingSizesAreFine_data()
{
    QTest::addColumn<QString>("yaml");
    const auto row = [](const char* name, const std::string& yaml) {
        QTest::newRow(name) << QString::fromStdString(yaml);
    };
    row("both said", kVerlWorld + kSsh + "other_overrides: [trainer.nnodes=2, trainer.n_gpus_per_node=8]\n");
    row("not said", kVerlWorld + kSsh);
    row("a variable", kVerlWorld + kSsh + "other_overrides: [\"trainer.nnodes=${oc.env:N}\"]\n");
    row("one head of a cluster",
        kVerlWorld +
            "launcher: {kind: ray_job}\nhosts: [{name: a, gpus: 8}]\nother_overrides: [trainer.nnodes=4]\n");
    row("another framework",
        "framework: command\ncommand: [x, trainer.nnodes=4]\nhosts: [{name: a}]\nlauncher: {kind: ssh}\n");
    row("hook within", kVerlWorld + kSsh + "hooks: {command: x, ranks: [15]}\n");
}

void PreflightWorldTest::agreeingSizesAreFine()
{
    QFETCH(QString, yaml);
    const SessionConfig config = worldSession(yaml.toStdString());
    for (const char* rule : {"world.nodes", "world.gpus", "hooks.rank_beyond_world", "nsys.unused"})
        QVERIFY2(findingsOf(config, rule).empty(), rule);
}

void PreflightWorldTest::containersHaveTheirOwnPrograms()
{
    const auto facts = hostFactsFromJson(R"({"lockstep_probe": 1, "host": "a", "ray": "", "torch": "",
        "nsys": [], "modules": []})");
    QVERIFY(facts);
    const std::string yaml = kVerlWorld + "hosts: [{name: a}]\n";
    for (const char* rule : {"host.ray", "host.torch", "host.nsys", "verl.needs"}) {
        const Findings outside = findingsOf(worldSession(yaml), rule, *facts);
        const Findings inside =
            findingsOf(worldSession(yaml + "container: [docker, exec, trainer]\n"), rule, *facts);
        QVERIFY2(outside.size() == 1 && outside[0].severity == Severity::error, rule);
        QVERIFY2(inside.size() == 1 && inside[0].severity == Severity::note, rule);
        QVERIFY(inside[0].reason.find("the run uses its container") != std::string::npos);
    }
}

void PreflightWorldTest::foldersThatLookLikeOptions()
{
    QCOMPARE(shellEnter("-P"), std::string("cd -- -P"));
    QCOMPARE(shellEnter("/w x"), std::string("cd '/w x'"));
    for (const char* launcher : {"slurm", "ray_job"}) {
        SessionConfig config = worldSession(
            kVerlWorld + "working_folder: -P\nlauncher: {login_node: l, kind: " + launcher + "}\n");
        const Result<LaunchPlan> plan = planLaunch(config, {});
        QVERIFY(plan);
        QCOMPARE(plan->hosts[0].files.size(), size_t(1));
        const std::string& script = plan->hosts[0].files[0].content;
        QVERIFY2(script.find("\ncd -- -P\n") != std::string::npos, script.c_str());
    }
}

void PreflightWorldTest::runLengthOfNemo()
{
    const std::string yaml =
        "framework: nemo_rl\ntool: nsys\nsteps: [9]\nnemo_rl: {worker_patterns: ['*']}\n";
    for (const char* key : {"grpo", "sft", "dpo", "rm", "distillation", "ppo"}) {
        const SessionConfig config = worldSession(yaml + "command: [x, " + key + ".max_num_steps=50, ++" +
                                                  key + ".max_num_steps=5]\n");
        QCOMPARE(knownTotalSteps(config).value_or(0), int64_t(5));
        QCOMPARE(findingsOf(config, "steps.beyond_run").size(), size_t(1));
    }
    QCOMPARE(
        *knownWorldSize(worldSession(yaml + "command: [cluster.num_nodes=2, cluster.gpus_per_node=4]\n")),
        int64_t(8));
}

LOCKSTEP_TEST(PreflightWorldTest, "preflight_world_test")
#include "preflight_world_test.moc"
