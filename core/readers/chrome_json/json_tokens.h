// SPDX-License-Identifier: Apache-2.0
// JsonTokens: the positions of tokens in a text, outside of strings: brackets, commas, colons, opening
// quotes, first characters of numbers and words. simdjson's first stage finds the tokens and checks the text:
// UTF-8, no control characters in strings, no unclosed string. One per worker, reused; the text must outlive
// the use of the tokens.
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
    // Scans a text; returns false if simdjson rejects it. At least 64 readable bytes must follow the text.
    bool scan(std::string_view text);

    size_t count() const { return m_count; }
    // Returns the first character of a token; for token count(), the byte after the text.
    char at(size_t token) const { return m_text[m_begins[token]]; }
    const char* place(size_t token) const { return m_text + m_begins[token]; }
    // Returns the text from the start of one token to the start of another.
    std::string_view between(size_t token, size_t end) const
    {
        return {m_text + m_begins[token], m_begins[end] - m_begins[token]};
    }
    // Returns a token with the blanks after it.
    std::string_view text(size_t token) const { return between(token, token + 1); }

    // Returns true for a string, number or word.
    bool isScalar(size_t token) const { return roleOf(at(token)) == Role::value; }
    // Returns the token after the value that starts at `token`. Returns 0 if no value starts there, or if the
    // value is the last one in the text. Brackets are counted without distinguishing their kinds.
    size_t behind(size_t token) const
    {
        const Role role = roleOf(at(token));
        return role == Role::value ? token + 1 : role == Role::opens ? behindBrackets(token) : 0;
    }
    // Returns true for an object or array that is known to close, and that is empty or whose first entry
    // starts as the grammar requires. For other objects and arrays, simdjson's behavior depends on the access
    // path.
    bool isWellFormedContainer(size_t token) const;

    // Returns false if the text contains no backslash.
    bool hasEscapes() const { return m_hasEscapes; }
    // Returns the unescaped string at `token`. It is stored in `room`, which never moves and keeps its
    // content. data() is null if an escape sequence is invalid.
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
