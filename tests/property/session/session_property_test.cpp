// SPDX-License-Identifier: Apache-2.0
#include <QTest>

#include <sstream>

#include <rapidcheck.h>

#include "core/base/host_reference.h"
#include "core/session/hydra_override.h"
#include "core/session/import_environment.h"
#include "core/session/import_text.h"
#include "core/session/launch_plan.h"
#include "core/session/recipes/recipe_settings.h"
#include "core/session/session_fields.h"
#include "core/session/session_yaml.h"
#include "core/session/shell_quote.h"
#include "core/session/typed_value.h"
#include "core/session/yaml_text.h"
#include "core/session/yaml_tree.h"
#include "tests/support/bash_arguments.h"
#include "tests/support/hydra_grammar.h"
#include "tests/support/test_registry.h"

using namespace lockstep;

namespace {

// Text that is difficult for shells, YAML and Hydra; never NUL, always UTF-8.
rc::Gen<std::string> hardText()
{
    const auto piece = rc::gen::element<std::string>(
        " ", "'", "\"", "\\", "\n", "\t", "$HOME", "${x}", ":", ",", "=", "-", "--x", "~", "#", "[", "]", "{",
        "}", "`id`", "é", "日本", "a", "B", "7", "1e3", "true", "null", "!", "&&", ";", "*", "%q{RANK}",
        "\\\"", "\\'", "\x01", "\u0085", "\u2028", "- ", "? ", "|", ">", "@", "yes", "(", ")", "<<", "\r");
    return rc::gen::map(rc::gen::container<std::vector<std::string>>(piece),
                        [](const std::vector<std::string>& pieces) {
                            std::string text;
                            for (const std::string& one : pieces)
                                text += one;
                            return text;
                        });
}

// Returns the words with references expanded, as a shell and the agent expand them.
std::vector<std::string> expanded(std::vector<std::string> words)
{
    for (std::string& word : words)
        word = resolvedHere(word);
    return words;
}

rc::Gen<std::vector<std::string>> hardWords()
{
    return rc::gen::container<std::vector<std::string>>(hardText());
}

ConfigValue anyValue(int depth)
{
    switch (*rc::gen::inRange(0, depth > 3 ? 4 : 6)) {
    case 0:
        return {};
    case 1:
        return ConfigValue::fromBool(*rc::gen::arbitrary<bool>());
    case 2:
        return ConfigValue::fromInt(*rc::gen::arbitrary<int64_t>());
    case 3:
        return ConfigValue::fromText(*hardText());
    case 4: {
        ConfigValue list = ConfigValue::emptyList();
        for (int i = *rc::gen::inRange(0, 4); i > 0; --i)
            list.items.push_back(anyValue(depth + 1));
        return list;
    }
    default: {
        ConfigValue map = ConfigValue::emptyMap();
        for (int i = *rc::gen::inRange(0, 4); i > 0; --i)
            map.set("k" + std::to_string(i) + *hardText(), anyValue(depth + 1));
        return map;
    }
    }
}

template<class T>
std::optional<T> maybe(const rc::Gen<T>& gen)
{
    return *rc::gen::arbitrary<bool>() ? std::optional<T>(*gen) : std::nullopt;
}

rc::Gen<std::vector<int64_t>> numbers()
{
    return rc::gen::container<std::vector<int64_t>>(rc::gen::inRange<int64_t>(0, 40));
}

TorchOptions anyTorch()
{
    TorchOptions torch;
    torch.contents = maybe(rc::gen::container<std::vector<std::string>>(
        rc::gen::element<std::string>("cuda", "cpu", "stack", "odd word")));
    torch.discrete = maybe(rc::gen::arbitrary<bool>());
    torch.tokenEnd = maybe(rc::gen::inRange<int64_t>(0, 99));
    torch.schedule.active = maybe(rc::gen::inRange<int64_t>(0, 9));
    return torch;
}

NpuOptions anyNpu()
{
    NpuOptions npu;
    npu.contents = maybe(rc::gen::container<std::vector<std::string>>(
        rc::gen::element<std::string>("npu", "cpu", "stack", "odd word")));
    npu.level = maybe(rc::gen::element<std::string>("level0", "level_none"));
    npu.analysis = maybe(rc::gen::arbitrary<bool>());
    npu.tokenStart = maybe(rc::gen::inRange<int64_t>(0, 99));
    return npu;
}

Hooks anyHooks()
{
    Hooks hooks;
    hooks.command = maybe(hardText());
    hooks.ranks = maybe(numbers());
    hooks.relocateResults = maybe(rc::gen::arbitrary<bool>());
    return hooks;
}

// Plans refuse names and paths with control characters, including those that change the text direction.
bool isRefusedText(const Result<LaunchPlan>& plan)
{
    return !plan && plan.error().message.find("contains a control character") != std::string::npos;
}

SessionConfig anyVerl()
{
    SessionConfig config;
    config.framework = *enumFromWord<Framework>(*rc::gen::element<std::string>("verl", "verl_omni"));
    const bool old = enumName(config.framework) == "verl" && *rc::gen::inRange(0, 3) == 0;
    if (old) config.schema = *rc::gen::element<std::string>("0.4.1", "0.5.0");
    config.command = {enumName(config.framework) == "verl_omni" ? "run_flowgrpo.sh" : "main_ppo"};
    config.tool = old ? Tool::nsys
                      : *rc::gen::element(Tool::nsys, Tool::torch, Tool::torchMemory, Tool::npu,
                                          Tool::precisionDebugger);
    config.steps = *numbers();
    config.savePath = old ? std::nullopt : maybe(hardText());
    config.discrete = maybe(rc::gen::arbitrary<bool>());
    config.profileContinuousSteps = maybe(rc::gen::arbitrary<bool>());
    for (RoleProfile& role : config.roles) {
        role.enable = maybe(rc::gen::arbitrary<bool>());
        role.allRanks = maybe(rc::gen::arbitrary<bool>());
        role.ranks = maybe(numbers());
        role.discrete = maybe(rc::gen::arbitrary<bool>());
        if (*rc::gen::inRange(0, 3) == 0) role.torch = anyTorch();
        role.torchMemory.maxEntries = maybe(rc::gen::inRange<int64_t>(1, 1'000'000));
        if (*rc::gen::inRange(0, 3) == 0) role.npu = anyNpu();
        if (*rc::gen::inRange(0, 3) == 0) role.hooks = anyHooks();
        role.precision.strict = maybe(rc::gen::arbitrary<bool>());
    }
    config.torch = anyTorch();
    config.npu = anyNpu();
    config.precision.configPath = maybe(hardText());
    config.hooks = anyHooks();
    for (const char* name : {"trace", "cuda-memory-usage", "capture-range-end"}) {
        if (*rc::gen::arbitrary<bool>()) setOption(config.workerOptions, name, *hardText());
        if (*rc::gen::arbitrary<bool>()) setOption(config.controllerOptions, name, *hardText());
    }
    if (*rc::gen::arbitrary<bool>())
        config.otherOverrides = {"++data.note=" + hydraQuoted(*hardText()), "+trainer.x=[1,{a:b}]"};
    return config;
}

} // namespace

class SessionPropertyTest : public QObject {
    Q_OBJECT

  private slots:
    void yamlPreservesEveryValue();
    void unknownKeysArePreserved();
    void unchangedSessionsKeepTheirBytes();
    void everyChangePreservesComments();
    void importingAPlanGivesTheSameSession();
    void nrlEnvironmentRoundTrips();
    void overridesAreValidHydra();
    void hydraTextRoundTrips();
    void bashPreservesTheArguments();
    void splittingUndoesQuoting();
};

void SessionPropertyTest::yamlPreservesEveryValue()
{
    QVERIFY(rc::check([] {
        ConfigValue map = ConfigValue::emptyMap();
        map.set("key", anyValue(0));
        map.set(*hardText() + "x", anyValue(0));
        const Result<ConfigValue> read = readYaml(yamlText(map));
        RC_LOG() << yamlText(map) << (read ? "" : read.error().message);
        RC_ASSERT(read.has_value());
        RC_ASSERT(*read == map);
    }));
}

void SessionPropertyTest::unknownKeysArePreserved()
{
    QVERIFY(rc::check([] {
        SessionConfig config = anyVerl();
        config.environment = {{"A", *hardText()}};
        config.hosts = {{"node0", "", 8, {{"rack", anyValue(2)}}, ""}};
        config.unknown.push_back({{"roles", "actor", "colour"}, anyValue(2)});
        config.unknown.push_back({{"future." + *hardText()}, anyValue(2)});
        const std::string text = yamlFromSession(config);
        const Result<SessionConfig> read = sessionFromYaml(text);
        RC_LOG() << text << (read ? "" : read.error().message);
        RC_ASSERT(read.has_value());
        RC_ASSERT(*read == config);
        RC_ASSERT(yamlFromSession(*read) == text);
    }));
}

namespace {

SessionConfig anySession()
{
    SessionConfig config = anyVerl();
    config.environment = {{"A", *hardText()}, {"B", "1"}};
    config.command = *hardWords();
    for (int i = *rc::gen::inRange(0, 4); i > 0; --i)
        config.hosts.push_back(
            {"node" + std::to_string(i), "", maybe(rc::gen::inRange<int64_t>(1, 9)), {}, {}});
    if (*rc::gen::arbitrary<bool>()) config.unknown.push_back({{"roles", "actor", "colour"}, anyValue(2)});
    if (*rc::gen::arbitrary<bool>()) config.unknown.push_back({{"future"}, anyValue(2)});
    return config;
}

// Returns a canonical text with blank lines and comments inserted between and after its lines.
std::string commented(const std::string& text, int& count)
{
    std::string out;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        switch (*rc::gen::inRange(0, 6)) {
        case 0:
            out += std::string(static_cast<size_t>(*rc::gen::inRange(0, 5)), ' ') + "# mine " +
                   std::to_string(count++) + "\n";
            break;
        case 1:
            if (line.find('#') == std::string::npos && !line.empty())
                line += "  # mine " + std::to_string(count++);
            break;
        case 2:
            out += "\n";
            break;
        default:
            break;
        }
        out += line + "\n";
    }
    return out;
}

} // namespace

void SessionPropertyTest::unchangedSessionsKeepTheirBytes()
{
    QVERIFY(rc::check([] {
        int count = 0;
        const SessionConfig config = anySession();
        const std::string text = commented(canonicalYaml(config), count);
        const Result<SessionConfig> read = sessionFromYaml(text);
        RC_LOG() << text << (read ? "" : read.error().message);
        RC_ASSERT(read.has_value());
        RC_ASSERT(*read == config);
        RC_ASSERT(yamlFromSession(*read) == text);
    }));
}

void SessionPropertyTest::everyChangePreservesComments()
{
    QVERIFY(rc::check([] {
        int count = 0;
        const std::string text = commented(canonicalYaml(anySession()), count);
        const Result<SessionConfig> was = sessionFromYaml(text);
        RC_ASSERT(was.has_value());
        SessionConfig changed = anySession();
        changed.source = was->source;
        const std::string saved = yamlFromSession(changed);
        const Result<SessionConfig> read = sessionFromYaml(saved);
        RC_LOG() << text << "-----\n" << saved << (read ? "" : read.error().message);
        RC_ASSERT(read.has_value());
        RC_ASSERT(*read == changed);
        for (int i = 0; i < count; ++i)
            RC_ASSERT((saved + "\n").find("# mine " + std::to_string(i) + "\n") != std::string::npos);
    }));
}

void SessionPropertyTest::importingAPlanGivesTheSameSession()
{
    QVERIFY(rc::check([] {
        const Result<LaunchPlan> first = planLaunch(anyVerl(), {});
        if (isRefusedText(first)) return;
        RC_ASSERT(first.has_value());
        const std::string pasted = shellText(first->hosts[0], first->hosts[0].commands[0]);
        const Result<ImportedSession> imported = importOverrideList(pasted);
        RC_ASSERT(imported.has_value());
        const Result<SessionConfig> saved = sessionFromYaml(yamlFromSession(imported->config));
        RC_ASSERT(saved.has_value());
        const Result<LaunchPlan> second = planLaunch(*saved, {});
        RC_ASSERT(second.has_value());
        const Result<ImportedSession> again =
            importOverrideList(shellText(second->hosts[0], second->hosts[0].commands[0]));
        RC_LOG() << pasted << "\n" << yamlFromSession(imported->config);
        RC_ASSERT(again.has_value());
        RC_LOG() << yamlFromSession(again->config);
        RC_ASSERT(again->config == imported->config);
        RC_ASSERT(second->overrides.size() == first->overrides.size());
    }));
}

void SessionPropertyTest::nrlEnvironmentRoundTrips()
{
    QVERIFY(rc::check([] {
        SessionConfig config;
        config.framework = *enumFromWord<Framework>("nemo_rl");
        config.tool = Tool::nsys;
        config.command = {"uv", "run", *hardText()};
        config.environment = {{"OTHER", *hardText()}};
        const int64_t begin = *rc::gen::inRange<int64_t>(1, 50), count = *rc::gen::inRange<int64_t>(1, 9);
        config.steps.emplace();
        for (int64_t i = 0; i < count; ++i)
            config.steps->push_back(begin + i);
        config.settings.set("worker_patterns", valueOf(std::vector<std::string>{"*policy*", "vllm_*"}));
        if (*rc::gen::arbitrary<bool>())
            config.workerOptions = {{"trace", *hardText()}, {"kill", std::nullopt}};
        const Result<LaunchPlan> plan = planLaunch(config, {});
        if (isRefusedText(plan)) return;
        RC_ASSERT(plan.has_value());
        Result<ImportedSession> imported = importText(shellText(plan->hosts[0], plan->hosts[0].commands[0]));
        RC_ASSERT(imported.has_value());
        // A pasted ~ after '=' is written as $HOME.
        RC_ASSERT(expanded(imported->config.command) == expanded(config.command));
        RC_ASSERT(imported->config.environment.size() == 1);
        RC_ASSERT(expanded({imported->config.environment[0].second}) ==
                  expanded({config.environment[0].second}));
        imported->config.command = config.command;
        imported->config.environment = config.environment;
        RC_ASSERT(imported->config == config);
    }));
}

void SessionPropertyTest::overridesAreValidHydra()
{
    QVERIFY(rc::check([] {
        const SessionConfig config = anyVerl();
        // The plan itself refuses control characters in paths.
        const RecipeInput input{config, {}, {}, eraOf(config, {}), 0};
        RecipeProgram made;
        addRecipeSettings(*recipeFor(config.framework).data, input, made);
        made.overrides.insert(made.overrides.end(), config.otherOverrides.begin(),
                              config.otherOverrides.end());
        for (const std::string& word : made.overrides) {
            RC_LOG() << word;
            RC_ASSERT(test::hydraGrammarProblem(word) == "");
        }
    }));
}

void SessionPropertyTest::hydraTextRoundTrips()
{
    QVERIFY(rc::check([] {
        ConfigValue value = ConfigValue::emptyList();
        value.items = {ConfigValue::fromText(*hardText()),
                       ConfigValue::fromInt(*rc::gen::arbitrary<int64_t>()),
                       ConfigValue::fromBool(*rc::gen::arbitrary<bool>()), ConfigValue()};
        const std::string word = "++a.b=" + hydraText(value);
        const Result<HydraOverride> read = parseHydraOverride(word);
        RC_LOG() << word << (read ? "" : read.error().message);
        RC_ASSERT(test::hydraGrammarProblem(word) == "");
        RC_ASSERT(read.has_value());
        RC_ASSERT(read->value == value);
    }));
}

void SessionPropertyTest::bashPreservesTheArguments()
{
    // Each case starts bash twice, so there are fewer cases.
    int left = 40;
    QVERIFY(rc::check([&left] {
        if (left-- <= 0) return;
        SessionConfig config = anyVerl();
        config.command = {"main_ppo"};
        const std::vector<std::string> more = *hardWords();
        config.command.insert(config.command.end(), more.begin(), more.end());
        config.environment = {{"LOCKSTEP_A", *hardText()}, {"LOCKSTEP_B", "-x"}};
        const Result<LaunchPlan> plan = planLaunch(config, {});
        if (isRefusedText(plan)) return;
        RC_ASSERT(plan.has_value());
        const HostPlan& host = plan->hosts[0];
        const std::string script = shellText(host, host.commands[0]);
        RC_LOG() << script;
        RC_ASSERT(test::bashAccepts(script));
        const std::optional<test::BashArguments> words =
            test::bashArguments(script, "main_ppo", {"LOCKSTEP_A", "LOCKSTEP_B"});
        RC_ASSERT(words.has_value());
        RC_ASSERT(words->argv == expanded(host.commands[0].argv));
        const std::string value = expanded({config.environment[0].second}).front();
        RC_ASSERT(words->environment == (std::vector<std::string>{"LOCKSTEP_A=" + value, "LOCKSTEP_B=-x"}));
    }));
}

void SessionPropertyTest::splittingUndoesQuoting()
{
    QVERIFY(rc::check([] {
        const std::vector<std::string> words = *hardWords();
        std::vector<std::string> resolved = words; // because $$ in a word becomes $
        for (std::string& word : resolved)
            std::erase_if(word, [](char c) { return c == '$'; });
        const Result<ShellWords> line = splitShellWords(shellLine(words)),
                                 block = splitShellWords(shellBlock(resolved));
        RC_ASSERT(line.has_value() && block.has_value());
        RC_ASSERT(line->words == words);
        RC_ASSERT(expanded(block->words) == expanded(resolved));
        RC_ASSERT(!line->hasExpansion);
    }));
}

LOCKSTEP_TEST(SessionPropertyTest, "session_property_test")
#include "session_property_test.moc"
