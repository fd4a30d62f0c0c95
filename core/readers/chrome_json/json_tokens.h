// SPDX-License-Identifier: Apache-2.0
// JsonTokens: where the tokens of a text begin, outside of strings: brackets, commas, colons, the quotes that
// open strings, the first characters of numbers and words. simdjson's first stage finds them and checks the
// text: UTF-8, no control characters in strings, no string left open. One per worker, reused; the text has to
// live as long as it is asked about.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include <simdjson.h>

namespace lockstep {

class JsonTokens {
  public:
    // False when simdjson refuses the text. At least 64 readable bytes stand behind it.
    bool scan(std::string_view text);

    size_t count() const { return m_count; }
    // The token's first character; the byte behind the text for token count().
    char at(size_t token) const { return m_text[m_begins[token]]; }
    const char* place(size_t token) const { return m_text + m_begins[token]; }
    // From one token's begin to another's.
    std::string_view between(size_t token, size_t end) const
    {
        return {m_text + m_begins[token], m_begins[end] - m_begins[token]};
    }
    // A token with the blanks behind it.
    std::string_view text(size_t token) const { return between(token, token + 1); }

    // True for a string, number or word.
    bool isScalar(size_t token) const { return roleOf(at(token)) == Role::value; }
    // The token behind the value that begins at `token`; 0 when no value begins there, or when it is the last
    // thing in the text. Brackets are counted, not told apart.
    size_t behind(size_t token) const
    {
        const Role role = roleOf(at(token));
        return role == Role::value ? token + 1 : role == Role::opens ? behindBrackets(token) : 0;
    }
    // True for an object or array, known to close, that is empty or whose first entry begins as the grammar
    // wants it. What simdjson makes of others depends on how it comes by them.
    bool opensWell(size_t token) const;

    // False in a text without a single backslash.
    bool hasEscapes() const { return m_hasEscapes; }
    // The string that begins at `token`, unescaped into `room`, which keeps what it holds and never moves;
    // empty data() for an escape that JSON does not know.
    std::string_view unescaped(size_t token, std::vector<uint8_t>& room, size_t& used) const;

  private:
    enum class Role : uint8_t { value, opens, closes, separates };

    static Role roleOf(char c) { return kRoles[static_cast<unsigned char>(c)]; }
    size_t behindBrackets(size_t token) const;

    static constexpr std::array<Role, 256> kRoles = [] {
        std::array<Role, 256> roles = {};
        roles['{'] = roles['['] = Role::opens;
        roles['}'] = roles[']'] = Role::closes;
        roles[','] = roles[':'] = Role::separates;
        return roles;
    }();

    std::unique_ptr<simdjson::internal::dom_parser_implementation> m_stages;
    const char* m_text = nullptr;
    const uint32_t* m_begins = nullptr;
    size_t m_size = 0;
    size_t m_count = 0;
    bool m_hasEscapes = false;
};

} // namespace lockstep
