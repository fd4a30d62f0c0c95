// SPDX-License-Identifier: Apache-2.0
#include "ui/session/field_text.h"

#include "core/base/text.h"
#include "core/session/shell_quote.h"
#include "core/session/typed_value.h"

namespace lockstep {

namespace {

constexpr size_t kMaxNumbers = 1'000'000;

std::string_view trimmedBlanks(std::string_view text)
{
    const size_t begin = text.find_first_not_of(" \t");
    if (begin == text.npos) return {};
    return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

std::vector<std::string> splitParts(std::string_view line, std::string_view separators)
{
    std::vector<std::string> parts;
    for (size_t begin = 0; begin < line.size();) {
        const size_t end = std::min(line.find_first_of(separators, begin), line.size());
        if (end > begin) parts.emplace_back(line.substr(begin, end - begin));
        begin = end + 1;
    }
    return parts;
}

ConfigValue textList(const std::vector<std::string>& words)
{
    ConfigValue list = ConfigValue::emptyList();
    for (const std::string& word : words)
        list.items.push_back(ConfigValue::fromText(word));
    return list;
}

Result<ConfigValue> readAssignments(const std::vector<std::string>& words)
{
    ConfigValue map = ConfigValue::emptyMap();
    for (const std::string& word : words) {
        const size_t equals = word.find('=');
        if (equals == word.npos || !isEnvironmentName(word.substr(0, equals)))
            return makeError(ErrorKind::invalid, "'" + word + "': expected NAME=value");
        map.set(word.substr(0, equals), ConfigValue::fromText(word.substr(equals + 1)));
    }
    return map;
}

std::string joined(const std::vector<ConfigValue>& items)
{
    std::string out;
    for (const ConfigValue& item : items)
        out += (out.empty() ? "" : ", ") + item.text;
    return out;
}

} // namespace

Result<std::vector<int64_t>> readNumbers(std::string_view line)
{
    std::vector<int64_t> numbers;
    for (const std::string& part : splitParts(line, ", \t")) {
        const size_t dash = part.find('-', 1);
        const auto first = parseInt(std::string_view(part).substr(0, dash));
        const auto last = dash == part.npos ? first : parseInt(std::string_view(part).substr(dash + 1));
        if (!first || !last || *first < 0 || *last < *first)
            return makeError(ErrorKind::invalid,
                             "'" + part + "': expected numbers and ranges, for example 2, 5, 10-12");
        if (static_cast<uint64_t>(*last - *first) >= kMaxNumbers - numbers.size())
            return makeError(ErrorKind::invalid, "'" + part + "': more than 1,000,000 numbers");
        for (int64_t number = *first; number <= *last; ++number)
            numbers.push_back(number);
    }
    return numbers;
}

std::string writeNumbers(const std::vector<int64_t>& numbers)
{
    std::string out;
    for (size_t begin = 0; begin < numbers.size();) {
        size_t end = begin + 1;
        while (end < numbers.size() && numbers[end] == numbers[end - 1] + 1)
            ++end;
        if (end - begin < 3) end = begin + 1;
        out += (out.empty() ? "" : ", ") + std::to_string(numbers[begin]);
        if (end - begin >= 3) out += "-" + std::to_string(numbers[end - 1]);
        begin = end;
    }
    return out;
}

Result<ConfigValue> readFieldText(FieldText kind, std::string_view line)
{
    const std::string_view plain = trimmedBlanks(line);
    if (plain.empty()) return ConfigValue{};
    switch (kind) {
    case FieldText::text:
        return ConfigValue::fromText(std::string(plain));
    case FieldText::whole: {
        const auto number = parseInt(plain);
        if (!number || *number < 0)
            return makeError(ErrorKind::invalid,
                             "'" + std::string(plain) + "': expected a whole number, 0 or larger");
        return ConfigValue::fromInt(*number);
    }
    case FieldText::numbers:
        return valueOf(LOCKSTEP_TRY(readNumbers(plain)));
    case FieldText::words:
        return textList(LOCKSTEP_TRY(splitShellWords(plain)).words);
    case FieldText::list:
        return textList(splitParts(plain, ", \t"));
    case FieldText::assignments:
        return readAssignments(LOCKSTEP_TRY(splitShellWords(plain)).words);
    }
    return ConfigValue{};
}

std::string writeFieldText(FieldText kind, const std::optional<ConfigValue>& value)
{
    if (!value) return {};
    std::string out;
    switch (kind) {
    case FieldText::text:
    case FieldText::whole:
        return value->text;
    case FieldText::numbers: {
        std::vector<int64_t> numbers;
        return assign(numbers, *value) ? writeNumbers(numbers) : joined(value->items);
    }
    case FieldText::list:
        return joined(value->items);
    case FieldText::words:
        for (const ConfigValue& item : value->items)
            out += (out.empty() ? "" : " ") + shellQuoted(item.text);
        return out;
    case FieldText::assignments:
        for (size_t i = 0; i < value->keys.size(); ++i)
            out += (out.empty() ? "" : " ") + shellAssignment(value->keys[i], value->items[i].text);
        return out;
    }
    return out;
}

} // namespace lockstep
