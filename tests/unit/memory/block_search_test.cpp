// SPDX-License-Identifier: Apache-2.0
// Tests findBlocks(): by parts of frames in any case, by addresses, and texts that match nothing.
#include "core/memory/allocator_layout.h"

#include <QRegularExpression>
#include <QTest>

#include "core/memory/allocator_replay.h"
#include "core/readers/reader.h"
#include "tests/support/places.h"
#include "tests/support/test_registry.h"

using namespace lockstep;

class BlockSearchTest : public QObject {
    Q_OBJECT

  private:
    std::shared_ptr<const Report> m_report;
    AllocatorReplay m_replay;
    AllocatorState m_state;

    const DeviceReplay& device() const { return m_replay.devices.front(); }
    FoundBlocks find(std::string_view text) const
    {
        return findBlocks(m_state, device(), *m_report->memory, m_report->strings, text);
    }
    // Returns the matches of a plain search in the stack texts.
    uint32_t withStack(const std::string& text) const
    {
        uint32_t count = 0;
        for (const PlacedBlock& block : m_state.blocks) {
            for (const MemoryFrameId id : m_report->memory->stack(device().blocks.stack[block.life.value])) {
                const MemoryFrame& frame = m_report->memory->frames[id.value];
                if (std::string(m_report->strings.at(frame.function)).find(text) == std::string::npos)
                    continue;
                ++count;
                break;
            }
        }
        return count;
    }

  private slots:
    void initTestCase()
    {
        const auto file = test::sourceFolder() / "tests/golden/memory/snapshots/plain.pickle";
        m_report = readReport(file, Progress()).value();
        m_replay = replayAllocator(*m_report, Progress()).value();
        m_state = stateAt(device(), device().peaks.active.moment);
        QVERIFY(m_state.blocks.size() > 2);
    }

    void framesAreFoundInAnyCase()
    {
        const MemoryStackId stack = device().blocks.stack[m_state.blocks.front().life.value];
        const MemoryFrame& frame = m_report->memory->frames[m_report->memory->stack(stack).front().value];
        const std::string function(m_report->strings.at(frame.function));
        QVERIFY(withStack(function) > 0);
        QCOMPARE(find(function).count, withStack(function));
        std::string upper = function;
        std::ranges::transform(upper, upper.begin(), [](char c) { return char(std::toupper(c)); });
        QCOMPARE(find("  " + upper + " ").count, withStack(function));
        QCOMPARE(find(":" + std::to_string(frame.line) + " " + function).count > 0, true);
    }

    void addressesMatchByPrefixAndContainment()
    {
        const PlacedBlock& block = m_state.blocks[1];
        const auto hex = [](uint64_t value) { return QString::number(value, 16).toStdString(); };
        QCOMPARE(find(hex(block.address)).isFound[1], uint8_t(1));
        QCOMPARE(find("0x" + hex(block.address)).count, 1u);
        const QString upper = QString::fromStdString("0x" + hex(block.address)).toUpper();
        QVERIFY(upper.contains(QRegularExpression("[A-F]"))); // otherwise the test would prove nothing
        QCOMPARE(find(upper.toStdString()).count, 1u);
        const FoundBlocks within = find("0x" + hex(block.address + block.size_bytes - 1));
        QCOMPARE(within.isFound[1], uint8_t(1));
        QCOMPARE(within.size_bytes, block.size_bytes);
        QCOMPARE(find(hex(block.address).substr(0, 4)).isFound[1], uint8_t(1));
    }

    void meaninglessTextsMatchNothing()
    {
        for (const char* const text : {"", "   ", "no such frame", "0x", "zz", "ffffffffffffffffff"})
            QCOMPARE(find(text).count, 0u);
        QCOMPARE(find("").isFound.size(), m_state.blocks.size());
    }
};

LOCKSTEP_TEST(BlockSearchTest, "block_search_test")
#include "block_search_test.moc"
