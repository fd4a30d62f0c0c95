// SPDX-License-Identifier: Apache-2.0
#include "core/readers/argument_meaning.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

#include "core/base/text.h"

namespace lockstep {

namespace {

// Unit of a value. Byte counts are shown with units; other values are shown unchanged.
enum class Unit : uint8_t { asItIs, bytes };

// A display name, and the columns in nsys and PyTorch files that contain the value. The first existing column
// is used.
struct Meaning {
    std::string_view word;
    std::array<std::string_view, 3> columns;
    Unit unit = Unit::asItIs;
    bool isWithoutZero = false; // true if zero means "not recorded"
};

constexpr std::array kMeanings{
    Meaning{"collective", {"Collective name", "collective"}},
    Meaning{"elements in", {"In msg nelems"}},
    Meaning{"elements out", {"Out msg nelems"}},
    Meaning{"type", {"dtype"}},
    Meaning{"group", {"Process Group Description", "Process Group Name"}},
    Meaning{"ranks in the group", {"Group size"}},
    Meaning{"data moved", {"bytes", "Bytes"}, Unit::bytes},
    Meaning{"bandwidth (GB/s)", {"memory bandwidth (GB/s)"}},
    Meaning{"copy", {"copyKind"}},
    Meaning{"from", {"srcKind"}},
    Meaning{"to", {"dstKind"}},
    Meaning{"registers per thread", {"registersPerThread", "registers per thread"}},
    Meaning{"static shared memory", {"staticSharedMemory"}, Unit::bytes, true},
    Meaning{"dynamic shared memory", {"dynamicSharedMemory"}, Unit::bytes, true},
    Meaning{"shared memory", {"shared memory"}, Unit::bytes, true},
    Meaning{"local memory per thread", {"localMemoryPerThread"}, Unit::bytes, true},
    Meaning{"estimated occupancy (%)", {"est. achieved occupancy %"}},
    Meaning{"blocks per SM", {"blocks per SM"}},
    Meaning{"inputs", {"Input Dims", "Input dims"}},
    Meaning{"input types", {"Input type"}},
    Meaning{"module", {"Module Hierarchy"}},
    Meaning{"return value", {"returnValue"}, Unit::asItIs, true},
};

// Columns that are already shown as name, category, time, thread, device or stream of the slice.
constexpr std::array<std::string_view, 22> kHead{
    "ph",        "cat",         "name",      "pid",      "tid",      "ts",       "dur",    "start",
    "end",       "globalPid",   "globalTid", "deviceId", "streamId", "device",   "stream", "demangledName",
    "shortName", "mangledName", "nameId",    "text",     "textId",   "eventType"};

const std::string* valueOf(const SliceArguments& arguments, std::string_view column)
{
    const auto found =
        std::ranges::find(arguments, column, [](const auto& one) -> std::string_view { return one.first; });
    return found == arguments.end() || found->second.empty() ? nullptr : &found->second;
}

std::optional<int64_t> numberOf(std::string_view text)
{
    int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
}

// Returns "128 × 1 × 1" from three columns, or from "[128, 1, 1]".
std::string extentText(const SliceArguments& arguments, const std::string& word,
                       std::vector<std::string>& used)
{
    std::vector<std::string> parts;
    for (const char axis : {'X', 'Y', 'Z'}) {
        const std::string* const part = valueOf(arguments, word + axis);
        if (part == nullptr) continue;
        parts.push_back(*part);
        used.push_back(word + axis);
    }
    if (const std::string* const whole = valueOf(arguments, word); parts.empty() && whole != nullptr) {
        used.push_back(word);
        std::string part;
        for (const char c : *whole + ",") {
            if (c >= '0' && c <= '9') part += c;
            if (c == ',' && !part.empty()) parts.push_back(std::exchange(part, {}));
        }
    }
    std::string text;
    for (const std::string& part : parts)
        text += (text.empty() ? "" : " \u00D7 ") + part;
    return text;
}

std::string shownValue(const std::string& value, Unit unit)
{
    const auto number = unit == Unit::bytes ? numberOf(value) : std::nullopt;
    return number ? byteText(*number) : value;
}

} // namespace

InterpretedArguments interpretArguments(const SliceArguments& arguments)
{
    InterpretedArguments told;
    std::vector<std::string> used(kHead.begin(), kHead.end());
    for (const char* const extent : {"grid", "block"}) {
        if (std::string text = extentText(arguments, extent, used); !text.empty())
            told.meaning.emplace_back(extent, std::move(text));
    }
    for (const Meaning& meaning : kMeanings) {
        for (const std::string_view column : meaning.columns) {
            const std::string* const value = column.empty() ? nullptr : valueOf(arguments, column);
            if (value == nullptr) continue;
            used.emplace_back(column);
            if (!meaning.isWithoutZero || numberOf(*value).value_or(1) != 0)
                told.meaning.emplace_back(meaning.word, shownValue(*value, meaning.unit));
            break;
        }
    }
    for (const auto& argument : arguments) {
        if (!argument.second.empty() && std::ranges::find(used, argument.first) == used.end())
            told.rest.push_back(argument);
    }
    return told;
}

} // namespace lockstep
