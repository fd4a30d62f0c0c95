// SPDX-License-Identifier: Apache-2.0
// Tests the memory panel with a million entries, a hundred thousand stacks, stacks a thousand frames deep,
// and names that are 64 KB long or contain markup. No event may block (the test application watches); the
// time of a move and of a frame is printed.
#include <QElapsedTimer>
#include <QListWidget>
#include <QScrollBar>

#include "core/memory/allocations.h"
#include "tests/support/part.h"
#include "tests/support/report_of.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"
#include "ui/memory/allocator_pane.h"
#include "ui/memory/area_pane.h"
#include "ui/memory/flame_pane.h"
#include "ui/memory/memory_panel.h"
#include "ui/memory/scrubber.h"
#include "ui/memory/table_pane.h"
#include "ui/window/view_state.h"

using namespace lockstep;

namespace {

constexpr uint32_t kEntries = 1'000'000, kLive = 5'000, kStacks = 100'000, kDeepest = 1'000;
constexpr uint64_t kSlot_bytes = uint64_t(8) << 20, kSegment_bytes = uint64_t(1) << 30;

void addStacks(Report& report, MemorySnapshot& snapshot)
{
    const auto addFrame = [&](const std::string& function) {
        snapshot.frames.push_back(
            {report.strings.intern(function), report.strings.intern("/a/b/train.py"), 7, StringId(0u)});
        return MemoryFrameId(snapshot.frames.size() - 1);
    };
    const MemoryFrameId markup = addFrame("<img src='x'><b>forward\x1b[31m\n");
    const MemoryFrameId endless = addFrame(std::string(64 * 1024, 'n'));
    std::vector<MemoryFrameId> frames;
    for (uint32_t i = 0; i < 1000; ++i)
        frames.push_back(addFrame("layer_" + std::to_string(i)));
    for (uint32_t stack = 0; stack < kStacks; ++stack) {
        snapshot.stackFrames.push_back(frames[stack % 1000]);
        snapshot.stackFrames.push_back(frames[stack / 1000]);
        for (uint32_t depth = 0; stack == 1 && depth < kDeepest; ++depth)
            snapshot.stackFrames.push_back(frames[depth]);
        snapshot.stackFrames.push_back(stack % 2 == 0 ? markup : endless);
        snapshot.stackBegin.push_back(static_cast<uint32_t>(snapshot.stackFrames.size()));
    }
}

void addEntry(MemorySnapshot& snapshot, MemoryAction action, uint64_t address, uint64_t size, uint32_t stack)
{
    MemoryEntryTable& entries = snapshot.entries;
    entries.device.push_back(0);
    entries.action.push_back(action);
    entries.address.push_back(address);
    entries.size_bytes.push_back(size);
    entries.stream.push_back(0);
    entries.time_ns.push_back(static_cast<int64_t>(entries.time_ns.size()) * 1000);
    entries.stack.push_back(MemoryStackId(stack));
}

// Makes blocks of up to 8 MiB in a fixed number of slots; the oldest is freed when all are full.
std::shared_ptr<const Report> madeReport()
{
    std::unique_ptr<Report> report = test::reportOf({"million.pickle", 1, {}, {}, {}});
    auto snapshot = std::make_shared<MemorySnapshot>();
    snapshot->devices = {0};
    addStacks(*report, *snapshot);
    for (uint64_t at = 0; at < kLive * kSlot_bytes; at += kSegment_bytes)
        addEntry(*snapshot, MemoryAction::segmentAlloc, at + kSegment_bytes, kSegment_bytes, 0);
    const auto sizeOf = [](uint32_t i) { return (uint64_t(i) * 2654435761u % 15 + 2) * 512 * 1024; };
    for (uint32_t i = 0; snapshot->entries.size() < kEntries; ++i) {
        const uint64_t address = kSegment_bytes + i % kLive * kSlot_bytes;
        if (i >= kLive) {
            addEntry(*snapshot, MemoryAction::freeRequested, address, sizeOf(i - kLive), 0);
            addEntry(*snapshot, MemoryAction::freeCompleted, address, sizeOf(i - kLive), 0);
        }
        addEntry(*snapshot, MemoryAction::alloc, address, sizeOf(i), i * 7919 % kStacks);
    }
    report->memory = std::move(snapshot);
    return report;
}

} // namespace

class MemoryScaleTest : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase()
    {
        Workspace workspace;
        workspace.add(madeReport());
        m_view = std::make_unique<ViewState>();
        m_panel = std::make_unique<MemoryPanel>(*m_view);
        m_panel->setTheme(darkTheme());
        m_panel->resize(3840, 1200);
        m_panel->show();
        m_panel->setScene(makeScene(workspace, alignReports(workspace, {}), test::workers()));
        settle();
        QCOMPARE(memorySources(*m_panel->scene()).size(), size_t(1));
    }

    void scrubberMove()
    {
        AllocatorPane& pane = m_panel->open<AllocatorPane>();
        settle();
        test::part<Scrubber>(pane).setFocus();
        QTest::keyClick(&test::part<Scrubber>(pane), Qt::Key_Home);
        QElapsedTimer clock;
        clock.start();
        constexpr int kMoves = 20;
        for (int i = 0; i < kMoves; ++i) {
            QTest::keyClick(&test::part<Scrubber>(pane), Qt::Key_PageDown);
            settle();
            QCOMPARE(pane.map()->picture()->state.moment, test::part<Scrubber>(pane).moment());
        }
        qInfo("scrubbing: %.1f ms a move until the state is there", double(clock.elapsed()) / kMoves);
        const DeviceReplay& device = pane.map()->picture()->source.device();
        QCOMPARE(stateAt(device, device.lastMoment()).blocks.size(), size_t(kLive));
        clock.restart();
        for (uint32_t i = 1; i <= kMoves; ++i)
            layOutAllocator(stateAt(device, device.lastMoment() / kMoves * i),
                            pane.map()->picture()->source.snapshot(),
                            {2900, SegmentOrder::size, {}, nullptr});
        qInfo("state and its layout: %.1f ms", double(clock.elapsed()) / kMoves);
        tellFrame("allocator state");
    }

    void everyViewOpens()
    {
        for (int row = 0; row < m_panel->views()->count(); ++row) {
            QElapsedTimer clock;
            clock.start();
            m_panel->openView(row);
            settle();
            const std::string name = m_panel->views()->item(row)->text().toStdString();
            qInfo("%s: there after %lld ms", name.c_str(), static_cast<long long>(clock.elapsed()));
            tellFrame(name.c_str());
        }
    }

    void deepAndHostileStacksAreDrawn()
    {
        FlamePane& pane = m_panel->open<FlamePane>();
        settle();
        const FlamePicture& picture = *pane.view()->picture();
        QVERIFY(picture.layout.boxes.size() > 1);
        for (const FlameBox& box : picture.layout.boxes) {
            const QString text = pane.view()->textOf(box);
            QVERIFY(text.size() < 700 && !text.contains('\n') && !text.contains(QChar(0x1b)));
        }
        pane.view()->verticalScrollBar()->setValue(pane.view()->verticalScrollBar()->maximum());
        tellFrame("flame graph, scrolled down");
    }

  private:
    void settle() { QTRY_VERIFY(!m_panel->isBusy()); }
    // Times are printed but not checked, because machines differ.
    void tellFrame(const char* what)
    {
        QImage frame(m_panel->size(), QImage::Format_RGB32);
        m_panel->render(&frame);
        QElapsedTimer clock;
        clock.start();
        constexpr int kFrames = 5;
        for (int i = 0; i < kFrames; ++i)
            m_panel->render(&frame);
        qInfo("%s: a frame of %d x %d in %.1f ms", what, frame.width(), frame.height(),
              double(clock.nsecsElapsed()) / 1e6 / kFrames);
    }

    std::unique_ptr<ViewState> m_view;
    std::unique_ptr<MemoryPanel> m_panel;
};

LOCKSTEP_TEST(MemoryScaleTest, "memory_scale_test")
#include "memory_scale_test.moc"
