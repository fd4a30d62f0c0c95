// SPDX-License-Identifier: Apache-2.0
// Tests the cases of memory snapshots, with the right values of their expected.json.
#include <algorithm>
#include <map>
#include <set>

#include "tests/support/case_files.h"
#include "tests/support/table_text.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using namespace lockstep::test;

class MemoryCasesTest : public QObject {
    Q_OBJECT

  private slots:
    // Reads all pickle protocols with the allocated sizes.
    void m01SnapshotsOfAllProtocols()
    {
        LOCKSTEP_NEED_CASES();
        const Json expected = expectedOf("M01")["of_each_but_the_cut"];
        for (const char* const file :
             {"from_cpp.pickle", "packed.pickle.gz", "protocol0.pickle", "protocol1.pickle",
              "protocol2.pickle", "protocol3.pickle", "protocol4.pickle", "protocol5.pickle"}) {
            const Table table = tableOfFile("memory_summary", std::string("M01/") + file);
            QCOMPARE(cell(table, "entries"), expected["entries"].get<int64_t>());
            QCOMPARE(cell(table, "peak_active"), expected["peak_active"].get<int64_t>());
            QCOMPARE(cell(table, "end_active"), expected["active_at_end"].get<int64_t>());
            QCOMPARE(cell(table, "end_reserved"), expected["reserved"].get<int64_t>());
        }
    }

    void m01CutSnapshot()
    {
        LOCKSTEP_NEED_CASES();
        QCOMPARE(noteCountOf(*reportOfCase("M01/cut.pickle"), "file.truncated"), uint64_t(1));
    }

    // Reserved memory of a private pool is still taken from the GPU, even if all its blocks are free.
    void m02PrivatePools()
    {
        LOCKSTEP_NEED_CASES();
        const Json expected = expectedOf("M02");
        const Table table = tableOfFile("memory_summary", "M02/pools.pickle");
        QCOMPARE(cell(table, "entries"), expected["entries"].get<int64_t>());
        QCOMPARE(cell(table, "peak_active"), expected["peak_active"].get<int64_t>());
        const auto report = reportOfCase("M02/pools.pickle");
        const MemorySegmentTable& segments = report->memory->segments;
        std::map<std::string, uint64_t> reserved, active;
        for (size_t i = 0; i < segments.size(); ++i) {
            const auto [first, second] = segments.pool[i];
            const std::string pool = "(" + std::to_string(first) + ", " + std::to_string(second) + ")";
            reserved[pool] += segments.total_bytes[i];
            active[pool] += segments.active_bytes[i];
        }
        for (const auto& [pool, size] : expected["reserved_by_pool"].items())
            QCOMPARE(reserved[pool], size.get<uint64_t>());
        for (const auto& [pool, size] : expected["active_at_end_by_pool"].items())
            QCOMPARE(active[pool], size.get<uint64_t>());
    }

    // New actions and metadata change no bytes.
    void m04Annotations()
    {
        LOCKSTEP_NEED_CASES();
        const Json expected = expectedOf("M04");
        const Table table = tableOfFile("memory_summary", "M04/metadata.pickle");
        QCOMPARE(cell(table, "end_active"), expected["active_at_end"].get<int64_t>());
        QCOMPARE(cell(table, "peak_active"), expected["peak_active"].get<int64_t>());
        QCOMPARE(cell(table, "out_of_memory"), expected["oom"].get<int64_t>());
        QVERIFY(has(columnCells(table, "out_of_memory_cause").front(), "40.0 GiB requested"));
        QVERIFY(has(columnCells(table, "out_of_memory_cause").front(), "118 MiB free on the device"));
        const auto report = reportOfCase("M04/metadata.pickle");
        const auto& actions = report->memory->entries.action;
        const auto count = [&](MemoryAction action) { return std::ranges::count(actions, action); };
        QCOMPARE(count(MemoryAction::alloc), expected["allocs"].get<int64_t>());
        QCOMPARE(count(MemoryAction::annotate), expected["annotate"].get<int64_t>());
        QCOMPARE(count(MemoryAction::other), expected["unknown_actions"].get<int64_t>());
        const auto failed = std::ranges::find(actions, MemoryAction::outOfMemory) - actions.begin();
        QCOMPARE(report->memory->entries.size_bytes[static_cast<size_t>(failed)],
                 expected["oom_asked"].get<uint64_t>());
        QCOMPARE(report->memory->entries.address[static_cast<size_t>(failed)],
                 expected["oom_free"].get<uint64_t>());
        uint64_t unknown = 0;
        for (const ImportNote& note : report->notes.all())
            unknown += has(note.text, "action") ? note.count : 0;
        QVERIFY(unknown >= expected["unknown_actions"].get<uint64_t>());
    }

    // A state without a history.
    void m06StateAlone_data()
    {
        QTest::addColumn<QString>("file");
        for (const char* const file :
             {"bare_list_of_segments", "empty_traces", "no_traces", "state_only_ring_of_one"})
            QTest::newRow(file) << QString("M06/%1.pickle").arg(file);
    }

    void m06StateAlone()
    {
        LOCKSTEP_NEED_CASES();
        QFETCH(QString, file);
        const Json expected = expectedOf("M06");
        const auto report = reportOfCase(file.toStdString());
        QCOMPARE(report->memory->segments.size(), expected["segments"].get<size_t>());
        QCOMPARE(report->memory->blocks.size(), expected["blocks"].get<size_t>());
        const Table table = tableOfFile("memory_summary", file.toStdString());
        QCOMPARE(cell(table, "end_active"), expected["active"].get<int64_t>());
        QCOMPARE(cell(table, "end_reserved"), expected["reserved"].get<int64_t>());
    }

    // Frames that are missing, None, empty or huge.
    void m07Frames()
    {
        LOCKSTEP_NEED_CASES();
        const Json expected = expectedOf("M07");
        const Table table = tableOfFile("memory_summary", "M07/frames.pickle");
        QCOMPARE(cell(table, "entries"), expected["entries"].get<int64_t>());
        QCOMPARE(cell(table, "peak_active"), expected["peak_active"].get<int64_t>());
        QCOMPARE(cell(table, "end_active"), expected["active_at_end"].get<int64_t>());
        const auto report = reportOfCase("M07/frames.pickle");
        const bool namesNode = std::ranges::any_of(report->memory->frames, [&](const MemoryFrame& frame) {
            return !report->strings.at(frame.graphNode).empty();
        });
        QVERIFY(namesNode);
    }

    // Derives block addresses, which files of 2022 do not contain.
    void m09BlocksWithoutAddress()
    {
        LOCKSTEP_NEED_CASES();
        const Json expected = expectedOf("M09");
        const auto report = reportOfCase("M09/oom_snapshot.pickle");
        QCOMPARE(report->memory->segments.size(), expected["segments"].get<size_t>());
        const auto& blocks = report->memory->blocks;
        QCOMPARE(std::ranges::count(blocks.state, BlockState::allocated), expected["active_blocks"]);
        const std::set<uint64_t> addresses(blocks.address.begin(), blocks.address.end());
        QCOMPARE(addresses.size(), blocks.size());
        const Table table = tableOfFile("memory_summary", "M09/oom_snapshot.pickle");
        QCOMPARE(cell(table, "end_allocated"), expected["allocated"].get<int64_t>());
        QCOMPARE(cell(table, "end_reserved"), expected["reserved"].get<int64_t>());
    }

    void m10HighAddresses()
    {
        LOCKSTEP_NEED_CASES();
        const Json expected = expectedOf("M10");
        const auto high = reportOfCase("M10/high_addresses.pickle");
        QVERIFY(std::ranges::any_of(high->memory->segments.address,
                                    [](uint64_t address) { return address >= 0xffff800000000000; }));
        const Table odd = tableOfFile("memory_summary", "M10/odd_streams.pickle");
        const Table same = tableOfFile("memory_summary", "M10/high_addresses.pickle");
        QCOMPARE(cell(same, "peak_active"), cell(odd, "peak_active"));
        QCOMPARE(cell(same, "entries"), cell(odd, "entries"));
        const Table xpu = tableOfFile("memory_summary", "M10/xpu_like.pickle");
        QCOMPARE(cell(xpu, "peak_active"), expected["xpu_like"]["peak_active"].get<int64_t>());
        QCOMPARE(cell(xpu, "end_active"), expected["xpu_like"]["active_at_end"].get<int64_t>());
    }

    void m13CompletedFreesOnly()
    {
        LOCKSTEP_NEED_CASES();
        const Json expected = expectedOf("M13");
        const Table table = tableOfFile("memory_summary", "M13/output.pickle");
        QCOMPARE(cell(table, "entries"), expected["events"].get<int64_t>());
        QCOMPARE(cell(table, "peak_active"), expected["peak_from_trace_and_end_state"].get<int64_t>());
        QCOMPARE(cell(table, "end_active"), expected["bytes_allocated_at_end"].get<int64_t>());
        QCOMPARE(cell(table, "blocks_before"), expected["blocks_allocated_at_end"].get<int64_t>());
        QVERIFY(columnCells(table, "peak_unused").front().empty());
    }
};

LOCKSTEP_TEST(MemoryCasesTest, "memory_cases_test")
#include "memory_cases_test.moc"
