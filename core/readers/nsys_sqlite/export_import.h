// SPDX-License-Identifier: Apache-2.0
// ExportImport reads one nsys SQLite export into a frozen report. Workers read the tables in two passes,
// large tables in ranges of pages. Used only by readNsysExport().
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "core/readers/nsys_sqlite/entity_names.h"
#include "core/readers/nsys_sqlite/export_facts.h"
#include "core/readers/nsys_sqlite/table_readers.h"

namespace lockstep {

// Returns true for tables that describe rows of other tables. Such tables are not drawn themselves, so
// nothing is lost.
bool isSideTable(std::string_view table);

class ExportImport {
  public:
    ExportImport(const std::filesystem::path& file, Provenance provenance, SchemaProbe schema,
                 const Progress& progress);
    Result<std::unique_ptr<Report>> run(const SqliteDatabase& database);

  private:
    // The leaf pages [firstLeaf, lastLeaf) of one table for one worker. Without pages, all rows of the table,
    // read by SQL.
    struct Range {
        const TableReader* reader = nullptr;
        uint8_t table = 0;
        const TablePages* pages = nullptr;
        size_t firstLeaf = 0;
        size_t lastLeaf = 0;
    };

    void planTables(const SqliteDatabase& database);
    void planCallTables(const SqliteDatabase& database);
    void planTable(const SqliteDatabase& database, const TableReader& reader, uint8_t table);
    bool isRead(std::string_view table) const;
    // in export_counts.cpp
    void noteUnread(const SqliteDatabase& database);
    void addSideFacts(const SqliteDatabase& database);
    void readPass(const std::vector<Range>& ranges);
    void prepareSecondPass(const SqliteDatabase& database);
    ScanResult readRange(const Range& range) const;
    void merge(ScanResult&& result);
    void closeOpenRows();
    void addCounters(const EntityNames& names);
    void linkEvents();
    // in collectives.cpp
    void addCollectives();
    uint32_t globalPeer(const RecordedCollective& collective);
    void learnRanks(const ExportFacts& facts);
    void writeRowCounts();

    Report& report() { return m_builder.report(); }

    ReportBuilder m_builder;
    ExportReading m_reading;
    std::shared_ptr<const PageFile> m_file; // null if the file must be read through SQL
    std::vector<std::unique_ptr<const TablePages>> m_pages;
    std::deque<TableReader> m_callReaders; // readers of tables recognized by their columns
    std::vector<Range> m_first;
    std::vector<Range> m_second;
    ScanFindings m_found;
};

} // namespace lockstep
