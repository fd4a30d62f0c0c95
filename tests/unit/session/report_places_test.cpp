// SPDX-License-Identifier: Apache-2.0
// Tests where reports are expected and searched if verl moves them, if a container hides them, and if ray.sub
// copies them; and what is reported about it before the launch.
#include <QTest>

#include "core/remote/agent_plan.h"
#include "core/remote/report_name.h"
#include "core/session/container_places.h"
#include "tests/support/test_registry.h"
#include "tests/support/verl_sessions.h"

using namespace lockstep;
using namespace lockstep::test;

namespace {

const std::string kMain = "python3, \"-m\", verl.trainer.main_ppo";

SessionConfig placesSession(const std::string& text)
{
    const Result<SessionConfig> config = sessionFromYaml(text);
    if (!config) qFatal("%s", config.error().message.c_str());
    return *config;
}

std::string reasonOf(const SessionConfig& config, std::string_view rule)
{
    const Findings findings = preflight(config, {});
    const Finding* found = findRule(findings, rule);
    return found != nullptr ? found->reason + " | " + found->fix : std::string();
}

std::vector<std::string> searchedFolders(const SessionConfig& config)
{
    const Result<LaunchPlan> plan = planLaunch(config, {});
    if (!plan) qFatal("%s", plan.error().message.c_str());
    return plan->hosts.front().reportFolders;
}

} // namespace

class ReportPlacesTest : public QObject {
    Q_OBJECT

  private slots:
    void partsOfPaths();
    void movedReportsAreInSavePath();
    void rolesOfAProcessShareTheirNumbers();
    void stagesInsideOfStepsAreRefused();
    void memoryOfOldReleases();
    void controllerNeverOpensARange();
    void mountsOfContainers_data();
    void mountsOfContainers();
    void containersHideReports();
    void copiesOfNemoRl();
    void outputOfOneProcess();
};

void ReportPlacesTest::partsOfPaths()
{
    QCOMPARE(partOfPath("/a/b/c.json", "c.json"), std::string_view("c.json"));
    QCOMPARE(partOfPath("/a/b/c.json", R"(b\.x/.+)"), std::string_view("b/c.json"));
    QCOMPARE(partOfPath("/a/b/c.json", "[^/]+"), std::string_view("c.json"));
    QCOMPARE(partOfPath("c.json", "b/c"), std::string_view("c.json"));
    QCOMPARE(partOfPath("/c.json", "a/b/c"), std::string_view("c.json"));
    QVERIFY(ReportNameParts::of(R"(step(?<step>\d+)/x_(?<rank>\d+))", "/p/step12/x_3")->step == 12);
    QVERIFY(!ReportNameParts::of(R"(step(?<step>\d+)/x_(?<rank>\d+))", "/p/x_3"));
}

void ReportPlacesTest::movedReportsAreInSavePath()
{
    const std::string session =
        "tool: nsys\nsteps: [2]\nsave_path: /p\nroles: {actor: {enable: true, ranks: [0]}}\n";
    const std::string move = "hooks: {relocate_results: true}\n";
    const auto actor = [&](const std::string& more, const std::string& command = kMain) {
        return *fileOf(forecastFiles(sessionOf("head", session + more, command), {}), "actor");
    };
    QCOMPARE(actor("").folder, std::string("/tmp/ray/session_latest/logs/nsight"));
    const ExpectedFile moved = actor(move);
    QCOMPARE(moved.folder, std::string("/p"));
    // head verl/utils/profiler/nvtx_profile.py:203-207
    QVERIFY(
        ReportNameParts::of(moved.pattern, "/p/actor_rollout_ref_host-1_worker_process_12.1.nsys-rep")->pid ==
        "12");
    QVERIFY(ReportNameParts::of(moved.pattern, "/x/worker_process_12.1.nsys-rep")->range == 1);
    QVERIFY(!reasonOf(sessionOf("head", session + move, kMain), "verl.relocate_last").empty());
    // verl moves nothing from another folder of Ray, and no other names.
    const std::string away = kMain + ", ray_kwargs.ray_init._temp_dir=/d/ray";
    QCOMPARE(actor(move, away).folder, std::string("/d/ray/session_latest/logs/nsight"));
    QVERIFY(!reasonOf(sessionOf("head", session + move, away), "verl.ray_temp").empty());
    const std::string named = move + "nsys: {worker_options: {o: \"mine_%p\"}}\n";
    QCOMPARE(actor(named).folder, std::string("/tmp/ray/session_latest/logs/nsight"));
    QVERIFY(!reasonOf(sessionOf("head", session + named, kMain), "verl.relocate_name").empty());
}

// nsys numbers the ranges of a process, whatever role opens them.
void ReportPlacesTest::rolesOfAProcessShareTheirNumbers()
{
    const SessionConfig config =
        sessionOf("0.7.1",
                  "tool: nsys\nsteps: [2, 3]\ndiscrete: true\nroles: {actor: {enable: "
                  "true, ranks: [0, 1]}, critic: {enable: true, ranks: [1]}}\n",
                  kMain);
    const auto files = forecastFiles(config, {});
    QCOMPARE(fileOf(files, "actor")->ranks, std::vector<int64_t>{0});
    QCOMPARE(fileOf(files, "actor")->reportsPerRank, int64_t(6));
    const ExpectedFile* both = fileOf(files, "actor, critic");
    QVERIFY(both);
    QCOMPARE(both->ranks, std::vector<int64_t>{1});
    QCOMPARE(both->reportsPerRank, int64_t(10));
    QVERIFY(fileOf(files, "critic") == nullptr);
}

void ReportPlacesTest::stagesInsideOfStepsAreRefused()
{
    const std::string nsys =
        "tool: nsys\nsteps: [2]\nroles: {actor: {enable: true, ranks: [0], discrete: true}, "
        "critic: {enable: true, ranks: [";
    QVERIFY(isRefused(sessionOf("0.9.0", nsys + "0]}}\n", kMain), "verl.discrete_differs"));
    QVERIFY(reasonOf(sessionOf("0.9.0", nsys + "1]}}\n", kMain), "verl.discrete_differs")
                .empty()); // other processes
    QVERIFY(reasonOf(sessionOf("0.8.0", nsys + "0]}}\n", kMain), "verl.discrete_differs")
                .empty()); // records nothing
    const std::string torch =
        "tool: torch\nsteps: [2]\nroles: {actor: {enable: true, torch: {discrete: true}}, critic: "
        "{enable: true, torch: {discrete: false}}}\n";
    QVERIFY(isRefused(sessionOf("head", torch, kMain), "verl.discrete_differs"));
    const std::string ref =
        "tool: nsys\nsteps: [2]\ndiscrete: true\nroles: {actor: {enable: true, ranks: [0]}, ref: "
        "{enable: true, ranks: [0], discrete: false}}\n";
    const std::string withRef = kMain + ", actor_rollout_ref.actor.use_kl_loss=True";
    QVERIFY(isRefused(sessionOf("0.7.1", ref, withRef), "verl.discrete_differs"));
    QVERIFY(reasonOf(sessionOf("0.9.0", ref, withRef), "verl.discrete_differs").empty()); // the actor's block
}

void ReportPlacesTest::memoryOfOldReleases()
{
    const std::string session = "tool: torch_memory\nsteps: [2]\nsave_path: /p\nhosts: [{name: a, gpus: 2}]\n"
                                "roles: {actor: {enable: true, ranks: [1]}}\n";
    const std::string command = kMain + ", trainer.total_training_steps=5";
    const auto snapshots = [&](const char* schema, const std::string& words) {
        return forecastTotal(forecastFiles(sessionOf(schema, session, words), {}));
    };
    QCOMPARE(snapshots("0.7.1", command).count, int64_t(1 + 2 * 5)); // and one per rank and step
    QCOMPARE(snapshots("0.6.0", command).count, int64_t(2 + 2 * 5)); // the critic is off, and records rank 0
    QCOMPARE(snapshots("0.8.0", command).count, int64_t(1));
    QVERIFY(snapshots("0.7.1", kMain).isPartial);
    QVERIFY(!reasonOf(sessionOf("0.7.1", session, command), "verl.memory_update").empty());
    QVERIFY(reasonOf(sessionOf("0.8.0", session, command), "verl.memory_update").empty());
}

void ReportPlacesTest::controllerNeverOpensARange()
{
    const std::string session = "tool: nsys\nsteps: [2]\nroles: {actor: {enable: true, ranks: [0]}}\n";
    const std::string ranged = "nsys: {controller_options: {capture-range: cudaProfilerApi}}\n";
    QVERIFY(fileOf(forecastFiles(sessionOf("0.9.0", session, kMain), {}), "controller") != nullptr);
    QVERIFY(fileOf(forecastFiles(sessionOf("0.9.0", session + ranged, kMain), {}), "controller") == nullptr);
    QVERIFY(!reasonOf(sessionOf("0.9.0", session + ranged, kMain), "verl.controller_range").empty());
}

void ReportPlacesTest::mountsOfContainers_data()
{
    QTest::addColumn<QString>("container");
    QTest::addColumn<QString>("inside");
    QTest::addColumn<QString>("host"); // "" = not visible
    const auto row = [](const char* container, const char* inside, const char* host) {
        QTest::newRow((std::string(container) + " " + inside).c_str()) << container << inside << host;
    };
    row("docker, run, -v, \"/data:/out:rw\", i", "/out/a", "/data/a");
    row("docker, run, \"--volume=/data:/out\", i", "/out", "/data");
    row("docker, run, \"-v/data:/out/\", i", "/out/a", "/data/a");
    row("docker, run, -v, \"/data:/out\", i", "/outer", "");
    row("docker, run, -v, \"named:/out\", i", "/out", "");
    row("podman, run, --mount, \"type=bind,source=/s,target=/t\", i", "/t/x", "/s/x");
    row("docker, run, -v, \"/a:/x\", -v, \"/b:/x/y\", i", "/x/y/z", "/b/z");
    row("docker, run, -v, \"/:/host\", i", "/host/tmp/ray", "/tmp/ray");
    row("docker, exec, c", "/out", "");
    row("apptainer, exec, i.sif", "/tmp/ray/session_*/logs/nsight", "/tmp/ray/session_*/logs/nsight");
    row("apptainer, exec, --contain, i.sif", "/tmp/ray", "");
    row("apptainer, exec, -B, \"/a:/x,/b\", i.sif", "/b/c", "/b/c");
    row("srun, --container-image=i, \"--container-mounts=/lustre:/lustre,/tmp/r:/tmp/ray\"", "/tmp/ray/s",
        "/tmp/r/s");
    row("srun, --container-image=i", "/tmp/ray", "");
}

void ReportPlacesTest::mountsOfContainers()
{
    QFETCH(QString, container);
    QFETCH(QString, inside);
    QFETCH(QString, host);
    const ContainerPlaces places =
        containerPlaces(placesSession("command: [x]\ncontainer: [" + container.toStdString() + "]\n"));
    QVERIFY(!places.program.empty());
    QCOMPARE(places.areMountsKnown, !container.contains("exec, c"));
    QCOMPARE(QString::fromStdString(places.onHost(inside.toStdString()).value_or("")), host);
}

void ReportPlacesTest::containersHideReports()
{
    const std::string session =
        "tool: torch\nsteps: [2]\nsave_path: /out/traces\nroles: {actor: {enable: true}}\n"
        "launcher: {kind: local}\n";
    const auto hidden = [&](const std::string& container) {
        return reasonOf(sessionOf("head", session + container, kMain), "container.folder");
    };
    QCOMPARE(hidden(""), std::string());
    QVERIFY(hidden("container: [docker, run, i]\n").find("add -v /out/traces:/out/traces") !=
            std::string::npos);
    QVERIFY(hidden("container: [docker, exec, c]\n").find("start the container with -v") !=
            std::string::npos);
    const std::string mounted = "container: [docker, run, -v, \"/data:/out\", i]\n";
    QCOMPARE(hidden(mounted), std::string());
    const SessionConfig config = sessionOf("head", session + mounted, kMain);
    QCOMPARE(searchedFolders(config), std::vector<std::string>{"/data/traces"});
    const Result<LaunchPlan> plan = planLaunch(config, {});
    QVERIFY(plan.has_value());
    const auto roots = reportRoots(config, plan->hosts.front());
    QVERIFY(has(roots, "/data/traces") && !has(roots, "/out/traces"));
    // Ray's folder inside.
    const std::string nsys =
        "tool: nsys\nsteps: [2]\nroles: {actor: {enable: true}}\nlauncher: {kind: local}\n";
    QVERIFY(reasonOf(sessionOf("head", nsys + "container: [docker, run, i]\n", kMain), "container.folder")
                .find("/tmp/ray") != std::string::npos);
}

void ReportPlacesTest::copiesOfNemoRl()
{
    const std::string session =
        "framework: nemo_rl\ntool: nsys\nsteps: [3]\nlauncher: {kind: slurm, login_node: l}\n"
        "command: [uv, run, examples/run_grpo.py, cluster.num_nodes=2, cluster.gpus_per_node=8]\n"
        "settings: {worker_patterns: [\"*policy*\"]";
    const auto folder = [&](const std::string& more) {
        const auto files = forecastFiles(placesSession(session + more), {});
        return files.empty() ? std::string() : files.front().folder;
    };
    QCOMPARE(folder("}\n"), std::string("/tmp/ray/session_*/logs/nsight"));
    QVERIFY(!reasonOf(placesSession(session + "}\n"), "nemo_rl.container").empty());
    QVERIFY(reasonOf(placesSession(session + "}\n"), "nemo_rl.last_copy").empty());
    const std::string synced = ", log_sync: 30}\n";
    QCOMPARE(folder(synced), std::string("*-logs/ray"));
    QCOMPARE(folder(synced + "environment: {BASE_LOG_DIR: /shared}\n"), std::string("/shared/*-logs/ray"));
    QVERIFY(reasonOf(placesSession(session + synced), "nemo_rl.container").empty());
    QVERIFY(reasonOf(placesSession(session + synced), "nemo_rl.last_copy").find("lost") != std::string::npos);
    const std::string single = "framework: nemo_rl\ntool: nsys\nsteps: [3]\nlauncher: {kind: local}\n"
                               "command: [python3, examples/run_grpo_single_controller.py]\n";
    QVERIFY(!reasonOf(placesSession(single), "nemo_rl.single_controller").empty());
    const std::string megatron = session + "}\n" + "other_overrides: [policy.megatron_cfg.enabled=True]\n";
    QVERIFY(reasonOf(placesSession(megatron), "nemo_rl.megatron").find("LD_LIBRARY_PATH") !=
            std::string::npos);
}

// One nsys around the command writes one file.
void ReportPlacesTest::outputOfOneProcess()
{
    const std::string plain = "framework: command\ntool: nsys\ncommand: [python3, t.py]\n"
                              "nsys: {worker_options: {o: /p/report}}\n";
    QCOMPARE(reasonOf(placesSession(plain + "launcher: {kind: local}\n"), "nsys.output_shared"),
             std::string());
    const std::string two = "launcher: {kind: ssh}\nhosts: [{name: a}, {name: b}]\n";
    const std::string shared = reasonOf(placesSession(plain + two), "nsys.output_shared");
    QVERIFY2(shared.find("every host") != std::string::npos && shared.find("worker") == std::string::npos,
             shared.c_str());
    const std::string torchrun = "framework: torchrun\ntool: nsys\ncommand: [t.py]\nlauncher: {kind: local}\n"
                                 "nsys: {worker_options: {o: /p/report}}\n";
    QCOMPARE(reasonOf(placesSession(torchrun), "nsys.output_shared"), std::string());
    QVERIFY(reasonOf(placesSession(torchrun + "torchrun: {nsys_placement: rank}\n"), "nsys.output_shared")
                .find("every worker") != std::string::npos);
}

LOCKSTEP_TEST(ReportPlacesTest, "report_places_test")
#include "report_places_test.moc"
