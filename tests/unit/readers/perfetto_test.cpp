// SPDX-License-Identifier: Apache-2.0
// Tests Perfetto traces made packet by packet: slices, counters, flows, interning, clocks, compression, loss.
#include "core/readers/perfetto/perfetto_reader.h"

#include <zlib.h>

#include "core/readers/perfetto/packet_walk.h"
#include "tests/support/damage_account.h"
#include "tests/support/proto_writer.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"

using namespace lockstep;
using lockstep::test::noteCount;
using lockstep::test::ProtoWriter;

namespace {

using Proto = ProtoWriter;

// A trace made of packets; event() packets use sequence 1.
struct Trace {
    Proto bytes;

    Trace& packet(const Proto& packet)
    {
        bytes.message(1, packet);
        return *this;
    }
    Trace& event(uint64_t time, const Proto& event) { return packet(at(time).message(11, event)); }
    Trace& begin(uint64_t time, uint64_t track, std::string_view name)
    {
        return event(time, Proto().number(9, 1).number(11, track).bytes(23, name));
    }
    Trace& end(uint64_t time, uint64_t track) { return event(time, Proto().number(9, 2).number(11, track)); }
    Trace& describe(const Proto& descriptor) { return packet(Proto().number(10, 1).message(60, descriptor)); }

    static Proto at(uint64_t time) { return Proto().number(8, time).number(10, 1); }
};

std::shared_ptr<const Report> read(const Trace& trace)
{
    return readPerfetto(trace.bytes.text(), {}, Progress()).value();
}

// "name@start+duration/depth" of each slice in the table's order.
std::string slicesOf(const Report& report)
{
    std::string out;
    for (size_t i = 0; i < report.slices.size(); ++i) {
        const SliceId id(i);
        out += (i > 0 ? " " : "") + std::string(report.nameOf(id)) + "@" +
               std::to_string(report.slices.start(id).ns) + "+" +
               std::to_string(report.slices.duration(id).ns) + "/" + std::to_string(report.slices.depth[i]);
    }
    return out;
}

std::string linkTexts(const Report& report)
{
    std::string links;
    for (const Link& link : report.links.all()) {
        links += std::string(report.nameOf(link.cause)) + ">" + std::string(report.nameOf(link.effect)) + " ";
    }
    return links;
}

Proto threadTrack(uint64_t uuid, uint64_t pid, uint64_t tid, std::string_view name)
{
    return Proto().number(1, uuid).message(4, Proto().number(1, pid).number(2, tid).bytes(5, name));
}

} // namespace

class PerfettoTest : public QObject {
    Q_OBJECT

  private slots:
    void slicesNestOnTheirTrack()
    {
        Trace trace;
        trace.describe(threadTrack(5, 10, 11, "main"))
            .describe(Proto().number(1, 4).message(3, Proto().number(1, 10).bytes(6, "app")));
        trace.begin(100, 5, "outer").begin(110, 5, "inner").end(120, 5);
        trace.event(125, Proto().number(9, 3).number(11, 5).bytes(23, "mark")).end(200, 5);
        trace.end(210, 5)
            .begin(300, 5, "open")
            .event(350, Proto().number(9, 3).number(11, 5).bytes(23, "last"));
        const auto report = read(trace);
        QCOMPARE(slicesOf(*report),
                 std::string("outer@100+100/0 inner@110+10/1 mark@125+0/1 open@300+50/0 last@350+0/0"));
        QVERIFY(report->slices.isInstant(SliceId(2u)));
        QCOMPARE(int(report->slices.flags[3]), int(sliceFlag::kOpenEnd));
        QCOMPARE(noteCount(*report, "perfetto.end_without_begin"), uint64_t(1));
        QCOMPARE(report->tracks.size(), size_t(1));
        QCOMPARE(report->threads[0].tid, int64_t(11));
        QCOMPARE(report->strings.at(report->threads[0].name), std::string_view("main"));
        QCOMPARE(report->strings.at(report->processes[0].name), std::string_view("app"));
    }

    void nestedTracksAreNamedByPath()
    {
        Trace trace;
        trace.describe(Proto().number(1, 1).message(3, Proto().number(1, 10)));
        trace.describe(Proto().number(1, 2).bytes(2, "A").number(5, 1))
            .describe(Proto().number(1, 3).bytes(2, "B").number(5, 2));
        trace.describe(Proto().number(1, 7).bytes(2, "ring").number(5, 8))
            .describe(Proto().number(1, 8).bytes(2, "g").number(5, 7));
        trace.begin(1, 3, "x").end(2, 3).begin(1, 7, "y").end(2, 7).begin(1, 99, "z").end(3, 99);
        const auto report = read(trace);
        QCOMPARE(report->slices.size(), size_t(3));
        const auto named = [&](std::string_view name) {
            return std::ranges::count_if(report->tracks, [&](const Track& t) {
                return report->strings.at(t.name) == name && t.key.process.isValid() && t.sliceCount == 1;
            });
        };
        QCOMPARE(named("A / B"), 1);
        QCOMPARE(noteCount(*report, "perfetto.undescribed_track"), uint64_t(1)); // once, not per event
    }

    void sequencesOutOfOrder()
    {
        Trace trace;
        trace.describe(Proto().number(1, 5).bytes(2, "t"));
        trace.end(50, 5).begin(10, 5, "late in the file");
        QCOMPARE(slicesOf(*read(trace)), std::string("late in the file@10+40/0"));
    }

    void internedTextsDependOnTheState()
    {
        const auto named = [](uint64_t iid) { return Proto().number(9, 3).number(10, iid); };
        const auto interned = [](std::string_view name) {
            return Proto().message(2, Proto().number(1, 1).bytes(2, name));
        };
        Trace trace;
        trace.packet(Trace::at(1).number(13, 2).message(11, named(1))); // needs a state that never existed
        trace.packet(Trace::at(2).number(13, 3).message(12, interned("one")).message(11, named(1)));
        trace.packet(Trace::at(3).number(13, 2).message(11, named(1)));
        trace.packet(Trace::at(4).number(41, 1).message(12, interned("two")).message(11, named(1)));
        trace.packet(Trace::at(5).number(13, 2).number(42, 1).message(11, named(1))); // after a loss
        trace.packet(Trace::at(6).number(41, 1).message(11, named(1)));               // id 1 is undefined now
        const auto report = read(trace);
        QCOMPARE(slicesOf(*report), std::string("one@2+0/0 one@3+0/0 two@4+0/0 @6+0/0"));
        QCOMPARE(noteCount(*report, "perfetto.no_state"), uint64_t(2));
        QCOMPARE(noteCount(*report, "perfetto.lost_packets"), uint64_t(1));
        QCOMPARE(noteCount(*report, "perfetto.unknown_name"), uint64_t(1));
        QVERIFY(report->notes.hasDataLoss());
    }

    void countersOfAllKinds()
    {
        Trace trace;
        trace.describe(
            Proto().number(1, 1).bytes(2, "plain").message(8, Proto().number(3, 3).number(4, 1024)));
        trace.describe(
            Proto().number(1, 2).bytes(2, "grows").message(8, Proto().number(5, 1).bytes(6, "steps")));
        trace.describe(Proto().number(1, 3).bytes(2, "real"));
        trace.packet(Proto().number(10, 1).number(41, 1).message(
            59, Proto().message(11, Proto().number(11, 9).number(31, 2))));
        trace.event(10, Proto().number(9, 4).number(11, 1).number(30, 2));
        trace.event(20, Proto().number(9, 4).number(11, 1).number(30, static_cast<uint64_t>(int64_t(-1))));
        trace.event(30, Proto().number(9, 4).number(11, 3).real(44, 0.5));
        trace.event(40, Proto().number(9, 3).number(12, 5)).event(50, Proto().number(9, 3).number(12, 7));
        trace.packet(
            Trace::at(60).number(41, 1).message(11, Proto().number(9, 3).number(31, 2).number(12, 1)));
        const auto report = read(trace);
        QCOMPARE(report->counterTracks.size(), size_t(3));
        const auto samples = [&](std::string_view name) {
            for (const CounterTrack& track : report->counterTracks) {
                if (report->strings.at(track.name) != name) continue;
                const auto first = report->counters.value.begin() + track.firstSample;
                return std::vector<double>(first, first + track.sampleCount);
            }
            return std::vector<double>();
        };
        QCOMPARE(samples("plain"), (std::vector<double>{2048, -1024}));
        QCOMPARE(samples("grows"), (std::vector<double>{5, 12, 1})); // the cleared state begins again
        QCOMPARE(samples("real"), (std::vector<double>{0.5}));
        QCOMPARE(report->strings.at(report->counterTracks[0].unit).empty(), false);
    }

    void flowsAreJoinedInTimeOrder()
    {
        Trace trace;
        trace.event(30, Proto().number(9, 3).number(11, 1).fixed(48, 7).bytes(23, "c")); // terminates
        trace.event(10, Proto().number(9, 1).number(11, 1).fixed(47, 7).bytes(23, "a")).end(15, 1);
        trace.event(20, Proto().number(9, 3).number(11, 2).fixed(47, 7).bytes(23, "b"));
        trace.event(40, Proto().number(9, 3).number(11, 2).fixed(47, 7).bytes(23, "another flow"));
        QCOMPARE(linkTexts(*read(trace)), std::string("a>b b>c "));
    }

    // Chrome's JSON as a Perfetto trace stores it: separate flow events, and bind_id on slices.
    void flowsOfLegacyEvents()
    {
        const auto flow = [](uint64_t track, char phase, const Proto& ids) {
            Proto legacy = ids;
            return Proto().number(11, track).message(6, legacy.number(2, uint64_t(phase)));
        };
        Trace trace;
        for (uint64_t track = 1; track <= 4; ++track) // two processes with two threads
            trace.describe(threadTrack(track, 10 + (track - 1) / 2, 100 + track, "thread"));
        for (uint64_t track = 1; track <= 4; ++track) {
            trace.begin(100 * track, track, "s" + std::to_string(track)).end(100 * track + 50, track);
            trace.begin(100 * track + 60, track, "n" + std::to_string(track)).end(100 * track + 70, track);
        }
        trace.event(110, flow(1, 's', Proto().number(11, 7)));
        trace.event(210, flow(2, 'f', Proto().number(11, 7).number(12, 1))); // binds to the enclosing slice
        trace.event(120, flow(1, 's', Proto().number(6, 8)));
        trace.event(310, flow(3, 't', Proto().number(6, 8)));
        trace.event(452, flow(4, 'f', Proto().number(6, 8))); // binds to the next slice
        trace.event(130, flow(1, 's', Proto().number(10, 9)));
        trace.event(262, flow(2, 'f', Proto().number(10, 9).number(12, 1)));
        trace.event(362, flow(3, 'f', Proto().number(10, 9).number(12, 1))); // the same local id elsewhere
        trace.event(140, flow(1, 's', Proto().number(11, 7).bytes(7, "scope")));
        const auto bound = [](uint64_t track, std::string_view name, uint64_t direction) {
            Proto legacy;
            legacy.number(2, 'X').number(3, 1).number(8, 7).number(13, direction);
            return Proto().number(11, track).bytes(23, name).message(6, legacy);
        };
        trace.event(10'000, bound(1, "out", 2)).event(20'000, bound(2, "both", 3));
        trace.event(30'000, bound(3, "in", 1)).event(40'000, bound(4, "unspecified", 0));
        trace.event(50'000, flow(1, 'R', Proto()).bytes(23, "mark"));
        trace.event(60'000, Proto().number(9, 5).number(11, 1).bytes(23, "of a type that is none"));
        const auto report = read(trace);
        QCOMPARE(linkTexts(*report), std::string("s1>s2 s1>n2 s1>s3 out>both both>in s3>n4 "));
        QCOMPARE(noteCount(*report, "flow.no_direction"), uint64_t(1));
        QCOMPARE(noteCount(*report, "perfetto.unknown_type"), uint64_t(1));
        QVERIFY(slicesOf(*report).find("mark@50000+0/0") != std::string::npos);
        QVERIFY(slicesOf(*report).find("of a type") == std::string::npos);
        QVERIFY(noteCount(*report, "flow.end_without_start") == 1 &&
                noteCount(*report, "flow.start_without_end") == 1);
    }

    void clocks()
    {
        const auto clock = [](uint64_t id, uint64_t time) { return Proto().number(1, id).number(2, time); };
        Trace trace;
        trace.packet(
            Proto().number(10, 1).message(6, Proto()
                                                 .message(1, clock(6, 1000))
                                                 .message(1, clock(1, 501000))
                                                 .message(1, clock(3, 400))
                                                 .message(1, clock(64, 2).number(3, 1).number(4, 100))));
        trace.packet(
            Proto().number(10, 1).message(6, Proto().message(1, clock(6, 2000)).message(1, clock(3, 1390))));
        const auto mark = Proto().number(9, 3);
        trace.packet(Trace::at(1100).message(11, mark));               // BOOTTIME
        trace.packet(Trace::at(500).number(58, 3).message(11, mark));  // MONOTONIC + 600
        trace.packet(Trace::at(1400).number(58, 3).message(11, mark)); // after the second snapshot: + 610
        trace.packet(Trace::at(3).number(58, 64).message(11, mark)); // incremental, 100 ns units: 500 -> 1300
        trace.packet(Trace::at(1).number(58, 64).message(11, mark)); // 600 -> 1400
        trace.packet(Trace::at(7).number(58, 99).message(11, mark)); // never related to another clock
        const auto report = read(trace);
        QCOMPARE(report->slices.start_ns, (Column<int64_t>{7, 1100, 1100, 1300, 1400, 2010}));
        QCOMPARE(*report->clock.utcAtZero_ns, int64_t(500000));
        QCOMPARE(noteCount(*report, "perfetto.unknown_clock"), uint64_t(1));
    }

    void compressedPacketsAndUnknownOnes()
    {
        Trace inner;
        inner.begin(1, 5, "packed").end(2, 5);
        std::string packed(1000, '\0');
        uLongf size = packed.size();
        compress(reinterpret_cast<Bytef*>(packed.data()), &size,
                 reinterpret_cast<const Bytef*>(inner.bytes.text().data()), inner.bytes.text().size());
        packed.resize(size);
        Trace trace;
        trace.packet(Proto().bytes(50, packed)).packet(Proto().bytes(50, "no zlib"));
        trace.packet(Proto().number(10, 1).bytes(1, "ftrace")).packet(Proto().bytes(36, "marker"));
        trace.event(3, Proto().number(9, 77)).packet(Proto().number(10, 1).message(11, Proto().number(9, 3)));
        const auto report = read(trace);
        QCOMPARE(slicesOf(*report), std::string("packed@1+1/0"));
        QCOMPARE(noteCount(*report, "perfetto.broken_compression"), uint64_t(1));
        QCOMPARE(noteCount(*report, "perfetto.other_packets.1"), uint64_t(1));
        QCOMPARE(noteCount(*report, "perfetto.other_packets.36"), uint64_t(0));
        QCOMPARE(noteCount(*report, "perfetto.unknown_type"), uint64_t(1));
        QCOMPARE(noteCount(*report, "perfetto.no_timestamp"), uint64_t(1));
    }

    void truncatedAnywhere()
    {
        Trace trace;
        trace.describe(threadTrack(5, 10, 11, "main"))
            .begin(100, 5, "outer")
            .begin(110, 5, "inner")
            .end(120, 5)
            .end(200, 5);
        const std::string& whole = trace.bytes.text();
        size_t most = 0;
        for (size_t size = 40; size <= whole.size(); ++size) {
            const auto report = readPerfetto(std::string_view(whole).substr(0, size), {}, Progress());
            QVERIFY(report);
            QVERIFY((*report)->slices.size() >= most);
            most = (*report)->slices.size();
        }
        QCOMPARE(most, size_t(2));
        QVERIFY(!readPerfetto("", {}, Progress()));
    }

    // A converted Kineto trace: the fields of its NCCL kernels are annotations, nested or not.
    void collectivesFromAnnotations()
    {
        const auto text = [](std::string_view name, std::string_view value) {
            return Proto().bytes(10, name).bytes(6, value);
        };
        const auto kernel = [&](uint64_t time, const Proto& annotations) {
            return Proto(annotations)
                .number(9, 1)
                .number(11, time)
                .bytes(23, "ncclDevKernel_AllReduce_Sum_f32");
        };
        Proto flat, nested;
        flat.message(4, text("Process Group Name", "dp")).message(4, Proto().bytes(10, "Seq").number(4, 7));
        nested.message(4, Proto().bytes(10, "args").message(11, text("Process Group Name", "tp")));
        Trace trace;
        trace.event(5, kernel(5, flat)).end(9, 5).event(6, kernel(6, nested)).end(8, 6);
        trace.event(7, kernel(7, Proto())).end(8, 7);
        trace.event(8, Proto(flat).number(9, 1).number(11, 8).bytes(23, "gemm")).end(9, 8);
        const auto report = read(trace);
        QCOMPARE(report->collectives.size(), size_t(2));
        QCOMPARE(report->strings.at(report->collectives[0].group), std::string_view("dp"));
        QCOMPARE(report->collectives[0].sequence, uint64_t(7));
        QCOMPARE(report->strings.at(report->collectives[1].group), std::string_view("tp"));
        QCOMPARE(report->slices.category[report->collectives[1].slice.value], SliceCategory::communication);
    }

    void detailsAndRecognition()
    {
        const auto annotation =
            Proto()
                .bytes(10, "outer")
                .message(11, Proto().bytes(10, "inner").number(4, static_cast<uint64_t>(int64_t(-3))))
                .message(12, Proto().real(5, 0.25))
                .message(12, Proto().bytes(6, "text"));
        Trace trace;
        trace.begin(1, 5, "a").event(
            2, Proto().number(9, 3).number(11, 5).bytes(22, "cat").message(4, annotation));
        const lockstep::test::TempDir folder;
        const auto path = folder.write("t.perfetto-trace", trace.bytes.text());
        const auto report = readReport(path, Progress(test::workers())).value();
        QCOMPARE(report->provenance.kind, std::string("perfetto"));
        const auto details = readSliceDetails(*report, SliceId(1u)).value();
        const std::vector<std::pair<std::string, std::string>> expected{
            {"category", "cat"}, {"outer.inner", "-3"}, {"outer[0]", "0.25"}, {"outer[1]", "text"}};
        QCOMPARE(details.arguments, expected);
        QVERIFY(!looksLikePerfetto("\n{\"traceEvents\": [{\"ph\": \"X\"}]}"));
        QVERIFY(!looksLikePerfetto("\nplain text after an empty line, long enough to be read as a length"));
        QVERIFY(!looksLikePerfetto(std::string_view("\x0A\0\0\0\0", 5)));
    }

    // Half a flow id, a name with a wrong wire type, an invalid text: losses within an event are counted.
    void brokenPartsOfEventsAreCounted_data()
    {
        QTest::addColumn<std::string>("event");
        const std::string begin = Proto().number(9, 1).number(11, 7).bytes(23, "a").text();
        QTest::newRow("truncated flow id") << begin + std::string("\xF9\x02\x01\x02", 4);
        QTest::newRow("truncated packed flow id") << begin + Proto().bytes(47, "12345").text();
        QTest::newRow("truncated packed counter") << begin + Proto().bytes(31, "\xFF").text();
        QTest::newRow("name of the wrong type") << begin + Proto().number(23, 5).text();
        QTest::newRow("type of the wrong type") << begin + Proto().bytes(10, "x").text();
        QTest::newRow("truncated legacy event") << begin + Proto().bytes(6, "\x08").text();
    }
    void brokenPartsOfEventsAreCounted()
    {
        QFETCH(std::string, event);
        Trace trace;
        trace.packet(Trace::at(5).bytes(11, event)).end(9, 7);
        const auto report = read(trace);
        QCOMPARE(noteCount(*report, "perfetto.broken_event"), uint64_t(1));
        QCOMPARE(slicesOf(*report), std::string("a@5+4/0"));
    }

    void brokenPartsOfPacketsAreCounted()
    {
        Trace trace;
        trace.begin(1, 7, "a").end(2, 7);
        trace.packet(Trace::at(3).bytes(12, "\x12\x7F")); // interned data
        trace.packet(Trace::at(4).bytes(59, "\x0A"));     // defaults
        trace.packet(Trace::at(5).bytes(60, "\x08"));     // a descriptor
        trace.packet(Trace::at(6).bytes(6, "\x0A\x7F"));  // a clock snapshot
        trace.packet(Trace::at(7).number(11, 1));         // an event that is a number
        QCOMPARE(noteCount(*read(trace), "perfetto.broken_packet"), uint64_t(5));
    }

    // A flow whose other end is lost has no arrow, and is counted.
    void flowsOfOneEventAreCounted()
    {
        const auto flow = [](uint64_t id, bool isEnd) {
            return Proto().number(9, 3).number(11, 7).fixed(isEnd ? 48 : 47, id);
        };
        Trace trace;
        trace.event(1, flow(1, false)).event(2, flow(1, true)); // complete
        trace.event(3, flow(2, false)).event(4, flow(3, true)).event(5, flow(1, false));
        const auto report = read(trace);
        QCOMPARE(report->links.all().size(), size_t(1));
        QCOMPARE(noteCount(*report, "flow.single_event"), uint64_t(3));
    }
};

LOCKSTEP_TEST(PerfettoTest, "perfetto_test")
#include "perfetto_test.moc"
