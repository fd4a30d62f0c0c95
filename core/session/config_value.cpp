// SPDX-License-Identifier: Apache-2.0
#include "core/session/config_value.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/base/words.h"

namespace lockstep {

namespace {

// Skips digits with single underscores between them, as accepted by Python and Hydra. Moves `at` to the
// position after them.
bool skipDigits(std::string_view word, size_t& at)
{
    const size_t begin = at;
    while (at < word.size() && (isDigit(word[at]) || (word[at] == '_' && at > begin && word[at - 1] != '_')))
        ++at;
    return at > begin && word[at - 1] != '_';
}

bool isNumber(std::string_view word)
{
    size_t at = !word.empty() && (word[0] == '-' || word[0] == '+') ? 1 : 0;
    const bool whole = skipDigits(word, at);
    bool fraction = false;
    if (at < word.size() && word[at] == '.') {
        ++at;
        fraction = skipDigits(word, at);
    }
    if (!whole && !fraction) return false;
    if (at < word.size() && (word[at] == 'e' || word[at] == 'E')) {
        ++at;
        if (at < word.size() && (word[at] == '-' || word[at] == '+')) ++at;
        if (!skipDigits(word, at)) return false;
    }
    return at == word.size();
}

} // namespace

std::string locationText(TextLocation place)
{
    if (place.line == 0) return {};
    return "line " + std::to_string(place.line) + ", column " + std::to_string(place.column);
}

ConfigValue ConfigValue::fromBool(bool value)
{
    ConfigValue made;
    made.kind = Kind::boolean;
    made.text = value ? "true" : "false";
    return made;
}

ConfigValue ConfigValue::fromInt(int64_t value)
{
    ConfigValue made;
    made.kind = Kind::number;
    made.text = std::to_string(value);
    return made;
}

ConfigValue ConfigValue::fromText(std::string value)
{
    ConfigValue made;
    made.kind = Kind::text;
    made.text = std::move(value);
    return made;
}

ConfigValue ConfigValue::emptyList()
{
    ConfigValue made;
    made.kind = Kind::list;
    return made;
}

ConfigValue ConfigValue::emptyMap()
{
    ConfigValue made;
    made.kind = Kind::map;
    return made;
}

const ConfigValue* ConfigValue::find(std::string_view key) const
{
    const auto found = std::find(keys.begin(), keys.end(), key);
    return found == keys.end() ? nullptr : &items[static_cast<size_t>(found - keys.begin())];
}

ConfigValue& ConfigValue::set(std::string_view key, ConfigValue value)
{
    if (kind == Kind::null) kind = Kind::map;
    const auto found = std::find(keys.begin(), keys.end(), key);
    if (found != keys.end()) return items[static_cast<size_t>(found - keys.begin())] = std::move(value);
    keys.emplace_back(key);
    return items.emplace_back(std::move(value));
}

void ConfigValue::erase(std::string_view key)
{
    const auto found = std::find(keys.begin(), keys.end(), key);
    if (found == keys.end()) return;
    items.erase(items.begin() + (found - keys.begin()));
    keys.erase(found);
    if (keys.empty()) *this = ConfigValue();
}

bool operator==(const ConfigValue& a, const ConfigValue& b)
{
    if (a.kind != b.kind || a.items != b.items || a.keys != b.keys) return false;
    switch (a.kind) {
    case ConfigValue::Kind::boolean:
        return lowerAscii(a.text) == lowerAscii(b.text);
    case ConfigValue::Kind::number:
    case ConfigValue::Kind::text:
        return a.text == b.text;
    default:
        return true;
    }
}

ConfigValue::Kind plainWordKind(std::string_view word)
{
    if (word.empty() || word == "~") return ConfigValue::Kind::null;
    const std::string lower = word.size() <= 5 ? lowerAscii(word) : std::string();
    if (lower == "null") return ConfigValue::Kind::null;
    if (lower == "true" || lower == "false") return ConfigValue::Kind::boolean;
    return isNumber(word) ? ConfigValue::Kind::number : ConfigValue::Kind::text;
}

} // namespace lockstep
