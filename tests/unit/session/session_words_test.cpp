// SPDX-License-Identifier: Apache-2.0
#include <QTest>

#include "core/session/expected_files.h"
#include "core/session/hydra_override.h"
#include "core/session/import_text.h"
#include "core/session/launch_plan.h"
#include "core/session/nsight_options.h"
#include "core/session/recipes/recipe_library.h"
#include "core/session/recipes/recipe_settings.h"
#include "core/session/shell_quote.h"
#include "core/session/typed_value.h"
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
    void importRules();
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

void SessionWordsTest::importRules()
{
    const auto imported = [](const std::string& text) {
        return importText(text + " uv run examples/run_grpo.py").value();
    };
    const ImportedSession made =
        imported("NRL_NSYS_PROFILE_STEP_RANGE=3:5 NRL_NSYS_WORKER_PATTERNS='*policy*,v'");
    QVERIFY((made.config.steps == std::vector<int64_t>{3, 4}));
    QVERIFY(made.config.tool == Tool::nsys && made.config.environment.empty());
    QCOMPARE(hydraText(*made.config.settings.find("worker_patterns")), std::string("[\"*policy*\",v]"));
    for (const char* wrong : {"''", "3", "0:2", "3:3", "5:3", "a:b", "1:2:3", "1:9223372036854775807"}) {
        const ImportedSession kept = imported("NRL_NSYS_PROFILE_STEP_RANGE=" + std::string(wrong));
        QVERIFY2(!kept.config.steps && kept.config.environment.size() == 1, wrong);
        QVERIFY2(hasErrors(kept.findings), wrong);
    }
    const ImportedSession options = imported("NRL_NSYS_PROFILE_STEP_RANGE=3:5 NRL_NSYS_EXTRA_OPTIONS='[1]'");
    QVERIFY(hasErrors(options.findings) && options.config.environment.size() == 1);
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

// Returns the era of a checkout of verl with these two files; an empty profiler file does not exist.
static std::string eraOfFiles(const std::string& trainer, const std::string& profiler)
{
    const LaunchRecipe& recipe = *findLaunchRecipe("verl");
    const auto era = eraOfCheckout(recipe, [&](const std::string& path) -> std::optional<std::string> {
        const bool isProfiler = path.ends_with("/profiler.yaml");
        if (isProfiler && profiler.empty()) return std::nullopt;
        return isProfiler ? profiler : trainer;
    });
    return era ? recipe.eras[*era].id : "";
}

void SessionWordsTest::schemaDetection()
{
    const std::string fresh = "trainer:\n  x: 1\nglobal_profiler:\n  tool: null\n";
    QCOMPARE(eraOfFiles(fresh + "  relocate_results: False\n", "x: 1\n"), "head");
    QCOMPARE(eraOfFiles(fresh, "torch:\n  schedule:\n    active: 0\n"), "0.9.0");
    QCOMPARE(eraOfFiles(fresh, "torch:\n  contents: []\nprecision_debugger:\n  x: 1\n"), "0.8.0");
    QCOMPARE(eraOfFiles(fresh, "torch:\n  contents: []\n"), "0.7.1");
    QCOMPARE(eraOfFiles(fresh, "torch:\n  manual_save: True\n"), "0.7.0");
    QCOMPARE(eraOfFiles(fresh, ""), "0.6.0");
    const std::string old = "trainer:\n  profile_steps: null\n";
    QCOMPARE(eraOfFiles("actor_rollout_ref:\n  hybrid_engine: True\n  profiler:\n    ranks: []\n" + old, ""),
             "0.5.0");
    QCOMPARE(eraOfFiles("actor_rollout_ref:\n  actor:\n    profiler:\n      ranks: null\n" + old, ""),
             "0.4.1");
    QCOMPARE(eraOfFiles("trainer:\n  # profile_steps: no\n  x: 1\n", ""), "");
}

void SessionWordsTest::captureRanges()
{
    SessionConfig config;
    config.framework = *enumFromWord<Framework>("verl");
    const auto rangeEnd = [&config] {
        return computedNsysOption(config, eraOf(config, {}), "capture-range-end").value_or("");
    };
    config.tool = Tool::nsys;
    config.steps = {5, 1, 2, 2};
    config.role(Role::actor).enable = true;
    QCOMPARE(rangeEnd(), "repeat-shutdown:3");
    config.profileContinuousSteps = true;
    QCOMPARE(rangeEnd(), "repeat-shutdown:2");
    config.discrete = true;
    QCOMPARE(rangeEnd(),
             "repeat-shutdown:9"); // two log-prob passes and the update
    config.schema = "0.9.0";
    QCOMPARE(rangeEnd(), "repeat-shutdown:9");
    config.role(Role::critic).enable = true;
    QCOMPARE(rangeEnd(), "repeat-shutdown:21"); // and four batches of the critic
    config.schema = "0.7.1";
    QCOMPARE(rangeEnd(), "repeat-shutdown:15");
    config.role(Role::ref).enable = true; // a worker of its own
    QCOMPARE(rangeEnd(), "repeat-shutdown:18");
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
    QCOMPARE(again->front().checkouts[0].schema, "0.9.0");
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
