// SPDX-License-Identifier: Apache-2.0
// Tests the reader of recipes: what a recipe means for a session, and the messages for a recipe with
// mistakes.
#include <QTest>

#include <random>

#include "core/session/launch_plan.h"
#include "core/session/preflight.h"
#include "core/session/recipes/data_recipe.h"
#include "core/session/recipes/launch_recipe.h"
#include "core/session/recipes/recipe_library.h"
#include "core/session/recipes/session_scope.h"
#include "core/session/session_yaml.h"
#include "tests/support/test_registry.h"

using namespace lockstep;

namespace {

const std::string kHead =
    "lockstep_recipe: 1\nname: one\nlabel: One\nruns_on: first_host\ncluster: ray\ntools: [torch]\n";

std::string errorOf(const std::string& text)
{
    const auto recipe = readRecipe(text, "one.yaml");
    return recipe ? std::string() : recipe.error().message;
}

} // namespace

class LaunchRecipeTest : public QObject {
    Q_OBJECT

  private slots:
    void mistakes_data();
    void mistakes();
    void builtInRecipesAreValid();
    void eras();
    void valuesOfASession();
    void damagedRecipesAreRefusedOrWork();
    void settingsHaveTypes();
};

void LaunchRecipeTest::mistakes_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("expected");
    const auto row = [](const char* name, const std::string& text, const char* expected) {
        QTest::newRow(name) << QString::fromStdString(text) << expected;
    };
    row("no yaml", "a: [", "one.yaml: line 1, column 1: ");
    row("a list", "- a", "one.yaml: line 1, column 1: must be a map");
    row("version", "lockstep_recipe: 2\n", "one.yaml: line 1, column 18: must be 1");
    row("no name", "lockstep_recipe: 1\n", "one.yaml: line 1, column 1: 'name' is missing");
    row("unknown key", kHead + "colour: red\n", "one.yaml: line 7, column 1: unknown key 'colour'");
    row("unknown inner key", kHead + "settings:\n  a: {to: {arg: -a}, type: int, typo: 1}\n",
        "one.yaml: line 8, column 33: unknown key 'typo'");
    row("type", kHead + "settings:\n  a: {to: {arg: -a}, type: integer}\n",
        "one.yaml: type: line 8, column 28: must be one of int,");
    row("two forms", kHead + "settings:\n  a: {to: {arg: -a, env: A}, type: int}\n",
        "one.yaml: line 8, column 11: must be a map with exactly one of");
    row("expression", kHead + "vars:\n  a: {is: '1 +'}\n",
        "one.yaml: line 8, column 11: is: character 4: a value is expected");
    row("two sources", kHead + "vars:\n  a: {is: '1', env: A, type: int}\n",
        "one.yaml: line 8, column 6: 'a' needs exactly one of key,");
    row("undefined", kHead + "vars:\n  a: {is: 'b + 1'}\n", "one.yaml: line 8, column 6: 'b' is not defined");
    row("itself", kHead + "vars:\n  a: {is: b}\n  b: {is: a + 1}\n",
        "one.yaml: line 8, column 6: 'a' depends on itself");
    row("era", kHead + "eras: [{id: new}]\nvars:\n  a: {is: 'era(\"old\")'}\n",
        "one.yaml: line 9, column 6: 'old' is not an era");
    row("pattern", kHead + "recognize:\n  - {script: '('}\n", "one.yaml: line 8, column 14: ");
    row("look-ahead",
        kHead + "writers:\n  - {id: a, kind: torch, ranks: all, dir: x, count: 1, name: '(?!a)b'}\n",
        "one.yaml: line 8, column 62: ");
    row("writer", kHead + "writers:\n  - {id: a, kind: torch, ranks: some, dir: x, count: 1, name: b}\n",
        "one.yaml: line 8, column 5: 'some' is not defined");
    row("folder", kHead + "writers:\n  - {id: a, kind: torch, ranks: all, dir: '{x}', count: 1, name: b}\n",
        "one.yaml: line 8, column 5: 'x' is not defined");
    row("severity", kHead + "rules:\n  - {id: a, severity: bad, when: 'true', message: m}\n",
        "one.yaml: line 8, column 23: must be note, warning or error");
    row("fix", kHead + "rules:\n  - {id: a, severity: note, when: 'true', message: m, fix: {x.y: 1}}\n",
        "one.yaml: line 8, column 5: 'x.y' is not a field or a setting");
    row("name of a file", kHead + "names:\n  files: [{scheme: s, example: b1, name: 'a(?<rank>\\d+)'}]\n",
        "one.yaml: line 8, column 32: must be a name that the pattern matches");
    row("group", kHead + "names:\n  folders: [{name: 'a(?<rank>\\d+)'}]\n",
        "one.yaml: line 8, column 20: the group 'rank' must be one of replica, role");
    row("phase", kHead + "names:\n  ranges: [{names: [a], phase: lunch}]\n",
        "one.yaml: phase: line 8, column 32: must be one of generation,");
    row("letters", kHead + "names:\n  ranges: [{names: [A], phase: ref}]\n",
        "one.yaml: line 8, column 20: must be in lower case");
    row("tool",
        "lockstep_recipe: 1\nname: one\nlabel: One\nruns_on: first_host\ncluster: ray\ntools: [gdb]\n",
        "one.yaml: line 6, column 9: must be one of nsys,");
    row("name", "lockstep_recipe: 1\nname: One\n",
        "one.yaml: line 2, column 7: must be a word of lower-case letters");
}

void LaunchRecipeTest::mistakes()
{
    QFETCH(QString, text);
    QFETCH(QString, expected);
    const QString message = QString::fromStdString(errorOf(text.toStdString()));
    QVERIFY2(message.startsWith(expected), qPrintable(message));
}

void LaunchRecipeTest::builtInRecipesAreValid()
{
    for (const auto& [file, text] : builtInRecipes()) {
        const auto recipe = readRecipe(text, file);
        QVERIFY2(recipe, recipe ? "" : recipe.error().message.c_str());
        QCOMPARE(recipe->name + ".yaml", std::string(file));
    }
}

void LaunchRecipeTest::eras()
{
    const auto recipe =
        readRecipe(kHead + "eras: [{id: head}, {id: '0.9'}, {id: '0.8'}, {id: '0.7'}]\n", "one.yaml");
    QVERIFY2(recipe, recipe ? "" : recipe.error().message.c_str());
    const auto included = [&](const char* condition) {
        std::string text;
        for (size_t era = 0; era < recipe->eras.size(); ++era)
            text += recipe->includesEra(condition, era) ? 'y' : 'n';
        return text;
    };
    QCOMPARE(included(""), std::string("yyyy"));
    QCOMPARE(included("head"), std::string("ynnn"));
    QCOMPARE(included(">=0.8"), std::string("yyyn"));
    QCOMPARE(included("<=0.8"), std::string("nnyy"));
    QCOMPARE(included("0.7..0.9"), std::string("nyyy"));
}

void LaunchRecipeTest::valuesOfASession()
{
    const auto recipe =
        readRecipe(kHead + "vars:\n"
                           "  nodes: {arg: --nodes, type: int, default: 1}\n"
                           "  gpus_per_host: {arg: [--gpus, --gpus-per-node], type: int, default: 8}\n"
                           "  hosts: {is: nodes}\n"
                           "  fast: {arg: --fast, type: switch}\n"
                           "  batch: {key: data.batch, type: int}\n"
                           "  begin: {ask: first rollout, type: int, default: 0}\n"
                           "settings:\n"
                           "  start: {to: {arg: --start}, type: int, default: 10, value: min(steps)}\n"
                           "  trace: {to: {arg: --trace, style: switch}, type: bool, default: false, "
                           "value: 'tool == \"nsys\"'}\n"
                           "  limit: {to: {arg: --limit}, type: int, default: 3, when: fast}\n"
                           "  folder: {to: {env: FOLDER}, type: path, default: null}\n",
                   "one.yaml");
    QVERIFY2(recipe, recipe ? "" : recipe.error().message.c_str());
    const auto config = sessionFromYaml(
        "name: s\nframework: command\ntool: torch\nsteps: [6, 5]\n"
        "command: [python3, train.py, --nodes, 2, --gpus-per-node=4, ++data.batch=128, --limit, 7, --trace]\n"
        "environment: {FOLDER: /data}\nsettings: {begin: 3}\n");
    QVERIFY2(config, config ? "" : config.error().message.c_str());
    const std::vector<Host> hosts;
    const SessionScope scope(*recipe, {*config, {}, hosts});
    const auto textOf = [&](const char* name) { return scope.value(name).message(); };
    QCOMPARE(textOf("world"), std::string("8"));
    QCOMPARE(textOf("batch"), std::string("128"));
    QCOMPARE(textOf("begin"), std::string("3"));
    QCOMPARE(textOf("fast"), std::string("false"));
    QCOMPARE(textOf("start"), std::string("5"));
    QCOMPARE(textOf("limit"), std::string("7"));    // not written, but given in the command
    QCOMPARE(textOf("trace"), std::string("true")); // the recipe does not need it, but the command has it
    QCOMPARE(textOf("folder"), std::string("/data"));
    QCOMPARE(textOf("windows"), std::string("2"));
    QCOMPARE(textOf("gated"), std::string("1"));
    QVERIFY(scope.isSet("nodes") && scope.isSet("begin") && scope.isSet("limit"));
    QVERIFY(!scope.isSet("fast"));
    QCOMPARE(scope.expanded("{folder}/x{total_steps}", "*"), std::string("/data/x*"));
}

void LaunchRecipeTest::settingsHaveTypes()
{
    auto config = sessionFromYaml(
        "framework: slime\ntool: torch\nsteps: [3]\nsave_path: /d\ncommand: [python3, train.py, "
        "--rollout-num-gpus-per-engine, 1]\nsettings: {start: null, first_step: many}\n");
    QVERIFY2(config, config ? "" : config.error().message.c_str());
    const auto problems = [&] {
        QStringList found;
        for (const Finding& finding : preflight(*config, {})) {
            if (finding.rule.starts_with("settings."))
                found << QString::fromStdString(finding.rule + ": " + finding.reason);
        }
        return found.join("; ");
    };
    // null counts as not set.
    QCOMPARE(problems(), QString("settings.value: first_step: is not of type int"));
    config->settings.erase("first_step");
    for (const auto& [name, text] :
         {std::pair("start", "abc"), std::pair("target", "other"), std::pair("torch", "perhaps")})
        QVERIFY2(!setRecipeSetting(*config, name, text), name);
    QVERIFY(setRecipeSetting(*config, "start", "2"));
    QVERIFY(setRecipeSetting(*config, "target", "train_overall"));
    QCOMPARE(problems(), QString());
    const auto plan = planLaunch(*config, {});
    QVERIFY2(plan, plan ? "" : plan.error().message.c_str());
    const auto at = std::ranges::find(plan->overrides, "--profile-step-start");
    QVERIFY(at != plan->overrides.end() && *(at + 1) == "2");
    QVERIFY(setRecipeSetting(*config, "start", ""));
    QVERIFY(config->settings.find("start") == nullptr);
    config->settings.set("unknown_one", ConfigValue::fromInt(1));
    QCOMPARE(problems(), QString("settings.unknown: slime has no setting 'unknown_one'"));
}

// Changes a few bytes of each built-in recipe. The result is refused with a position, or all its expressions
// can be evaluated.
void LaunchRecipeTest::damagedRecipesAreRefusedOrWork()
{
    std::mt19937 random(20261129);
    const auto below = [&](size_t limit) {
        return std::uniform_int_distribution<size_t>(0, limit - 1)(random);
    };
    const SessionConfig config;
    const std::vector<Host> hosts;
    const RecipeInput input{config, {}, hosts};
    int valid = 0;
    for (const auto& [file, text] : builtInRecipes()) {
        for (int round = 0; round < 40; ++round) {
            std::string damaged(text);
            for (size_t i = 0; i < 1 + below(3); ++i) {
                const size_t at = below(damaged.size());
                if (below(2) == 0) damaged[at] = damaged[below(damaged.size())];
                if (below(3) == 0) damaged.erase(at, below(20));
                if (below(3) == 0) damaged.insert(at, damaged.substr(below(damaged.size()), below(40)));
            }
            const auto recipe = readRecipe(damaged, file);
            if (!recipe) {
                QVERIFY2(recipe.error().message.find(": line ") != std::string::npos,
                         recipe.error().message.c_str());
                continue;
            }
            ++valid;
            const SessionScope scope(*recipe, input);
            for (const RecipeSetting& setting : recipe->settings)
                static_cast<void>(scope.writtenSetting(setting));
            for (const RecipeVariable& variable : recipe->variables)
                static_cast<void>(scope.value(variable.name));
            for (const RecipeRule& rule : recipe->rules)
                static_cast<void>(scope.isTrue(rule.when));
        }
    }
    QVERIFY(valid > 50);
}

LOCKSTEP_TEST(LaunchRecipeTest, "launch_recipe_test")
#include "launch_recipe_test.moc"
