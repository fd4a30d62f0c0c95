// SPDX-License-Identifier: Apache-2.0
// JSON writers for tables, and the JSON helpers that these writers share with provenance. Numbers are decimal
// literals with all digits. Invalid UTF-8 in strings is repaired.
#pragma once

#include "core/export/table_writer.h"

namespace lockstep {

std::unique_ptr<DocumentWriter> jsonWriter(const WriteOptions& options, const TextSink& sink);
// Creates a JSON Lines writer. tables: number of tables; if there are several tables, each row contains the
// name of its table.
std::unique_ptr<DocumentWriter> jsonLinesWriter(size_t tables, const WriteOptions& options,
                                                const TextSink& sink);

// Returns the string as a quoted JSON string.
std::string jsonString(std::string_view text);
// Returns a JSON array: ["a", "b"].
std::string jsonStrings(const std::vector<std::string>& texts);

// JsonObject builds a JSON object on one line, with fields in the order in which they are added.
class JsonObject {
  public:
    JsonObject& text(std::string_view key, std::string_view value) { return raw(key, jsonString(value)); }
    JsonObject& number(std::string_view key, int64_t value) { return raw(key, std::to_string(value)); }
    // Adds a field whose value is already JSON.
    JsonObject& raw(std::string_view key, std::string_view value);
    std::string str() const { return "{" + m_fields + "}"; }

  private:
    std::string m_fields;
};

} // namespace lockstep
