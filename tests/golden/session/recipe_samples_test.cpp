// SPDX-License-Identifier: Apache-2.0
// Plans the sample session of each recipe in tests/golden/recipes. NAME.expected.txt contains what a person
// derived from the framework's own source: the arguments that Lockstep appends, the variables ("env
// NAME=VALUE") and, below "--- files", per writer the number of files and a name; "not NAME" is a name that
// no report has. NAME.plan.txt is the whole plan with forecast and findings; LOCKSTEP_UPDATE_GOLDEN=1
// rewrites it.
#include <QTest>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "core/base/pattern.h"
#include "core/session/expected_files.h"
#include "core/session/preflight.h"
#include "core/session/recipes/recipe_library.h"
#include "core/session/session_yaml.h"
#include "core/session/typed_value.h"
#include "tests/support/places.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
namespace fs = std::filesystem;

namespace {

const fs::path kSamples = test::sourceFolder() / "tests/golden/recipes";

std::string sampleText(const fs::path& path)
{
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

struct ExpectedPlan {
    std::vector<std::string> words;
    TextPairs environment;
    struct Files {
        std::string writer;
        int64_t count = 0;
        std::string name;
    };
    std::vector<Files> files;
    std::vector<std::string> strangers;
};

ExpectedPlan expectedPlan(const std::string& text)
{
    ExpectedPlan expected;
    std::istringstream lines(text);
    bool isFiles = false;
    for (std::string line; std::getline(lines, line);) {
        if (line.empty()) continue;
        if (line == "--- files") {
            isFiles = true;
        } else if (!isFiles && line.starts_with("env ")) {
            const size_t equals = line.find('=');
            expected.environment.emplace_back(line.substr(4, equals - 4), line.substr(equals + 1));
        } else if (!isFiles) {
            expected.words.push_back(line);
        } else if (line.starts_with("not ")) {
            expected.strangers.push_back(line.substr(4));
        } else {
            std::istringstream words(line);
            ExpectedPlan::Files files;
            words >> files.writer >> files.count >> files.name;
            expected.files.push_back(files);
        }
    }
    return expected;
}

bool isReportName(const std::string& patterns, const std::string& name)
{
    std::istringstream lines(patterns);
    for (std::string line; std::getline(lines, line);) {
        const Result<Pattern> pattern = Pattern::compile(line);
        if (pattern && pattern->fullMatch(name)) return true;
    }
    return false;
}

// Returns the patterns of the writers with this ID; for "nsys" without a writer, of Lockstep's own reports.
std::vector<std::string> patternsOf(const LaunchRecipe& recipe, const std::string& writer)
{
    std::vector<std::string> patterns;
    for (const RecipeWriter& one : recipe.writers) {
        if (one.id == writer) patterns.push_back(one.names);
    }
    return patterns;
}

} // namespace

class RecipeSamplesTest : public QObject {
    Q_OBJECT

  private slots:
    void everyRecipeHasASample();
    void samples_data();
    void samples();
};

void RecipeSamplesTest::everyRecipeHasASample()
{
    for (const auto& [file, text] : builtInRecipes())
        QVERIFY2(fs::exists(kSamples / file), std::string(file).c_str());
}

void RecipeSamplesTest::samples_data()
{
    QTest::addColumn<QString>("file");
    for (const auto& [file, text] : builtInRecipes())
        QTest::newRow(std::string(file).c_str()) << QString::fromStdString((kSamples / file).string());
}

void RecipeSamplesTest::samples()
{
    QFETCH(QString, file);
    const fs::path path = file.toStdString();
    const Result<SessionConfig> config = sessionFromYaml(sampleText(path));
    QVERIFY2(config, config ? "" : config.error().message.c_str());
    const LaunchRecipe* recipe = findLaunchRecipe(enumName(config->framework));
    QVERIFY(recipe != nullptr);
    const Result<LaunchPlan> plan = planLaunch(*config, {});
    QVERIFY2(plan, plan ? "" : plan.error().message.c_str());
    const std::vector<ExpectedFile> files = forecastFiles(*config, {});
    const std::string text = planText(*plan) + "\n# expected files\n" + forecastText(files) +
                             "\n# findings\n" + findingsText(preflight(*config, *plan, {}));
    const fs::path planPath = fs::path(path).replace_extension(".plan.txt");
    if (!qEnvironmentVariableIsEmpty("LOCKSTEP_UPDATE_GOLDEN"))
        std::ofstream(planPath, std::ios::binary) << text;

    const ExpectedPlan expected = expectedPlan(sampleText(fs::path(path).replace_extension(".expected.txt")));
    QCOMPARE(plan->overrides, expected.words);
    for (const auto& [name, value] : expected.environment) {
        const bool isInPlan = text.find(name + "=" + value) != std::string::npos ||
                              text.find(name + "='" + value + "'") != std::string::npos;
        QVERIFY2(isInPlan, (name + "=" + value).c_str());
    }
    for (const ExpectedPlan::Files& one : expected.files) {
        std::vector<std::string> patterns = patternsOf(*recipe, one.writer);
        int64_t count = 0;
        bool isMatch = false, isForecast = false;
        for (const ExpectedFile& forecast : files) {
            const bool isOwn =
                patterns.empty() && one.writer == "nsys" && forecast.kind == ReportKind::nsysReport;
            if (!isOwn && std::ranges::find(patterns, forecast.pattern) == patterns.end()) continue;
            isForecast = true;
            count += forecast.count();
            isMatch = isMatch || isReportName(forecast.pattern, one.name);
        }
        for (const std::string& pattern : patterns)
            isMatch = isMatch || isReportName(pattern, one.name);
        QVERIFY2(isMatch, one.name.c_str());
        // Writers with the same names differ in their folder; only one of them writes.
        if (isForecast && one.count > 0)
            QVERIFY2(count == one.count, (one.writer + " " + std::to_string(count)).c_str());
    }
    for (const std::string& name : expected.strangers) {
        for (const ExpectedFile& forecast : files)
            QVERIFY2(!isReportName(forecast.pattern, name), name.c_str());
    }
    QCOMPARE(QString::fromStdString(text), QString::fromStdString(sampleText(planPath)));
}

LOCKSTEP_TEST(RecipeSamplesTest, "recipe_samples_test")
#include "recipe_samples_test.moc"
