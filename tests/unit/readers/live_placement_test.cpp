// SPDX-License-Identifier: Apache-2.0
// Tests a long watch under a small memory limit: its segments go to disk, their memory stays below the limit,
// every row of the recording exists once, and the move is reported. Also tests it without room on any disk.
#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <tuple>

#include <QTest>

#include "core/lanes/report_lod.h"
#include "core/readers/capture_spool/capture_spool_reader.h"
#include "core/readers/capture_spool/live_placement.h"
#include "tests/support/disk_place.h"
#include "tests/support/made_spool.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"

using namespace lockstep;
using namespace lockstep::test;

namespace {

constexpr uint64_t kLimit_bytes = 512 * 1024;
constexpr int kBlocks = 160, kPairs = 100;
constexpr int64_t kPieceSecond_ns = 1'000'000'000;

using PlacedRow = std::tuple<int64_t, int64_t, uint64_t>; // start, duration, source

void addPlacedRows(std::vector<PlacedRow>& rows, const Report& report)
{
    for (size_t i = 0; i < report.slices.size(); ++i)
        rows.emplace_back(report.slices.start_ns[i], report.slices.duration_ns[i],
                          report.slices.source[i].packed);
}

// A recording of kBlocks seconds as LiveWatch stores it: a round per block, then the work that the round made
// possible.
class LongWatch {
  public:
    explicit LongWatch(MemoryBudget& memory)
        : m_path(m_folder.path() / "a.lsc"), m_recording(m_path), m_placement(memory)
    {
        m_spool.meta();
    }

    void runOn()
    {
        for (int block = 0; block < kBlocks; ++block) {
            m_spool.pairs((block + 1) * kPieceSecond_ns, kPairs);
            std::ofstream(m_path, std::ios::binary) << m_spool.bytes();
            auto change = m_recording.read({m_spool.bytes().size(), 0, false}, Progress());
            QVERIFY2(change, change ? "" : change.error().message.c_str());
            take(*change);
            std::optional<LiveRecording::Merge> wanted;
            for (int i = 0; i < 10 && (wanted = next()); ++i)
                QVERIFY(place(*wanted));
            most_bytes = std::max(most_bytes, held());
        }
    }
    std::vector<PlacedRow> rows() const
    {
        std::vector<PlacedRow> all;
        for (const auto& [number, chunk] : m_chunks)
            addPlacedRows(all, *chunk);
        std::ranges::sort(all);
        return all;
    }
    std::vector<PlacedRow> wholeRows() const
    {
        std::vector<PlacedRow> all;
        addPlacedRows(all, **readCaptureSpool(m_spool.bytes(), {}, Progress()));
        std::ranges::sort(all);
        return all;
    }
    uint64_t held() const
    {
        uint64_t bytes = 0;
        for (const auto& [number, lod] : m_lods)
            bytes += m_chunks.at(number)->residentBytes() + lod->residentBytes();
        return bytes;
    }
    size_t chunks() const { return m_chunks.size(); }
    size_t onDisk() const
    {
        return static_cast<size_t>(
            std::ranges::count_if(m_chunks, [](const auto& chunk) { return !chunk.second->place.isHeap(); }));
    }

    uint64_t most_bytes = 0;
    std::set<std::string> told;
    size_t refusedMoves = 0;

  private:
    std::optional<LiveRecording::Merge> next()
    {
        m_placement.setUsedMemory(held());
        std::vector<LivePlacement::Chunk> chunks;
        for (const auto& [number, chunk] : m_chunks) {
            if (chunk->place.isHeap())
                chunks.push_back({0, number, chunk->residentBytes() + m_lods.at(number)->residentBytes()});
        }
        const auto moved = refusedMoves == 0 ? m_placement.toMove(chunks) : std::nullopt;
        return moved ? m_recording.mergeOfOne(moved->number) : m_recording.nextMerge();
    }
    bool place(const LiveRecording::Merge& merge)
    {
        uint64_t bytes = 0;
        for (const uint64_t number : merge.chunks)
            bytes += m_chunks.at(number)->residentBytes() + m_lods.at(number)->residentBytes();
        const auto placed = m_placement.read(m_path, merge, bytes, Progress());
        if (!placed) return false;
        if (!placed->message.text.empty()) told.insert(placed->message.text);
        if (placed->report == nullptr) return ++refusedMoves, merge.chunks.size() == 1;
        take(m_recording.applyMerge(merge, placed->report));
        return true;
    }
    void take(const LiveRecording::Change& change)
    {
        for (const uint64_t number : change.removed) {
            m_chunks.erase(number);
            m_lods.erase(number);
        }
        for (const auto& chunk : change.added) {
            m_chunks[chunk.number] = chunk.report;
            m_lods[chunk.number] = buildLod(*chunk.report, workers());
        }
    }

    TempDir m_folder;
    const std::filesystem::path m_path;
    MadeSpool m_spool;
    LiveRecording m_recording;
    LivePlacement m_placement;
    std::map<uint64_t, LiveRecording::ReportPtr> m_chunks;
    std::map<uint64_t, std::shared_ptr<const ReportLod>> m_lods;
};

} // namespace

class LivePlacementTest : public QObject {
    Q_OBJECT

  private slots:
    void aLongWatchStaysBelowTheLimit()
    {
        const DiskPlace disk;
        MemoryBudget unlimited({0, "", {}}), memory({kLimit_bytes, "close reports", {}, disk.spills()});
        LongWatch free(unlimited), bound(memory);
        free.runOn();
        bound.runOn();
        qInfo(
            "%d blocks: %llu bytes in memory without a limit, %llu at most with one of %llu; %zu of %zu pieces on "
            "disk",
            kBlocks, static_cast<unsigned long long>(free.most_bytes),
            static_cast<unsigned long long>(bound.most_bytes), static_cast<unsigned long long>(kLimit_bytes),
            bound.onDisk(), bound.chunks());
        QVERIFY(free.most_bytes > 2 * kLimit_bytes); // otherwise the test proves nothing
        QVERIFY(free.told.empty());
        QCOMPARE(free.onDisk(), size_t(0));
        QVERIFY(bound.most_bytes <=
                kLimit_bytes + LiveRecording::kMergedAtOnce * LivePlacement::kMinMoved_bytes);
        QVERIFY(bound.onDisk() > 0);
        QVERIFY(bound.chunks() < 4 * LiveRecording::kMergedAtOnce);
        QCOMPARE(bound.told.size(), size_t(1));
        QVERIFY2(bound.told.begin()->find("moved to disk; nothing is lost") != std::string::npos,
                 bound.told.begin()->c_str());
        QVERIFY(bound.rows() == bound.wholeRows());
        QVERIFY(free.rows() == bound.rows());
    }

    // The memory of other reports counts: a watch that begins next to them goes to disk at once, and segments
    // that were in memory before a limit was set are moved.
    void otherOpenReportsCount()
    {
        const DiskPlace disk;
        MemoryBudget memory({kLimit_bytes, "close reports", {}, disk.spills()});
        const auto others = memory.force(2 * kLimit_bytes);
        LongWatch watch(memory);
        watch.runOn();
        QVERIFY2(watch.held() <= kLimit_bytes, qPrintable(QString::number(watch.held())));
        QVERIFY(watch.rows() == watch.wholeRows());
    }

    void withoutRoomOnDiskNothingIsLost()
    {
        const TempDir folder;
        const auto file = folder.write("file", "in the way");
        auto nowhere = std::make_shared<SpillFolder>(SpillFolder::Options{file / "columns", {}, false});
        for (const auto& disk : {std::shared_ptr<SpillFolder>(), nowhere}) {
            MemoryBudget memory({kLimit_bytes, "close reports", {}, disk});
            LongWatch watch(memory);
            watch.runOn();
            QCOMPARE(watch.onDisk(), size_t(0));
            QVERIFY(watch.rows() == watch.wholeRows());
            QVERIFY(!watch.told.empty());
            for (const std::string& told : watch.told)
                QVERIFY2(told.find("memory limit of 512 KiB exceeded") != std::string::npos, told.c_str());
        }
    }
};

LOCKSTEP_TEST(LivePlacementTest, "live_placement_test")
#include "live_placement_test.moc"
