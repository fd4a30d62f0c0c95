// SPDX-License-Identifier: Apache-2.0
// JsonText builds a JSON object field by field. Bytes that are not valid UTF-8 become U+FFFD.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::capture {

class JsonText {
  public:
    JsonText& text(std::string_view key, std::string_view value);
    JsonText& number(std::string_view key, int64_t value);
    JsonText& boolean(std::string_view key, bool value);
    JsonText& list(std::string_view key, const std::vector<std::string>& values);
    JsonText& list(std::string_view key, const std::vector<int64_t>& values);
    JsonText& object(std::string_view key, const JsonText& value); // adds a completed object as a value
    std::string done() const { return m_text.empty() ? "{}" : m_text + "}"; }

    static void quote(std::string& out, std::string_view text);

  private:
    std::string& key(std::string_view key);

    std::string m_text;
};

} // namespace lockstep::capture
