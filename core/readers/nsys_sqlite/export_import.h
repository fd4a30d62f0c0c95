// ExportImport: one reading of one nsys SQLite export from its file to a frozen report. Tables are read in two waves by
// all workers, each with its own connection; big tables in ranges of rows. Used by readNsysExport() only.
#pragma once

#include <memory>
#include <vector>

#include "core/readers/nsys_sqlite/entity_names.h"
#include "core/readers/nsys_sqlite/export_facts.h"
#include "core/readers/nsys_sqlite/table_readers.h"

namespace lockstep {

class ExportImport {
  public:
    ExportImport(const std::filesystem::path& file, Provenance provenance, SchemaProbe schema,
                 const Progress& progress);
    Result<std::shared_ptr<const Report>> run(const SqliteDatabase& database);

  private:
    // Rows [first, last] of one table for one worker; the whole table when the rows could not be numbered.
    struct Range {
        const TableReader* reader = nullptr;
        uint8_t table = 0;
        int64_t first = 0;
        int64_t last = 0;
        bool isWhole = true;
    };
    struct ScanResult {
        SliceBatch batch;
        ScanFindings findings;
        ImportNotes notes;
        LocalNames names;
    };

    void planTables(const SqliteDatabase& database);
    void planTable(const SqliteDatabase& database, const TableReader& reader, uint8_t table);
    void noteUnread(const SqliteDatabase& database);
    void readWave(const std::vector<Range>& ranges);
    ScanResult readRange(const Range& range, const SqliteDatabase& database) const;
    void merge(ScanResult&& result);
    void closeOpenRows();
    void addCounters(const EntityNames& names);
    void linkEvents();
    void learnRanks(const ExportFacts& facts);
    void writeRowCounts();

    Report& report() { return m_builder.report(); }

    ReportBuilder m_builder;
    ExportReading m_reading;
    std::vector<Range> m_first;
    std::vector<Range> m_second;
    ScanFindings m_found;
};

} // namespace lockstep
