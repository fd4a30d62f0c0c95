// SPDX-License-Identifier: Apache-2.0
#include <QTest>

#include <set>

#include "core/session/preflight.h"
#include "core/session/session_fields.h"
#include "core/session/session_yaml.h"
#include "core/session/yaml_text.h"
#include "core/session/yaml_tree.h"
#include "tests/support/cpu_timer.h"
#include "tests/support/places.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"

using namespace lockstep;

class SessionYamlTest : public QObject {
    Q_OBJECT

  private slots:
    void refusals_data();
    void refusals();
    void hugeTextIsRefusedAtOnce();
    void aliasBombsCostNothing();
    void smallAliasesAreRead();
    void mergeKeysAddWhatIsMissing();
    void saveIsWholeAndLoadsBack();
    void newerVersionIsRecognized();
    void fieldsEditByPath();
    void formerSettingsAreRead();
    void templatesAreValid();
    void serversAreReadAndWritten();
};

void SessionYamlTest::serversAreReadAndWritten()
{
    const auto config =
        sessionFromYaml("servers:\n  - http://a:1/\n  - {url: \"http://b:2\", host: node1, kind: "
                        "sglang, folder: /t, later: 3}\n");
    QVERIFY2(config.has_value(), config ? "" : config.error().message.c_str());
    QCOMPARE(config->servers.size(), size_t(2));
    QCOMPARE(config->servers[0].url, std::string("http://a:1"));
    QVERIFY(config->servers[1].kind == ServerKind::sglang && config->servers[1].folder == "/t");
    const auto again = sessionFromYaml(canonicalYaml(*config));
    QVERIFY(again && again->servers == config->servers);
    const Findings findings = preflight(*config, {});
    const auto has = [&](std::string_view words) {
        return std::ranges::any_of(findings, [words](const Finding& one) {
            return one.field == "servers" && one.reason.find(words) != std::string::npos;
        });
    };
    QVERIFY(has("unknown server key later") && has("names the host 'node1'"));
}

void SessionYamlTest::refusals_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("place");
    QTest::addColumn<QString>("word");
    const auto row = [](const char* name, const char* text, const char* place, const char* word) {
        QTest::newRow(name) << QString::fromUtf8(text) << place << word;
    };
    row("steps are no list", "tool: nsys\nsteps: 5\n", "line 2, column 8", "a list of whole numbers");
    row("a step is no number", "steps: [1, two]\n", "line 1, column 12", "a whole number");
    row("a rank is too large", "roles: {actor: {ranks: [99999999999999999999]}}\n", "line 1, column 25",
        "a whole number");
    row("not a choice", "tool: vtune\n", "line 1, column 7",
        "one of nsys, torch, torch_memory, npu, precision_debugger, capture");
    row("not a boolean", "roles: {actor: {enable: 1}}\n", "line 1, column 25", "true or false");
    row("servers are no list", "servers: x\n", "line 1, column 10", "a list of servers");
    row("a server has no url", "servers: [{host: a}]\n", "line 1, column 11", "the key url");
    row("a server has a password", "servers: [\"http://u:p@a:1\"]\n", "line 1, column 11",
        "must not contain a user or password");
    row("a server is of no known kind", "servers: [{url: \"http://a:1\", kind: tgi}]\n", "line 1, column 37",
        "one of vllm, sglang");
    row("a section is a word", "roles: 3\n", "line 1, column 8", "a map");
    row("duplicate key", "a: 1\nsteps: [1]\nsteps: [2]\n", "line 3, column 1", "duplicate key");
    row("nested duplicate", "roles:\n  actor: {enable: true, enable: false}\n", "line 2, column 25",
        "duplicate key");
    row("tag", "name: !!python/object:x y\n", "line 1, column 7", "tag");
    row("merge of a number", "a: &a 1\nc:\n  <<: *a\n", "line 3, column 7",
        "must be a map or a list of maps");
    row("merge twice", "a: &a {b: 1}\nc:\n  <<: *a\n  <<: *a\n", "line 4, column 3", "duplicate key <<");
    row("key is a list", "[a]: 1\n", "line 1, column 1", "a key must be a single value");
    row("self alias", "a: &a [*a]\n", "line 1, column 8", "alias");
    row("unknown alias", "a: *b\n", "line 1, column 4", "");
    row("two documents", "a: 1\n---\nb: 2\n", "line 4", "second YAML document");
    row("not closed", "a: [1, 2\n", "line 2", "");
    row("open quote", "name: x\nworking_folder: \"/data/run\nsave_path: /data\nsteps: [1]\n",
        "line 2, column 17", "never closed");
    row("open single quote", "a: 'it''s\nb: 1\n", "line 1, column 4", "never closed");
    row("open quote behind an anchor",
        "\xEF\xBB\xBF"
        "a: &b !!str  \"x\\\"\n",
        "line 1, column 1", "never closed");
    row("open quote at the very end", "a: 1\nb: \"x", "line 2, column 4", "never closed");
    row("open quote of a key", "\"a: 1\nb: 2\n", "line 1, column 1", "never closed");
    row("no keys", "- 1\n", "line 1, column 1", "not a session");
    row("empty", "", "line 1, column 1", "not a session");
}

void SessionYamlTest::refusals()
{
    QFETCH(QString, text);
    QFETCH(QString, place);
    QFETCH(QString, word);
    const Result<SessionConfig> config = sessionFromYaml(text.toStdString());
    QVERIFY(!config);
    const QString message = QString::fromStdString(config.error().message);
    QCOMPARE(config.error().kind, ErrorKind::invalid);
    if (place == "line 4")
        place = "line "; // yaml-cpp reports a second document's beginning at another position
    QVERIFY2(message.contains(place), qPrintable(message));
    QVERIFY2(message.contains(word), qPrintable(message));
}

void SessionYamlTest::hugeTextIsRefusedAtOnce()
{
    const std::string text = "name: x\n" + std::string(100'000'000, 'a');
    const test::CpuTimer timer;
    const Result<SessionConfig> config = sessionFromYaml(text);
    QVERIFY(!config);
    QVERIFY2(config.error().message.starts_with("line 2, column "), config.error().message.c_str());
    QVERIFY(timer.elapsed_ms() < 1000);
}

void SessionYamlTest::aliasBombsCostNothing()
{
    std::string aliases = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
    for (int i = 1; i < 12; ++i) {
        const std::string last = "*a" + std::to_string(i - 1);
        aliases += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + last;
        for (int k = 0; k < 9; ++k)
            aliases += ", " + last;
        aliases += "]\n";
    }
    const std::string deep = "a: " + std::string(200'000, '[');
    const std::string deepMaps = [] {
        std::string text;
        for (int i = 0; i < 300; ++i)
            text += std::string(static_cast<size_t>(i), ' ') + "a:\n";
        return text;
    }();
    std::string many;
    for (int i = 0; i < 60'000; ++i)
        many += "- 1\n";
    for (const std::string& text : {aliases, deep, deepMaps, many}) {
        const test::CpuTimer timer;
        const Result<ConfigValue> value = readYaml(text);
        QVERIFY(!value);
        QVERIFY2(value.error().message.starts_with("line "), value.error().message.c_str());
        QVERIFY2(timer.elapsed_ms() < 5000, std::to_string(timer.elapsed_ms()).c_str());
    }
}

void SessionYamlTest::smallAliasesAreRead()
{
    const Result<SessionConfig> config =
        sessionFromYaml("roles:\n  actor: &same {enable: true, ranks: [0, 8]}\n  critic: *same\n");
    QVERIFY2(config, config ? "" : config.error().message.c_str());
    QVERIFY(config->role(Role::critic) == config->role(Role::actor));
    QCOMPARE(config->role(Role::critic).ranks->size(), size_t(2));
}

// As PyYAML reads them: own keys win, then the earlier map of a list.
void SessionYamlTest::mergeKeysAddWhatIsMissing()
{
    const auto merged =
        readYaml("a: &a {b: 1, c: 2}\nd: &d {c: 3, e: 4}\nf:\n  b: 9\n  <<: [*a, *d]\n  g: 5\n"
                 "h: {<<: {x: 1}, y: 2}\n");
    QVERIFY2(merged, merged ? "" : merged.error().message.c_str());
    const auto plain =
        readYaml("a: {b: 1, c: 2}\nd: {c: 3, e: 4}\nf: {b: 9, g: 5, c: 2, e: 4}\nh: {y: 2, x: 1}\n");
    QVERIFY(plain);
    QCOMPARE(yamlText(*merged), yamlText(*plain));
    // A session with merge keys can be changed and saved.
    auto config = sessionFromYaml("defaults: &p {enable: true, ranks: [0]}\nframework: verl\ncommand: [x]\n"
                                  "roles:\n  actor: {<<: *p}\n  critic:\n    <<: *p\n    ranks: [1]\n");
    QVERIFY2(config, config ? "" : config.error().message.c_str());
    QCOMPARE(*config->role(Role::actor).ranks, std::vector<int64_t>{0});
    QCOMPARE(*config->role(Role::critic).ranks, std::vector<int64_t>{1});
    QVERIFY(*config->role(Role::critic).enable);
    config->role(Role::actor).ranks = {5};
    const auto again = sessionFromYaml(yamlFromSession(*config));
    QVERIFY2(again, again ? "" : again.error().message.c_str());
    QCOMPARE(*again->role(Role::actor).ranks, std::vector<int64_t>{5});
    QCOMPARE(*again->role(Role::critic).ranks, std::vector<int64_t>{1});
}

void SessionYamlTest::saveIsWholeAndLoadsBack()
{
    const test::TempDir folder;
    SessionConfig config;
    config.name = "one";
    config.steps = {2, 5};
    const auto path = folder.path() / "s.yaml";
    QVERIFY(saveSession(config, path));
    const Result<SessionConfig> loaded = loadSession(path);
    QVERIFY(loaded);
    QVERIFY(*loaded == config);
    QVERIFY(!std::filesystem::exists(folder.path() / "s.yaml.part"));
    const Status failed = saveSession(config, folder.path() / "none" / "s.yaml");
    QVERIFY(!failed);
    QCOMPARE(failed.error().kind, ErrorKind::io);
    QCOMPARE(loadSession(folder.path() / "none.yaml").error().kind, ErrorKind::notFound);
}

void SessionYamlTest::newerVersionIsRecognized()
{
    const Result<SessionConfig> config = sessionFromYaml("lockstep_session: 2\nsteps: five\n");
    QVERIFY(!config);
    QCOMPARE(config.error().kind, ErrorKind::unsupported);
}

void SessionYamlTest::fieldsEditByPath()
{
    SessionConfig config;
    QVERIFY(setSessionField(config, "roles.ref.torch.schedule.active", ConfigValue::fromInt(3)));
    QCOMPARE(*config.role(Role::ref).torch.schedule.active, int64_t(3));
    QVERIFY(setSessionField(config, "roles.ref.torch.schedule.active", ConfigValue()));
    QVERIFY(config == SessionConfig());
    QCOMPARE(setSessionField(config, "roles.ref.colour", ConfigValue()).error().kind, ErrorKind::notFound);
    const Status wrong = setSessionField(config, "steps", ConfigValue::fromText("x"));
    QCOMPARE(wrong.error().kind, ErrorKind::invalid);
    QVERIFY(wrong.error().message.starts_with("steps: must be a list"));
    QVERIFY(config == SessionConfig());
}

// Settings that older versions wrote outside of `settings` are still read.
void SessionYamlTest::formerSettingsAreRead()
{
    const std::string former = "framework: nemo_rl\nnemo_rl:\n  worker_patterns: [\"*policy*\"]\n"
                               "  extra_options: {trace: cuda}\n";
    const Result<SessionConfig> config = sessionFromYaml(former);
    QVERIFY(config && config->unknown.empty());
    QVERIFY(*config == *sessionFromYaml("framework: nemo_rl\nsettings: {worker_patterns: [\"*policy*\"]}\n"
                                        "nsys: {worker_options: {trace: cuda}}\n"));
    QCOMPARE(yamlFromSession(*config), former);
    SessionConfig changed = *config;
    changed.name = "x";
    const Result<SessionConfig> back = sessionFromYaml(yamlFromSession(changed));
    QVERIFY(back && *back == changed && back->unknown.empty());
    // In a session of another framework, they are unknown keys.
    QCOMPARE(sessionFromYaml("framework: torchrun\nnemo_rl: {worker_patterns: [a]}\n")->unknown.size(),
             size_t(1));
}

void SessionYamlTest::templatesAreValid()
{
    std::set<std::string> seen;
    const auto folder = test::sourceFolder() / "resources/session_templates";
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        const Result<SessionConfig> config = loadSession(entry.path());
        QVERIFY2(config, config ? "" : config.error().message.c_str());
        QVERIFY2(config->unknown.empty(), entry.path().c_str());
        seen.emplace(enumName(config->framework));
        const Result<LaunchPlan> plan = planLaunch(*config, {});
        QVERIFY2(plan, plan ? "" : plan.error().message.c_str());
        const Findings findings = preflight(*config, *plan, {});
        QVERIFY2(!hasErrors(findings), findingsText(findings).c_str());
    }
    QVERIFY((seen == std::set<std::string>{"verl", "verl_omni", "nemo_rl", "torchrun", "command"}));
}

LOCKSTEP_TEST(SessionYamlTest, "session_yaml_test")
#include "session_yaml_test.moc"
