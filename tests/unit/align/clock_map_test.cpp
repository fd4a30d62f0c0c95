// SPDX-License-Identifier: Apache-2.0
// Tests clock maps: conversion with drift and steps, and the manual shifts and modes that create them.
#include "core/align/clock_map.h"

#include <limits>

#include "core/align/alignment.h"
#include "core/align/manual_shifts.h"
#include "tests/support/rank_report.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using namespace lockstep::test;

namespace {

constexpr int64_t kEpoch_ns = 1'795'176'271'000'000'000;

Workspace twoReports()
{
    Workspace workspace;
    for (int rank = 0; rank < 2; ++rank) {
        RankReport made(rank, "node" + std::to_string(rank), rank == 0 ? kEpoch_ns : kEpoch_ns + 5'000'000);
        made.addKernel(1000, 2000, "gemm");
        made.addRange(3000 + rank, 4000, "ProfilerStep#5");
        made.addRange(5000 + rank * 10, 6000, "ProfilerStep#6");
        made.addRange(7000 + rank * 7, 7500, "forward");
        made.addRange(8000, 8500, "forward");
        workspace.add(made.finish());
    }
    return workspace;
}

} // namespace

class ClockMapTest : public QObject {
    Q_OBJECT

  private slots:
    void extremeTimesAreClampedToTheAxis()
    {
        constexpr int64_t kFirst = std::numeric_limits<int64_t>::min();
        constexpr int64_t kLast = std::numeric_limits<int64_t>::max();
        for (const int64_t drift_ppb : {0, 40'000, -40'000}) {
            ClockMap map;
            map.drift_ppb = drift_ppb;
            map.offset_ns = 1'700'000'000'000'000'000;
            QCOMPARE(map.traceFromAligned(TraceTime{kFirst}).ns, kFirst);
            QCOMPARE(map.traceFromAligned(TraceTime{-8'000'000'000'000'000'000}).ns, kFirst);
            QCOMPARE(map.alignedFromTrace(TraceTime{kLast}).ns, kLast);
            map.offset_ns = -map.offset_ns;
            QCOMPARE(map.traceFromAligned(TraceTime{kLast}).ns, kLast);
            QCOMPARE(map.alignedFromTrace(TraceTime{kFirst}).ns, kFirst);
            map.steps = {{{0}, kFirst}};
            QCOMPARE(map.alignedFromTrace(TraceTime{0}).ns, kFirst);
        }
    }

    void stepsAreAdded()
    {
        ClockMap map;
        map.offset_ns = 100;
        map.steps = {{{1000}, -300}, {{5000}, 50}};
        QCOMPARE(map.alignedFromTrace(TraceTime{999}).ns, int64_t(1099));
        QCOMPARE(map.alignedFromTrace(TraceTime{1000}).ns, int64_t(800));
        QCOMPARE(map.alignedFromTrace(TraceTime{5000}).ns, int64_t(4850));
        for (const int64_t t : {-5000, 0, 1300, 4999, 5000, 9000}) {
            QCOMPARE(map.traceFromAligned(map.alignedFromTrace(TraceTime{t})).ns, t);
        }
        // 4820 is in the gap that the second step leaves between 4799 and 4850.
        QCOMPARE(map.traceFromAligned(TraceTime{4820}).ns, int64_t(5000));
    }

    void driftRoundTrips()
    {
        ClockMap map;
        map.offset_ns = -123'456'789;
        map.drift_ppb = -17'500;
        map.driftOrigin = {50'000'000'000};
        for (const int64_t t : {0ll, 50'000'000'000ll, 99'999'999'999ll}) {
            const int64_t back = map.traceFromAligned(map.alignedFromTrace(TraceTime{t})).ns;
            QVERIFY(std::abs(back - t) <= 1);
        }
        QCOMPARE(map.alignedFromTrace(TraceTime{150'000'000'000}).ns,
                 150'000'000'000 - 123'456'789 - 1'750'000);
    }

    void modesHaveNames()
    {
        for (const char* name :
             {"auto", "collectives", "host", "wallclock", "step", "marker", "zero", "manual"}) {
            QCOMPARE(alignModeName(alignModeNamed(name).value()), std::string_view(name));
        }
        QVERIFY(alignModeNamed("best").error().message.find("wallclock") != std::string::npos);
    }

    // Without a chosen step, the step that most reports have is used, not the first one.
    void mostCommonStepIsUsed()
    {
        Workspace workspace = twoReports(); // steps 5 and 6
        for (int rank = 2; rank < 4; ++rank) {
            RankReport made(rank, "node" + std::to_string(rank), kEpoch_ns);
            made.addRange(1000, 2000, "ProfilerStep#4");
            if (rank == 2) made.addRange(2000, 3000, "ProfilerStep#6");
            workspace.add(made.finish());
        }
        AlignOptions options;
        options.mode = AlignMode::step;
        const Alignment aligned = alignReports(workspace, options);
        QCOMPARE(aligned.map(ReportKey(0u)).alignedFromTrace(TraceTime{5000}).ns, int64_t(0));
        QCOMPARE(aligned.map(ReportKey(2u)).alignedFromTrace(TraceTime{2000}).ns, int64_t(0));
        QCOMPARE(aligned.map(ReportKey(3u)).method, AlignMethod::none); // has only step 4
    }

    void stepsAndMarkersStartAtZero()
    {
        const Workspace workspace = twoReports();
        const auto startOfName = [&](const Alignment& alignment, uint32_t report, int64_t stamp) {
            return alignment.map(ReportKey(report)).alignedFromTrace(TraceTime{stamp}).ns;
        };
        AlignOptions options;
        options.mode = AlignMode::step;
        const Alignment first = alignReports(workspace, options);
        QCOMPARE(startOfName(first, 0, 3000), int64_t(0));
        QCOMPARE(startOfName(first, 1, 3001), int64_t(0));
        QCOMPARE(first.map(ReportKey(1u)).method, AlignMethod::step);
        QVERIFY(!first.utcAtZero_ns);
        QVERIFY(!first.errorBetween(ReportKey(0u), ReportKey(1u)).likely_ns);
        options.step = 6;
        QCOMPARE(startOfName(alignReports(workspace, options), 1, 5010), int64_t(0));
        options.step = 9;
        QCOMPARE(alignReports(workspace, options).map(ReportKey(0u)).method, AlignMethod::none);
        options.mode = AlignMode::marker;
        options.marker = "forward";
        QCOMPARE(startOfName(alignReports(workspace, options), 1, 7007), int64_t(0));
        options.occurrence = 1;
        QCOMPARE(startOfName(alignReports(workspace, options), 1, 8000), int64_t(0));
        options.occurrence = 2;
        QCOMPARE(alignReports(workspace, options).map(ReportKey(1u)).method, AlignMethod::none);
    }

    void manualShiftsMoveTheNamedReports()
    {
        const Workspace workspace = twoReports();
        const auto shifts = parseManualShifts("# made by hand\n\nrank1.json \t -2.5us\r\n", workspace);
        QVERIFY(shifts.has_value());
        QCOMPARE(*shifts, (ManualShifts{{ReportKey(1u), -2500}}));
        AlignOptions options;
        options.mode = AlignMode::wallclock;
        const Alignment plain = alignReports(workspace, options);
        options.shifts_ns = *shifts;
        const Alignment moved = alignReports(workspace, options);
        QCOMPARE(moved.map(ReportKey(0u)).offset_ns, plain.map(ReportKey(0u)).offset_ns);
        QCOMPARE(moved.map(ReportKey(1u)).offset_ns, plain.map(ReportKey(1u)).offset_ns - 2500);
        QCOMPARE(moved.map(ReportKey(1u)).method, AlignMethod::manual);
        QVERIFY(!moved.map(ReportKey(1u)).bound_ns);
        QVERIFY(parseManualShifts("rank7.json 1us", workspace).error().message.find("line 1") !=
                std::string::npos);
        QVERIFY(!parseManualShifts("rank1.json", workspace));
        QVERIFY(!parseManualShifts("rank1.json soon", workspace));
    }

    void sharedClocksOfAHost_data()
    {
        QTest::addColumn<qlonglong>("systemApart_ns");
        QTest::addColumn<QString>("otherHost");
        QTest::addColumn<bool>("isShared");
        QTest::newRow("same boot") << 5'000'700ll << "a" << true;
        QTest::newRow("rebooted in between") << 5'000'000'000ll << "a" << false;
        QTest::newRow("other host") << 5'000'700ll << "b" << false;
    }

    void sharedClocksOfAHost()
    {
        QFETCH(qlonglong, systemApart_ns);
        QFETCH(QString, otherHost);
        QFETCH(bool, isShared);
        Workspace workspace;
        for (int i = 0; i < 2; ++i) {
            RankReport made(i, i == 0 ? "a" : otherHost.toStdString(), kEpoch_ns + i * 5'000'000);
            made.report().clock.systemAtZero_ns = 7'000'000'000 + i * systemApart_ns;
            made.addKernel(0, 1000, "gemm");
            workspace.add(made.finish());
        }
        AlignOptions options;
        options.mode = AlignMode::host;
        const Alignment alignment = alignReports(workspace, options);
        const int64_t apart = alignment.map(ReportKey(1u)).offset_ns - alignment.map(ReportKey(0u)).offset_ns;
        QCOMPARE(apart, isShared ? int64_t(systemApart_ns) : int64_t(5'000'000));
        QCOMPARE(alignment.map(ReportKey(1u)).method, isShared ? AlignMethod::host : AlignMethod::wallclock);
        QCOMPARE(alignment.errorBetween(ReportKey(0u), ReportKey(1u)).guaranteed_ns.has_value(), isShared);
    }
};

LOCKSTEP_TEST(ClockMapTest, "clock_map_test")
#include "clock_map_test.moc"
