// SPDX-License-Identifier: Apache-2.0
// Tests runs over real sshds whose agents compare their clocks: introduced to each other by the launcher,
// measured over its links where UDP does not get through, or not compared at all.
#include "core/align/alignment.h"
#include "core/align/exchange_fit.h"
#include "core/readers/workspace_file/workspace_file.h"
#include "tests/support/places.h"
#include "tests/support/run_site.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using namespace lockstep::test;

namespace {

namespace fs = std::filesystem;

fs::path runFolderOfSite(RunSite& site)
{
    const auto runs = site.site().folder() / "state/runs";
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(runs, error))
        return entry.path();
    return {};
}

qsizetype clockRoundsOf(RunSite& site, const std::string& host, const char* via)
{
    const fs::path folder = runFolderOfSite(site);
    if (folder.empty()) return 0;
    const std::string text = contentOf(folder / (host + ".events.jsonl"));
    return QByteArray::fromStdString(text).count(QByteArray("\"via\":\"") + via + "\"");
}

void checkExchange(const fs::path& file)
{
    const auto contents = openWorkspaceFile(file, Progress());
    QVERIFY(contents.has_value());
    const Alignment alignment = alignReports(contents->workspace, {});
    QVERIFY(alignment.exchange);
    size_t bounded = 0;
    std::optional<ReportKey> first;
    for (const ReportKey key : contents->workspace.keys()) {
        const ClockMap& map = alignment.map(key);
        if (contents->workspace.report(key).clockRounds.empty()) continue;
        QVERIFY2(map.method == AlignMethod::exchange || map.method == AlignMethod::reference,
                 map.reason.c_str());
        // All nodes share one wall clock.
        const TraceTime stamp = contents->workspace.report(key).extent.begin;
        if (!first) first = key;
        const ClockMap& other = alignment.map(*first);
        const int64_t separation_ns =
            std::abs((map.alignedFromTrace(stamp) - other.alignedFromTrace(stamp)).ns);
        QVERIFY(separation_ns <= *map.bound_ns + *other.bound_ns);
        qInfo("%s", map.reason.c_str());
        ++bounded;
    }
    QCOMPARE(bounded, size_t(3));
    qInfo("%s", alignment.basis.c_str());
}

} // namespace

class ClockComparisonTest : public QObject {
    Q_OBJECT

  private slots:
    void hostsAreIntroducedToEachOther()
    {
        RunSite site({"node a", "b", "c"});
        LOCKSTEP_NEED_SITE(site);
        for (const size_t node : {0u, 1u, 2u})
            site.hold(node, 2);
        LockstepProcess process = site.run();
        QTRY_VERIFY(clockRoundsOf(site, "node1", "udp") >= 3 && clockRoundsOf(site, "node2", "udp") >= 6);
        // Only the agents know the token: it is not visible on a command line, and no file of the run on this
        // machine contains it.
        const fs::path told = fs::path(site.node(1).home());
        std::string token;
        for (const auto& entry : fs::recursive_directory_iterator(told)) {
            if (entry.path().filename() == "clock_peers.json")
                token = QJsonDocument::fromJson(QByteArray::fromStdString(contentOf(entry.path())))["token"]
                            .toString()
                            .toStdString();
        }
        QCOMPARE(token.size(), size_t(32));
        for (const auto& entry : fs::recursive_directory_iterator(runFolderOfSite(site))) {
            if (entry.is_regular_file())
                QVERIFY2(contentOf(entry.path()).find(token) == std::string::npos, entry.path().c_str());
        }
        QVERIFY(site.node(1).processes(token).empty());
        for (const size_t node : {0u, 1u, 2u})
            site.release(node, 2);
        QCOMPARE(process.waitForEnd(), 0);
        QCOMPARE(clockRoundsOf(site, "node0", "udp"), 0); // the host that the others query
        QCOMPARE(clockRoundsOf(site, "node2", "link"), 0);
        for (const auto& entry : fs::recursive_directory_iterator(told))
            QVERIFY(entry.path().filename() != "clock_peers.json");
        checkExchange(site.workspace());
    }

    void linkIsUsedWhereHostsCannotReachEachOther()
    {
        RunSite site({"a", "b", "c"});
        LOCKSTEP_NEED_SITE(site);
        for (const size_t node : {0u, 1u, 2u}) {
            site.node(node).setEnvironment("LOCKSTEP_AGENT_ADDRESSES", "192.0.2.1"); // nobody has it
            site.hold(node, 2);
        }
        LockstepProcess process = site.run();
        QTRY_VERIFY(clockRoundsOf(site, "node0", "link") >= 2 && clockRoundsOf(site, "node1", "link") >= 2 &&
                    clockRoundsOf(site, "node2", "link") >= 2);
        for (const size_t node : {0u, 1u, 2u})
            site.release(node, 2);
        QCOMPARE(process.waitForEnd(), 0);
        QCOMPARE(clockRoundsOf(site, "node1", "udp"), 0);
        checkExchange(site.workspace());
    }

    void disabledComparisonDoesNotRun()
    {
        RunSite site({"a", "b"});
        LOCKSTEP_NEED_SITE(site);
        site.config().clockExchange = ClockExchangeUse::off;
        LockstepProcess process = site.run();
        QCOMPARE(process.waitForEnd(), 0);
        for (const char* host : {"node0", "node1"}) {
            const std::string text = contentOf(runFolderOfSite(site) / (std::string(host) + ".events.jsonl"));
            QVERIFY(text.size() > 100 && text.find("clock_exchange") == std::string::npos);
        }
    }
};

LOCKSTEP_TEST(ClockComparisonTest, "clock_comparison_test")
#include "clock_comparison_test.moc"
