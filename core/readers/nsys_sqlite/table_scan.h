// SPDX-License-Identifier: Apache-2.0
// TableScan: one pass of one worker over a range of rows of one table. Gives the row reader typed columns and
// takes its slices; checks stamps, counts rows and notes what cannot be shown. Used by one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "core/readers/nsys_sqlite/export_reading.h"
#include "core/readers/nsys_sqlite/local_names.h"
#include "core/readers/nsys_sqlite/row_cursor.h"
#include "core/readers/nsys_sqlite/track_lookup.h"

namespace lockstep {

class TableScan;

// How one table is read. One line per table in table_readers.cpp.
struct TableReader {
    std::string_view table;
    std::span<const std::string_view> columns; // the first is needed, others read as NULL where missing
    void (*read)(TableScan& scan);
    bool splits = true;    // rows can be read in any number of ranges
    bool isSecond = false; // needs what the other tables found
    // For the readers of plain call tables: what their rows are.
    CountedRows counted = CountedRows::count;
    TrackKind track = TrackKind::other;
    RowKind kind = RowKind::span;
    SliceCategory category = SliceCategory::other;
    int64_t lane = 0;
    std::string_view trackName = {};
};

class TableScan {
  public:
    TableScan(const ExportReading& reading, const TableReader& reader, uint8_t table, RowCursor&& rows);

    // The next row, false after the last one, when the job was canceled, or where the file is damaged
    // (noted).
    bool next()
    {
        if ((m_rows & 4095) == 0 && !goOn()) return false;
        const Result<bool> row = m_cursor.next();
        if (row && *row) {
            ++m_rows;
            return true;
        }
        noteDamage(row);
        return false;
    }

    // Columns are numbered as in TableReader::columns.
    int64_t integer(int column) const { return m_cursor.integer(column); }
    std::optional<int64_t> optionalInteger(int column) const { return m_cursor.optionalInteger(column); }
    uint64_t globalId(int column) const { return static_cast<uint64_t>(integer(column)); }
    double real(int column) const { return m_cursor.real(column); }
    bool isText(int column) const { return m_cursor.type(column) == SQLITE_TEXT; }
    bool isNull(int column) const { return m_cursor.type(column) == SQLITE_NULL; }
    std::string_view storedText(int column) const { return m_cursor.text(column); }
    // The column's own text, repaired and interned.
    StringId internedText(int column);
    // The text that the column's StringIds.id stands for; a noted placeholder when the table lacks it, the
    // empty text when the column names none.
    StringId name(int column)
    {
        const StringId known = storedName(column);
        return known.isValid() ? known : missingName(column);
    }
    // The same, invalid in both cases.
    StringId storedName(int column) const { return m_reading.strings.find(integer(column)); }
    // For tables whose rows carry texts of their own: ids of a pool of this scan, which needs no lock. A scan
    // uses either these or the report's ids in its rows, never both.
    LocalNames& localNames() { return m_localNames; }
    // A 32-bit number that says "none" by NULL, 0 or 4294967295.
    uint32_t correlation(int column) const;
    int64_t rowId() const { return m_cursor.rowId(); }
    SourceRow source() const { return SourceRow::of(m_table, static_cast<uint64_t>(rowId())); }
    // "TABLE row N", for notes.
    std::string place() const;

    // Adds a slice [start, end]; a row whose stamps make no sense is noted as "<kind>.bad_time" instead.
    // row.source must be set. True when it was added.
    bool addSlice(TrackId track, SliceRow row, std::optional<int64_t> start_ns,
                  std::optional<int64_t> end_ns);
    // Adds a slice that has no end in the file; it gets the capture's.
    void addOpen(TrackId track, SliceRow row, int64_t start_ns);
    bool addInstant(TrackId track, SliceRow row, std::optional<int64_t> time_ns);
    void count(CountedRows kind) { ++m_findings.counts[static_cast<size_t>(kind)]; }
    void note(std::string_view kind, NoteSeverity severity, std::string_view text);

    const ExportReading& reading() const { return m_reading; }
    const TableReader& reader() const { return m_reader; }
    TrackLookup& tracks() { return m_tracks; }
    SliceBatch& batch() { return m_batch; }
    ScanFindings& findings() { return m_findings; }
    ImportNotes& notes() { return m_notes; }
    uint64_t rows() const { return m_rows; }

  private:
    bool goOn();
    StringId missingName(int column);
    void noteDamage(const Result<bool>& last);

    const ExportReading& m_reading;
    const TableReader& m_reader;
    const uint8_t m_table;
    RowCursor m_cursor;
    TrackLookup m_tracks;
    SliceBatch m_batch{m_reading.progress.place().passing()};
    ScanFindings m_findings;
    LocalNames m_localNames;
    ImportNotes m_notes;
    uint64_t m_rows = 0;
};

} // namespace lockstep
