// SPDX-License-Identifier: Apache-2.0
// JSON writers of Tables, and the pieces of JSON text that provenance shares with them. Numbers are decimal
// literals with all their digits; texts are repaired to valid UTF-8.
#pragma once

#include "core/export/table_writer.h"

namespace lockstep {

std::unique_ptr<DocumentWriter> jsonWriter(const WriteOptions& options, const TextSink& sink);
// tables: how many there will be; rows of several say whose they are.
std::unique_ptr<DocumentWriter> jsonLinesWriter(size_t tables, const WriteOptions& options,
                                                const TextSink& sink);

// Text as a JSON string, with its quotes.
std::string jsonString(std::string_view text);
// ["a", "b"].
std::string jsonStrings(const std::vector<std::string>& texts);

// Builds one JSON object on one line, fields in the order they are added.
class JsonObject {
  public:
    JsonObject& text(std::string_view key, std::string_view value) { return raw(key, jsonString(value)); }
    JsonObject& number(std::string_view key, int64_t value) { return raw(key, std::to_string(value)); }
    // value is JSON itself.
    JsonObject& raw(std::string_view key, std::string_view value);
    std::string str() const { return "{" + m_fields + "}"; }

  private:
    std::string m_fields;
};

} // namespace lockstep
