// SPDX-License-Identifier: Apache-2.0
// Tests WindowState: it survives a round trip through a workspace, and invalid values are dropped.
#include "app/window/window_state.h"

#include "tests/support/test_registry.h"

using namespace lockstep;

class WindowStateTest : public QObject {
    Q_OBJECT

  private slots:
    void roundTrip()
    {
        WindowState state;
        state.alignment.options.mode = AlignMode::marker;
        state.alignment.options.marker = "train \"batch\" \u00E4";
        state.alignment.options.occurrence = 3;
        state.alignment.options.shifts_ns = {
            {ReportKey(size_t(1)), -9'007'199'254'740'993}}; // beyond the precision of a double
        state.hiddenReports = {0, 2};
        state.visible = TimeRange{{-5}, {9'223'372'036'854'775'000}};
        state.selected = TimeRange{{1}, {2}};
        state.lanes.collapsed = {{"a/b", true}, {"a/c", false}};
        state.lanes.hidden = {"x"};
        state.lanes.pinned = {"y", "z"};
        state.lanes.opened = {"w"};
        state.lanes.rankMap = {RankOrder::lateness, RankColor::waiting};
        state.lanes.grouping = LaneGrouping::communicator;
        state.lanes.sort = LaneSort::manual;
        state.lanes.order = {"b", "a"};
        state.lanes.rowHeight = 28;
        const auto read = parseWindowState(windowStateText(state), 3);
        QVERIFY(read);
        QVERIFY(*read == state);
        QCOMPARE(windowStateText(*read), windowStateText(state));
    }

    void dropsInvalidValues()
    {
        const auto read = parseWindowState(
            R"({"version":1,"alignment":{"mode":"sideways","shifts_ns":[[5,1],[-1,1],[0,7],"x"]},)"
            R"("hidden_reports":[0,9,-2],"visible_ns":[9,1],"lanes":{"row_height":9000}})",
            2);
        QVERIFY(read);
        QCOMPARE(read->alignment.options.mode, AlignMode::automatic);
        QCOMPARE(read->alignment.options.shifts_ns, (ManualShifts{{ReportKey(size_t(0)), 7}}));
        QCOMPARE(read->hiddenReports, std::set<size_t>{0});
        QVERIFY(!read->visible);
        QCOMPARE(read->lanes.rowHeight, 20);
    }

    void refusesUnknownVersions()
    {
        for (const char* text : {"", "[]", "{}", "{\"version\":2}", "\xFF\xFE"}) {
            const auto read = parseWindowState(text, 1);
            QVERIFY(!read);
            QCOMPARE(read.error().kind, ErrorKind::unsupported);
        }
    }
};

LOCKSTEP_TEST(WindowStateTest, "window_state_test")
#include "window_state_test.moc"
