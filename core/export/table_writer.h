// SPDX-License-Identifier: Apache-2.0
// Writers for tables in text formats: csv, tsv, json, jsonl, markdown, and aligned text for people. The same
// tables and options always produce the same bytes. Thread: any.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/row_stream.h"

namespace lockstep {

enum class TableFormat : uint8_t { table, csv, tsv, json, jsonl, markdown };
enum class TimeUnit : uint8_t { ns, us, ms, s };

// Returns the format that has this name on the command line, or nullopt.
std::optional<TableFormat> tableFormatNamed(std::string_view name);
std::string_view tableFormatName(TableFormat format);
// Returns the file extension without a dot: "txt", "csv", "tsv", "json", "jsonl", "md".
std::string_view fileExtension(TableFormat format);
std::optional<TimeUnit> timeUnitNamed(std::string_view name);
std::string_view timeUnitName(TimeUnit unit);

struct WriteOptions {
    TimeUnit timeUnit = TimeUnit::ns;         // unit for times; all digits are kept: 1.5 ns becomes 0.0015 us
    size_t rows = 0;                          // maximum number of rows; 0 = all rows
    std::string provenanceJson;               // JSON object for json and jsonl; empty: no provenance
    std::vector<std::string> provenanceLines; // comment lines for csv; ignored by other formats
};

// Receives the output in order, in chunks.
using TextSink = std::function<void(std::string_view)>;

// Writes one document with all tables. json: {"provenance": {}, "tables": [{"name", "title", "columns",
// "rows": [{header: value}]}]}. jsonl: one line per row, with "table" as the first key if there are several
// tables. csv and tsv: tables separated by an empty line. Numbers are written with all decimals. A missing
// number is an empty cell in csv and tsv, and null in JSON.
void writeTables(std::span<const Table* const> tables, TableFormat format, const WriteOptions& options,
                 const TextSink& sink);
// Same output as writeTables(), but written page by page with only one page in memory. The `table` format
// reads the rows twice, because the column widths must be known first. Errors are those of the streams; the
// output is then incomplete. rowsWritten, if not null, receives the number of rows in each table.
Status writeRows(std::span<RowStream* const> tables, TableFormat format, const WriteOptions& options,
                 const TextSink& sink, const Progress& progress, std::vector<size_t>* rowsWritten = nullptr);

// DocumentWriter writes one document in one format: for each table begin(), rows() page by page and end(),
// then finish(). Options and sink must outlive it.
class DocumentWriter {
  public:
    DocumentWriter(const WriteOptions& options, const TextSink& sink) : m_options(options), m_sink(sink) {}
    virtual ~DocumentWriter() = default;

    // Returns true if measure() must process all pages before begin().
    virtual bool measuresFirst() const { return false; }
    virtual void measure(const Table&, size_t) {}
    virtual void begin(const Table& head) = 0;
    // Writes the first `count` rows of a page.
    virtual void rows(const Table& page, size_t count) = 0;
    virtual void end() {}
    virtual void finish() {}

  protected:
    const WriteOptions& m_options;
    const TextSink& m_sink;
};

// Returns a cell or a header, with times in the unit set in the options. Both functions are shared by the
// writers.
std::string cellText(const Table& table, size_t column, size_t row, TimeUnit unit);
std::string headerText(const Table& table, size_t column, TimeUnit unit);

} // namespace lockstep
