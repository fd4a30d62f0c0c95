// SPDX-License-Identifier: Apache-2.0
// Tests runTitle(): the run that all reports have, otherwise their file, otherwise the folder that contains
// all files.
#include "core/trace/run_title.h"

#include <filesystem>

#include "core/trace/report_builder.h"
#include "tests/support/test_registry.h"

using namespace lockstep;

namespace {

struct NamedReport {
    std::filesystem::path path;
    std::string run = {};
};

std::string titleOfReports(const std::vector<NamedReport>& reports)
{
    Workspace workspace;
    for (const NamedReport& each : reports) {
        ReportBuilder builder;
        builder.report().provenance.path = each.path;
        if (!each.run.empty()) builder.report().identity.run.learn(each.run, "test", Confidence::stated);
        workspace.add(builder.freeze(Progress()).value());
    }
    return runTitle(workspace);
}

} // namespace

class RunTitleTest : public QObject {
    Q_OBJECT

  private slots:
    void runIsPreferred()
    {
        QCOMPARE(titleOfReports({{"/data/a.json", "grpo"}, {"/other/b.json", "grpo"}}), std::string("grpo"));
        QCOMPARE(titleOfReports({{"/data/a.json", "grpo"}, {"/data/b.json", "dapo"}}), std::string("data"));
        QCOMPARE(titleOfReports({{"/data/a.json", "grpo"}, {"/data/b.json"}}), std::string("data"));
    }

    void filesAndFolders()
    {
        QCOMPARE(titleOfReports({{"/data/run/a.json"}}), std::string("a.json"));
        QCOMPARE(titleOfReports({{"/data/run/a.json"}, {"/data/run/a.json"}}), std::string("a.json"));
        QCOMPARE(titleOfReports({{"/data/run/x/a.json"}, {"/data/run/y/z/b.json"}}), std::string("run"));
        // The name of one folder is the beginning of the other.
        QCOMPARE(titleOfReports({{"/data/run/a.json"}, {"/data/run2/b.json"}}), std::string("data"));
    }

    // Paths as the command line passes them.
    void relativePaths()
    {
        const std::string here = std::filesystem::current_path().filename().string();
        QCOMPARE(titleOfReports({{"a.json"}, {"b.json"}}), here);
        QCOMPARE(titleOfReports({{"./a.json"}, {"./b.json"}}), here);
        QCOMPARE(titleOfReports({{"run/x/../a.json"}, {"run/./b.json"}}), std::string("run"));
    }

    void noName()
    {
        QCOMPARE(titleOfReports({}), std::string());
        QCOMPARE(titleOfReports({{"/a/x.json"}, {"/b/x.json"}}), std::string());
    }
};

LOCKSTEP_TEST(RunTitleTest, "run_title_test")
#include "run_title_test.moc"
