// SPDX-License-Identifier: Apache-2.0
#include "core/readers/chrome_json/json_tokens.h"

#include <cstring>

namespace lockstep {

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

size_t JsonTokens::behindBrackets(size_t token) const
{
    int64_t depth = 1;
    for (size_t i = token + 1; i < m_count; ++i) {
        const Role role = roleOf(m_text[m_begins[i]]);
        depth += int(role == Role::opens) - int(role == Role::closes);
        if (depth == 0) return i + 1 < m_count ? i + 1 : 0;
    }
    return 0;
}

bool JsonTokens::isWellFormedContainer(size_t token) const
{
    const auto isKey = [&](size_t place) { return at(place) == '"' && at(place + 1) == ':'; };
    const bool isObject = at(token) == '{';
    if (at(token + 1) == (isObject ? '}' : ']')) return true;
    if (isObject && !isKey(token + 1)) return false;
    const size_t value = token + (isObject ? 3 : 1);
    return roleOf(at(value)) == Role::opens || (isScalar(value) && !isKey(value));
}

std::string_view JsonTokens::unescaped(size_t token, std::vector<uint8_t>& room, size_t& used) const
{
    // All strings of a text together fit in as many bytes as the text has, but simdjson writes whole blocks.
    const size_t enough = m_size + simdjson::SIMDJSON_PADDING;
    if (used == 0 && room.size() < enough) room.resize(enough);
    uint8_t* const begin = room.data() + used;
    const uint8_t* const end =
        m_stages->parse_string(reinterpret_cast<const uint8_t*>(place(token)) + 1, begin);
    if (end == nullptr) return {};
    used += static_cast<size_t>(end - begin);
    return {reinterpret_cast<const char*>(begin), static_cast<size_t>(end - begin)};
}

} // namespace lockstep
