// SPDX-License-Identifier: Apache-2.0
// Tests sessions that record with the vendor's own nsys on real sshds: planned, launched, collected, verified
// by content, opened.
#include <fstream>

#include <QDebug>

#include "core/readers/workspace_file/workspace_file.h"
#include "tests/support/real_nsys.h"
#include "tests/support/run_site.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"

using namespace lockstep;
using namespace lockstep::test;
namespace fs = std::filesystem;

namespace {

constexpr int kSteps = 4;

// Of two nsys that start in the same instant on one machine, one may end with "Throw in function
// GetLocalEndpoint". The nodes of the test are one machine, so each holds a lock while its nsys starts.
std::string pathWithOneStartAtATime(const fs::path& folder)
{
    fs::create_directories(folder / "one-start");
    const fs::path script = folder / "one-start/nsys";
    std::ofstream(script) << "#!/bin/bash\n"
                          << "if [ \"$1\" = profile ]; then\n"
                          << "    exec 9> " << (folder / "one-start/lock").string() << "\n"
                          << "    flock 9\n"
                          << "    (exec sleep 2) &\n" // keeps the lock
                          << "    exec 9>&-\n"
                          << "fi\n"
                          << "exec " << (realNsys().folder / "nsys").string() << " \"$@\"\n";
    fs::permissions(script, fs::perms::owner_all);
    return script.parent_path().string() + ":" + qgetenv("PATH").toStdString();
}

void prepare(RunSite& site)
{
    const std::string path = pathWithOneStartAtATime(site.site().folder());
    const std::string problem = buildNvtxProgram(site.site().folder() / "nvtx_program");
    if (!problem.empty()) qFatal("%s", problem.c_str());
    for (size_t i = 0; i < site.site().size(); ++i) {
        fs::copy_file(site.site().folder() / "nvtx_program", site.node(i).home() / "train");
        site.node(i).setEnvironment("PATH", path);
        // Nodes on one machine share nsys's table of sessions in /dev/shm, so they must share its lock, which
        // is in TMPDIR. Two that start at the same time under two locks corrupt the table, and nsys waits
        // forever.
        site.node(i).setEnvironment("TMPDIR", site.site().folder().string());
    }
    SessionConfig& config = site.config();
    config.tool = Tool::nsys;
    config.command = {"./train", std::to_string(kSteps)};
    config.workerOptions = {{"trace", "nvtx,osrt"}};
    // Fetched files are converted here.
    qputenv("PATH", (realNsys().folder.string() + ":" + qgetenv("PATH").toStdString()).c_str());
}

// Returns the number of ranges named "step" in each report of a workspace.
std::vector<int64_t> stepsOfReports(const fs::path& path)
{
    std::vector<int64_t> counts;
    const auto contents = openWorkspaceFile(path, Progress(test::workers()));
    if (!contents) qWarning() << contents.error().message.c_str();
    if (!contents) return counts;
    for (const ReportKey key : contents->workspace.keys()) {
        const auto& report = contents->workspace.shared(key);
        if (report->provenance.kind != "nsys report") continue;
        int64_t steps = 0;
        for (uint32_t row = 0; row < report->slices.size(); ++row)
            steps += report->nameOf(SliceId(row)) == "step";
        counts.push_back(steps);
    }
    return counts;
}

} // namespace

class NsysRunTest : public QObject {
    Q_OBJECT

  private slots:
    void sessions_data()
    {
        QTest::addColumn<QString>("rangeEnd"); // empty: the whole run is recorded
        QTest::addColumn<int>("reports");      // per host
        QTest::addColumn<int>("steps");        // per report
        // Nodes on one machine share the state of nsys, and sessions that start and stop there block each
        // other.
        QTest::addColumn<int>("hosts");
        QTest::newRow("whole run") << "" << 1 << kSteps << 2;
        QTest::newRow("first range") << "stop" << 1 << 1 << 1;
        QTest::newRow("three ranges") << "repeat:3" << 3 << 1 << 1;
        QTest::newRow("two ranges, then the end") << "repeat-shutdown:2" << 2 << 1 << 1;
    }
    void sessions()
    {
        LOCKSTEP_NEED_NSYS();
        QFETCH(QString, rangeEnd);
        QFETCH(int, reports);
        QFETCH(int, steps);
        QFETCH(int, hosts);
        RunSite site(hosts == 2 ? std::vector<std::string>{"node a", "nodeb"}
                                : std::vector<std::string>{"node a"});
        LOCKSTEP_NEED_SITE(site);
        prepare(site);
        if (!rangeEnd.isEmpty()) {
            NsightOptions& options = site.config().workerOptions;
            options.push_back({"capture-range", "nvtx"});
            options.push_back({"nvtx-capture", "step"});
            options.push_back({"capture-range-end", rangeEnd.toStdString()});
            options.push_back({"kill", "none"});
            site.config().environment = {{"NSYS_NVTX_PROFILER_REGISTER_ONLY", "0"}};
        }
        LockstepProcess process = site.run();
        const int status = process.waitForEnd();
        if (status != 0) qWarning() << process.errors() << site.node(0).log().c_str();
        QCOMPARE(status, 0);
        const auto files = process.linesWhere([](const QJsonObject& line) { return line["kind"] == "file"; });
        QCOMPARE(files.size(), size_t(reports * hosts));
        for (const QJsonObject& file : files) {
            QVERIFY2(file["state"] == "verified", QJsonDocument(file).toJson());
            QVERIFY(file["local_path"].toString().endsWith(".nsys-rep"));
        }
        QCOMPARE(stepsOfReports(site.workspace()),
                 std::vector<int64_t>(static_cast<size_t>(reports * hosts), steps));
    }
};

LOCKSTEP_TEST(NsysRunTest, "run_test")
#include "run_test.moc"
