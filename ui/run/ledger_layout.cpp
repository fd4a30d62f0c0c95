// SPDX-License-Identifier: Apache-2.0
#include "ui/run/ledger_layout.h"

#include <algorithm>
#include <array>
#include <map>

#include <QCoreApplication>

#include "ui/run/run_text.h"
#include "ui/style/style_sheet.h"

namespace lockstep {

namespace {

using Detail = LedgerLayout::Detail;

// Level is a size of the cells, in pixels at scale 1.
struct Level {
    Detail detail;
    int width, height;
    bool hasNumbers; // the number of each rank is shown before its cells; otherwise once per line
};

constexpr std::array<Level, 12> kLevels{{{Detail::reports, 17, 17, true},
                                         {Detail::reports, 13, 14, true},
                                         {Detail::reports, 10, 11, true},
                                         {Detail::reports, 9, 10, false},
                                         {Detail::ranks, 17, 17, true},
                                         {Detail::ranks, 13, 14, true},
                                         {Detail::ranks, 10, 11, false},
                                         {Detail::hosts, 17, 17, false},
                                         {Detail::hosts, 10, 11, false},
                                         {Detail::hosts, 6, 7, false},
                                         {Detail::hosts, 4, 4, false},
                                         {Detail::hosts, 2, 3, false}}};

constexpr int kLine = 29; // height of a line with words, at scale 1

// Block is the cells of one rank or host.
struct Block {
    QString label;
    std::vector<std::vector<size_t>> cells;
};

QString roleText(const std::string& role)
{
    return role.empty() ? QCoreApplication::translate("lockstep::LedgerView", "program")
                        : QString::fromStdString(role);
}

std::vector<Block> blocksOf(const LedgerGrid::Section& section, Detail detail)
{
    std::vector<Block> blocks;
    std::map<std::string, size_t> hosts;
    for (const LedgerGrid::Row& row : section.rows) {
        std::vector<size_t> all;
        for (const std::vector<size_t>& cell : row.cells)
            all.insert(all.end(), cell.begin(), cell.end());
        const QString host = QString::fromStdString(row.host);
        if (detail == Detail::hosts) {
            const auto [found, isNew] = hosts.try_emplace(row.host, blocks.size());
            if (isNew) blocks.push_back({host, {{}}});
            std::vector<size_t>& cell = blocks[found->second].cells.front();
            cell.insert(cell.end(), all.begin(), all.end());
            continue;
        }
        Block block{row.rank ? QString::number(*row.rank) : host, {}};
        if (detail == Detail::ranks) {
            block.cells.push_back(std::move(all));
        } else {
            for (const size_t entry : all)
                block.cells.push_back({entry});
        }
        blocks.push_back(std::move(block));
    }
    return blocks;
}

// Adds the blocks of a section at `top`. Returns the y below them, or nullopt if a block is too wide.
std::optional<int> placeBlocks(const std::string& role, const std::vector<Block>& blocks, const Level& level,
                               int labelWidth, int width, int top, const QFontMetrics& metrics,
                               LedgerLayout& layout)
{
    const int gap = level.width >= 9 ? 2 : 1, cell = scaledPixels(level.width) + gap;
    int numberWidth = 0;
    size_t most = 1;
    for (const Block& block : blocks) {
        numberWidth = std::max(numberWidth, metrics.horizontalAdvance(block.label));
        most = std::max(most, block.cells.size());
    }
    numberWidth = level.hasNumbers ? std::min(numberWidth, scaledPixels(90)) + scaledPixels(8) : 0;
    const int between = scaledPixels(level.hasNumbers ? 10 : most > 1 ? 5 : 0);
    const int blockWidth = numberWidth + static_cast<int>(most) * cell + between;
    int perLine = (width - labelWidth + between) / blockWidth;
    if (perLine < 1) return std::nullopt;
    if (perLine > 4 && !level.hasNumbers) perLine -= perLine % 4; // lines then begin with round numbers
    const int lineHeight =
        std::max(scaledPixels(level.height) + gap, level.hasNumbers ? metrics.height() : 0);
    for (size_t i = 0; i < blocks.size(); ++i) {
        const int line = static_cast<int>(i) / perLine, at = static_cast<int>(i) % perLine;
        const int y = top + line * lineHeight;
        int x = labelWidth + at * blockWidth;
        if (level.hasNumbers) {
            layout.texts.push_back(
                {QRect(x, y, numberWidth - scaledPixels(4), lineHeight), blocks[i].label, false, true, {}});
        } else if (at == 0 && lineHeight >= metrics.ascent()) {
            const int left = scaledPixels(14) + metrics.horizontalAdvance(roleText(role));
            layout.texts.push_back({QRect(left, y, labelWidth - left - scaledPixels(4), lineHeight),
                                    blocks[i].label,
                                    false,
                                    true,
                                    {}});
        }
        x += numberWidth;
        for (const std::vector<size_t>& entries : blocks[i].cells) {
            const int height = scaledPixels(level.height);
            layout.tiles.push_back({QRect(x, y + (lineHeight - height) / 2, cell - gap, height), entries});
            x += cell;
        }
    }
    const int lines = (static_cast<int>(blocks.size()) + perLine - 1) / perLine;
    return top + std::max(lines * lineHeight, metrics.height());
}

std::optional<LedgerLayout> layOutBlocks(const LedgerGrid& grid, const Level& level, int width,
                                         const QFontMetrics& metrics)
{
    LedgerLayout layout;
    layout.detail = level.detail;
    int labelWidth = 0;
    for (const LedgerGrid::Section& section : grid.sections)
        labelWidth =
            std::max(labelWidth, metrics.horizontalAdvance(roleText(section.role)) + scaledPixels(20));
    if (!level.hasNumbers) labelWidth += scaledPixels(level.detail == Detail::hosts ? 90 : 40);
    labelWidth = std::min(labelWidth, width / 3);
    int y = scaledPixels(4);
    for (const LedgerGrid::Section& section : grid.sections) {
        layout.texts.push_back({QRect(scaledPixels(8), y, labelWidth - scaledPixels(8), metrics.height() + 2),
                                roleText(section.role), true, false, section.role});
        const auto bottom = placeBlocks(section.role, blocksOf(section, level.detail), level, labelWidth,
                                        width, y, metrics, layout);
        if (!bottom) return std::nullopt;
        y = *bottom + scaledPixels(6);
    }
    layout.height = y;
    return layout;
}

int rowLabelWidth(const LedgerGrid& grid, int width, const QFontMetrics& metrics)
{
    int widest = scaledPixels(96);
    for (const LedgerGrid::Section& section : grid.sections) {
        for (const LedgerGrid::Row& row : section.rows)
            widest = std::max(widest, metrics.horizontalAdvance(ledgerRowText(row, section.isWholeRun())) +
                                          scaledPixels(20));
    }
    return std::min(widest, width * 2 / 5);
}

void addHeading(const LedgerGrid::Section& section, int labelWidth, int slotWidth, int top,
                const QFontMetrics& metrics, LedgerLayout& layout)
{
    const int height = scaledPixels(kLine);
    layout.texts.push_back({QRect(scaledPixels(8), top, labelWidth - scaledPixels(8), height),
                            roleText(section.role), true, false, section.role});
    int x = labelWidth;
    for (const LedgerGrid::Column& column : section.columns) {
        const int width = static_cast<int>(column.slotCount) * slotWidth;
        QString text = stepsText(column.steps);
        if (metrics.horizontalAdvance(text) > width - scaledPixels(8))
            text = text.section(' ', 1); // show only the number
        layout.texts.push_back(
            {QRect(x + scaledPixels(4), top, width - scaledPixels(8), height), text, true, false, {}});
        x += width;
    }
}

// Returns nullopt if there is no room for the cells of a row.
std::optional<LedgerLayout> layOutRows(const LedgerGrid& grid, int width, const QFontMetrics& metrics)
{
    LedgerLayout layout;
    const int labelWidth = rowLabelWidth(grid, width, metrics), room = width - labelWidth;
    const int height = scaledPixels(kLine);
    for (const LedgerGrid::Section& section : grid.sections) {
        const int slotWidth = room / std::max(1, static_cast<int>(section.slotCount()));
        if (slotWidth < scaledPixels(20)) return std::nullopt;
        const int gap = scaledPixels(slotWidth > scaledPixels(60) ? 5 : 2);
        if (!section.isWholeRun()) {
            addHeading(section, labelWidth, slotWidth, layout.height, metrics, layout);
            layout.height += height;
            layout.separators.push_back(layout.height - 1);
        }
        for (const LedgerGrid::Row& row : section.rows) {
            layout.texts.push_back(
                {QRect(scaledPixels(8), layout.height, labelWidth - scaledPixels(12), height),
                 ledgerRowText(row, section.isWholeRun()),
                 false,
                 false,
                 {}});
            int x = labelWidth;
            for (size_t column = 0; column < row.cells.size(); ++column) {
                for (size_t slot = 0; slot < row.cells[column].size(); ++slot)
                    layout.tiles.push_back(
                        {QRect(x + static_cast<int>(slot) * slotWidth, layout.height + scaledPixels(4),
                               slotWidth - gap, height - scaledPixels(8)),
                         {row.cells[column][slot]}});
                x += static_cast<int>(section.columns[column].slotCount) * slotWidth;
            }
            layout.height += height;
            layout.separators.push_back(layout.height - 1);
        }
    }
    return layout;
}

} // namespace

QString ledgerRowText(const LedgerGrid::Row& row, bool isWholeRun)
{
    QString text =
        row.rank ? QCoreApplication::translate("lockstep::LedgerView", "rank %1").arg(*row.rank) : QString();
    if (isWholeRun || text.isEmpty())
        text = text.isEmpty() ? roleText(row.role) : roleText(row.role) + " " + text;
    return row.host.empty() ? text : text + " \u00B7 " + QString::fromStdString(row.host);
}

LedgerState combinedState(const Ledger& ledger, const std::vector<size_t>& entries)
{
    using enum LedgerState;
    for (const LedgerState state :
         {missing, cutShort, capturing, flushing, expected, found, complete, fetched, verified}) {
        if (std::ranges::any_of(entries, [&](size_t at) { return ledger.entries()[at].state == state; }))
            return state;
    }
    return absent;
}

size_t leadingEntry(const Ledger& ledger, const std::vector<size_t>& entries)
{
    const auto failed =
        std::ranges::find_if(entries, [&](size_t at) { return ledger.entries()[at].writer.hasFailed(); });
    if (failed != entries.end()) return *failed;
    const LedgerState state = combinedState(ledger, entries);
    return *std::ranges::find_if(entries, [&](size_t at) { return ledger.entries()[at].state == state; });
}

LedgerLayout layOutLedger(const Ledger& ledger, const LedgerGrid& grid, int width, int maxHeight,
                          const QFontMetrics& metrics)
{
    if (ledger.entries().empty()) return {};
    const size_t rows = grid.rowCount() + grid.sections.size();
    if (rows * static_cast<size_t>(scaledPixels(kLine)) <= 2 * static_cast<size_t>(maxHeight)) {
        auto layout = layOutRows(grid, width, metrics);
        if (layout && layout->height <= maxHeight) return *std::move(layout);
    }
    LedgerLayout last;
    for (const Level& level : kLevels) {
        auto layout = layOutBlocks(grid, level, width, metrics);
        if (!layout) continue;
        last = *std::move(layout);
        if (last.height <= maxHeight) break;
    }
    return last;
}

std::optional<size_t> LedgerLayout::tileOf(size_t entry) const
{
    for (size_t tile = 0; tile < tiles.size(); ++tile) {
        if (std::ranges::count(tiles[tile].entries, entry) > 0) return tile;
    }
    return std::nullopt;
}

std::optional<size_t> LedgerLayout::tileAt(QPoint position) const
{
    const auto found = std::ranges::find_if(tiles, [position](const LedgerTile& tile) {
        return tile.rect.adjusted(0, 0, 1, 1).contains(position);
    });
    if (found == tiles.end()) return std::nullopt;
    return static_cast<size_t>(found - tiles.begin());
}

size_t LedgerLayout::tileBelow(size_t tile, int steps) const
{
    std::vector<int> tops;
    for (const LedgerTile& one : tiles) {
        if (tops.empty() || tops.back() != one.rect.top()) tops.push_back(one.rect.top());
    }
    const auto here = std::ranges::find(tops, tiles[tile].rect.top()) - tops.begin();
    const auto to = std::clamp<std::ptrdiff_t>(here + steps, 0, static_cast<std::ptrdiff_t>(tops.size()) - 1);
    const int x = tiles[tile].rect.center().x();
    size_t nearest = tile;
    int distance = -1;
    for (size_t i = 0; i < tiles.size(); ++i) {
        if (tiles[i].rect.top() != tops[static_cast<size_t>(to)]) continue;
        const int off = std::abs(tiles[i].rect.center().x() - x);
        if (distance >= 0 && off >= distance) continue;
        nearest = i;
        distance = off;
    }
    return nearest;
}

} // namespace lockstep
