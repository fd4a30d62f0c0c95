// SPDX-License-Identifier: Apache-2.0
// SliceTable: every slice and instant of a report as columns, sorted by (track, start, longest first). A row
// is a SliceId. Immutable once its report is frozen. 36 bytes a row.
#pragma once

#include <cstdint>

#include "core/base/column.h"
#include "core/base/ids.h"
#include "core/base/time.h"
#include "core/trace/row_kind.h"

namespace lockstep {

// Where a slice stands in its file: a table number of the report's source tables (0 for JSON) and a row id,
// or the byte offset of the JSON object in the uncompressed text. 8 + 56 bits.
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
inline constexpr uint8_t kInstant = 1; // no duration in the file
inline constexpr uint8_t kOpenEnd =
    2; // still open when the capture ended; duration reaches the capture's end
inline constexpr uint8_t kRepaired = 4; // a stamp was corrected; a note says how
} // namespace sliceFlag

class SliceTable {
  public:
    size_t size() const { return start_ns.size(); }
    TraceTime start(SliceId id) const { return {start_ns[id.value]}; }
    Duration duration(SliceId id) const { return {duration_ns[id.value]}; }
    TraceTime end(SliceId id) const { return {start_ns[id.value] + duration_ns[id.value]}; }
    TimeRange range(SliceId id) const { return {start(id), end(id)}; }
    bool isInstant(SliceId id) const { return (flags[id.value] & sliceFlag::kInstant) != 0; }

    // What each of them means: core/trace/report_columns.h.
    Column<int64_t> start_ns;
    Column<int64_t> duration_ns;
    Column<SourceRow> source;
    Column<StringId> name;
    Column<SliceId> parent;
    Column<uint16_t> depth;
    Column<RowKind> kind;
    Column<SliceCategory> category;
    Column<uint8_t> flags; // sliceFlag
};

} // namespace lockstep
