// SPDX-License-Identifier: Apache-2.0
#include "core/readers/chrome_json/event_shape.h"

#include <cstring>

namespace lockstep {

namespace {

constexpr size_t kKeyBytes = sizeof(uint64_t);

uint64_t keyBytes(const char* key)
{
    uint64_t bytes = 0;
    std::memcpy(&bytes, key, sizeof bytes);
    return bytes;
}

// Returns a mask that covers the bytes up to and including the first quote.
uint64_t maskOf(const char* key)
{
    std::array<unsigned char, kKeyBytes> mask = {};
    for (size_t i = 0; i < kKeyBytes; ++i) {
        mask[i] = 0xFF;
        if (key[i] == '"') break;
    }
    return keyBytes(reinterpret_cast<const char*>(mask.data()));
}

bool setOnce(uint8_t& place, size_t value)
{
    const bool isFirst = place == 0;
    place = static_cast<uint8_t>(value);
    return isFirst;
}

} // namespace

void EventShape::learn(const JsonTokens& tokens, size_t first, size_t behind)
{
    *this = EventShape();
    size_t count = 0;
    for (size_t key = first + 1;; key += 4) {
        if (key + 3 >= behind || count == kMaxFields) return;
        const size_t value = key + 2;
        const bool isObject = tokens.at(value) == '{';
        const char* const text = tokens.place(key) + 1;
        if ((!isObject && !tokens.isScalar(value)) || !take(text, isObject, value - first)) return;
        m_keys[count++] = {keyBytes(text), maskOf(text)};
        const size_t next = isObject ? tokens.behind(value) : value + 1;
        if (next + 1 == behind) break;
        if (isObject) return; // there are fields after args
    }
    if (valueOf(ScalarField::phase) != 0) m_count = count;
}

// Returns false for fields that a shape does not support.
bool EventShape::take(const char* key, bool isObject, size_t value)
{
    if (isKey(key, "args")) return isObject && setOnce(m_arguments, value);
    if (isObject || isKey(key, "id2") || std::memcmp(key, "flow_out", kKeyBytes) == 0) return false;
    if (isKey(key, "cat")) return setOnce(m_category, value);
    if (isKey(key, "name")) return setOnce(m_name, value);
    const ScalarField field = scalarFieldOf(key);
    return field == ScalarField::none || setOnce(m_values[static_cast<size_t>(field)], value);
}

bool EventShape::fits(const JsonTokens& tokens, size_t first) const
{
    if (m_count == 0 || first + size() + 1 >= tokens.count()) return false;
    uint64_t differs = 0;
    const size_t scalars = m_count - (m_arguments != 0 ? 1 : 0);
    for (size_t i = 0; i < m_count; ++i) {
        const size_t key = first + 1 + 4 * i;
        const char* const text = tokens.place(key);
        differs |= (keyBytes(text + 1) ^ m_keys[i].text) & m_keys[i].mask;
        differs |= static_cast<uint64_t>(text[0] ^ '"') | static_cast<uint64_t>(tokens.at(key + 1) ^ ':');
    }
    for (size_t i = 0; i < scalars; ++i) {
        const size_t value = first + 3 + 4 * i;
        differs |= static_cast<uint64_t>(!tokens.isScalar(value));
        differs |= static_cast<uint64_t>(tokens.at(value + 1) ^ (i + 1 < m_count ? ',' : '}'));
    }
    if (m_arguments != 0) differs |= static_cast<uint64_t>(tokens.at(first + m_arguments) ^ '{');
    return differs == 0;
}

} // namespace lockstep
