// SPDX-License-Identifier: Apache-2.0
// Runs every case of cases/: each is a session, or a text to import, and gives one text: import findings, the
// saved session, the plan, the forecast and the preflight. LOCKSTEP_UPDATE_GOLDEN=1 rewrites the texts; then
// review the difference.
#include <QTest>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "core/session/expected_files.h"
#include "core/session/import_text.h"
#include "core/session/preflight.h"
#include "core/session/session_yaml.h"
#include "tests/support/places.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
namespace fs = std::filesystem;

namespace {

const fs::path kCases = test::sourceFolder() / "tests/golden/session/cases";

std::string caseText(const fs::path& path)
{
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

bool isImport(const fs::path& path)
{
    return path.extension() == ".sh" || path.extension() == ".overrides" || path.extension() == ".env" ||
           path.extension() == ".verl";
}

Result<ImportedSession> read(const fs::path& path)
{
    const std::string text = caseText(path);
    if (path.extension() == ".sh") return importText(text);
    if (path.extension() == ".overrides") return importOverrideList(text);
    if (path.extension() == ".env") return importText(text);
    if (path.extension() == ".verl") return importText(text);
    return ImportedSession{LOCKSTEP_TRY(sessionFromYaml(text)), {}};
}

Result<std::string> goldenText(const fs::path& path)
{
    ImportedSession imported = LOCKSTEP_TRY(read(path));
    SessionConfig& config = imported.config;
    std::string text;
    if (isImport(path)) {
        config.name = path.stem().string();
        // A configuration file does not contain the command that it is used with.
        if (config.command.empty()) config.command = {"python3", "-m", "verl.trainer.main_ppo"};
        text += "# import\n" + findingsText(imported.findings) + "\n" + yamlFromSession(config) + "\n";
    }
    std::vector<HostFacts> facts;
    fs::path factsPath = path;
    factsPath.replace_extension(".facts.json");
    if (fs::exists(factsPath)) facts = LOCKSTEP_TRY(loadHostFacts(factsPath));
    const LaunchPlan plan = LOCKSTEP_TRY(planLaunch(config, facts));
    text += planText(plan) + "\n# expected files\n" + forecastText(forecastFiles(config, facts));
    return text + "\n# findings\n" + findingsText(preflight(config, plan, facts));
}

} // namespace

class SessionPlanTest : public QObject {
    Q_OBJECT

  private slots:
    void plan_data();
    void plan();
};

void SessionPlanTest::plan_data()
{
    QTest::addColumn<QString>("file");
    std::vector<fs::path> paths;
    for (const auto& entry : fs::directory_iterator(kCases)) {
        if (entry.path().extension() == ".yaml" || isImport(entry.path())) paths.push_back(entry.path());
    }
    std::sort(paths.begin(), paths.end());
    QVERIFY(paths.size() > 20);
    for (const fs::path& path : paths)
        QTest::newRow(path.filename().c_str()) << QString::fromStdString(path.string());
}

void SessionPlanTest::plan()
{
    QFETCH(QString, file);
    const fs::path path = file.toStdString();
    const Result<std::string> text = goldenText(path);
    QVERIFY2(text, text ? "" : text.error().message.c_str());
    const fs::path expectedPath = fs::path(path).replace_extension(".txt");
    if (!qEnvironmentVariableIsEmpty("LOCKSTEP_UPDATE_GOLDEN"))
        std::ofstream(expectedPath, std::ios::binary) << *text;
    QCOMPARE(QString::fromStdString(*text), QString::fromStdString(caseText(expectedPath)));
}

LOCKSTEP_TEST(SessionPlanTest, "session_plan_test")
#include "session_plan_test.moc"
