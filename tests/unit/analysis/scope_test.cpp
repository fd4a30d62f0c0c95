// SPDX-License-Identifier: Apache-2.0
// Tests scopes: parsing of filters, their matches, and the order of groups.
#include "core/analysis/scope.h"

#include "tests/support/job_report.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using lockstep::test::jobReport;

namespace {

Identity identity(std::optional<int> rank, const std::string& host)
{
    Identity out;
    if (rank) out.rank.learn(*rank, "test", Confidence::stated);
    if (!host.empty()) out.host.learn(host, "test", Confidence::stated);
    return out;
}

} // namespace

class ScopeTest : public QObject {
    Q_OBJECT

  private slots:
    void parsesRangesAndWords()
    {
        Scope scope;
        QVERIFY(scope.addFilter("rank", "0,2..5"));
        QVERIFY(scope.addFilter("role", "actor,rollout"));
        QVERIFY(scope.addFilter("name", "a,b"));
        QCOMPARE(scope.ranks, (std::vector<NumberRange>{{0, 0}, {2, 5}}));
        QCOMPARE(scope.roles, (std::vector<std::string>{"actor", "rollout"}));
        scope.time = TimeRange{{10}, {20}};
        QCOMPARE(scope.description(),
                 (std::vector<std::string>{"rank=0,2..5", "role=actor,rollout", "name=a,b",
                                           "time-range=10ns..20ns (aligned axis)",
                                           "clip=include (clipped items count)"}));
        scope.clip = Clip::exclude;
        QCOMPARE(scope.description().back(), std::string("clip=exclude (clipped items are left out)"));
    }

    void refusesNonsense_data()
    {
        QTest::addColumn<QString>("key");
        QTest::addColumn<QString>("values");
        QTest::newRow("not a number") << "rank"
                                      << "x";
        QTest::newRow("backwards") << "step"
                                   << "5..2";
        QTest::newRow("half a range") << "device"
                                      << "1..";
        QTest::newRow("empty part") << "stream"
                                    << "1,,2";
        QTest::newRow("empty word") << "host"
                                    << "a,";
        QTest::newRow("nothing") << "rank"
                                 << "";
        QTest::newRow("bad pattern") << "name"
                                     << "(";
        QTest::newRow("unknown key") << "color"
                                     << "red";
    }
    void refusesNonsense()
    {
        QFETCH(QString, key);
        QFETCH(QString, values);
        Scope scope;
        const auto added = scope.addFilter(key.toStdString(), values.toStdString());
        QVERIFY(!added);
        QCOMPARE(added.error().kind, ErrorKind::invalid);
    }

    void truncatedByTheTimeRange()
    {
        Scope scope;
        const std::optional<TimeRange> window = TimeRange{{10}, {20}};
        const TimeRange inside{{10}, {20}}, cut{{5}, {11}}, outside{{20}, {25}}, point{{10}, {10}},
            end{{20}, {20}};
        QVERIFY(isInWindow(scope, {}, outside));
        QVERIFY(isInWindow(scope, window, inside) && isInWindow(scope, window, cut) &&
                isInWindow(scope, window, point));
        QVERIFY(!isInWindow(scope, window, outside) && !isInWindow(scope, window, end));
        scope.clip = Clip::exclude;
        QVERIFY(isInWindow(scope, window, inside) && isInWindow(scope, window, point));
        QVERIFY(!isInWindow(scope, window, cut) && !isInWindow(scope, window, end));
        QVERIFY(isInWindow(scope, {}, cut));
    }

    void unknownIsOutsideEveryFilter()
    {
        Scope scope;
        QVERIFY(isInScope(scope, identity({}, "")));
        QVERIFY(scope.addFilter("rank", "1..3"));
        QVERIFY(isInScope(scope, identity(2, "")));
        QVERIFY(!isInScope(scope, identity(4, "")));
        QVERIFY(!isInScope(scope, identity({}, "")));
        QVERIFY(scope.addFilter("host", "n0"));
        QVERIFY(isInScope(scope, identity(2, "n0")));
        QVERIFY(!isInScope(scope, identity(2, "n1")));
    }

    void streamAndDeviceFiltersMatchOnlyGpuTracks()
    {
        Workspace workspace;
        const ReportKey id = workspace.add(jobReport({}));
        Scope scope;
        QVERIFY(scope.addFilter("stream", "7"));
        QVERIFY(scope.addFilter("device", "0"));
        int passed = 0;
        for (const Track& track : workspace.report(id).tracks)
            passed += isInScope(scope, workspace, id, track);
        QCOMPARE(passed, 1);
    }

    void groupsAreOrdered()
    {
        Workspace workspace;
        workspace.add(jobReport({.rank = 10}));
        workspace.add(jobReport({}));
        workspace.add(jobReport({.rank = 9}));
        const auto key = [&](size_t report) {
            return groupKeyOf(GroupBy::rank, workspace, ReportKey(report), ProcessId(0u));
        };
        QVERIFY(key(2) < key(0));
        QVERIFY(key(0) < key(1));
        QVERIFY(key(1).isUnknown);
        QCOMPARE(groupKeyOf(GroupBy::report, workspace, ReportKey(2u), {}).number, int64_t(2));
        QCOMPARE(groupByNamed("host"), std::optional(GroupBy::host));
        QVERIFY(!groupByNamed("hosts"));
    }

    void processIdentityOverridesTheReport()
    {
        Report report;
        report.identity = identity(1, "n0");
        report.processes.push_back({});
        report.processes[0].identity = identity(5, "");
        const Identity joined = identityOf(report, ProcessId(0u));
        QCOMPARE(joined.rank.value, std::optional(5));
        QCOMPARE(joined.host.value, std::optional<std::string>("n0"));
        QCOMPARE(identityOf(report, {}).rank.value, std::optional(1));
    }
};

LOCKSTEP_TEST(ScopeTest, "scope_test")
#include "scope_test.moc"
