// SPDX-License-Identifier: Apache-2.0
// TableScan: one pass of one worker over a range of rows of one table. Provides typed columns to the row
// reader and accepts its slices; checks timestamps, counts rows and adds notes about rows that cannot be
// shown. One thread.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/string_pool.h"
#include "core/readers/nsys_sqlite/export_reading.h"
#include "core/readers/nsys_sqlite/row_cursor.h"
#include "core/trace/report_builder.h"

namespace lockstep {

// TrackLookup converts the raw IDs of a row (globalPid, globalTid, device, context, stream) to the report's
// track. One per worker: it caches tracks, so that the builder's lock is taken once per track, not once per
// row.
class TrackLookup {
  public:
    explicit TrackLookup(ReportBuilder& builder) : m_builder(builder) {}

    // Returns the process of a globalPid or globalTid. Returns process 0 for rows without a process.
    ProcessId process(uint64_t globalId);
    ThreadId thread(uint64_t globalTid);
    // Returns a GPU track. `context` is the CUDA context, or the green context if the row has one.
    TrackId gpu(TrackKind kind, uint64_t globalPid, int64_t device, int64_t context, int64_t stream)
    {
        return find({globalPid, device, context, stream, kind, true}, {});
    }
    // Returns a CPU track of one thread, or of the whole machine for kind `other` and globalTid 0; `lane`
    // distinguishes tracks of the same kind. `name` is set if it is not empty and the track is new to this
    // lookup.
    TrackId cpu(TrackKind kind, uint64_t globalTid, int64_t lane = 0, std::string_view name = {})
    {
        return find({globalTid, 0, 0, lane, kind, false}, name);
    }

  private:
    struct RawKey {
        uint64_t owner = 0;
        int64_t device = 0;
        int64_t context = 0;
        int64_t lane = 0;
        TrackKind kind = TrackKind::count;
        bool isGpu = false;

        friend bool operator==(const RawKey&, const RawKey&) = default;
    };
    struct Entry {
        RawKey key;
        TrackId track;
    };
    static constexpr size_t kEntries = 1024;

    TrackId find(const RawKey& key, std::string_view name)
    {
        uint64_t hash = key.owner ^ static_cast<uint64_t>(key.lane) * 0x9E3779B97F4A7C15ull ^
                        static_cast<uint64_t>(key.context) * 0xC2B2AE3D27D4EB4Full ^
                        static_cast<uint64_t>(key.device) * 0x165667B19E3779F9ull ^
                        static_cast<uint64_t>(key.kind) << 50;
        hash *= 0x9E3779B97F4A7C15ull;
        Entry& entry = m_entries[hash >> 54];
        if (entry.key == key) return entry.track;
        entry = {key, make(key, name)};
        return entry.track;
    }
    TrackId make(const RawKey& key, std::string_view name);

    ReportBuilder& m_builder;
    // direct-mapped; the only cost of a collision is taking the builder's lock
    std::array<Entry, kEntries> m_entries;
};

// LocalNames: names found by one worker, with local IDs that are assigned without a lock. The local IDs go
// into the worker's SliceBatch and become report IDs when the batch is adopted. One thread.
class LocalNames {
  public:
    // Returns the local ID of a string that the report already has.
    StringId ofReport(StringId reportId)
    {
        if (reportId.value >= m_ofReport.size()) m_ofReport.resize(reportId.value + size_t(1));
        StringId& local = m_ofReport[reportId.value];
        if (!local.isValid()) local = add({reportId, {}});
        return local;
    }
    StringId ofText(std::string_view text)
    {
        const StringId own = m_texts.intern(text);
        if (own.value >= m_ofText.size()) m_ofText.resize(own.value + size_t(1));
        StringId& local = m_ofText[own.value];
        if (!local.isValid()) local = add({{}, own});
        return local;
    }
    // Returns the map from local ID to report ID for ReportBuilder::adopt(). Interns new strings. The map is
    // empty if no name was used.
    std::vector<StringId> reportIds(ReportBuilder& builder) const
    {
        std::vector<StringId> ids;
        ids.reserve(m_names.size());
        for (const Name& name : m_names) {
            ids.push_back(name.report.isValid() ? name.report : builder.intern(m_texts.at(name.text)));
        }
        return ids;
    }

  private:
    struct Name {
        StringId report; // ID in the report, if known
        StringId text;   // otherwise, ID in m_texts
    };
    StringId add(const Name& name)
    {
        m_names.push_back(name);
        return StringId(m_names.size() - 1);
    }

    StringPool m_texts;
    std::vector<Name> m_names;
    std::vector<StringId> m_ofReport;
    std::vector<StringId> m_ofText;
};

// Everything that one scan read from its rows.
struct ScanResult {
    SliceBatch batch;
    ScanFindings findings;
    ImportNotes notes;
    // For tables that store strings in their rows. The rows of a scan use either these IDs or report IDs,
    // never both.
    LocalNames names;
};

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
    // Returns a correlation ID as a 32-bit number; NULL, 0 and 4294967295 mean "none".
    uint32_t correlation(int column) const;
    // Sets the details of a row. correlationColumn: the column of the row's correlation ID, or kNoColumn. An
    // ID that does not join rows, such as 0, is not in row.correlation but is still shown as recorded.
    static constexpr int kNoColumn = -1;
    void setFacts(SliceRow& row, FactList& facts, int correlationColumn = kNoColumn)
    {
        if (correlationColumn != kNoColumn && row.correlation == kNoCorrelation)
            facts.set(RowFact::correlation, optionalInteger(correlationColumn));
        if (!facts.empty() || row.correlation != kNoCorrelation) row.setFactSet(m_factNumbers.number(facts));
    }
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
    void count(CountedRows kind) { ++m_result.findings.counts[static_cast<size_t>(kind)]; }
    void note(std::string_view kind, NoteSeverity severity, std::string_view text);

    const ExportReading& reading() const { return m_reading; }
    const TableReader& reader() const { return m_reader; }
    TrackLookup& tracks() { return m_tracks; }
    ScanResult& result() { return m_result; }

  private:
    bool checkProgress();
    StringId missingName(int column);
    void noteDamage(const Result<bool>& last);

    const ExportReading& m_reading;
    const TableReader& m_reader;
    const uint8_t m_table;
    RowCursor m_cursor;
    TrackLookup m_tracks;
    FactNumbers m_factNumbers;
    ScanResult m_result{SliceBatch(m_reading.progress.place().temporary()), {}, {}, {}};
    uint64_t m_rows = 0;
};

} // namespace lockstep
