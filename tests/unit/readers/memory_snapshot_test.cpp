// SPDX-License-Identifier: Apache-2.0
// Tests allocator snapshots and memory timelines: columns, levels, instants, annotations, odd rows.
#include "core/readers/memory_snapshot/memory_snapshot_reader.h"

#include "tests/support/cpu_timer.h"
#include "tests/support/gzip_text.h"
#include "tests/support/pickle_writer.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"

using namespace lockstep;
using lockstep::test::PickleWriter;

namespace {

Result<std::shared_ptr<const Report>> readBytes(std::string_view bytes, const char* name = "snapshot.pickle")
{
    Provenance provenance;
    provenance.path = name;
    return readMemorySnapshot(bytes, provenance, Progress());
}

uint64_t countOf(const Report& report, std::string_view word)
{
    for (const auto& [name, count] : report.rowCounts) {
        if (name == word) return count;
    }
    return 0;
}

bool hasNote(const Report& report, std::string_view kind)
{
    return std::ranges::any_of(report.notes.all(), [&](const ImportNote& note) { return note.kind == kind; });
}

std::vector<double> samplesOf(const Report& report, std::string_view name, int device)
{
    for (const CounterTrack& track : report.counterTracks) {
        if (report.strings.at(track.name) != name) continue;
        if (track.device.isValid() && report.devices[track.device.value].ordinal != device) continue;
        const auto begin = report.counters.value.begin() + track.firstSample;
        return {begin, begin + track.sampleCount};
    }
    return {};
}

// One segment of 3000 bytes at the dump with 600 requested; the history allocates 500, frees 100, then fails
// once.
const char* const kSnapshotJson = R"({
 "segments": [{"device": 0, "address": 4096, "total_size": 3000, "allocated_size": 1024, "active_size": 1536,
   "requested_size": 1100, "stream": 0, "segment_type": "small", "segment_pool_id": [0, 3], "is_expandable": true,
   "blocks": [
     {"address": 4096, "size": 1024, "requested_size": 600, "state": "active_allocated",
      "frames": [{"name": "f", "filename": "a.py", "line": 3}, {"name": "g", "filename": "b.py", "line": 4}]},
     {"size": 512, "requested_size": 500, "state": "active_awaiting_free"},
     {"size": 1464, "state": "inactive", "future_key": 1}]}],
 "device_traces": [[
   {"action": "segment_alloc", "addr": 4096, "size": 3000, "stream": 0, "time_us": 1754643471000000,
    "compile_context": "N/A", "user_metadata": "", "future": 1},
   {"action": "alloc", "addr": 4096, "size": 500, "stream": 0, "time_us": 1754643471000010,
    "frames": [{"name": "f", "filename": "a.py", "line": 3}, {"name": "g", "filename": "b.py", "line": 4}]},
   {"action": "free_requested", "addr": 9000, "size": 100, "stream": 7, "time_us": 1754643471000020,
    "user_metadata": "step 3", "compile_context": "0/0"},
   {"action": "free_completed", "addr": 9000, "size": 100, "stream": 7, "time_us": 1754643471000021},
   {"action": "oom", "device_free": 77, "size": 4294967296, "stream": 0, "time_us": 1754643471000030},
   {"action": "warp", "addr": 1, "size": 1, "stream": 0, "time_us": 1754643471000031},
   {"addr": 1, "size": 1}, 5], []],
 "allocator_settings": {"expandable_segments": true, "roundup": {"1": 0, "2": 4}, "conf": "x"},
 "external_annotations": [
   {"name": "outer", "stage": "START", "device": 0, "time_us": 1754643471000001},
   {"name": "inner", "stage": "START", "device": 0, "time_us": 1754643471000002},
   {"name": "inner", "stage": "END", "device": 0, "time_us": 1754643471000005},
   {"name": "never", "stage": "END", "device": 0, "time_us": 1754643471000006}],
 "later_part": []})";

} // namespace

class MemorySnapshotTest : public QObject {
    Q_OBJECT

  private slots:
    void jsonFillsColumns()
    {
        const auto report = readBytes(kSnapshotJson, "torch_memory_rank8_pid81231.json").value();
        const MemorySnapshot& memory = *report->memory;
        QCOMPARE(memory.segments.total_bytes, (std::vector<uint64_t>{3000}));
        QCOMPARE(memory.segments.pool[0], (std::array<uint64_t, 2>{0, 3}));
        QCOMPARE(int(memory.segments.isExpandable[0]), 1);
        QCOMPARE(memory.blocks.address, (std::vector<uint64_t>{4096, 5120, 5632})); // summed up where absent
        QCOMPARE(memory.blocks.requested_bytes, (std::vector<uint64_t>{600, 500, 0}));
        QVERIFY(memory.blocks.state[1] == BlockState::pendingFree);
        QCOMPARE(memory.entries.size(), size_t(6));
        QCOMPARE(memory.entries.address[4], uint64_t(77));
        QCOMPARE(memory.entries.time_ns[1], int64_t(1754643471000010'000));
        QCOMPARE(memory.frames.size(), size_t(2)); // equal in block and entry
        QVERIFY(memory.entries.stack[1] == memory.blocks.stack[0]);
        QCOMPARE(memory.stack(memory.blocks.stack[0]).size(), size_t(2));
        QCOMPARE(report->strings.at(memory.entries.userMetadata[2]), std::string_view("step 3"));
        QCOMPARE(memory.entries.userMetadata.size(), memory.entries.size());
        QVERIFY(memory.entries.compileContext[0] == StringId(0u)); // "N/A"
        QCOMPARE(report->strings.at(memory.entries.compileContext[2]), std::string_view("0/0"));
        QVERIFY(hasNote(*report, "memory.unknown_entry_key"));
        QVERIFY(memory.entries.pool.empty());
        QCOMPARE(report->processes[0].pid, int64_t(81231));
        QCOMPARE(*report->clock.utcAtZero_ns, int64_t(0));
    }

    void levelsCountBackFromTheDump()
    {
        const auto report = readBytes(kSnapshotJson).value();
        // 600 requested at the dump, net change +400: 200 before; the OOM and the completed free change
        // nothing.
        QCOMPARE(samplesOf(*report, "memory requested", 0), (std::vector<double>{200, 700, 600}));
        QCOMPARE(samplesOf(*report, "memory reserved", 0), (std::vector<double>{0, 3000}));
        QVERIFY(!hasNote(*report, "memory.level_below_zero"));
    }

    void allocatedBytesEqualLiveBlocks()
    {
        const auto factOf = [](const Report& report, const std::string& name) {
            const auto fact = std::ranges::find(report.facts, name, &Fact::first);
            return fact == report.facts.end() ? std::string() : fact->second;
        };
        const auto report = readBytes(kSnapshotJson).value();
        QCOMPARE(factOf(*report, "device 0 memory requested at the dump"), std::string("600 B"));
        QCOMPARE(factOf(*report, "device 0 memory allocated at the dump"), std::string("1024 B"));
        QCOMPARE(factOf(*report, "device 0 memory reserved at the dump"), std::string("3000 B"));
        // If the segment lacks the value, it is computed from its blocks.
        std::string silent = kSnapshotJson;
        silent.replace(silent.find("\"allocated_size\": 1024, "), 24, "");
        const auto older = readBytes(silent).value();
        QCOMPARE(factOf(*older, "device 0 memory allocated at the dump"), std::string("1024 B"));
    }

    void instantsAndAnnotations()
    {
        const auto report = readBytes(kSnapshotJson).value();
        QCOMPARE(report->slices.size(), size_t(3));
        QCOMPARE(report->nameOf(SliceId(0u)), std::string_view("out of memory: 4.00 GiB requested"));
        QVERIFY(report->slices.isInstant(SliceId(0u)));
        QCOMPARE(report->nameOf(SliceId(1u)), std::string_view("outer"));
        QCOMPARE(int(report->slices.flags[1]), int(sliceFlag::kOpenEnd));
        QCOMPARE(report->nameOf(SliceId(2u)), std::string_view("inner"));
        QCOMPARE(report->slices.duration_ns[2], int64_t(3000));
        QCOMPARE(int(report->slices.depth[2]), 1);
        const auto details = readSliceDetails(*report, SliceId(0u)).value();
        QCOMPARE(details.arguments[1], (std::pair<std::string, std::string>{"device_free", "77"}));
    }

    void nothingIsLostSilently()
    {
        const auto report = readBytes(kSnapshotJson).value();
        QVERIFY(hasNote(*report, "memory.unknown_key"));
        QVERIFY(hasNote(*report, "memory.unknown_action"));
        const auto bad = std::ranges::find(report->notes.all(), "memory.bad_row", &ImportNote::kind);
        QCOMPARE(bad->count, uint64_t(3)); // the entry without action, the number, the end without start
        QCOMPARE(countOf(*report, "alloc"), uint64_t(1));
        QCOMPARE(countOf(*report, "other"), uint64_t(1));
        QVERIFY(std::ranges::count(report->facts, Fact{"allocator.roundup.2", "4"}) == 1);
        QVERIFY(std::ranges::count(report->facts, Fact{"allocator.expandable_segments", "true"}) == 1);
    }

    void withoutTimeThereIsNoTimeAxis()
    {
        const auto report =
            readBytes(R"({"segments": [], "device_traces": [[], [{"action": "alloc", "addr": 1,
            "size": 2, "stream": 0}]]})")
                .value();
        QVERIFY(report->memory->entries.time_ns.empty());
        QCOMPARE(report->memory->devices, (std::vector<int32_t>{1}));
        QVERIFY(report->counterTracks.empty());
        QVERIFY(!report->clock.utcAtZero_ns);
        QVERIFY(hasNote(*report, "memory.no_time"));
    }

    void legacyListOfSegments()
    {
        const auto report = readBytes(std::string("\x80\x02](}", 5) +
                                      PickleWriter(2)
                                          .entry("address", 100)
                                          .entry("total_size", 30)
                                          .text("blocks")
                                          .op("](}")
                                          .entry("size", 10)
                                          .entry("state", "active_allocated")
                                          .op("}")
                                          .entry("size", 20)
                                          .entry("state", "inactive")
                                          .op("es")
                                          .bytes()
                                          .substr(2) +
                                      "e.")
                                .value();
        QCOMPARE(report->memory->blocks.address, (std::vector<uint64_t>{100, 110}));
        QCOMPARE(report->memory->segments.blockCount[0], uint32_t(2));
    }

    void sharedRowsDoNotMultiply()
    {
        // 300 references to one segment with 300 references to one block.
        std::string bytes("\x80\x04}(", 4);
        bytes +=
            PickleWriter().text("segments").op("](").op("}").text("blocks").op("](}\x94").bytes().substr(2);
        for (int i = 0; i < 300; ++i)
            bytes += std::string("h\0", 2);
        bytes += "es\x94";
        for (int i = 0; i < 300; ++i)
            bytes += "h\x01";
        const auto report = readBytes(bytes + "eu.").value();
        QCOMPARE(report->memory->segments.size(), size_t(1));
        QCOMPARE(report->memory->blocks.size(), size_t(1));
        QCOMPARE(std::ranges::find(report->notes.all(), "memory.row_again", &ImportNote::kind)->count,
                 uint64_t(600));
    }

    void otherPicklesAreRefused()
    {
        const auto report = readBytes(std::string("\x80\x04}X\1\0\0\0aNs.", 12));
        QVERIFY(!report);
        QVERIFY(report.error().kind == ErrorKind::unsupported);
        const test::CpuTimer timer;
        const lockstep::test::TempDir folder;
        const auto path =
            folder.write("evil.pickle", std::string("\x80\x04") + "cos\nsystem\n(X\2\0\0\0idtR.");
        const auto evil = readReport(path, Progress(test::workers()));
        QVERIFY(!evil);
        QVERIFY(evil.error().message.find("os.system") != std::string::npos);
        QVERIFY(timer.elapsed_ms() < 100);
    }

    void rawTimeline()
    {
        const auto report = readBytes("[[-1, 1, 100, 0], [-1, 1, 50, 7], [2000, 2, 10, 4], [2000, 2, 5, 4],"
                                      " [3000, 4, -100, 0], [4000, 9], [5000, 3, 1, 99]]",
                                      "x.raw.json")
                                .value();
        QCOMPARE(samplesOf(*report, "Parameter", 0), (std::vector<double>{100, 100, 0}));
        QCOMPARE(samplesOf(*report, "Activation", 0), (std::vector<double>{0, 15, 15}));
        QCOMPARE(report->counters.time_ns[0], int64_t(2000)); // -1 has the smallest timestamp
        QCOMPARE(countOf(*report, "preexisting"), uint64_t(2));
        QCOMPARE(countOf(*report, "destroy"), uint64_t(1));
        QCOMPARE(std::ranges::find(report->notes.all(), "memory.bad_row", &ImportNote::kind)->count,
                 uint64_t(2));
    }

    void plainTimeline()
    {
        const auto report =
            readBytes("[[1.5, 2], [[0, 1, 2, 3, 4, 5, 6, 7, 8], [0, 8, 7, 6, 5, 4, 3, 2, 1]]]").value();
        QCOMPARE(samplesOf(*report, "Parameter", 0), (std::vector<double>{1, 8}));
        QCOMPARE(samplesOf(*report, "Unknown", 0), (std::vector<double>{8, 1}));
        QCOMPARE(report->extent.begin.ns, int64_t(1500));
        QVERIFY(!readBytes("[[1, 2], [3, 4], [5, 6]]"));
    }

    void plainTimelineCountsWhatIsMissing()
    {
        const auto report =
            readBytes("[[1.5, \"x\", 3, 4], [[0, 1, 2, 3, 4, 5, 6, 7, 8], [0, 8, 7, 6, 5, 4, 3, "
                      "2, 1], [0, 1, 2, 3], [0, 1, 2, 3, null, 5, 6, 7, 8]]]")
                .value();
        QCOMPARE(samplesOf(*report, "Parameter", 0), (std::vector<double>{1, 1, 1}));
        QCOMPARE(std::ranges::find(report->notes.all(), "memory.bad_row", &ImportNote::kind)->count,
                 uint64_t(3));
    }

    // The JSON text is complete, but the stream around it is not.
    void cutStreamIsNoted()
    {
        const lockstep::test::TempDir folder;
        const std::string packed = lockstep::test::gzipped("[[1.5], [[0, 1, 2, 3, 4, 5, 6, 7, 8]]]");
        const auto path = folder.write("x.json.gz", packed.substr(0, packed.size() - 4));
        QVERIFY(hasNote(**readReport(path, Progress()), "file.truncated"));
    }

    // For any truncation: an error or the complete entries, and never more than in the whole file.
    void jsonCutShort()
    {
        const std::string_view text = kSnapshotJson;
        const auto whole = readBytes(text, "snapshot.json");
        QVERIFY(whole.has_value());
        uint64_t entries = 0, readable = 0;
        for (size_t size = 1; size + 1 < text.size(); ++size) {
            const auto report = readBytes(text.substr(0, size), "snapshot.json");
            if (!report) continue;
            ++readable;
            QVERIFY2(hasNote(**report, "file.truncated"), std::to_string(size).c_str());
            QVERIFY((*report)->memory->entries.size() >= entries);
            entries = (*report)->memory->entries.size();
        }
        QVERIFY(readable > text.size() * 9 / 10);
        QCOMPARE(entries, uint64_t((*whole)->memory->entries.size()));
        const size_t second = text.find("\"free_requested\"");
        const auto cut = readBytes(text.substr(0, second), "snapshot.json");
        QVERIFY(cut.has_value());
        QCOMPARE((*cut)->memory->entries.size(), size_t(2));
        QCOMPARE((*cut)->memory->entries.size_bytes[1], uint64_t(500));
    }

    void gzippedJsonCutShort()
    {
        const lockstep::test::TempDir folder;
        std::string json = R"({"device_traces": [[)";
        for (int i = 0; i < 5000; ++i)
            json += R"({"action": "alloc", "addr": )" + std::to_string(i * 7919) +
                    R"(, "size": 512, "stream": 0, "time_us": )" + std::to_string(1754643471000000 + i * 31) +
                    "},";
        json.back() = ']';
        json += "]}";
        const std::string packed = lockstep::test::gzipped(json);
        const auto path = folder.write("snapshot.json.gz", packed.substr(0, packed.size() / 2));
        const auto report = readReport(path, Progress(test::workers()));
        QVERIFY2(report.has_value(), report ? "" : report.error().message.c_str());
        QVERIFY(hasNote(**report, "file.truncated"));
        const size_t entries = (*report)->memory->entries.size();
        QVERIFY2(entries > 1500 && entries < 4000, std::to_string(entries).c_str());
    }

    void brokenJsonIsNotATruncation()
    {
        QVERIFY(!readBytes(R"({"segments": [}, )", "snapshot.json").has_value());
        QVERIFY(!readBytes(R"({"segments": [nonsense, {"address": 1}])", "snapshot.json").has_value());
    }
};

LOCKSTEP_TEST(MemorySnapshotTest, "memory_snapshot_test")
#include "memory_snapshot_test.moc"
