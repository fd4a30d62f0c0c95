// SPDX-License-Identifier: Apache-2.0
// TableScan: one pass of one worker over a range of rows of one table. Provides typed columns to the row
// reader and accepts its slices; checks timestamps, counts rows and adds notes about rows that cannot be
// shown. One thread.
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

// Describes how one table is read. Each table has one line in table_readers.cpp.
struct TableReader {
    std::string_view table;
    // the first column is required; other columns read as NULL if missing
    std::span<const std::string_view> columns;
    void (*read)(TableScan& scan);
    bool splits = true; // true if the rows can be read in any number of ranges
    // true if the table is read in the second pass, because it needs the results of the other tables
    bool isSecond = false;
    // For tables of plain calls: the kind of the rows.
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

    // Advances to the next row. Returns false after the last row, if the job was canceled, or if the file is
    // corrupt at this place (reported in a note).
    bool next()
    {
        if ((m_rows & 4095) == 0 && !checkProgress()) return false;
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
    // Returns the string stored in the column itself, repaired and interned.
    StringId internedText(int column);
    // Returns the string whose StringIds.id is in the column. Returns a placeholder, with a note, if the
    // table does not have that ID, and the empty string if the column has no ID.
    StringId name(int column)
    {
        const StringId known = storedName(column);
        return known.isValid() ? known : missingName(column);
    }
    // Like name(), but returns an invalid ID in both of these cases.
    StringId storedName(int column) const { return m_reading.strings.find(integer(column)); }
    // For tables that store strings in their rows: returns this scan's own string pool, which needs no lock.
    // The rows of a scan use either these IDs or report IDs, never both.
    LocalNames& localNames() { return m_localNames; }
    // Returns a correlation ID as a 32-bit number; NULL, 0 and 4294967295 mean "none".
    uint32_t correlation(int column) const;
    int64_t rowId() const { return m_cursor.rowId(); }
    SourceRow source() const { return SourceRow::of(m_table, static_cast<uint64_t>(rowId())); }
    // Returns "TABLE row N", for notes.
    std::string place() const;

    // Adds a slice [start, end] and returns true. A row with impossible timestamps is reported in a note
    // "<kind>.bad_time" instead. row.source must be set.
    bool addSlice(TrackId track, SliceRow row, std::optional<int64_t> start_ns,
                  std::optional<int64_t> end_ns);
    // Adds a slice that has no end in the file; the slice ends with the capture.
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
    bool checkProgress();
    StringId missingName(int column);
    void noteDamage(const Result<bool>& last);

    const ExportReading& m_reading;
    const TableReader& m_reader;
    const uint8_t m_table;
    RowCursor m_cursor;
    TrackLookup m_tracks;
    SliceBatch m_batch{m_reading.progress.place().temporary()};
    ScanFindings m_findings;
    LocalNames m_localNames;
    ImportNotes m_notes;
    uint64_t m_rows = 0;
};

} // namespace lockstep
