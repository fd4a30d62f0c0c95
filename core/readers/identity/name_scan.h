// SPDX-License-Identifier: Apache-2.0
// NameScan: a cursor over a file or folder name, for hand-written matchers. Every take function either moves
// the cursor past the consumed text or leaves the cursor unchanged. Header-only, no allocation.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace lockstep {

class NameScan {
  public:
    explicit NameScan(std::string_view text) : m_text(text) {}

    std::string_view rest() const { return m_text; }
    bool isAtEnd() const { return m_text.empty(); }

    bool take(std::string_view literal)
    {
        if (!m_text.starts_with(literal)) return false;
        m_text.remove_prefix(literal.size());
        return true;
    }
    // Consumes all decimal digits. Returns nullopt if the number does not fit int64_t.
    std::optional<int64_t> takeNumber()
    {
        const size_t digits = digitCount();
        int64_t value = 0;
        if (digits == 0) return std::nullopt;
        if (std::from_chars(m_text.data(), m_text.data() + digits, value).ec != std::errc())
            return std::nullopt;
        m_text.remove_prefix(digits);
        return value;
    }
    // Consumes `literal` and the number that follows it.
    std::optional<int64_t> takeNumberAfter(std::string_view literal)
    {
        const std::string_view before = m_text;
        if (!take(literal)) return std::nullopt;
        const auto number = takeNumber();
        if (!number) m_text = before;
        return number;
    }
    size_t digitCount() const
    {
        const size_t end = m_text.find_first_not_of("0123456789");
        return end == std::string_view::npos ? m_text.size() : end;
    }

  private:
    std::string_view m_text;
};

} // namespace lockstep
