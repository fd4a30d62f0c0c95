// SPDX-License-Identifier: Apache-2.0
// ExportImport: one reading of one nsys SQLite export from its file to a frozen report. Tables are read in
// two waves of the workers, big tables in ranges of pages. Used by
// readNsysExport() only.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "core/readers/nsys_sqlite/entity_names.h"
#include "core/readers/nsys_sqlite/export_facts.h"
#include "core/readers/nsys_sqlite/table_readers.h"

namespace lockstep {

// Tables that describe or detail the rows of others; not being drawn, they are no loss.
bool isSideTable(std::string_view table);

class ExportImport {
  public:
    ExportImport(const std::filesystem::path& file, Provenance provenance, SchemaProbe schema,
                 const Progress& progress);
    Result<std::unique_ptr<Report>> run(const SqliteDatabase& database);

  private:
    // The leaves [firstLeaf, lastLeaf) of one table for one worker; all its rows by SQL when it has no pages.
    struct Range {
        const TableReader* reader = nullptr;
        uint8_t table = 0;
        const TablePages* pages = nullptr;
        size_t firstLeaf = 0;
        size_t lastLeaf = 0;
    };
    struct ScanResult {
        SliceBatch batch;
        ScanFindings findings;
        ImportNotes notes;
        LocalNames names;
    };

    void planTables(const SqliteDatabase& database);
    void planCallTables(const SqliteDatabase& database);
    void planTable(const SqliteDatabase& database, const TableReader& reader, uint8_t table);
    bool isRead(std::string_view table) const;
    // export_counts.cpp
    void noteUnread(const SqliteDatabase& database);
    void addSideFacts(const SqliteDatabase& database);
    void readWave(const std::vector<Range>& ranges);
    void prepareSecondWave(const SqliteDatabase& database);
    ScanResult readRange(const Range& range) const;
    void merge(ScanResult&& result);
    void closeOpenRows();
    void addCounters(const EntityNames& names);
    void linkEvents();
    // collectives.cpp
    void addCollectives();
    uint32_t globalPeer(const StatedCollective& stated);
    void learnRanks(const ExportFacts& facts);
    void writeRowCounts();

    Report& report() { return m_builder.report(); }

    ReportBuilder m_builder;
    ExportReading m_reading;
    std::shared_ptr<const PageFile> m_file; // empty where the file has to be read by SQL
    std::vector<std::unique_ptr<const TablePages>> m_pages;
    std::deque<TableReader> m_callReaders; // of tables found by their columns
    std::vector<Range> m_first;
    std::vector<Range> m_second;
    ScanFindings m_found;
};

} // namespace lockstep
