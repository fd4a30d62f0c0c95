// SPDX-License-Identifier: Apache-2.0
// SliceTable: all slices and instants of a report as columns, sorted by track, then start, then with the
// longest first. A row number is a SliceId. Immutable once its report is frozen. 36 bytes per row.
#pragma once

#include <cstdint>

#include "core/base/column.h"
#include "core/base/ids.h"
#include "core/base/time.h"
#include "core/trace/row_kind.h"

namespace lockstep {

// Position of a slice in its file: either the number of a source table (0 for JSON) and a row ID, or the byte
// offset of the JSON object in the uncompressed text. 8 + 56 bits.
struct SourceRow {
    uint64_t packed = 0;

    static constexpr SourceRow of(uint8_t table, uint64_t row)
    {
        return {(uint64_t(table) << 56) | (row & 0x00FF'FFFF'FFFF'FFFFull)};
    }
    constexpr uint8_t table() const { return static_cast<uint8_t>(packed >> 56); }
    constexpr uint64_t row() const { return packed & 0x00FF'FFFF'FFFF'FFFFull; }
    friend constexpr auto operator<=>(SourceRow, SourceRow) = default;
};

namespace sliceFlag {
inline constexpr uint8_t kInstant = 1; // the slice has no duration in the file
inline constexpr uint8_t kOpenEnd =
    2; // the slice was still open when the capture ended; its duration reaches the end of the capture
inline constexpr uint8_t kRepaired = 4; // a timestamp was corrected; a note explains how
} // namespace sliceFlag

class SliceTable {
  public:
    size_t size() const { return start_ns.size(); }
    TraceTime start(SliceId id) const { return {start_ns[id.value]}; }
    Duration duration(SliceId id) const { return {duration_ns[id.value]}; }
    TraceTime end(SliceId id) const { return {start_ns[id.value] + duration_ns[id.value]}; }
    TimeRange range(SliceId id) const { return {start(id), end(id)}; }
    bool isInstant(SliceId id) const { return (flags[id.value] & sliceFlag::kInstant) != 0; }

    // See core/trace/report_columns.h for the meaning of each column.
    Column<int64_t> start_ns;
    Column<int64_t> duration_ns;
    Column<SourceRow> source;
    Column<StringId> name;
    Column<SliceId> parent;
    Column<uint16_t> depth;
    Column<RowKind> kind;
    Column<SliceCategory> category;
    Column<uint8_t> flags; // a sliceFlag
};

} // namespace lockstep
