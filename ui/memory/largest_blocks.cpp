// SPDX-License-Identifier: Apache-2.0
#include "ui/memory/largest_blocks.h"

#include <algorithm>

#include <QCoreApplication>

#include "core/base/text.h"

namespace lockstep {

namespace {

QString largestText(const char* text)
{
    return QCoreApplication::translate("lockstep::LargestBlocks", text);
}

// Returns "+12.3 ms", or the entry number for files without times.
QString momentOfLife(const MemorySource& source, MemoryMoment moment)
{
    return source.momentText(moment).section(", ", 0, 0);
}

QString lengthOfLife(const MemorySource& source, MemoryMoment allocated, MemoryMoment freed)
{
    const auto from_ns = source.device().timeOf(source.snapshot(), allocated);
    const auto to_ns = source.device().timeOf(source.snapshot(), freed);
    if (from_ns && to_ns) return QString::fromStdString(durationText({*to_ns - *from_ns}));
    return largestText(QT_TRANSLATE_NOOP("lockstep::LargestBlocks", "entries: %1")).arg(freed - allocated);
}

std::vector<PlacedBlock> largestOf(const std::vector<PlacedBlock>& blocks)
{
    std::vector<PlacedBlock> largest(std::min<size_t>(kMaxLargestBlocks, blocks.size()));
    std::ranges::partial_sort_copy(blocks, largest, [](const PlacedBlock& a, const PlacedBlock& b) {
        return a.size_bytes != b.size_bytes ? a.size_bytes > b.size_bytes : a.address < b.address;
    });
    return largest;
}

} // namespace

LargestBlocks largestBlocks(const MemorySource& source, const AllocatorState& state)
{
    auto table = std::make_shared<Table>("memory_largest_blocks", "Largest blocks");
    const auto add = [&](const char* name, const char* doc) {
        return table->addColumn({name, "", ColumnType::text, 0, doc});
    };
    const size_t size =
        table->addColumn({"Size", "B", ColumnType::bytes, 0, "allocated size, including rounding"});
    const size_t category = add("Category", "category, inferred from the allocating stack");
    const size_t stack = add("Allocated by", "innermost frames of the allocating stack");
    const size_t address = add("Address", "start address");
    const size_t allocated = add("Allocated", "time since the first history entry, or the entry number");
    const size_t freed = add("Freed", "time since the first history entry, or the entry number");
    const size_t life = add("Lifetime", "time from allocation to free");
    LargestBlocks out;
    const BlockLifeTable& blocks = source.device().blocks;
    for (const PlacedBlock& block : largestOf(state.blocks)) {
        const size_t row = block.life.value;
        const bool isBefore = blocks.isPreexisting(row), isNeverFreed = blocks.isNeverFreed(row);
        const auto set = [&](size_t column, const QString& text) {
            table->setText(column, text.toStdString());
        };
        table->addRow();
        table->setNumber(size, static_cast<int64_t>(std::min<uint64_t>(block.size_bytes, INT64_MAX)));
        set(category, categoryText(source.categoryOfLife(block.life)));
        set(stack, stackShown(source, blocks.stack[row], 2));
        set(address, QString::number(block.address, 16));
        set(allocated, isBefore
                           ? largestText(QT_TRANSLATE_NOOP("lockstep::LargestBlocks", "before recording"))
                           : momentOfLife(source, blocks.allocated[row]));
        set(freed, isNeverFreed ? largestText(QT_TRANSLATE_NOOP("lockstep::LargestBlocks", "still live"))
                                : momentOfLife(source, blocks.freed[row]));
        set(life, isBefore || isNeverFreed ? QString(QChar(0x2013))
                                           : lengthOfLife(source, blocks.allocated[row], blocks.freed[row]));
        out.lives.push_back(block.life);
    }
    out.table = std::move(table);
    return out;
}

} // namespace lockstep
