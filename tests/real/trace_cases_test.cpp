// SPDX-License-Identifier: Apache-2.0
// Tests the cases of traces (Chrome JSON, nsys, Perfetto), with the right values of their expected.json.
#include <algorithm>
#include <map>
#include <set>

#include "core/align/alignment.h"
#include "core/base/text.h"
#include "core/readers/reader.h"
#include "tests/support/case_files.h"
#include "tests/support/table_text.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"

using namespace lockstep;
using namespace lockstep::test;

class TraceCasesTest : public QObject {
    Q_OBJECT

  private slots:
    // Reads bare inf and nan, which are not valid JSON.
    void j01NonFinite()
    {
        LOCKSTEP_NEED_CASES();
        const Json expected = expectedOf("J01");
        const auto report = reportOfCase("J01/nonfinite.json");
        int64_t sum_ns = 0, withLength = 0;
        for (uint32_t i = 0; i < report->slices.size(); ++i) {
            if (report->slices.kind[i] != RowKind::kernel) continue;
            sum_ns += report->slices.duration_ns[i];
            withLength += report->slices.duration_ns[i] > 0;
        }
        QCOMPARE(withLength, expected["kernels_with_a_length"].get<int64_t>());
        QCOMPARE(sum_ns, expected["kernel_ns_total"].get<int64_t>());
        QCOMPARE(kindCount(*report, RowKind::memcpy), expected["memcpy"].get<int64_t>());
        QCOMPARE(kindCount(*report, RowKind::runtimeApi), expected["runtime_calls"].get<int64_t>());
        const auto hasLength = [&](const Link& link) { return report->slices.duration(link.effect).ns > 0; };
        QCOMPARE(std::ranges::count_if(report->links.all(), hasLength), expected["links"].get<int64_t>());
        QVERIFY(noteCountOf(*report, "value.not_finite") > 0);
    }

    // Cuts five kernels that end seconds after their successors on the same stream began.
    void j05ImpossibleDurations()
    {
        LOCKSTEP_NEED_CASES();
        const Json expected = expectedOf("J05");
        const auto damaged = reportOfCase("J05/impossible_durations.pt.trace.json.gz");
        QCOMPARE(std::ranges::count(damaged->slices.kind, RowKind::kernel),
                 expected["kernels"].get<int64_t>());
        QCOMPARE(noteCountOf(*damaged, "kernel.impossible_duration"), expected["impossible"].get<uint64_t>());
        const auto control = reportOfCase("J05/dependent_launch_is_fine.pt.trace.json.gz");
        QCOMPARE(std::ranges::count(control->slices.kind, RowKind::kernel), int64_t(1031));
        QVERIFY(control->notes.all().empty());
    }

    void j06OddNames()
    {
        LOCKSTEP_NEED_CASES();
        const Json expected = expectedOf("J06");
        const auto report = reportOfCase("J06/strings.pt.trace.json");
        QCOMPARE(report->slices.size(), expected["slices"].get<size_t>());
        QCOMPARE(kindCount(*report, RowKind::python), expected["python_functions"].get<int64_t>());
        sliceNamed(*report, expected["last"].get<std::string>());
        for (uint32_t i = 0; i < report->slices.size(); ++i)
            QVERIFY(isValidUtf8(printable(report->nameOf(SliceId(i)))));
    }

    // A number means the same instant in every notation.
    void j07ScientificNumbers()
    {
        LOCKSTEP_NEED_CASES();
        const Json expected = expectedOf("J07");
        const auto report = reportOfCase("J07/scientific.json");
        for (const auto& [name, start_ns] : expected["start_ns"].items()) {
            const SliceId slice = sliceNamed(*report, name);
            QCOMPARE(report->slices.start(slice).ns + *report->clock.utcAtZero_ns, start_ns.get<int64_t>());
            QCOMPARE(report->slices.duration(slice).ns, expected["dur_ns"][name].get<int64_t>());
        }
    }

    void j08BentFrames()
    {
        LOCKSTEP_NEED_CASES();
        for (const char* const file :
             {"leading_comma", "empty_event_last", "events_of_two_arrays", "joined_arrays", "lines",
              "no_bracket", "null_events", "two_commas", "two_documents"}) {
            const auto bent = reportOfCase(std::string("J08/") + file + ".json");
            QCOMPARE(bent->slices.size(), size_t(2));
            QCOMPARE(bent->slices.start(sliceNamed(*bent, "a")).ns, int64_t(100'000));
            QCOMPARE(bent->slices.start(sliceNamed(*bent, "b")).ns, int64_t(120'000));
        }
        QVERIFY(has(refusalOf("J08/nothing.json"), "no trace events"));
        const auto report = readReport(caseFile("J08/only_metadata.json"), Progress(test::workers())).value();
        QCOMPARE(report->identity.rank.value.value_or(-1), 3);
        QCOMPARE(noteCountOf(*report, "report.empty"), uint64_t(1));
        QVERIFY(has(refusalOf("J15/header_only.pt.trace.json"), "cut short in its header"));
    }

    // Events that touch, end a little after their parent, or have no length.
    void j10Borders()
    {
        LOCKSTEP_NEED_CASES();
        const Json expected = expectedOf("J10");
        const auto report = reportOfCase("J10/borders.json");
        QCOMPARE(report->slices.size(), expected["slices"].get<size_t>());
        for (const auto& [name, us] : expected["durations_us"].items())
            QCOMPARE(report->slices.duration(sliceNamed(*report, name)).ns, us.get<int64_t>() * 1000);
        const Table steps = tableOfFile("step_breakdown", "J10/borders.json");
        QCOMPARE(steps.rowCount(), expected["steps"].size());
        for (size_t row = 0; row < steps.rowCount(); ++row) {
            QVERIFY(has(expected["steps"][row].get<std::string>(), columnCells(steps, "step")[row]));
            QCOMPARE(cell(steps, "wall", row), expected["step_us"].get<int64_t>() * 1000);
        }
    }

    // Flow ids that several ranks use, or that are used again.
    void j11FlowIds()
    {
        LOCKSTEP_NEED_CASES();
        const Json expected = expectedOf("J11");
        const auto report = reportOfCase("J11/flows.json");
        std::set<std::pair<std::string, std::string>> links, wanted;
        for (const Link& link : report->links.all())
            links.emplace(report->nameOf(link.cause), report->nameOf(link.effect));
        for (const Json& pair : expected["links"])
            wanted.emplace(pair[0].get<std::string>(), pair[1].get<std::string>());
        QCOMPARE(report->links.size(), expected["links"].size());
        QVERIFY(links == wanted);
    }

    // Reads PyTorch counters whose process id is a text.
    void j12Counters()
    {
        LOCKSTEP_NEED_CASES();
        const Json expected = expectedOf("J12");
        const auto report = reportOfCase("J12/counters.json");
        std::map<std::string, uint32_t> samples; // of GPU 0
        double power = 0;
        for (const CounterTrack& track : report->counterTracks) {
            if (!track.device.isValid() || report->devices[track.device.value].ordinal != 0) continue;
            const std::string name(report->strings.at(track.name));
            samples[name] = track.sampleCount;
            for (uint32_t i = 0; name == "Power (W)" && i < track.sampleCount; ++i)
                power = std::max(power, report->counters.value[track.firstSample + i]);
        }
        for (const Json& name : expected["counters_of_a_gpu"])
            QCOMPARE(samples[name.get<std::string>()], expected["samples_each"].get<uint32_t>());
        QCOMPARE(power, expected["largest_power"].get<double>());
        for (const Process& process : report->processes)
            QVERIFY(!has(std::string(report->strings.at(process.name)), "Counters"));
    }

    void j13Encodings()
    {
        LOCKSTEP_NEED_CASES();
        const Json expected = expectedOf("J13");
        for (const char* const file : {"utf8_bom", "cr_only", "crlf", "leading_blank_and_comment",
                                       "utf16le_bom", "utf16be_bom", "utf16le_without_bom", "utf32le_bom"}) {
            const auto report =
                readReport(caseFile(std::string("J13/") + file + ".json"), Progress(test::workers()));
            QVERIFY2(report.has_value(), file);
            const auto& kinds = (*report)->slices.kind;
            QCOMPARE(std::ranges::count(kinds, RowKind::kernel),
                     expected["utf8_bom_cr_crlf_blank"]["kernels"]);
            QCOMPARE((*report)->identity.rank.value.value_or(-1), 2);
        }
    }

    // Jobs that were killed while they wrote.
    void j15Truncated()
    {
        LOCKSTEP_NEED_CASES();
        const Json expected = expectedOf("J15");
        const Json& whole = expected["first_three_and_zeros"];
        for (const char* const file : {"killed_after_a_backslash", "killed_in_a_long_argument",
                                       "killed_in_a_name", "preallocated_zeros"}) {
            const auto report = reportOfCase(std::string("J15/") + file + ".pt.trace.json");
            QCOMPARE(kindCount(*report, RowKind::kernel), whole["kernels"].get<int64_t>());
            QCOMPARE(report->identity.rank.value.value_or(-1), whole["rank"].get<int>());
            QCOMPARE(report->identity.worldSize.value.value_or(-1), whole["world"].get<int>());
            QVERIFY(report->notes.hasDataLoss());
        }
        const auto holes = reportOfCase("J15/holes_of_zeros.pt.trace.json");
        QVERIFY(holes->notes.hasDataLoss());
        QVERIFY(kindCount(*holes, RowKind::kernel) >= 30);
        QVERIFY(has(refusalOf("J15/empty.pt.trace.json"), "empty file"));
        QVERIFY(refusalOf("J15/one_byte.pt.trace.json") != "opened");
        QVERIFY(has(refusalOf("J15/header_only.pt.trace.json"), "cut short in its header"));
    }

    // Timestamps of 0 and absurd durations do not stretch the axis.
    void j17ExtremeStamps()
    {
        LOCKSTEP_NEED_CASES();
        const Json expected = expectedOf("J17");
        const auto report =
            readReport(caseFile("J17/extremes.pt.trace.json"), Progress(test::workers())).value();
        QCOMPARE(std::ranges::count(report->slices.kind, RowKind::kernel),
                 expected["good_kernels"].get<int64_t>());
        QVERIFY2(report->extent.length().ns <= expected["extent_ns_at_most"].get<int64_t>(),
                 std::to_string(report->extent.length().ns).c_str());
        QVERIFY(noteCountOf(*report, "rows.far_away") > 0);
    }

    // All phases of the format: events that are not drawn are counted.
    void j18AllPhases()
    {
        LOCKSTEP_NEED_CASES();
        const auto report = reportOfCase("J18/all_phases.json");
        uint64_t counted = 0;
        for (const auto& [kind, count] : report->rowCounts)
            counted += count;
        QCOMPARE(counted, expectedOf("J18")["events"].get<uint64_t>());
        QVERIFY(noteCountOf(*report, "pair.begin_without_end") > 0);
        QVERIFY(noteCountOf(*report, "pair.end_without_begin") > 0);
        QCOMPARE(noteCountOf(*report, "phase.unknown"), rowCountOf(*report, "unknown_phase"));
    }

    // `ray timeline`: processes are nodes.
    void j20RayTimeline()
    {
        LOCKSTEP_NEED_CASES();
        const Json expected = expectedOf("J20");
        const auto look = [](const std::string& file) {
            const auto report = reportOfCase(file);
            std::set<std::string> hosts;
            for (const Process& process : report->processes)
                hosts.insert(process.identity.host.value.value_or(""));
            return std::tuple(hosts, report->threads.size(), report->slices.size());
        };
        const auto [hosts, workers, slices] = look("J20/timeline-2026-07-21.json");
        QVERIFY(hosts == expected["hosts"].get<std::set<std::string>>());
        QCOMPARE(workers, expected["workers"].get<size_t>());
        QCOMPARE(slices, expected["slices"].get<size_t>());
        const Json& old = expected["old_style"];
        const auto [oldHosts, oldWorkers, oldSlices] = look("J20/old_style_pid_is_an_address.json");
        QVERIFY(oldHosts == std::set<std::string>{old["host"].get<std::string>()});
        QCOMPARE(oldWorkers, old["workers"].get<size_t>());
        QCOMPARE(oldSlices, old["slices"].get<size_t>());
    }

    // Aligns the host that has a base time, and not the one whose clock counts since boot.
    void j21BaseTimes()
    {
        LOCKSTEP_NEED_CASES();
        const auto based = reportOfCase("J21/host0/result.json");
        QCOMPARE(based->clock.utcAtZero_ns.value_or(0) + based->extent.begin.ns,
                 expectedOf("J21")["host0_first_ns"].get<int64_t>());
        QVERIFY(!reportOfCase("J21/host1/result.json")->clock.utcAtZero_ns);
        const Workspace both = openedCase("J21");
        const Alignment alignment = alignReports(both, {});
        QCOMPARE(
            std::ranges::count_if(both.keys(), [&](ReportKey key) { return alignment.map(key).isPlaced(); }),
            std::ptrdiff_t(1));
    }

    void j23Xpu()
    {
        LOCKSTEP_NEED_CASES();
        const Json expected = expectedOf("J23");
        const auto report = reportOfCase("J23/xpu_rank0.pt.trace.json");
        QCOMPARE(kindCount(*report, RowKind::kernel), expected["kernels"].get<int64_t>());
        QCOMPARE(kindCount(*report, RowKind::memcpy), expected["memcpy"].get<int64_t>());
        QCOMPARE(report->links.size(), expected["links"].get<size_t>());
        QCOMPARE(std::string(report->strings.at(report->devices.front().name)),
                 expected["device"].get<std::string>());
    }

    // Tables with a version in their names are reported with their rows.
    void n02VersionedTables()
    {
        LOCKSTEP_NEED_CASES();
        const auto kernels = expectedOf("N02")["kernels"].get<uint64_t>();
        QCOMPARE(kindCount(*reportOfCase("N02/both.sqlite"), RowKind::kernel), static_cast<int64_t>(kernels));
        for (const char* const file : {"N02/tables_V2.sqlite", "N02/tables_V3.sqlite"})
            QCOMPARE(noteCountOf(*reportOfCase(file), "table.not_shown"), kernels);
    }

    // Reports launches without kernels, so that the GPU does not look idle.
    void n03LaunchesWithoutKernels()
    {
        LOCKSTEP_NEED_CASES();
        const auto launches = expectedOf("N03")["launches"].get<uint64_t>();
        for (const char* const file :
             {"N03/kernel_table_is_empty.sqlite", "N03/launches_without_kernels.sqlite"}) {
            QCOMPARE(noteCountOf(*reportOfCase(file), "kernel.none_recorded"), launches);
            QCOMPARE(tableOfFile("gpu_time_util", file).rowCount(), size_t(0));
            QCOMPARE(tableOfFile("temporal_breakdown", file).rowCount(), size_t(0));
        }
    }

    // Keeps kernels with different missing names apart.
    void n04MissingNames()
    {
        LOCKSTEP_NEED_CASES();
        const Json expected = expectedOf("N04");
        const auto report = reportOfCase("N04/missing_strings.sqlite");
        QCOMPARE(kindCount(*report, RowKind::kernel), expected["kernels"].get<int64_t>());
        QCOMPARE(rowCountOf(*report, "nvtx_pushpop"), expected["nvtx"].get<uint64_t>());
        const Table kernels = tableOfFile("cuda_gpu_kern_sum", "N04/missing_strings.sqlite");
        QCOMPARE(kernels.rowCount(), expected["names_of_kernels"].size());
        QVERIFY(noteCountOf(*report, "name.missing") > 0);
    }

    // One rank at graph level, one at node level: both are busy.
    void n06GraphLevels()
    {
        LOCKSTEP_NEED_CASES();
        const Json expected = expectedOf("N06");
        const auto graphs = reportOfCase("N06/rank0_graph.sqlite"),
                   nodes = reportOfCase("N06/rank1_node.sqlite");
        QCOMPARE(kindCount(*graphs, RowKind::graphLaunch), expected["rank0"]["graph_replays"].get<int64_t>());
        QCOMPARE(kindCount(*nodes, RowKind::kernel), expected["rank1"]["kernels"].get<int64_t>());
        QCOMPARE(cell(tableOfFile("temporal_breakdown", "N06/rank0_graph.sqlite"), "compute_time"),
                 expected["rank0"]["busy_ns"].get<int64_t>());
        QCOMPARE(cell(tableOfFile("temporal_breakdown", "N06/rank1_node.sqlite"), "compute_time"),
                 expected["rank1"]["busy_ns"].get<int64_t>());
        std::set<SliceId> causes;
        for (const Link& link : nodes->links.all())
            causes.insert(link.cause);
        QCOMPARE(causes.size(), expected["rank1"]["graph_launches"].get<size_t>());
        QCOMPARE(noteCountOf(*graphs, "graph.kernels_unseen"),
                 expected["rank0"]["graph_replays"].get<uint64_t>());
    }

    // Keeps calls whose payloads do not fit their schema, and separates the lanes of green contexts.
    void n07PayloadsAndGreenContexts()
    {
        LOCKSTEP_NEED_CASES();
        const Json expected = expectedOf("N07");
        const auto report = reportOfCase("N07/payloads_and_green_contexts.sqlite");
        std::map<std::pair<int64_t, int64_t>, int64_t> kernels; // by context and stream
        for (const Track& track : report->tracks) {
            if (track.key.kind == TrackKind::gpuStream)
                kernels[{track.key.context, track.key.lane}] += track.sliceCount;
        }
        QCOMPARE(kernels.size(), size_t(3));
        QCOMPARE(std::ranges::count(kernels, expected["green_kernels"]["1"].get<int64_t>(),
                                    &std::pair<const std::pair<int64_t, int64_t>, int64_t>::second),
                 std::ptrdiff_t(2));
        QCOMPARE(
            std::ranges::count_if(report->slices.kind, [](RowKind kind) { return kind == RowKind::kernel; }),
            expected["nccl_kernels"].get<int64_t>() + 20);
        QCOMPARE(
            cell(tableOfFile("temporal_breakdown", "N07/payloads_and_green_contexts.sqlite"), "compute_time"),
            expected["green_busy_ns"]["gpu (union)"].get<int64_t>());
        QVERIFY(noteCountOf(*report, "nvtx.payload_unread") > 0);
        std::set<uint64_t> sizes;
        for (const CollectiveOp& op : report->collectives)
            sizes.insert(op.message_bytes);
        for (const Json& size : expected["sizes"])
            QVERIFY2(sizes.contains(size.get<uint64_t>()), size.dump().c_str());
    }

    // GPU work of PyTorch in Perfetto's format: as slices of a track, and as render-stage events with
    // counters.
    void p01AndP02GpuWork_data()
    {
        QTest::addColumn<QString>("file");
        for (const char* const file : {"P01/rank0.pftrace", "P01/rank1.pftrace", "P02/rank0.pftrace",
                                       "P02/rank0_plain.pftrace", "P02/rank1.pftrace.gz"})
            QTest::newRow(file) << file;
    }

    void p01AndP02GpuWork()
    {
        LOCKSTEP_NEED_CASES();
        QFETCH(QString, file);
        const Json expected = expectedOf(file.first(3).toStdString())["of_each"];
        const auto report = readReport(caseFile(file.toStdString()), Progress(test::workers())).value();
        const auto count = [&](RowKind kind) { return std::ranges::count(report->slices.kind, kind); };
        QCOMPARE(count(RowKind::kernel), expected["kernels"].get<int64_t>());
        QCOMPARE(count(RowKind::runtimeApi), expected["runtime_calls"].get<int64_t>());
        QCOMPARE(count(RowKind::op) + count(RowKind::userAnnotation),
                 expected["operators_and_steps"].get<int64_t>());
        QCOMPARE(report->links.all().size(), expected["links"].get<size_t>());
        int64_t gemm_ns = 0;
        for (size_t i = 0; i < report->slices.size(); ++i) {
            if (report->nameOf(SliceId(i)).starts_with("gemm")) gemm_ns += report->slices.duration_ns[i];
        }
        QCOMPARE(gemm_ns, expected["gemm_ns"].get<int64_t>());
        QCOMPARE(report->clock.utcAtZero_ns.value_or(-1), int64_t(0));
        if (!expected.contains("memcpy_bytes")) return;
        QCOMPARE(count(RowKind::memcpy), expected["memcpy"].get<int64_t>());
        QCOMPARE(report->memoryOps[0].size_bytes, expected["memcpy_bytes"].get<uint64_t>());
        for (const auto& [name, samples] : expected["counters"].items()) {
            const auto track = std::ranges::find_if(report->counterTracks, [&](const CounterTrack& counter) {
                return report->strings.at(counter.name) == name;
            });
            QVERIFY2(track != report->counterTracks.end(), name.c_str());
            QCOMPARE(track->sampleCount, samples.get<uint32_t>());
            QVERIFY(track->device.isValid());
        }
    }

    // Two traces joined, one that is truncated, one without events.
    void p03JoinedAndCut()
    {
        LOCKSTEP_NEED_CASES();
        const Json expected = expectedOf("P03");
        const auto joined = reportOfCase("P03/two_joined.pftrace");
        QCOMPARE(kindCount(*joined, RowKind::kernel), expected["two_joined"]["kernels"].get<int64_t>());
        QCOMPARE(joined->devices.size(), size_t(2));
        const auto cut = reportOfCase("P03/cut.pftrace");
        QCOMPARE(noteCountOf(*cut, "file.truncated"), uint64_t(1));
        QVERIFY(noteCountOf(*cut, "perfetto.open_end") > 0);
        QCOMPARE(noteCountOf(*reportOfCase("P03/only_tracks.pftrace"), "report.empty"), uint64_t(1));
        QVERIFY(has(refusalOf("P03/empty.pftrace"), "empty file"));
    }
};

LOCKSTEP_TEST(TraceCasesTest, "trace_cases_test")
#include "trace_cases_test.moc"
