// SPDX-License-Identifier: Apache-2.0
// Tests the demo's reports: the clock of the second node is 1.3 ms ahead, and their collectives must show it.
#include <set>

#include "core/align/alignment.h"
#include "core/align/collective_fit.h"
#include "core/readers/reader.h"
#include "tests/support/demo_files.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using namespace lockstep::test;

class DemoAlignmentTest : public QObject {
    Q_OBJECT

  private slots:
    void collectivesCorrectTheSecondNode()
    {
        const TempDir folder;
        auto paths = writeDemoFiles(folder.path());
        QVERIFY(paths);
        std::ranges::sort(*paths);
        Workspace workspace;
        for (const auto& path : *paths) {
            const auto report = readReport(path, Progress());
            QVERIFY2(report, path.c_str());
            workspace.add(*report);
        }
        QCOMPARE(workspace.size(), size_t(16));
        const Alignment alignment = alignReports(workspace, {});
        std::set<uint32_t> domains;
        for (size_t i = 0; i < workspace.size(); ++i) {
            const ClockMap& map = alignment.map(ReportKey(i));
            const bool isSecond = workspace.identity(ReportKey(i)).host.value == "node1";
            domains.insert(map.domain);
            QVERIFY2(map.method == (isSecond ? AlignMethod::collectives : AlignMethod::reference),
                     ((*paths)[i].filename().string() + ": " + map.reason).c_str());
            const int64_t off_ns = map.correction_ns + (isSecond ? kDemoClockError_ns : 0);
            QVERIFY2(std::abs(off_ns) <= 5'000, std::to_string(off_ns).c_str());
            QVERIFY(map.bound_ns && std::abs(off_ns) <= *map.bound_ns && *map.bound_ns < 200'000);
            const bool isNamed = (*paths)[i].extension() == ".json";
            if (isSecond) QCOMPARE(map.confidence, isNamed ? ClockConfidence::good : ClockConfidence::fair);
        }
        QCOMPARE(domains.size(),
                 size_t(4)); // each node's nsys captures share a clock, and its traces another
        for (const MatchedGroup& group : alignment.collectives->matches.groups)
            QVERIFY2(group.refusal.empty(), group.refusal.c_str());
        // The traces number their operations over both steps; the exports do not, so each step is matched
        // alone.
        std::multiset<uint32_t> members;
        for (const MatchedGroup& group : alignment.collectives->matches.groups)
            members.insert(group.memberCount);
        QCOMPARE(members, (std::multiset<uint32_t>{4, 4, 8}));
    }
};

LOCKSTEP_TEST(DemoAlignmentTest, "demo_alignment_test")
#include "demo_alignment_test.moc"
