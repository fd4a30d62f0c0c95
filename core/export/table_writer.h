// SPDX-License-Identifier: Apache-2.0
// Writers of Tables as text: csv, tsv, json, jsonl, markdown, and aligned text for people. The same tables
// and options always give the same bytes. Any thread.
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

// The command line's words; empty for other words.
std::optional<TableFormat> tableFormatNamed(std::string_view name);
std::string_view tableFormatName(TableFormat format);
// Without a dot: "txt", "csv", "tsv", "json", "jsonl", "md".
std::string_view fileExtension(TableFormat format);
std::optional<TimeUnit> timeUnitNamed(std::string_view name);
std::string_view timeUnitName(TimeUnit unit);

struct WriteOptions {
    TimeUnit timeUnit = TimeUnit::ns; // times keep all their digits: 1.5 ns are 0.0015 us
    size_t rows = 0;                  // the first rows only; 0 = all
    std::string provenanceJson;       // one JSON object for json and jsonl; empty = none
    std::vector<std::string>
        provenanceLines; // comment lines for csv; the other formats have no place for any
};

// Takes the text piece by piece, in order.
using TextSink = std::function<void(std::string_view)>;

// One document of all tables. json: {"provenance": {}, "tables": [{"name", "title", "columns", "rows":
// [{header: value}]}]}; jsonl: a line per row, with "table" first where there are several; csv and tsv:
// tables parted by an empty line. Numbers are written with all their decimals; an absent one is an empty
// cell, or null.
void writeTables(std::span<const Table* const> tables, TableFormat format, const WriteOptions& options,
                 const TextSink& sink);
// The same bytes, page by page: nothing is held but a page. The format `table` goes over the rows twice, the
// first time for the widths of columns. Errors are the streams'; what was written by then is no whole
// document. rowsWritten, where given: of each table.
Status writeRows(std::span<RowStream* const> tables, TableFormat format, const WriteOptions& options,
                 const TextSink& sink, const Progress& progress, std::vector<size_t>* rowsWritten = nullptr);

// One document in one format: for each table begin(), rows() page by page and end(), then finish(). Options
// and sink outlive it.
class DocumentWriter {
  public:
    DocumentWriter(const WriteOptions& options, const TextSink& sink) : m_options(options), m_sink(sink) {}
    virtual ~DocumentWriter() = default;

    // Before begin(), over all pages, where it says so.
    virtual bool measuresFirst() const { return false; }
    virtual void measure(const Table&, size_t) {}
    virtual void begin(const Table& head) = 0;
    // The first `count` rows of a page.
    virtual void rows(const Table& page, size_t count) = 0;
    virtual void end() {}
    virtual void finish() {}

  protected:
    const WriteOptions& m_options;
    const TextSink& m_sink;
};

// Shared by the writers: a cell and a header with time in the options' unit.
std::string cellText(const Table& table, size_t column, size_t row, TimeUnit unit);
std::string headerText(const Table& table, size_t column, TimeUnit unit);

} // namespace lockstep
