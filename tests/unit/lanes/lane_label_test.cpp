// SPDX-License-Identifier: Apache-2.0
// Tests lane labels: nothing is invented if nothing is known, nothing is repeated, and no two are equal.
#include "core/lanes/lane_label.h"

#include <numeric>
#include <set>

#include "tests/support/made_reports.h"
#include "tests/support/test_registry.h"

using namespace lockstep;

namespace {

struct MadeTrack {
    TrackKind kind = TrackKind::ops;
    int64_t lane = 0;
    std::string name;
    int64_t start_ns = 100;
};

struct MadeFile {
    std::string path;
    std::vector<std::pair<int64_t, std::string>> processes; // pid and name
    std::vector<MadeTrack> tracks = {MadeTrack()};          // of each process
    std::string host = {};
};

std::shared_ptr<const Report> reportOfFile(const MadeFile& file)
{
    ReportBuilder builder;
    builder.report().provenance.path = file.path;
    builder.report().provenance.kind = "chrome json";
    builder.report().clock.utcAtZero_ns = 1'795'176'271'000'000'000;
    if (!file.host.empty()) builder.report().identity.host.learn(file.host, "made", Confidence::stated);
    SliceBatch batch;
    uint64_t source = 0;
    for (size_t i = 0; i < file.processes.size(); ++i) {
        const auto& [pid, name] = file.processes[i];
        const ProcessId process = builder.process(i, pid);
        builder.report().processes[process.value].name = builder.intern(name);
        const DeviceId device = builder.device(process, 0);
        for (const MadeTrack& made : file.tracks) {
            const bool isGpu = made.kind == TrackKind::gpuStream;
            const ThreadId thread = isGpu ? ThreadId() : builder.thread(process, 7);
            const TrackId track =
                builder.track({made.kind, process, thread, isGpu ? device : DeviceId(), made.lane, 0});
            builder.setTrackName(track, builder.intern(made.name));
            SliceRow row;
            row.start_ns = made.start_ns;
            row.duration_ns = 50;
            row.name = builder.intern("work");
            row.source = SourceRow::of(0, source++);
            batch.add(track, row);
        }
    }
    builder.adopt(std::move(batch));
    return builder.freeze(Progress()).value();
}

ScenePtr timelineOf(const std::vector<MadeFile>& files)
{
    Workspace workspace;
    for (const MadeFile& file : files)
        workspace.add(reportOfFile(file));
    return test::madeScene(workspace);
}

std::vector<std::string> labelsOf(const LaneTree& tree, LaneSubject subject)
{
    std::vector<std::string> labels;
    for (const Lane& lane : tree.lanes()) {
        if (lane.subject == subject) labels.push_back(lane.label);
    }
    return labels;
}

using Labels = std::vector<std::string>;

QString textOf(const Labels& labels)
{
    QString text;
    for (const std::string& label : labels)
        text += QString::fromStdString(label) + "|";
    return text;
}

} // namespace

class LaneLabelTest : public QObject {
    Q_OBJECT

  private slots:
    void whatIsNotKnownIsNotNumbered()
    {
        const auto one = timelineOf({{"a/trace.json", {{0, ""}}}});
        QCOMPARE(textOf(labelsOf(*one->tree, LaneSubject::process)), QString::fromUtf8("trace"
                                                                                       "|"));
        const auto pseudo = timelineOf({{"a/snapshot.pickle", {{-1, ""}}}});
        QCOMPARE(textOf(labelsOf(*pseudo->tree, LaneSubject::process)), QString::fromUtf8("snapshot"
                                                                                          "|"));
        const auto known = timelineOf({{"a/trace.json", {{77, ""}}}});
        QCOMPARE(textOf(labelsOf(*known->tree, LaneSubject::process)), QString::fromUtf8("process 77"
                                                                                         "|"));
        const auto named = timelineOf({{"a/trace.json", {{0, "bin/python"}}}});
        QCOMPARE(textOf(labelsOf(*named->tree, LaneSubject::process)), QString::fromUtf8("python"
                                                                                         "|"));
    }

    // As in Ascend's files: a rank's processes are labeled by their names, not by invented numbers.
    void processesOfOneRankGoByTheirNames()
    {
        ReportBuilder builder;
        builder.report().identity.rank.learn(3, "made", Confidence::stated);
        builder.report().clock.utcAtZero_ns = 1'795'176'271'000'000'000;
        SliceBatch batch;
        const ProcessId python = builder.process(0, 11);
        builder.report().processes[python.value].name = builder.intern("Python");
        SliceRow row;
        row.duration_ns = 100;
        row.name = builder.intern("op");
        batch.add(builder.track({TrackKind::ops, python, builder.thread(python, 1), {}, 0, 0}), row);
        const ProcessId memory = builder.process(1, 3'000'000'000);
        builder.report().processes[memory.value].name = builder.intern("NPU MEM");
        builder.adopt(std::move(batch));
        for (const char* name : {"APP", "DEVICE"}) {
            CounterTrack counter;
            counter.process = memory;
            counter.name = builder.intern(name);
            builder.addSamples(builder.addCounterTrack(counter), {{10, 1.0}, {20, 2.0}});
        }
        Workspace workspace;
        workspace.add(builder.freeze(Progress()).value());
        const auto made = test::madeScene(workspace);
        QCOMPARE(textOf(labelsOf(*made->tree, LaneSubject::process)),
                 QString::fromUtf8("rank 3 \u00B7 Python|rank 3 \u00B7 NPU MEM|"));
        const auto lanes = made->tree->lanes();
        const auto shown = std::ranges::find(lanes, "rank 3 \u00B7 NPU MEM", &Lane::label);
        QCOMPARE((*shown).value, std::string("2 counters")); // collapsed, it shows no other part of them
    }

    void noTwoAreCalledAlike()
    {
        const auto made = timelineOf({{"runs/one/r/trace.json", {{0, ""}}},
                                      {"runs/two/r/trace.json", {{0, ""}}},
                                      {"runs/both.json", {{0, ""}, {0, ""}, {-1, ""}}}});
        const Labels labels = labelsOf(*made->tree, LaneSubject::process);
        QCOMPARE(labels.size(), size_t(5));
        QCOMPARE(std::set<std::string>(labels.begin(), labels.end()).size(), size_t(5));
        const std::string all = std::accumulate(labels.begin(), labels.end(), std::string());
        QVERIFY2(all.find("one/r/trace.json") != std::string::npos, all.c_str());
        QVERIFY2(all.find("process -1") == std::string::npos && all.find("process 0") == std::string::npos,
                 all.c_str());
    }

    void oneHostIsSaidOnce()
    {
        const auto several =
            timelineOf({{"a.json", {{1, "a"}}, {{}}, "node0"}, {"b.json", {{2, "b"}}, {{}}, "node0"}});
        QCOMPARE(textOf(labelsOf(*several->tree, LaneSubject::group)), QString::fromUtf8("node0"
                                                                                         "|"));
        for (const std::string& label : labelsOf(*several->tree, LaneSubject::process))
            QVERIFY2(label.find("node0") == std::string::npos, label.c_str());
        const auto alone = timelineOf({{"a.json", {{1, "a"}}, {{}}, "node0"}});
        QCOMPARE(labelsOf(*alone->tree, LaneSubject::group), Labels{});
        QCOMPARE(textOf(labelsOf(*alone->tree, LaneSubject::process)), QString::fromUtf8("node0 \u00B7 a 1"
                                                                                         "|"));
    }

    void aStreamIsNumberedOnce()
    {
        const auto made = timelineOf({{"a.json",
                                       {{1, "a"}},
                                       {{TrackKind::gpuStream, 7, "stream 7 (default)"},
                                        {TrackKind::gpuStream, 70, "stream 70"},
                                        {TrackKind::gpuStream, 8, "stream 80"},
                                        {TrackKind::gpuStream, 9, "comm"}}}});
        QCOMPARE(
            labelsOf(*made->tree, LaneSubject::track),
            (Labels{"stream 7 (default)", "stream 8 \u00B7 stream 80", "stream 9 \u00B7 comm", "stream 70"}));
    }

    void namedTracksKeepTheirNames()
    {
        const auto made = timelineOf({{"a.json",
                                       {{1, "a"}},
                                       {{TrackKind::other, 1, "Scheduler"},
                                        {TrackKind::other, 2, "Loader"},
                                        {TrackKind::other, 3, "Loader", 120},
                                        {TrackKind::other, 4, ""}}}});
        Labels labels = labelsOf(*made->tree, LaneSubject::track);
        std::ranges::sort(labels);
        QCOMPARE(labels, (Labels{"Loader", "Scheduler", "other"}));
    }

    void diagnosticsDoNotStretchTheAxis()
    {
        const auto made = timelineOf({{"a.json",
                                       {{1, "a"}},
                                       {{TrackKind::diagnostics, 0, "", -5'000'000'000},
                                        {TrackKind::ops, 0, "", 100},
                                        {TrackKind::diagnostics, 1, "", 9'000'000'000}}}});
        QCOMPARE(made->shown.report(ReportKey(0u)).extent.begin.ns, int64_t(100));
        QCOMPARE(made->shown.report(ReportKey(0u)).extent.end.ns, int64_t(150));
        const auto nothingElse = timelineOf({{"a.json", {{1, "a"}}, {{TrackKind::diagnostics, 0, "", 300}}}});
        QCOMPARE(nothingElse->shown.report(ReportKey(0u)).extent.begin.ns, int64_t(300));
    }
};

LOCKSTEP_TEST(LaneLabelTest, "lane_label_test")
#include "lane_label_test.moc"
