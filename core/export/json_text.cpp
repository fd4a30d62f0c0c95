// SPDX-License-Identifier: Apache-2.0
#include "core/export/json_text.h"

#include <array>
#include <utility>

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

class JsonWriter : public DocumentWriter {
  public:
    JsonWriter(const WriteOptions& options, const TextSink& sink) : DocumentWriter(options, sink)
    {
        m_sink("{");
        if (!options.provenanceJson.empty()) m_sink("\"provenance\": " + options.provenanceJson + ",\n");
        m_sink("\"tables\": [");
    }

    void begin(const Table& table) override
    {
        if (std::exchange(m_isBegun, true)) m_sink(",\n");
        JsonObject head;
        head.text("name", table.name()).text("title", table.title());
        std::string columns;
        for (size_t column = 0; column < table.columnCount(); ++column) {
            columns += (column == 0 ? "\n  " : ",\n  ") + columnJson(table, column, m_options.timeUnit);
        }
        head.raw("columns", "[" + columns + "]");
        std::string open = head.str();
        open.pop_back();
        m_sink(open + ", \"rows\": [");
        m_headers = headersOf(table, m_options.timeUnit);
        m_hasRows = false;
    }
    void rows(const Table& page, size_t count) override
    {
        for (size_t row = 0; row < count; ++row) {
            JsonObject object;
            addCells(object, page, row, m_headers, m_options.timeUnit);
            m_sink((std::exchange(m_hasRows, true) ? ",\n  " : "\n  ") + object.str());
        }
    }
    void end() override { m_sink("]}"); }
    void finish() override { m_sink("]}\n"); }

  private:
    bool m_isBegun = false, m_hasRows = false;
    std::vector<std::string> m_headers;
};

class JsonLinesWriter : public DocumentWriter {
  public:
    JsonLinesWriter(bool areSeveral, const WriteOptions& options, const TextSink& sink)
        : DocumentWriter(options, sink), m_areSeveral(areSeveral)
    {
        if (!options.provenanceJson.empty()) m_sink("{\"provenance\": " + options.provenanceJson + "}\n");
    }

    void begin(const Table& head) override { m_headers = headersOf(head, m_options.timeUnit); }
    void rows(const Table& page, size_t count) override
    {
        for (size_t row = 0; row < count; ++row) {
            JsonObject object;
            if (m_areSeveral) object.text("table", page.name());
            addCells(object, page, row, m_headers, m_options.timeUnit);
            m_sink(object.str() + "\n");
        }
    }

  private:
    bool m_areSeveral;
    std::vector<std::string> m_headers;
};

} // namespace

std::unique_ptr<DocumentWriter> jsonWriter(const WriteOptions& options, const TextSink& sink)
{
    return std::make_unique<JsonWriter>(options, sink);
}

std::unique_ptr<DocumentWriter> jsonLinesWriter(size_t tables, const WriteOptions& options,
                                                const TextSink& sink)
{
    return std::make_unique<JsonLinesWriter>(tables > 1, options, sink);
}

// Adds the first character of valid UTF-8 text. The character is written as \uXXXX if it is a control
// character or changes the reading direction. Returns its length in bytes.
static size_t addVisible(std::string& out, std::string_view text)
{
    size_t end = 1;
    while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80)
        ++end;
    out += printable(text.substr(0, end));
    return end;
}

std::string jsonString(std::string_view text)
{
    std::string out = "\"";
    const std::string repaired = repairedUtf8(text);
    for (size_t i = 0; i < repaired.size(); ++i) {
        const char c = repaired[i];
        if (static_cast<unsigned char>(c) >= 0x7F) {
            i += addVisible(out, std::string_view(repaired).substr(i)) - 1;
            continue;
        }
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
