// SPDX-License-Identifier: Apache-2.0
// Tests public Kineto, Ascend and Ray traces: row counts equal a plain JSON walk; identity, clock,
// nanoseconds, links.
#include <algorithm>
#include <set>

#include "core/align/alignment.h"
#include "core/readers/reader.h"
#include "tests/support/json_walk.h"
#include "tests/support/places.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"

using namespace lockstep;
using namespace lockstep::test;

namespace {

std::shared_ptr<const Report> opened(const std::filesystem::path& relative)
{
    auto report = readReport(sharedData(relative), Progress(test::workers()));
    if (!report) qWarning("%s", report.error().message.c_str());
    return report ? *report : nullptr;
}

std::vector<std::filesystem::path> traceFiles()
{
    std::vector<std::filesystem::path> files;
    for (const char* folder : {"kineto", "ascend", "ray"}) {
        for (const auto& entry : std::filesystem::recursive_directory_iterator(sharedData(folder))) {
            if (entry.is_regular_file()) files.push_back(entry.path());
        }
    }
    std::ranges::sort(files);
    return files;
}

size_t rowsOf(const Report& report, RowKind kind)
{
    return size_t(std::ranges::count(report.slices.kind, kind));
}

uint64_t totalOf(const Report& report, RowKind kind)
{
    uint64_t total = 0;
    for (size_t i = 0; i < report.slices.size(); ++i) {
        if (report.slices.kind[i] == kind) total += uint64_t(report.slices.duration_ns[i]);
    }
    return total;
}

SliceId named(const Report& report, std::string_view name)
{
    for (uint32_t i = 0; i < report.slices.size(); ++i) {
        if (report.nameOf(SliceId(i)) == name) return SliceId(i);
    }
    return {};
}

} // namespace

class ChromeJsonTest : public QObject {
    Q_OBJECT

  private slots:
    void countsEqualPlainWalk_data()
    {
        LOCKSTEP_NEED_SHARED_DATA();
        QTest::addColumn<QString>("path");
        for (const auto& path : traceFiles()) {
            QTest::newRow(path.filename().c_str()) << QString::fromStdString(path.string());
        }
    }

    void countsEqualPlainWalk()
    {
        LOCKSTEP_NEED_SHARED_DATA();
        QFETCH(QString, path);
        const auto report = opened(path.toStdString());
        QVERIFY(report);
        const std::vector<WalkedEvent> events = walkTrace(path.toStdString());
        QVERIFY(!events.empty());
        const std::map<std::string, uint64_t> counts(report->rowCounts.begin(), report->rowCounts.end());
        QVERIFY(counts == countsOf(events));
        size_t slices = 0;
        for (const auto& event : events)
            slices += event.phase == "X" || event.phase == "i";
        QCOMPARE(report->slices.size(), slices); // every X and i is kept
        QVERIFY(!report->notes.hasDataLoss());
        for (const Track& track : report->tracks)
            QVERIFY(track.sliceCount > 0);
    }

    void linksEqualPlainJoin_data() { countsEqualPlainWalk_data(); }

    void linksEqualPlainJoin()
    {
        LOCKSTEP_NEED_SHARED_DATA();
        QFETCH(QString, path);
        const auto report = opened(path.toStdString());
        QVERIFY(report);
        std::map<int64_t, size_t> calls;
        size_t expected = 0;
        const std::vector<WalkedEvent> events = walkTrace(path.toStdString());
        const auto isCall = [](const auto& e) {
            return e.category == "cuda_runtime" || e.category == "cuda_driver";
        };
        for (const auto& event : events)
            calls[event.correlation] += event.phase == "X" && event.hasCorrelation && isCall(event);
        for (const auto& event : events) {
            const bool onGpu = event.category == "kernel" || event.category.starts_with("gpu_mem") ||
                               event.category == "cuda_sync" || event.category == "cuda_event";
            if (event.phase == "X" && onGpu && event.correlation != 0) expected += calls[event.correlation];
        }
        size_t launches = 0;
        for (const Link& link : report->links.all())
            launches += link.kind == LinkKind::launch;
        QCOMPARE(launches, expected);
    }

    void eightRanksShareOneAxis()
    {
        LOCKSTEP_NEED_SHARED_DATA();
        Workspace workspace;
        std::set<int> ranks;
        for (const auto& path : traceFiles()) {
            if (path.parent_path().filename() != "dlrm_8ranks") continue;
            const Identity& identity = workspace.report(workspace.add(opened(path))).identity;
            ranks.insert(identity.rank.value.value_or(-1));
            QCOMPARE(identity.worldSize.value.value_or(0), 8);
            QVERIFY(identity.rank.source.starts_with("distributedInfo.rank"));
            QCOMPARE(identity.step.value.value_or(-1), 10);
        }
        QCOMPARE(ranks, (std::set<int>{0, 1, 2, 3, 4, 5, 6, 7}));
        const Alignment alignment = alignReports(workspace, {});
        for (const ClockMap& map : alignment.maps.all())
            QCOMPARE(map.method, AlignMethod::wallclock);
        QVERIFY(alignment.extent(workspace).length().ns <
                5'000'000'000); // one step of one run, not years apart
        QCOMPARE(*alignment.utcAtZero_ns / 1'000'000'000'000, int64_t(1'694'128));
    }

    void nanosecondsArePreserved()
    {
        LOCKSTEP_NEED_SHARED_DATA();
        const std::filesystem::path path = "kineto/ns_resolution.rank-0.pt.trace.json.gz";
        const auto report = opened(path);
        QVERIFY(report);
        const std::string text = traceText(sharedData(path));
        size_t compared = 0;
        for (uint32_t i = 0; i < report->slices.size();
             i += 97) { // each timestamp compared with its digits in the file
            const size_t at = text.find("\"ts\": ", report->slices.source[i].row()) + 6;
            const std::string digits = text.substr(at, text.find_first_of(", \n}", at) - at);
            const size_t point = digits.find('.');
            QVERIFY(point != std::string::npos && digits.size() == point + 4);
            const int64_t ns =
                std::stoll(digits.substr(0, point)) * 1000 + std::stoll(digits.substr(point + 1));
            QCOMPARE(report->slices.start_ns[i], ns);
            compared += ns % 1000 != 0;
        }
        QVERIFY(compared > 100);
        QCOMPARE(report->identity.host.value.value_or(""), std::string("twshared39868.02.pnb3.facebook.com"));
    }

    void sumsEqualPerfetto()
    {
        LOCKSTEP_NEED_SHARED_DATA(); // golden/perfetto/*.by_category.csv
        const auto report = opened("kineto/nccl_metadata.json.gz");
        QCOMPARE(totalOf(*report, RowKind::op), uint64_t(1419306842));
        QCOMPARE(totalOf(*report, RowKind::runtimeApi), uint64_t(44633816));
        QCOMPARE(totalOf(*report, RowKind::memcpy), uint64_t(2262781));
        QCOMPARE(totalOf(*report, RowKind::memset), uint64_t(390717));
        QCOMPARE(totalOf(*report, RowKind::gpuAnnotation), uint64_t(369790213));
        const auto ns = opened("kineto/ns_resolution.rank-0.pt.trace.json.gz");
        QCOMPARE(totalOf(*ns, RowKind::op), uint64_t(927291410));
        QCOMPARE(totalOf(*ns, RowKind::runtimeApi), uint64_t(361167046));
        QCOMPARE(totalOf(*ns, RowKind::memset), uint64_t(585435));
        QCOMPARE(ns->clock.utcAtZero_ns.value_or(-1), int64_t(0));
        QCOMPARE(report->clock.utcAtZero_ns.value_or(0), int64_t(1711964646000000000));
    }

    void gpuRowsBelongToTheCpuProcess()
    {
        LOCKSTEP_NEED_SHARED_DATA();
        const auto report = opened("kineto/nccl_metadata.json.gz");
        QCOMPARE(report->identity.worldSize.value.value_or(0), 2);
        for (const Track& track : report->tracks) {
            if (track.key.kind > TrackKind::gpuAnnotation) continue;
            QCOMPARE(report->processes[track.key.process.value].pid, int64_t(2910249));
            QCOMPARE(report->devices[track.key.device.value].ordinal, 0);
            QCOMPARE(report->strings.at(track.name),
                     track.key.lane == 7 ? std::string_view("stream 7") : "stream 40");
        }
        QCOMPARE(report->devices.size(), size_t(1)); // eight are declared, one has rows
        QCOMPARE(report->strings.at(report->devices[0].name), std::string_view("NVIDIA A100-PG509-200"));
        QCOMPARE(report->devices[0].multiprocessors, 108);
        QCOMPARE(report->memoryOps.size(),
                 rowsOf(*report, RowKind::memcpy) + rowsOf(*report, RowKind::memset));
    }

    void largeIntegerSurvivesInDetails()
    {
        LOCKSTEP_NEED_SHARED_DATA();
        const auto report = opened("kineto/large_integer.rank-70.json.gz");
        QCOMPARE(report->identity.rank.value.value_or(-1), 70);
        QCOMPARE(report->identity.rank.source, std::string("file name"));
        QVERIFY(!report->clock.utcAtZero_ns);
        const auto details = readSliceDetails(*report, named(*report, "record_param_comms"));
        QVERIFY(details.has_value());
        QCOMPARE(details->arguments.back(),
                 (std::pair<std::string, std::string>{"Comms Id", "10159970886766084423"}));
        QVERIFY(!opened("kineto/no_distributed_info.json.gz")->identity.rank.isKnown());
    }

    void memoryCountersAndOtherWriters()
    {
        LOCKSTEP_NEED_SHARED_DATA();
        const auto bert = opened("kineto/bert_h100.json.gz");
        QCOMPARE(rowsOf(*bert, RowKind::memoryEvent), size_t(236));
        QVERIFY(std::ranges::any_of(bert->counterTracks, [&](const CounterTrack& track) {
            return bert->strings.at(track.name) == "Total Allocated" && track.device.isValid();
        }));
        const auto ascend = opened("ascend/rank0.trace_view.json.gz");
        QVERIFY(ascend->counters.size() >= 3716);
        size_t flows = 0;
        for (const Link& link : ascend->links.all())
            flows += link.kind == LinkKind::flow;
        QCOMPARE(flows, size_t(159 + 210 + 27)); // HostToDevice starts on threads without slices
        const auto ray = opened("ray/ray_timeline_2019.json.gz");
        QCOMPARE(ray->provenance.producer, std::string("Chrome trace"));
        QCOMPARE(ray->clock.utcAtZero_ns.value_or(-1), int64_t(0));
    }

    // Counts from the file itself: 15 all-reduces and 6 broadcasts, every kernel with its arguments and the
    // record that launched it; six more records only wait.
    void collectivesOfEveryKernel()
    {
        LOCKSTEP_NEED_SHARED_DATA();
        const auto report =
            readReport(sharedData("kineto/nccl_metadata.json.gz"), Progress(test::workers())).value();
        size_t kernels = 0, reductions = 0, records = 0;
        for (const CollectiveOp& op : report->collectives) {
            const bool isKernel = report->slices.kind[op.slice.value] == RowKind::kernel;
            ++(isKernel ? kernels : records);
            reductions += isKernel && report->strings.at(op.collective) == "allreduce" ? 1 : 0;
            QCOMPARE(report->strings.at(op.group), std::string_view("0"));
            QCOMPARE(report->strings.at(op.groupRanks), std::string_view("[0, 1]"));
            QCOMPARE(op.groupSize, 2u);
            QCOMPARE(op.rankStart, 0u); // recorded by the record alone
            QVERIFY(op.inElements != CollectiveOp::kAbsentCount);
        }
        QCOMPARE(kernels, size_t(21));
        QCOMPARE(reductions, size_t(15));
        QCOMPARE(records, size_t(0));
    }

    // April 2024: the group is "Process Group ID", and no kernel carries arguments.
    void collectivesOfAnOlderVersion()
    {
        LOCKSTEP_NEED_SHARED_DATA();
        const auto report =
            readReport(sharedData("kineto/ns_resolution.rank-0.pt.trace.json.gz"), Progress(test::workers()))
                .value();
        QCOMPARE(report->collectives.size(), size_t(35)); // 25 all-reduces, 10 broadcasts; 10 waits
        QCOMPARE(report->strings.at(report->collectives.front().group), std::string_view("0"));
    }
};

LOCKSTEP_TEST(ChromeJsonTest, "chrome_json_test")
#include "chrome_json_test.moc"
