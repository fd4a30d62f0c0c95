// SPDX-License-Identifier: Apache-2.0
#include "core/export/json_text.h"

#include <array>

#include "core/base/text.h"

namespace lockstep {

namespace {

constexpr std::array<std::string_view, 6> kTypeNames{"text", "integer", "real", "time", "bytes", "percent"};

std::string columnJson(const Table& table, size_t position, TimeUnit unit)
{
    const TableColumn& column = table.column(position);
    JsonObject object;
    object.text("header", headerText(table, position, unit));
    object.text("type", kTypeNames[static_cast<size_t>(column.type)]);
    const std::string_view shown =
        column.type == ColumnType::time ? timeUnitName(unit) : std::string_view(column.unit);
    if (!shown.empty()) object.text("unit", shown);
    object.text("doc", column.doc);
    return object.str();
}

void addCells(JsonObject& object, const Table& table, size_t row, const std::vector<std::string>& headers,
              TimeUnit unit)
{
    for (size_t column = 0; column < table.columnCount(); ++column) {
        if (table.column(column).type == ColumnType::text) {
            object.text(headers[column], table.text(column, row));
        } else {
            object.raw(headers[column],
                       table.hasNumber(column, row) ? cellText(table, column, row, unit) : "null");
        }
    }
}

std::vector<std::string> headersOf(const Table& table, TimeUnit unit)
{
    std::vector<std::string> headers;
    for (size_t column = 0; column < table.columnCount(); ++column)
        headers.push_back(headerText(table, column, unit));
    return headers;
}

void writeTable(const Table& table, const WriteOptions& options, const TextSink& sink)
{
    JsonObject head;
    head.text("name", table.name()).text("title", table.title());
    std::string columns;
    for (size_t column = 0; column < table.columnCount(); ++column) {
        columns += (column == 0 ? "\n  " : ",\n  ") + columnJson(table, column, options.timeUnit);
    }
    head.raw("columns", "[" + columns + "]");
    std::string open = head.str();
    open.pop_back();
    sink(open + ", \"rows\": [");
    const std::vector<std::string> headers = headersOf(table, options.timeUnit);
    for (size_t row = 0; row < rowsToWrite(table, options); ++row) {
        JsonObject object;
        addCells(object, table, row, headers, options.timeUnit);
        sink((row == 0 ? "\n  " : ",\n  ") + object.str());
    }
    sink("]}");
}

} // namespace

void writeJson(std::span<const Table* const> tables, const WriteOptions& options, const TextSink& sink)
{
    sink("{");
    if (!options.provenanceJson.empty()) sink("\"provenance\": " + options.provenanceJson + ",\n");
    sink("\"tables\": [");
    for (size_t i = 0; i < tables.size(); ++i) {
        if (i > 0) sink(",\n");
        writeTable(*tables[i], options, sink);
    }
    sink("]}\n");
}

void writeJsonLines(std::span<const Table* const> tables, const WriteOptions& options, const TextSink& sink)
{
    if (!options.provenanceJson.empty()) sink("{\"provenance\": " + options.provenanceJson + "}\n");
    for (const Table* const table : tables) {
        const std::vector<std::string> headers = headersOf(*table, options.timeUnit);
        for (size_t row = 0; row < rowsToWrite(*table, options); ++row) {
            JsonObject object;
            if (tables.size() > 1) object.text("table", table->name());
            addCells(object, *table, row, headers, options.timeUnit);
            sink(object.str() + "\n");
        }
    }
}

std::string jsonString(std::string_view text)
{
    std::string out = "\"";
    for (const char c : repairedUtf8(text)) {
        switch (c) {
        case '"':
            out += "\\\"";
            break;
        case '\\':
            out += "\\\\";
            break;
        case '\n':
            out += "\\n";
            break;
        case '\r':
            out += "\\r";
            break;
        case '\t':
            out += "\\t";
            break;
        default:
            if (static_cast<unsigned char>(c) < 0x20) {
                out += "\\u00";
                out += "0123456789abcdef"[c >> 4];
                out += "0123456789abcdef"[c & 0xF];
            } else {
                out += c;
            }
        }
    }
    return out + '"';
}

std::string jsonStrings(const std::vector<std::string>& texts)
{
    std::string out;
    for (const std::string& text : texts)
        out += (out.empty() ? "" : ", ") + jsonString(text);
    return "[" + out + "]";
}

JsonObject& JsonObject::raw(std::string_view key, std::string_view value)
{
    if (!m_fields.empty()) m_fields += ", ";
    m_fields += jsonString(key) + ": ";
    m_fields += value;
    return *this;
}

} // namespace lockstep
