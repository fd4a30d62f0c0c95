// SPDX-License-Identifier: Apache-2.0
// Tests long histories: entries are consumed while the pickle is read, and the result contains exactly what
// the file contains; truncation and cancellation at any position.

#include "core/lanes/report_memory.h"
#include "core/readers/memory_snapshot/memory_snapshot_reader.h"
#include "core/readers/pickle/pickle.h"
#include "tests/support/cpu_timer.h"
#include "tests/support/history_pickle.h"
#include "tests/support/pickle_writer.h"
#include "tests/support/slowness.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"
#include "tests/support/training_history.h"

using namespace lockstep;
using lockstep::test::PickleWriter;

namespace {

Result<std::shared_ptr<const Report>> readPickled(std::string_view bytes,
                                                  const Progress& progress = Progress())
{
    Provenance provenance;
    provenance.path = "snapshot.pickle";
    auto report = readMemorySnapshot(bytes, provenance, progress);
    if (!report) return tl::make_unexpected(report.error());
    return std::shared_ptr<const Report>(std::move(*report));
}

const ImportNote* noteOf(const Report& report, std::string_view kind)
{
    const auto found = std::ranges::find(report.notes.all(), kind, &ImportNote::kind);
    return found == report.notes.all().end() ? nullptr : &*found;
}

// {"action": "alloc", "addr": address, "size": 512, "time_us": address}, memoized.
PickleWriter& entry(PickleWriter& writer, uint64_t address)
{
    return writer.op("}\x94(")
        .text("action")
        .text("alloc")
        .text("addr")
        .number(address)
        .text("size")
        .number(512)
        .text("time_us")
        .number(address)
        .op("u");
}

// Cancels at the `last`-th progress report.
struct StopAfter {
    explicit StopAfter(int last) : left(last) {}
    Progress progress()
    {
        return Progress(stop.get_token(), [this](uint64_t done, uint64_t total) {
            isInOrder &= done >= reached && done <= total;
            reached = done;
            if (--left == 0) {
                sinceAsked = test::CpuTimer();
                stop.request_stop();
            }
        });
    }

    std::stop_source stop;
    test::CpuTimer sinceAsked;
    int left;
    uint64_t reached = 0;
    bool isInOrder = true;
};

} // namespace

class HistoryPickleTest : public QObject {
    Q_OBJECT

    lockstep::test::TempDir m_folder;
    std::shared_ptr<const MemorySnapshot> m_written = lockstep::test::trainingHistory(60'000);
    std::string m_bytes;

  private slots:
    void initTestCase()
    {
        const std::string path = (m_folder.path() / "history.pickle").string();
        QVERIFY(lockstep::test::HistoryPickle(path).write(*m_written));
        m_bytes = lockstep::test::contentOf(path);
    }

    void containsWhatWasWritten()
    {
        const auto report = readPickled(m_bytes).value();
        const MemoryEntryTable &read = report->memory->entries, &written = m_written->entries;
        QVERIFY(report->notes.all().empty());
        QCOMPARE(read.size(), written.size());
        QVERIFY(read.device == written.device);
        QVERIFY(read.action == written.action);
        QVERIFY(read.address == written.address);
        QVERIFY(read.size_bytes == written.size_bytes);
        QVERIFY(read.stream == written.stream);
        for (size_t row = 1; row < read.size(); ++row)
            QCOMPARE(read.time_ns[row] - read.time_ns[row - 1], int64_t(2000));
        for (size_t row = 0; row < read.size(); ++row) {
            const auto ours = report->memory->stack(read.stack[row]);
            const auto theirs = m_written->stack(written.stack[row]);
            QVERIFY(std::ranges::equal(
                ours, theirs, {}, [&](MemoryFrameId id) { return report->memory->frames[id.value].line; },
                [&](MemoryFrameId id) { return static_cast<int32_t>(id.value); }));
        }
        QCOMPARE(report->memory->segments.size(), size_t(20'000));
        QCOMPARE(report->memory->blocks.size(), size_t(20'000));
    }

    // The tree contains the memoized values, not the entries: a dictionary of nine keys was 200 bytes.
    void onlyMemoizedValuesRemainOfEntries()
    {
        struct Taker : PickleRows {
            bool takes(std::string_view key) override { return key == "device_traces"; }
            void take(ValueId, std::span<const ValueId>, size_t, ValueId) override { ++taken; }
            size_t taken = 0;
        };
        Pickle kept = readPickle(m_bytes, PickleLimits(), Progress()).value(), pickle;
        Taker taker;
        QVERIFY(readPickleRows(m_bytes, PickleLimits(), Progress(), pickle, taker));
        QCOMPARE(taker.taken, m_written->entries.size());
        const size_t without = kept.values.nodeCount() - pickle.values.nodeCount();
        constexpr size_t kBatch = 1000; // that stay on the stack until their list appends them
        QVERIFY2(without >= 4 * (taker.taken - kBatch), std::to_string(without).c_str());
    }

    void everyTruncationGivesAPrefix()
    {
        const auto whole = readPickled(m_bytes).value();
        size_t most = 0;
        for (size_t part = 1; part < 20; ++part) {
            const size_t end = m_bytes.size() * part / 20 + part % 7;
            const auto report = readPickled(std::string_view(m_bytes).substr(0, end));
            if (!report) { // so early that no key is complete
                QVERIFY2(part == 1, report.error().message.c_str());
                continue;
            }
            QVERIFY((*report)->memory != nullptr);
            const MemoryEntryTable& entries = (*report)->memory->entries;
            QVERIFY(noteOf(**report, "file.truncated") != nullptr);
            QVERIFY(entries.size() >= most);
            most = entries.size();
            // The last one may lack fields after the truncation.
            for (size_t row = 0; row + 1 < entries.size(); ++row) {
                QCOMPARE(entries.address[row], whole->memory->entries.address[row]);
                QCOMPARE(entries.time_ns[row], whole->memory->entries.time_ns[row]);
            }
        }
        QVERIFY(most > whole->memory->entries.size() * 8 / 10);
    }

    void devicesKeepTheirPlaces()
    {
        PickleWriter writer;
        writer.op("}\x94(").text("device_traces").op("](]]");
        writer.op("(");
        entry(entry(writer, 1000), 2000).op("e");
        entry(writer.op("]]"), 3000).op("a"); // a single one comes without a mark
        writer.op("e").text("segments").op("]").text("host_traces").op("](](");
        entry(entry(writer, 4000), 5000).op("ee").op("u.");
        const auto report = readPickled(writer.bytes()).value();
        QCOMPARE(report->memory->entries.device, (std::vector<int32_t>{1, 1, 3, kHostMemory, kHostMemory}));
        QCOMPARE(report->memory->entries.address, (std::vector<uint64_t>{1000, 2000, 3000, 4000, 5000}));
        QVERIFY(noteOf(*report, "memory.row_again") == nullptr);
    }

    void referencedEntriesAreNotDuplicated()
    {
        PickleWriter writer; // memo 1 is the first entry, dropped when referenced; 3 is referenced before it
                             // is consumed
        writer.op("}\x94(").text("device_traces").op("](](");
        entry(entry(writer, 1000), 2000).op("e(").op(std::string_view("h\1", 2));
        entry(writer, 3000).op(std::string_view("h\3e", 3)).op("eu.");
        const auto report = readPickled(writer.bytes()).value();
        QCOMPARE(report->memory->entries.address, (std::vector<uint64_t>{1000, 2000, 3000}));
        QVERIFY(noteOf(*report, "memory.row_again") != nullptr);
        QCOMPARE(noteOf(*report, "memory.row_again")->count, uint64_t(2));
    }

    void droppedEntriesUseNoMemory()
    {
        PickleWriter writer;
        writer.op("}\x94(").text("device_traces").op("](](");
        entry(entry(writer, 1000), 2000).op("e").op(std::string_view("h\1", 2)).entry("size", 7).op("eu.");
        const auto report = readPickled(writer.bytes());
        QVERIFY(!report && report.error().kind == ErrorKind::corrupt);
        QVERIFY(!readPickled(std::string("\x80\x04)Na.", 6))); // a tuple is complete when it is created
    }

    void aHistoryOfSomethingElseIsRefused()
    {
        PickleWriter writer; // the dictionary that contained it is replaced by another
        writer.op("}\x94(").text("device_traces").op("](](");
        entry(entry(writer, 1000), 2000).op("eeu0}").text("device_traces").op("]s.");
        const auto report = readPickled(writer.bytes());
        QVERIFY(!report && report.error().kind == ErrorKind::corrupt);
    }

    void readingCanBeCanceledAnywhere()
    {
        for (int last = 1;; last += 1 + last / 3) {
            StopAfter stop(last);
            const auto report = readPickled(m_bytes, stop.progress());
            QVERIFY(stop.isInOrder);
            if (stop.left > 0) { // progress was reported less often
                QVERIFY(report.has_value());
                QVERIFY2(last > 20, std::to_string(last).c_str());
                break;
            }
            QVERIFY(!report && report.error().kind == ErrorKind::canceled);
            QVERIFY2(stop.sinceAsked.elapsed_ms() < 100 * test::kSlowness,
                     std::to_string(stop.sinceAsked.elapsed_ms()).c_str());
        }
    }

    void replayCanBeCanceledAnywhere()
    {
        const auto report = readPickled(m_bytes).value();
        for (int last = 1;; last += 1 + last / 3) {
            StopAfter stop(last);
            const auto memory = replayMemory(*report, stop.progress());
            QVERIFY(stop.isInOrder);
            if (stop.left > 0) {
                QVERIFY(memory != nullptr);
                QVERIFY2(last > 7, std::to_string(last).c_str()); // 4 walks over 60,000 entries
                break;
            }
            QVERIFY(memory == nullptr);
            QVERIFY2(stop.sinceAsked.elapsed_ms() < 100 * test::kSlowness,
                     std::to_string(stop.sinceAsked.elapsed_ms()).c_str());
        }
    }
};

LOCKSTEP_TEST(HistoryPickleTest, "history_pickle_test")
#include "history_pickle_test.moc"
