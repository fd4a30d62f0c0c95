// SPDX-License-Identifier: Apache-2.0
// Tests sessions whose tool is Lockstep's own capture: the environment of programs, the findings against it,
// and the result of a script's variables.
#include "core/session/expected_files.h"
#include "core/session/import_text.h"
#include "core/session/preflight.h"
#include "core/session/recipes/capture_environment.h"
#include "core/session/session_yaml.h"
#include "tests/support/test_registry.h"

using namespace lockstep;

namespace {

SessionConfig capturedSession(const std::string& more, const char* framework = "torchrun")
{
    const auto config =
        sessionFromYaml("lockstep_session: 1\nframework: " + std::string(framework) +
                        "\nlauncher: {kind: ssh}\nhosts: [{name: node0, gpus: 2}]\ncommand: [train.py]\n"
                        "tool: capture\nworking_folder: /w\n" +
                        more);
    if (!config) qFatal("%s", config.error().message.c_str());
    return *config;
}

std::vector<HostFacts> capturedFacts(const std::string& more)
{
    const auto facts =
        hostFactsFromJson(R"({"lockstep_probe": 1, "host": "node0", "libc": "glibc", "glibc": "2.36",
        "capture_library": "/h/liblockstep_capture.so")" +
                          more + "}");
    if (!facts) qFatal("%s", facts.error().message.c_str());
    return *facts;
}

std::string plannedVariable(const SessionConfig& config, const char* name,
                            std::span<const HostFacts> facts = {})
{
    const auto plan = planLaunch(config, facts);
    if (!plan) return plan.error().message;
    for (const auto& [key, value] : plan->hosts[0].environment) {
        if (key == name) return value;
    }
    return "-";
}

// Returns the severity of the finding of that rule; "" if there is none.
std::string ruleSeverity(const SessionConfig& config, std::span<const HostFacts> facts, const char* rule)
{
    const auto plan = planLaunch(config, facts);
    if (!plan) return plan.error().message;
    for (const Finding& finding : preflight(config, *plan, facts)) {
        if (finding.rule == rule) return std::string(severityName(finding.severity));
    }
    return {};
}

} // namespace

class CaptureSessionTest : public QObject {
    Q_OBJECT

  private slots:
    void rangeAndSteps_data()
    {
        QTest::addColumn<QString>("framework");
        QTest::addColumn<QString>("more");
        QTest::addColumn<QString>("range");
        QTest::addColumn<QString>("stepsAre");
        QTest::addColumn<int>("reports");
        const auto row = [](const char* framework, const char* more, const char* range, const char* stepsAre,
                            int reports) {
            QTest::newRow((std::string(framework) + " " + more).c_str())
                << framework << more << range << stepsAre << reports;
        };
        row("torchrun", "", "all", "-", 1);
        row("torchrun", "steps: [2, 5]", "cudaProfilerApi", "listed", 2);
        row("command", "steps: [2, 3, 5]\nprofile_continuous_steps: true", "cudaProfilerApi", "listed", 2);
        row("torchrun", "steps: [2]\ncapture: {range: all}", "all", "names", 1);
        row("torchrun", "steps: [2]\ncapture: {range: 'nvtx:train'}", "nvtx:train", "ordinals", 1);
        row("torchrun", "steps: [2]\ncapture: {range: 'nvtx:train step*@mine'}", "nvtx:train step*@mine",
            "names", 1);
        row("torchrun", "steps: [2]\ncapture: {steps_are: ordinals}", "cudaProfilerApi", "ordinals", 1);
        row("torchrun",
            "steps: [2, 3, 9]\nprofile_continuous_steps: true\ndiscrete: true\ncapture: {range: all}", "all",
            "names", 3);
        row("verl", "steps: [2]", "all", "names", 1);
        row("nemo_rl", "steps: [2]", "all", "names", 1);
    }
    void rangeAndSteps()
    {
        QFETCH(QString, framework);
        QFETCH(QString, more);
        const SessionConfig config = capturedSession(more.toStdString(), framework.toUtf8().constData());
        QTEST(QString::fromStdString(plannedVariable(config, "LOCKSTEP_CAPTURE_RANGE")), "range");
        QTEST(QString::fromStdString(plannedVariable(config, "LOCKSTEP_CAPTURE_STEPS_ARE")), "stepsAre");
        const auto files = forecastFiles(config, {});
        QCOMPARE(files.size(), size_t(1));
        QTEST(static_cast<int>(files[0].reportsPerRank), "reports");
        QCOMPARE(files[0].ranks, (std::vector<int64_t>{0, 1}));
    }

    void findings_data()
    {
        QTest::addColumn<QString>("more");
        QTest::addColumn<QString>("facts");
        QTest::addColumn<QString>("rule");
        QTest::addColumn<QString>("severity");
        const auto row = [](const char* name, const char* more, const char* facts, const char* rule,
                            const char* severity) {
            QTest::newRow(name) << more << facts << rule << severity;
        };
        row("all well", "", R"(, "cupti": [{"path": "/c", "version": ""}])", "host.cupti", "");
        row("no cupti", "", R"(, "cupti": [])", "host.cupti", "warning");
        row("no cupti, and nothing for it to record", "", R"(, "cupti": [], "gpus": [])", "host.cupti", "");
        row("no cupti wanted", "capture: {cuda: false}", R"(, "cupti": [])", "host.cupti", "");
        row("glibc too old", "", R"(, "glibc": "2.30")", "capture.libc", "error");
        row("glibc of two digits", "", R"(, "glibc": "2.9")", "capture.libc", "error");
        row("glibc just right", "", R"(, "glibc": "2.31")", "capture.libc", "");
        row("glibc not known", "", R"(, "glibc": "")", "capture.libc", "");
        row("musl", "", R"(, "libc": "musl", "glibc": "")", "capture.libc", "error");
        row("old, but a container",
            "container: [docker, exec, c]\ncapture: {library: /x/liblockstep_capture.so}",
            R"(, "glibc": "2.17")", "capture.libc", "");
        row("put on the host, run in a container", "container: [docker, exec, c]", "", "capture.library",
            "error");
        row("not here to be put", "", R"(, "capture_library": "")", "capture.library", "error");
        row("not asked to put it", "", R"(, "capture_library": null)", "capture.library", "note");
        row("relative", "capture: {library: liblockstep_capture.so}", "", "capture.library", "error");
        row("named, and not there", "capture: {library: /x/liblockstep_capture.so}",
            R"(, "paths": [{"path": "/x/liblockstep_capture.so", "exists": false, "folder": false, "writable": true}])",
            "capture.library", "error");
        row("named, and there", "capture: {library: /x/liblockstep_capture.so}",
            R"(, "paths": [{"path": "/x/liblockstep_capture.so", "exists": true, "folder": false, "writable": false}])",
            "capture.library", "");
        row("another injection", "", R"(, "environment": {"CUDA_INJECTION64_PATH": "/opt/x.so"})",
            "tool.injection_replaced", "warning");
        row("our own injection", "",
            R"(, "environment": {"CUDA_INJECTION64_PATH": "/o/liblockstep_capture.so"})",
            "tool.injection_replaced", "");
        row("range misspelt", "capture: {range: cudaprofilerapi}", "", "capture.range", "error");
        row("range without a name", "capture: {range: 'nvtx:@mine'}", "", "capture.range", "error");
        row("calls that nobody hears", "steps: [1]\ncapture: {cuda: false}", "", "capture.cuda_range",
            "error");
        row("no such rank", "capture: {ranks: [2]}", "", "capture.ranks", "error");
        row("last rank", "capture: {ranks: [1]}", "", "capture.ranks", "");
        row("own calls", "steps: [1]", "", "own_calls", "note");
        row("own ranges", "steps: [1]\ncapture: {range: all}", "", "capture.step_names", "note");
        row("stages are nobody else's", "discrete: true", "", "discrete.unused", "");
    }
    void findings()
    {
        QFETCH(QString, more);
        QFETCH(QString, facts);
        QFETCH(QString, rule);
        const auto told = capturedFacts(facts.toStdString());
        QTEST(QString::fromStdString(
                  ruleSeverity(capturedSession(more.toStdString()), told, rule.toUtf8().constData())),
              "severity");
    }

    void ranksOfRoles_data()
    {
        QTest::addColumn<QString>("more");
        QTest::addColumn<QString>("ranks");
        QTest::newRow("no role has a setting") << ""
                                               << "-";
        QTest::newRow("merged, each once")
            << "roles: {actor: {enable: true, ranks: [3, 1]}, critic: {enable: true, "
               "ranks: [1]}, ref: {ranks: [2]}}"
            << "1,3";
        QTest::newRow("enabled alone") << "roles: {actor: {enable: true}}"
                                       << "0";
        QTest::newRow("enabled with none")
            << "roles: {actor: {enable: true, ranks: []}, critic: {enable: true, ranks: "
               "[4]}}"
            << "0,4";
        QTest::newRow("one has all")
            << "roles: {actor: {enable: true, all_ranks: true}, critic: {enable: true}}"
            << "-";
        QTest::newRow("explicit ranks") << "capture: {ranks: [1]}\nroles: {actor: {enable: true}}"
                                        << "1";
    }
    void ranksOfRoles()
    {
        QFETCH(QString, more);
        const SessionConfig config = capturedSession(more.toStdString(), "verl");
        QTEST(QString::fromStdString(plannedVariable(config, "LOCKSTEP_RANKS")), "ranks");
        QCOMPARE(plannedVariable(config, "LOCKSTEP_ALL_RANKS"),
                 plannedVariable(config, "LOCKSTEP_RANKS") == "-" ? "1" : "-");
    }

    void frameworksOnRay()
    {
        const auto facts = capturedFacts("");
        QCOMPARE(ruleSeverity(capturedSession("steps: [1]", "verl"), facts, "capture.step_names"), "warning");
        QCOMPARE(ruleSeverity(capturedSession("other_overrides: ['++global_profiler.tool=nsys']", "verl"),
                              facts, "capture.other_profiler"),
                 "error");
        QCOMPARE(ruleSeverity(capturedSession("other_overrides: ['++global_profiler.tool=null']", "verl"),
                              facts, "capture.other_profiler"),
                 "");
        // Up to 0.5.0 only the steps start nsys, and variables reach workers only through Ray's own start.
        const SessionConfig old = capturedSession("schema: 0.4.1\nsteps: [1]", "verl");
        const auto plan = planLaunch(old, facts);
        QVERIFY(plan.has_value());
        QCOMPARE(plan->overrides, std::vector<std::string>{"trainer.profile_steps=null"});
        QCOMPARE(ruleSeverity(old, facts, "capture.ray_environment"), "warning");
        QCOMPARE(ruleSeverity(capturedSession("", "nemo_rl"), facts, "capture.ray_environment"), "");
    }

    // The library of each host is at its installed path, and the plan's copy for the agent records it.
    void libraryFollowsHostInformation()
    {
        const auto facts = capturedFacts("");
        const SessionConfig config = capturedSession("");
        QCOMPARE(plannedVariable(config, "NVTX_INJECTION64_PATH", facts), "/h/liblockstep_capture.so");
        QVERIFY(plannedVariable(config, "NVTX_INJECTION64_PATH").starts_with("~/"));
        const auto plan = planLaunch(config, facts);
        QVERIFY(plan.has_value());
        const auto back = hostPlanFromJson(jsonFromHostPlan(*plan, plan->hosts[0]));
        QVERIFY(back.has_value());
        QCOMPARE(back->captureLibrary, "/h/liblockstep_capture.so");
        const auto sameFacts = hostFactsFromJson(jsonFromHostFacts(facts[0]));
        QVERIFY(sameFacts.has_value());
        QCOMPARE(sameFacts->front().captureLibrary, facts[0].captureLibrary);
        QCOMPARE(sameFacts->front().libc, "glibc");
    }

    void runIsNamedOnce()
    {
        HostPlan host;
        setRunId(host, "run-1");
        QVERIFY(host.environment.empty()); // another tool's
        host.environment = {{"LOCKSTEP_OUTPUT", "/r"}};
        setRunId(host, "run-1");
        QVERIFY(hasRunId(host, "run-1") && !hasRunId(host, "run-2"));
        HostPlan own;
        own.environment = {{"LOCKSTEP_OUTPUT", "/r"}, {"LOCKSTEP_CAPTURE_RUN", "mine"}};
        setRunId(own, "run-1");
        QCOMPARE(own.environment.size(), size_t(2));
    }

    void variablesOfAScript()
    {
        const auto made =
            importText("#!/bin/sh\nNVTX_INJECTION64_PATH=/l/liblockstep_capture.so LOCKSTEP_STEPS=2-4 "
                       "LOCKSTEP_CAPTURE_STEPS_ARE=odd python3 train.py\n");
        QVERIFY(made.has_value());
        QCOMPARE(made->config.tool, Tool::capture);
        QCOMPARE(made->config.steps, (std::vector<int64_t>{2, 3, 4}));
        QVERIFY(!made->config.capture.ranks); // all, which is also the library's default
        QCOMPARE(made->config.capture.cuda, false);
        QCOMPARE(made->config.environment, (TextPairs{{"LOCKSTEP_CAPTURE_STEPS_ARE", "odd"}}));
        QCOMPARE(made->findings.front().rule, "import.capture_variable");
        const std::string load = "#!/bin/sh\nNVTX_INJECTION64_PATH=/l/liblockstep_capture.so ";
        const auto all = importText(load + "LOCKSTEP_RANKS=all python3 train.py\n");
        QVERIFY(all.has_value() && !all->config.capture.ranks && all->config.environment.empty());
        const auto first = importText(load + "LOCKSTEP_ALL_RANKS=0 python3 train.py\n");
        QVERIFY(first.has_value() && first->config.environment.empty());
        QCOMPARE(first->config.capture.ranks, std::vector<int64_t>{0});
        // Next to nsys both stay as they are, which is reported.
        const auto both =
            importText("#!/bin/sh\nCUDA_INJECTION64_PATH=/l/liblockstep_capture.so nsys profile python3 "
                       "train.py\n");
        QVERIFY(both.has_value());
        QCOMPARE(both->config.tool, Tool::nsys);
        QCOMPARE(both->config.environment.size(), size_t(1));
        QVERIFY(isImportPartial(both->findings));
        // Another tool's library is not changed.
        const auto others = importText("#!/bin/sh\nCUDA_INJECTION64_PATH=/l/other.so python3 train.py\n");
        QVERIFY(others.has_value() && !others->config.tool);
    }
};

LOCKSTEP_TEST(CaptureSessionTest, "capture_session_test")
#include "capture_session_test.moc"
