// SPDX-License-Identifier: Apache-2.0
// LedgerLayout: the places of all reports of a ledger in a given width and height. A ledger with few ranks
// has one line per rank, with words. With more ranks, each rank is a block of small cells after its number,
// and blocks follow each other in lines like text. If that is too high, cells shrink; then one cell stands
// for all reports of a rank, and finally for all reports of a host. The layout is the most detailed one that
// fits, so that no scroll bar is needed. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <QFontMetrics>
#include <QRect>
#include <QString>

#include "ui/run/ledger_grid.h"

namespace lockstep {

struct LedgerTile {
    QRect rect;
    std::vector<size_t> entries; // indices in the ledger; at least one
};

struct LedgerText {
    QRect rect;
    QString text;
    bool isHeading = false;
    bool isNumber = false;           // right-aligned and muted
    std::optional<std::string> role; // a bar in the color of the role is drawn before the text
};

struct LedgerLayout {
    enum class Detail : uint8_t {
        words,   // one line per rank, one cell per report
        reports, // one cell per report
        ranks,   // one cell per rank of a role
        hosts    // one cell per host and role
    };
    Detail detail = Detail::words;
    std::vector<LedgerTile> tiles; // in reading order
    std::vector<LedgerText> texts;
    std::vector<int> separators; // y of the lines below the rows; only with words
    int height = 0;              // pixels

    // Returns the index of the tile that contains the entry.
    std::optional<size_t> tileOf(size_t entry) const;
    std::optional<size_t> tileAt(QPoint position) const;
    // Returns the tile that is `steps` lines below (or above, if negative) a tile and nearest to its column.
    size_t tileBelow(size_t tile, int steps) const;
};

// Returns the layout for a width and, if possible, at most this height, both in pixels.
LedgerLayout layOutLedger(const Ledger& ledger, const LedgerGrid& grid, int width, int maxHeight,
                          const QFontMetrics& metrics);

// Returns the state of a cell that stands for several reports: the one that most needs the user's attention.
LedgerState combinedState(const Ledger& ledger, const std::vector<size_t>& entries);
// Returns the first entry with combinedState().
size_t leadingEntry(const Ledger& ledger, const std::vector<size_t>& entries);

// Returns the label of a row: "rank 0 · node0", "controller · node0".
QString ledgerRowText(const LedgerGrid::Row& row, bool isWholeRun);

} // namespace lockstep
