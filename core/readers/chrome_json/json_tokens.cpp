// SPDX-License-Identifier: Apache-2.0
#include "core/readers/chrome_json/json_tokens.h"

#include <array>
#include <cstring>
#include <string>

namespace lockstep {

namespace {

constexpr std::array<bool, 256> kIsNumberChar = [] {
    std::array<bool, 256> is{};
    for (const char c : {'0', '1', '2', '3', '4', '5', '6', '7', '8', '9', '.', '+', '-', 'e', 'E'})
        is[static_cast<unsigned char>(c)] = true;
    return is;
}();

} // namespace

bool JsonTokens::scan(std::string_view text)
{
    m_count = 0;
    if (!m_stages || m_stages->capacity() < text.size()) {
        m_stages.reset();
        if (simdjson::get_active_implementation()->create_dom_parser_implementation(
                text.size(), simdjson::DEFAULT_MAX_DEPTH, m_stages) != simdjson::SUCCESS) {
            return false;
        }
    }
    const auto* const bytes = reinterpret_cast<const uint8_t*>(text.data());
    if (m_stages->stage1(bytes, text.size(), simdjson::stage1_mode::regular) != simdjson::SUCCESS)
        return false;
    m_text = text.data();
    m_size = text.size();
    m_begins = m_stages->structural_indexes.get();
    m_count = m_stages->n_structural_indexes;
    m_hasEscapes = std::memchr(text.data(), '\\', text.size()) != nullptr;
    return true;
}

// Only blanks follow a number or word before the next token.
bool JsonTokens::isNumberOrWord(size_t token) const
{
    const std::string_view word(place(token), m_begins[token + 1] - m_begins[token]);
    if (isDigit(word[0]) || word[0] == '-') {
        size_t size = 1;
        while (size < word.size() && kIsNumberChar[static_cast<unsigned char>(word[size])])
            ++size;
        if (size == word.size() || isJsonBlank(word[size])) return true;
    }
    const std::string_view text = withoutTrailingBlanks(word);
    return text == "true" || text == "false" || text == "null" || isNotFinite(text);
}

// Checks the tokens in order, without recursion, because a file may contain any nesting depth. Stays within
// the tokens: no step except a closing bracket accepts the last token of the text, and the value must not end
// there.
size_t JsonTokens::afterContainer(size_t token) const
{
    std::string open; // the closing brackets that are still to come
    const auto isKey = [this](size_t at) { return this->at(at) == '"' && this->at(at + 1) == ':'; };
    while (true) {
        if (isContainer(token)) {
            const char close = at(token) == '{' ? '}' : ']';
            open += close;
            ++token;
            if (at(token) != close) {
                if (close == ']') continue;
                if (!isKey(token)) return 0;
                token += 2;
                continue;
            }
        } else if (at(token) == '"' || isShortNumber(token) || isNumberOrWord(token)) {
            ++token;
        } else {
            return 0;
        }
        while (at(token) == open.back()) { // a value ends before `token`
            open.pop_back();
            ++token;
            if (token >= m_count) return 0;
            if (open.empty()) return token;
        }
        if (at(token) != ',') return 0;
        ++token;
        if (open.back() == ']') continue;
        if (!isKey(token)) return 0;
        token += 2;
    }
}

std::string_view JsonTokens::unescaped(std::string_view content, std::vector<uint8_t>& room,
                                       size_t& used) const
{
    // All strings of a text together fit in as many bytes as the text has, but simdjson writes whole blocks.
    const size_t enough = m_size + simdjson::SIMDJSON_PADDING;
    if (used == 0 && room.size() < enough) room.resize(enough);
    uint8_t* const begin = room.data() + used;
    const uint8_t* const end =
        m_stages->parse_string(reinterpret_cast<const uint8_t*>(content.data()), begin);
    if (end == nullptr) return {};
    used += static_cast<size_t>(end - begin);
    return {reinterpret_cast<const char*>(begin), static_cast<size_t>(end - begin)};
}

} // namespace lockstep
