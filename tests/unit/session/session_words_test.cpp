// SPDX-License-Identifier: Apache-2.0
#include <QTest>

#include "core/session/expected_files.h"
#include "core/session/hydra_override.h"
#include "core/session/import_environment.h"
#include "core/session/launch_plan.h"
#include "core/session/nsight_options.h"
#include "core/session/shell_quote.h"
#include "core/session/verl_schema.h"
#include "core/session/verl_settings.h"
#include "tests/support/hydra_grammar.h"
#include "tests/support/test_registry.h"

using namespace lockstep;

class SessionWordsTest : public QObject {
    Q_OBJECT

  private slots:
    void shellQuoting();
    void pastedShellText();
    void hydraValues();
    void hydraRefusals();
    void nrlRanges();
    void nsightRules();
    void schemaDetection();
    void captureRanges();
    void hostInformationRoundTrips();
    void plansRoundTrip();
    void ranksSplitOverHosts();
};

void SessionWordsTest::shellQuoting()
{
    QCOMPARE(shellQuoted("plain/word-1.2:3,4"), std::string("plain/word-1.2:3,4"));
    QCOMPARE(shellQuoted("--name=value"), std::string("--name=value"));
    QCOMPARE(shellQuoted("a=b"), std::string("'a=b'"));
    QCOMPARE(shellQuoted(""), std::string("''"));
    QCOMPARE(shellQuoted("it's"), std::string("'it'\\''s'"));
    QCOMPARE(shellQuoted("~/x"), std::string("'~/x'"));
    QVERIFY(isEnvironmentName("A_1") && !isEnvironmentName("1A") && !isEnvironmentName("A-B") &&
            !isEnvironmentName(""));
}

void SessionWordsTest::pastedShellText()
{
    const Result<ShellWords> words = splitShellWords("a 'b c' \"d\\\"$e\" \\\n  f\\ g # no\n$'h\\n' ''");
    QVERIFY(words);
    QVERIFY((words->words == std::vector<std::string>{"a", "b c", "d\"$e", "f g", "h\n", ""}));
    QVERIFY(words->hasExpansion);
    const Result<ShellWords> open = splitShellWords("a\n  'b");
    QVERIFY(!open);
    QVERIFY(open.error().message.starts_with("line 2, column 3"));
}

void SessionWordsTest::hydraValues()
{
    const auto text = [](const char* value) { return hydraText(ConfigValue::fromText(value)); };
    QCOMPARE(text("nsys"), std::string("nsys"));
    QCOMPARE(text("./outputs/profile"), std::string("./outputs/profile"));
    for (const char* odd :
         {"", "true", "12", "1e3", "null", "inf", "a b", "a,b", "a:b", "x=y", "-x", "$HOME", "é"}) {
        QVERIFY2(text(odd).starts_with('"'), odd);
    }
    QCOMPARE(hydraQuoted("a\\\"b\\"), std::string("\"a\\\\\\\"b\\\\\""));
    const Result<HydraOverride> read = parseHydraOverride("++a.b-c=[1,{k: 'x, y'},True,null,\"q\"]");
    QVERIFY2(read, read ? "" : read.error().message.c_str());
    QCOMPARE(hydraText(*read->value), std::string("[1,{k:\"x, y\"},True,null,q]"));
    QVERIFY(parseHydraOverride("~a.b")->prefix == OverridePrefix::remove);
    QCOMPARE(parseHydraOverride("a=")->value->text, std::string());
}

void SessionWordsTest::hydraRefusals()
{
    for (const char* word :
         {"a=1,2", "a=x;y", "a=[1", "a=\"x", "a b=1", "=1", "a", "a={x:y", "a=x&y", "a=é"}) {
        QVERIFY2(!parseHydraOverride(word), word);
        QVERIFY2(!test::hydraGrammarProblem(word).empty(), word);
    }
    QCOMPARE(parseHydraOverride("a=choice(1,2)").error().kind, ErrorKind::unsupported);
    QVERIFY(!parseHydraOverride("a=" + std::string(100'000, '[')));
}

void SessionWordsTest::nrlRanges()
{
    QVERIFY((*stepsOfNrlRange("3:5") == std::vector<int64_t>{3, 4}));
    QVERIFY((*stepsOfNrlRange("2:3") == std::vector<int64_t>{2}));
    for (const char* wrong : {"", "3", "0:2", "3:3", "5:3", "a:b", "1:2:3", "1:9223372036854775807"}) {
        QVERIFY2(!stepsOfNrlRange(wrong), wrong);
    }
    QCOMPARE(*nrlRangeOfSteps({3, 2}), std::string("2:4"));
    QVERIFY(!nrlRangeOfSteps({2, 4}));
    QVERIFY(!nrlRangeOfSteps({0, 1}));
    QVERIFY(!nrlRangeOfSteps({}));
    QVERIFY(!importNrlEnvironment("NRL_NSYS_EXTRA_OPTIONS='[1]' x"));
    QVERIFY(importNrlEnvironment("NRL_NSYS_PROFILE_STEP_RANGE=5:2 x")
                .error()
                .message.starts_with("NRL_NSYS_PROFILE"));
}

void SessionWordsTest::nsightRules()
{
    const NsightOptionRule& trace = *findNsightRule("t");
    QVERIFY(nsightValueProblem(trace, "cuda,nvtx,cublas,ucx", {}).empty());
    QVERIFY(!nsightValueProblem(trace, "cuda,nvtxx", {}).empty());
    QVERIFY(!nsightValueProblem(trace, "nccl", NsysVersion{2025, 3}).empty());
    QVERIFY(nsightValueProblem(trace, "nccl", NsysVersion{2025, 6}).empty());
    const NsightOptionRule& end = *findNsightRule("capture-range-end");
    for (const char* good : {"stop", "none", "repeat", "repeat:3", "repeat-shutdown:12", "repeat:2:async"}) {
        QVERIFY2(nsightValueProblem(end, good, {}).empty(), good);
    }
    for (const char* wrong : {"", "repeat-shutdown", "repeat-shutdown:0", "repeat-shutdown:x", "forever"}) {
        QVERIFY2(!nsightValueProblem(end, wrong, {}).empty(), wrong);
    }
    QVERIFY((nsysVersion("2025.5.2.266") == NsysVersion{2025, 5}));
    QVERIFY(!nsysVersion("unknown"));
    QVERIFY(nsightRulesFor(NsysVersion{2023, 3}).size() < nsightRulesFor({}).size());
    QCOMPARE(*repeatCount("repeat-shutdown:12"), int64_t(12));
    QVERIFY((nsysArguments({{"t", "cuda"}, {"stats", "false"}}) ==
             std::vector<std::string>{"-t", "cuda", "--stats=false"}));
}

void SessionWordsTest::schemaDetection()
{
    const std::string fresh = "trainer:\n  x: 1\nglobal_profiler:\n  tool: null\n";
    QVERIFY(*detectVerlSchema(fresh + "  relocate_results: False\n", "x: 1\n") == VerlSchema::head);
    QVERIFY(*detectVerlSchema(fresh, "torch:\n  schedule:\n    active: 0\n") == VerlSchema::v0_9_0);
    QVERIFY(*detectVerlSchema(fresh, "torch:\n  contents: []\nprecision_debugger:\n  x: 1\n") ==
            VerlSchema::v0_8_0);
    QVERIFY(*detectVerlSchema(fresh, "torch:\n  contents: []\n") == VerlSchema::v0_7_1);
    QVERIFY(*detectVerlSchema(fresh, "torch:\n  manual_save: True\n") == VerlSchema::v0_7_0);
    QVERIFY(*detectVerlSchema(fresh, "") == VerlSchema::v0_6_0);
    const std::string old = "trainer:\n  profile_steps: null\n";
    QVERIFY(*detectVerlSchema("actor_rollout_ref:\n  hybrid_engine: True\n  profiler:\n    ranks: []\n" + old,
                              "") == VerlSchema::v0_5_0);
    QVERIFY(*detectVerlSchema("actor_rollout_ref:\n  actor:\n    profiler:\n      ranks: null\n" + old, "") ==
            VerlSchema::v0_4_1);
    QCOMPARE(detectVerlSchema("trainer:\n  # profile_steps: no\n  x: 1\n", "").error().kind,
             ErrorKind::notFound);
}

void SessionWordsTest::captureRanges()
{
    SessionConfig config;
    config.framework = Framework::verl;
    config.tool = Tool::nsys;
    config.steps = {5, 1, 2, 2};
    config.role(Role::actor).enable = true;
    QCOMPARE(*computedCaptureRangeEnd(config, VerlSchema::head), std::string("repeat-shutdown:3"));
    config.profileContinuousSteps = true;
    QCOMPARE(*computedCaptureRangeEnd(config, VerlSchema::head), std::string("repeat-shutdown:2"));
    config.discrete = true;
    QCOMPARE(*computedCaptureRangeEnd(config, VerlSchema::head), std::string("repeat-shutdown:9"));
    QCOMPARE(*computedCaptureRangeEnd(config, VerlSchema::v0_9_0), std::string("repeat-shutdown:12"));
    config.role(Role::critic).enable = true;
    QCOMPARE(*computedCaptureRangeEnd(config, VerlSchema::v0_9_0), std::string("repeat-shutdown:18"));
    config.steps = {std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max()};
    QCOMPARE(stepGroups(config).size(), size_t(2));
}

void SessionWordsTest::hostInformationRoundTrips()
{
    const std::string json =
        R"({"lockstep_probe": 1, "host": "n", "cpus": 4, "gpus": [{"name": "H100", "memory_bytes": 5}],
        "nsys": [{"path": "/n", "version": "2025.1.1", "on_path": true, "options": ["trace"]}], "torch": "", "modules": ["nvtx"],
        "checkouts": [{"path": "/v", "framework": "verl", "version": "1", "schema": "0.9.0"}], "disks": [{"path": "/", "free_bytes": 7}],
        "clock": {"offset_ns": -3, "synchronized": false}, "environment": {"A": "b"}, "from_the_future": [1]})";
    const auto facts = hostFactsFromJson(json);
    QVERIFY2(facts, facts ? "" : facts.error().message.c_str());
    const auto again = hostFactsFromJson("[" + jsonFromHostFacts(facts->front()) + "]");
    QVERIFY(again);
    QCOMPARE(jsonFromHostFacts(again->front()), jsonFromHostFacts(facts->front()));
    QVERIFY(again->front().checkouts[0].schema == VerlSchema::v0_9_0);
    QVERIFY(again->front().clockOffset_ns == -3 && again->front().torch == "" && !again->front().ray);
    for (const char* wrong : {"", "{}", "[1]", R"({"host": 1})", R"({"host": "a", "cpus": "x"})",
                              R"({"host": "a", "gpus": [1]})", R"([{"host": "a"}, {"host": "a"}])"}) {
        QVERIFY2(!hostFactsFromJson(wrong), wrong);
    }
}

void SessionWordsTest::plansRoundTrip()
{
    SessionConfig config;
    config.command = {"x", "a b", "é\n"};
    config.environment = {{"B", "1"}, {"A", "'"}};
    config.launcher.kind = LauncherKind::rayJob;
    const Result<LaunchPlan> plan = planLaunch(config, {});
    QVERIFY(plan);
    const Result<HostPlan> host = hostPlanFromJson(jsonFromHostPlan(*plan, plan->hosts[0]));
    QVERIFY(host);
    QVERIFY(*host == plan->hosts[0]);
    for (const char* wrong :
         {"", "[]", "{}", R"({"lockstep_plan": 2})", R"({"lockstep_plan": 1, "commands": [{}]})",
          R"({"lockstep_plan": 1, "files": [{}]})", R"({"lockstep_plan": 1, "environment": 3})"}) {
        QVERIFY2(!hostPlanFromJson(wrong), wrong);
    }
    config.launcher.holdNodes_s = -1;
    QVERIFY(planLaunch(config, {}).error().message.starts_with("launcher.hold_nodes_s"));
    config.launcher.holdNodes_s.reset();
    config.environment = {{"A B", "1"}};
    QVERIFY(planLaunch(config, {}).error().message.starts_with("environment"));
    config.environment = {{"A", std::string("\0", 1)}};
    QVERIFY(!planLaunch(config, {}));
}

void SessionWordsTest::ranksSplitOverHosts()
{
    const std::vector<Host> hosts{{"a", "", 8, {}, ""}, {"b", "", 4, {}, ""}};
    const auto parts = ranksByHost(hosts, {0, 7, 8, 11, 12});
    QCOMPARE(parts.size(), size_t(2));
    QVERIFY((parts[0].ranks == std::vector<int64_t>{0, 7}));
    QVERIFY((parts[1].ranks == std::vector<int64_t>{8, 11}));
    ExpectedFile file;
    file.rankCount = std::numeric_limits<int64_t>::max();
    file.reportsPerRank = 3;
    QCOMPARE(file.count(), std::numeric_limits<int64_t>::max());
}

LOCKSTEP_TEST(SessionWordsTest, "session_words_test")
#include "session_words_test.moc"
