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

// A value in bytes as people read it; as it is: text and plain numbers.
enum class Unit : uint8_t { asItIs, bytes };

// One thing that is said, and the columns of nsys' and PyTorch's files that say it; the first that is there.
struct Meaning {
    std::string_view word;
    std::array<std::string_view, 3> columns;
    Unit unit = Unit::asItIs;
    bool isWithoutZero = false; // zero says nothing
};

constexpr std::array kMeanings{
    Meaning{"collective", {"Collective name", "collective"}},
    Meaning{"elements in", {"In msg nelems"}},
    Meaning{"elements out", {"Out msg nelems"}},
    Meaning{"type", {"dtype"}},
    Meaning{"group", {"Process Group Description", "Process Group Name"}},
    Meaning{"ranks in the group", {"Group size"}},
    Meaning{"moved", {"bytes", "Bytes"}, Unit::bytes},
    Meaning{"bandwidth, GB/s", {"memory bandwidth (GB/s)"}},
    Meaning{"copy", {"copyKind"}},
    Meaning{"from", {"srcKind"}},
    Meaning{"to", {"dstKind"}},
    Meaning{"registers a thread", {"registersPerThread", "registers per thread"}},
    Meaning{"shared memory, static", {"staticSharedMemory"}, Unit::bytes, true},
    Meaning{"shared memory, dynamic", {"dynamicSharedMemory"}, Unit::bytes, true},
    Meaning{"shared memory", {"shared memory"}, Unit::bytes, true},
    Meaning{"local memory a thread", {"localMemoryPerThread"}, Unit::bytes, true},
    Meaning{"occupancy, estimated, %", {"est. achieved occupancy %"}},
    Meaning{"blocks an SM", {"blocks per SM"}},
    Meaning{"inputs", {"Input Dims", "Input dims"}},
    Meaning{"input types", {"Input type"}},
    Meaning{"module", {"Module Hierarchy"}},
    Meaning{"returned", {"returnValue"}, Unit::asItIs, true},
};

// Told by the slice's own name, category, time, thread, device and stream.
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

// "128 × 1 × 1" of three columns, or of "[128, 1, 1]".
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

ToldArguments toldArguments(const SliceArguments& arguments)
{
    ToldArguments told;
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
