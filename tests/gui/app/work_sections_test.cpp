// SPDX-License-Identifier: Apache-2.0
// Tests the sections of a workspace file: they survive a round trip, invalid values are dropped, and files
// written by earlier builds are read without loss.
#include "app/window/work_sections.h"

#include "tests/support/test_registry.h"

using namespace lockstep;

namespace {

// The sections of a workspace file as an earlier build wrote them.
WorkSections earlierSections()
{
    return {
        {"window", R"({"version":1,"alignment":{"mode":"step","step":3,"shifts_ns":[[1,-7000]],"kept":[{"r)"
                   R"(eport":0,"clock":{"offset_ns":5,"drift_ppb":0,"drift_origin_ns":0,"method":"collecti)"
                   R"(ves","confidence":"good","reason":"collectives","domain_error_ns":0,"correction_ns":)"
                   R"(0,"anchors":0,"violations_before":0,"violations_after":0,"error_ns":40,"steps_ns":[[)"
                   R"(7,8]]},"utc_at_zero_ns":123456}]},"hidden_reports":[1],"locked_reports":[0],"visible)"
                   R"(_ns":[10,20],"selected_ns":[12,14],"opened_gaps_ns":[[30,4000]],"lanes":{"collapsed")"
                   R"(:{"a/b":true,"c":false},"hidden":["x"],"pinned":["y"],"opened":["w"],"hidden_names":)"
                   R"(["gemm"],"rank_order":"lateness","rank_color":"waiting","memory_look":"category","gr)"
                   R"(ouping":"communicator","sort":"manual","order":["b","a"],"row_height":28,"row_height)"
                   R"(s":{"q":40}}})"},
        {"views", R"({"version":1,"views":[{"key":3,"place":"lockstep:TMBTeyJ2ZXJzaW9uIjoxLCJtYXJrcyI6eyJ)"
                  R"(2ZXJzaW9uIjoxLCJuZXh0IjoyLCJyZXBvcnRzIjpbXSwiYXhlcyI6W3siYmFzaXMiOiJob3N0IGNsb2NrcyI)"
                  R"(sInV0Y19hdF96ZXJvX25zIjoxMjM0NTZ9XSwibWFya3MiOlt7Im51bWJlciI6MSwia2luZCI6InJhbmdlIiw)"
                  R"(ibWFkZV91dGNfbnMiOjAsImF4aXMiOjAsImJlZ2luIjp7ImFsaWduZWRfbnMiOjEwfSwiZW5kIjp7ImFsaWd)"
                  R"(uZWRfbnMiOjIwfX1dfSwibGFuZXMiOiJncHUifQ","lanes":{"collapsed":{"a/b":true,"c":false})"
                  R"(,"hidden":["x"],"pinned":["y"],"opened":["w"],"hidden_names":["gemm"],"rank_order":")"
                  R"(lateness","rank_color":"waiting","memory_look":"category","grouping":"communicator",)"
                  R"("sort":"manual","order":["b","a"],"row_height":28,"row_heights":{"q":40}},"scroll":1)"
                  R"(2}]})"},
        {"lane_sets",
         R"({"version":1,"sets":[{"name":"kept","lanes":{"collapsed":{},"hidden":["x"],"pinned":)"
         R"([],"opened":[],"hidden_names":[],"rank_order":"host","rank_color":"activity","memory)"
         R"(_look":"category","grouping":"automatic","sort":"none","order":["b"],"row_height":20)"
         R"(,"row_heights":{}}}]})"},
        {"marks", R"({"version":1,"next":2,"reports":[],"axes":[{"basis":"host clocks","utc_at_zero_ns":1)"
                  R"(23456}],"marks":[{"number":1,"kind":"range","made_utc_ns":0,"axis":0,"begin":{"align)"
                  R"(ed_ns":10},"end":{"aligned_ns":20},"text":"slow here"}]})"},
    };
}

Work windowWork(const std::string& text, size_t reports)
{
    return readWork({{"window", text}}, reports).work;
}

} // namespace

class WorkSectionsTest : public QObject {
    Q_OBJECT

  private slots:
    void windowSurvivesARoundTrip()
    {
        Work work;
        work.alignment.options.mode = AlignMode::marker;
        work.alignment.options.marker = "train \"batch\" \u00E4";
        work.alignment.options.occurrence = 3;
        work.alignment.options.shifts_ns = {
            {ReportKey(1u), -9'007'199'254'740'993}}; // beyond the precision of a double
        work.hidden = {ReportKey(0u), ReportKey(2u)};
        work.visible = TimeRange{{-5}, {9'223'372'036'854'775'000}};
        work.selected = TimeRange{{1}, {2}};
        work.lanes.collapsed = {{"a/b", true}, {"a/c", false}};
        work.lanes.hidden = {"x"};
        work.lanes.pinned = {"y", "z"};
        work.lanes.opened = {"w"};
        work.lanes.rankMap = {RankOrder::lateness, RankColor::waiting};
        work.lanes.grouping = LaneGrouping::communicator;
        work.lanes.samples = {SampleOrder::wait, SampleGrouping::replica};
        work.lanes.sort = LaneSort::manual;
        work.lanes.order = {"b", "a"};
        work.lanes.rowHeight = 28;
        work.laneQueries = {{3, "slow \"kernels\"", "SELECT start_ns AS ts\nFROM kernel"},
                            {1, "", "SELECT 1"}};
        const ReadWork read = readWork(sectionsOf(work), 3);
        QVERIFY(read.notes.empty() && read.unread.empty());
        QVERIFY(read.work == work);
        QVERIFY(sectionsOf(read.work) == sectionsOf(work));
    }

    void earlierFilesAreReadInFull()
    {
        const ReadWork read = readWork(earlierSections(), 2);
        QVERIFY(read.notes.empty() && read.unread.empty());
        QCOMPARE(read.work.hidden, std::set{ReportKey(1u)});
        QVERIFY(read.work.alignment.locked.contains(ReportKey(0u)));
        QVERIFY(read.work.openedGaps == std::vector{(TimeRange{{30}, {4'000}})});
        QVERIFY(read.work.views[2] && read.work.views[2]->scroll == 12);
        QCOMPARE(read.work.marks.all()[0].text, std::string("slow here"));
        const WorkSections again = sectionsOf(read.work);
        for (const auto& [name, text] : earlierSections())
            QCOMPARE(again.at(name), text);
    }

    void invalidValuesAreDropped()
    {
        const Work work = windowWork(
            R"({"version":1,"alignment":{"mode":"sideways","shifts_ns":[[5,1],[-1,1],[0,7],[1,0],"x"]},)"
            R"("hidden_reports":[0,9,-2],"visible_ns":[9,1],"lanes":{"row_height":9000}})",
            2);
        QCOMPARE(work.alignment.options.mode, AlignMode::automatic);
        QCOMPARE(work.alignment.options.shifts_ns, (ManualShifts{{ReportKey(0u), 7}}));
        QCOMPARE(work.hidden, std::set{ReportKey(0u)});
        QVERIFY(!work.visible);
        QCOMPARE(work.lanes.rowHeight, 20);
        // Reports beyond the file.
        const WorkSections sections = earlierSections();
        const Work fewer = readWork(sections, 0).work;
        QVERIFY(fewer.alignment.options.accepted.empty() && fewer.alignment.locked.empty() &&
                fewer.hidden.empty());
    }

    void dropsAreCounted()
    {
        const ReadWork read = readWork(
            {{"lane_sets",
              R"({"version":1,"sets":[{"name":"a","lanes":{"hidden":["x"]}},{"name":"a","lanes":{}},{"lanes":{}},7]})"},
             {"views", R"({"version":1,"views":[{"key":3},{"key":77}]})"},
             {"query_lanes",
              R"({"version":1,"queries":[{"number":2,"title":"a","query":"q"},{"number":2,"query":"q"},)"
              R"({"number":0,"query":"q"},{"number":3},7]})"}},
            1);
        QVERIFY(read.work.laneQueries == (LaneQueries{{2, "a", "q"}}));
        QVERIFY(read.work.laneSets.size() == 1 && read.work.laneSets.front().lanes.hidden.contains("x"));
        QCOMPARE(read.notes.size(), size_t(3));
        QVERIFY2(read.notes[0].text.starts_with("2 saved views"), read.notes[0].text.c_str());
        QVERIFY2(read.notes[1].text.starts_with("3 lane layouts"), read.notes[1].text.c_str());
        QVERIFY2(read.notes[2].text.starts_with("4 query lanes"), read.notes[2].text.c_str());
    }

    // Another version of Lockstep, or a user with an editor, wrote the section.
    void unreadSectionsStayInTheFile()
    {
        for (const char* const name : {"window", "marks", "views", "lane_sets", "query_lanes"}) {
            for (const char* const text : {"[]", "{}", "{\"version\":9}", "\xFF\xFE"}) {
                Work base;
                base.lanes.rowHeight = 28;
                const ReadWork read = readWork({{name, text}}, 1, base);
                QVERIFY(read.work == base);
                QCOMPARE(read.notes.size(), size_t(1));
                QCOMPARE(read.unread, (WorkSections{{name, text}}));
                QVERIFY(!sectionsOf(Work(), read.unread).contains(name));
            }
        }
        Work work;
        work.laneSets = {{"mine", {}}};
        const WorkSections saved = sectionsOf(work, {{"lane_sets", "from the future"}});
        QVERIFY(saved.at("lane_sets").find("mine") != std::string::npos);
        QCOMPARE(saved.at("lane_sets, not read"), std::string("from the future"));
    }
};

LOCKSTEP_TEST(WorkSectionsTest, "work_sections_test")
#include "work_sections_test.moc"
