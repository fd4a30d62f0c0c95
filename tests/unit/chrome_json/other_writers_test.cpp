// SPDX-License-Identifier: Apache-2.0
// Tests the differences of AMD's, Ascend's and Chrome's writers: device numbers, copies without sizes, ranks
// in folders, flows of the second version, marks.
#include <algorithm>

#include "core/readers/identity/identity_resolver.h"
#include "tests/support/damage_account.h"
#include "tests/support/report_of_bytes.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using namespace lockstep::test;

namespace {

const std::string kAmdTrace =
    R"json({"deviceProperties": [{"id": 0, "name": "AMD Instinct MI250", "warpSize": 64}],
"traceEvents": [
{"ph":"X","cat":"cpu_op","name":"aten::copy_","pid":9,"tid":9,"ts":1,"dur":9,"args":{}},
{"ph":"X","cat":"kernel","name":"Cijk_MT64","pid":2,"tid":0,"ts":3,"dur":1,"args":{"device":2,"stream":0}},
{"ph":"X","cat":"gpu_memcpy","name":"Memcpy DtoD (Device -> Device)","pid":2,"tid":0,"ts":5,"dur":1,
 "args":{"device":2,"stream":0,"kind":"DtoD"}},
{"ph":"i","s":"t","cat":"cpu_instant_event","name":"[memory]","pid":9,"tid":9,"ts":2,
 "args":{"Device Type":1,"Device Id":0,"Total Allocated":512,"Bytes":512}}
]})json";

std::vector<std::string> linksOf(const Report& report)
{
    std::vector<std::string> links;
    for (const Link& link : report.links.all())
        links.push_back(std::string(report.nameOf(link.cause)) + " -> " +
                        std::string(report.nameOf(link.effect)));
    std::ranges::sort(links);
    return links;
}

std::string slice(const char* name, int tid, int start, const char* more)
{
    return "{\"ph\":\"X\",\"name\":\"" + std::string(name) + "\",\"pid\":1,\"tid\":" + std::to_string(tid) +
           ",\"ts\":" + std::to_string(start) + ",\"dur\":5" + more + "},";
}

// Start, name and duration of each slice, in us.
std::vector<std::string> startsAndDurations(const Report& report)
{
    std::vector<std::string> slices;
    for (size_t i = 0; i < report.slices.size(); ++i) {
        const SliceId id(i);
        slices.push_back(std::to_string(report.slices.start(id).ns / 1000) + " " +
                         std::string(report.nameOf(id)) + " " +
                         std::to_string(report.slices.duration(id).ns / 1000));
    }
    std::ranges::sort(slices);
    return slices;
}

} // namespace

class OtherWritersTest : public QObject {
    Q_OBJECT

  private slots:
    void deviceNumbersAreConsistent()
    {
        const auto report = reportOfBytes(kAmdTrace);
        QVERIFY(report != nullptr);
        QCOMPARE(report->devices.size(), size_t(1));
        QCOMPARE(report->devices[0].ordinal, 0);
        QCOMPARE(report->strings.at(report->devices[0].name), std::string_view("AMD Instinct MI250"));
        QVERIFY(report->counterTracks[0].device == DeviceId(0u));
        QCOMPARE(noteCount(*report, "device.renumbered"), uint64_t(1));
    }

    // Ids of async events are local to a process, unless id2 declares them global; slices that overlap
    // without nesting are matched by name; S, T and F are the older form of b, n and e.
    void asyncEventsArePaired()
    {
        const auto report = reportOfBytes(R"json({"traceEvents": [
{"ph":"b","cat":"c","name":"one","id":1,"pid":1,"tid":1,"ts":10},
{"ph":"b","cat":"c","name":"one","id":1,"pid":2,"tid":2,"ts":11},
{"ph":"e","cat":"c","name":"one","id":1,"pid":1,"tid":1,"ts":20},
{"ph":"e","cat":"c","name":"one","id":1,"pid":2,"tid":2,"ts":31},
{"ph":"b","cat":"d","name":"a","id":2,"pid":1,"tid":1,"ts":100},
{"ph":"b","cat":"d","name":"b","id":2,"pid":1,"tid":1,"ts":110},
{"ph":"e","cat":"d","name":"a","id":2,"pid":1,"tid":1,"ts":120},
{"ph":"e","cat":"d","name":"b","id":2,"pid":1,"tid":1,"ts":150},
{"ph":"b","cat":"g","name":"far","id2":{"global":"0x1"},"pid":1,"tid":1,"ts":200},
{"ph":"e","cat":"g","name":"far","id2":{"global":"0x1"},"pid":2,"tid":2,"ts":260},
{"ph":"S","cat":"s","name":"old","id":3,"pid":1,"tid":1,"ts":300},
{"ph":"T","cat":"s","name":"step","id":3,"pid":1,"tid":1,"ts":310},
{"ph":"F","cat":"s","name":"old","id":3,"pid":1,"tid":1,"ts":340}
]})json");
        QVERIFY(report != nullptr);
        QCOMPARE(startsAndDurations(*report),
                 (std::vector<std::string>{"10 one 10", "100 a 20", "11 one 20", "110 b 40", "200 far 60",
                                           "300 old 40", "310 step 0"}));
        QCOMPARE(noteCount(*report, "pair.begin_without_end"), uint64_t(0));
    }

    // Ends may lack a name, and so may begins. An end of another name closes nothing.
    void rangesArePairedByName()
    {
        const auto report = reportOfBytes(R"json({"traceEvents":[
{"ph":"B","name":"outer","pid":1,"tid":1,"ts":0},
{"ph":"B","name":"a","pid":1,"tid":1,"ts":10},
{"ph":"B","name":"b","pid":1,"tid":1,"ts":20},
{"ph":"E","name":"a","pid":1,"tid":1,"ts":30},
{"ph":"E","name":"b","pid":1,"tid":1,"ts":45},
{"ph":"E","name":"c","pid":1,"tid":1,"ts":50},
{"ph":"E","pid":1,"tid":1,"ts":60},
{"ph":"B","pid":1,"tid":1,"ts":70},
{"ph":"E","name":"d","pid":1,"tid":1,"ts":75}
]})json");
        QVERIFY(report != nullptr);
        QCOMPARE(startsAndDurations(*report),
                 (std::vector<std::string>{"0 outer 60", "10 a 20", "20 b 25", "70  5"}));
        QCOMPARE(noteCount(*report, "pair.end_without_begin"), uint64_t(1));
    }

    void aCopyWithoutBytesHasADirection()
    {
        const auto report = reportOfBytes(kAmdTrace);
        QVERIFY(report != nullptr);
        QCOMPARE(report->memoryOps.size(), size_t(1));
        QVERIFY(report->memoryOps[0].kind == CopyKind::deviceToDevice);
        QVERIFY(report->memoryOps[0].size_bytes > uint64_t(kAllTime.end.ns)); // not known
    }

    // PyTorch writes counters with the pid "GPU 0 Counters" and an unnamed series.
    void countersOfAGpu()
    {
        const std::string sample = R"json("pid":"GPU 0 Counters","args":{"":)json";
        const auto report = reportOfBytes(
            R"json({"traceEvents": [{"ph":"M","name":"process_sort_index","pid":"GPU 0 Counters","tid":0,"ts":0,
"args":{"sort_index":100}},{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":77,"tid":77,"ts":1,"dur":9},
{"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":3,"dur":1,"args":{"device":0,"stream":7}},
{"ph":"C","name":"Power (W)","ts":1,)json" +
            sample + R"json(300.5}},{"ph":"C","name":"Power (W)","ts":2,)json" + sample +
            R"json(349.5}},{"ph":"C","name":"SM Clock (MHz)","ts":1,)json" + sample +
            R"json(1980}},{"ph":"C","name":"mine","ts":1,"pid":"GPU Counters","args":{"a":1}}]})json");
        QVERIFY(report != nullptr);
        std::vector<std::string> ofGpu;
        for (const CounterTrack& track : report->counterTracks) {
            if (track.device.isValid()) ofGpu.emplace_back(report->strings.at(track.name));
        }
        QCOMPARE(ofGpu, (std::vector<std::string>{"Power (W)", "SM Clock (MHz)"}));
        QCOMPARE(report->counterTracks.size(), size_t(3));
        QCOMPARE(report->devices.size(), size_t(1));
        QCOMPARE(report->counters.value.size(), size_t(4));
        for (const Process& process : report->processes)
            QVERIFY(report->strings.at(process.name).find("GPU 0") == std::string_view::npos);
    }

    void flowsOfTheSecondVersion()
    {
        const std::string text =
            "[" + slice("a", 1, 0, ",\"bind_id\":\"0x7\",\"flow_out\":true") +
            slice("b", 2, 10, ",\"bind_id\":\"0x7\",\"flow_in\":true,\"flow_out\":true") +
            slice("c", 3, 20, ",\"bind_id\":\"0x7\",\"flow_in\":true") +
            slice("d", 3, 30, ",\"bind_id\":\"0x7\"") +
            "{\"ph\":\"R\",\"name\":\"mark\",\"pid\":1,\"tid\":1,\"ts\":40}]";
        const auto report = reportOfBytes(text);
        QVERIFY(report != nullptr);
        QCOMPARE(linksOf(*report), (std::vector<std::string>{"a -> b", "b -> c"}));
        QCOMPARE(noteCount(*report, "flow.no_direction"), uint64_t(1));
        QCOMPARE(noteCount(*report, "phase.unknown"), uint64_t(0));
        QVERIFY(std::ranges::count(report->slices.kind, RowKind::instant) == 1);
    }

    // Without bp "e" the end means the next slice of its thread.
    void flowEndsBindAsRecorded()
    {
        const std::string start =
            "{\"ph\":\"s\",\"cat\":\"x\",\"name\":\"f\",\"id\":1,\"pid\":1,\"tid\":1,\"ts\":1},";
        const std::string end =
            "{\"ph\":\"f\",\"cat\":\"x\",\"name\":\"f\",\"id\":1,\"pid\":1,\"tid\":2,\"ts\":12";
        const std::string slices = slice("a", 1, 0, "") + slice("b", 2, 10, "") + slice("c", 2, 20, "");
        QCOMPARE(linksOf(*reportOfBytes("[" + slices + start + end + ",\"bp\":\"e\"}]")),
                 (std::vector<std::string>{"a -> b"}));
        QCOMPARE(linksOf(*reportOfBytes("[" + slices + start + end + "}]")),
                 (std::vector<std::string>{"a -> c"}));
    }

    // A writer may omit the closing ] of the list; a truncation between two events looks the same, so it is
    // reported.
    void unclosedListIsReportedWithoutLoss()
    {
        const std::string a = slice("a", 1, 0, ""), b = slice("b", 1, 10, "");
        const std::string proper = "[" + a + b.substr(0, b.size() - 1) + "]\n";
        const size_t border = proper.rfind(']');
        const auto tells = [](const std::string& text, size_t slices) {
            const auto report = reportOfBytes(text);
            return report != nullptr && report->slices.size() == slices && !report->notes.hasDataLoss() &&
                   noteCount(*report, "file.open_end") == 1;
        };
        QVERIFY(tells(proper.substr(0, border), 2));         // after }
        QVERIFY(tells(proper.substr(0, border) + ",\n", 2)); // after },
        QVERIFY(tells("[" + a, 1));
        const auto whole = reportOfBytes(proper);
        QVERIFY(whole != nullptr);
        QCOMPARE(noteCount(*whole, "file.open_end"), uint64_t(0));
        const auto inside = reportOfBytes("[" + a + b.substr(0, b.size() / 2));
        QVERIFY(inside != nullptr && inside->notes.hasDataLoss());
        QCOMPARE(noteCount(*inside, "file.open_end"), uint64_t(0));
        // The object form must close its list.
        const auto object = reportOfBytes("{\"traceEvents\": " + proper.substr(0, border));
        QVERIFY(object != nullptr && object->notes.hasDataLoss());
    }

    // rank<k>_ascend_pt, and profiler_info_<k>.json above the folder of the exported files.
    void ascendFoldersContainTheRank()
    {
        const std::string trace =
            "[" + slice("a", 1, 0, "") + "{\"ph\":\"M\",\"name\":\"x\",\"pid\":1,\"tid\":1}]";
        const TempDir folder;
        const auto rankOf = [&](const std::filesystem::path& name) {
            const auto report = readReport(folder.write(name, trace), Progress());
            return report ? (*report)->identity.rank.value.value_or(-1) : -2;
        };
        QCOMPARE(rankOf("rank3_ascend_pt/ASCEND_PROFILER_OUTPUT/trace_view.json"), 3);
        (void)folder.write("node_77_20260101010101001_ascend_pt/profiler_info_12.json", "{}");
        QCOMPARE(rankOf("node_77_20260101010101001_ascend_pt/ASCEND_PROFILER_OUTPUT/trace_view.json"), 12);
        QCOMPARE(rankOf("node_78_20260101010101001_ascend_pt/ASCEND_PROFILER_OUTPUT/trace_view.json"), -1);
    }
};

LOCKSTEP_TEST(OtherWritersTest, "other_writers_test")
#include "other_writers_test.moc"
