// SPDX-License-Identifier: Apache-2.0
// AnalysisArgument: declares an argument that can follow an analysis name, as in "gpu_gaps:threshold=1ms".
// Command-line help, validation, forms and completions are all generated from this declaration.
// ArgumentValues: the validated values that were given. Value types. Thread: any.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/base/time.h"

namespace lockstep {

enum class ArgumentType : uint8_t {
    flag,     // "base"
    whole,    // "rows=50"; a whole number
    number,   // "threshold=12.5"
    duration, // "gap=500ms"; a number without a unit has the argument's own unit
    choice,   // one of `choices`
    text,
    names // "ranges=forward+backward"; a '+' that is part of a name is "\+"
};

struct AnalysisArgument {
    std::string_view name;
    std::string_view doc;
    ArgumentType type = ArgumentType::flag;
    std::string_view byDefault = {}; // as the user writes it; for strings and name lists, empty means no
                                     // value
    std::string_view unit = {};      // unit of a whole or number: "%", "rows"
    double least = 0;                // bounds, in ns for a duration
    double most = std::numeric_limits<double>::infinity();
    std::span<const std::string_view> choices = {};
    std::string_view alias = {}; // second name with the same meaning
};

// Returns "threshold=DURATION", "mode=sum|union" or "base", for help texts.
std::string argumentUsage(const AnalysisArgument& argument);

// Splits "NAME[:ARGUMENT...]" into its parts, the name first. "\:" and "\\" stand for ':' and '\'; other
// backslashes are kept.
std::vector<std::string> splitRequest(std::string_view what);

class ArgumentValues {
  public:
    ArgumentValues() = default;

    // words: each is "name" or "name=value", in any order. Returns `invalid` for an argument that is
    // undeclared or given twice, that has no value, or whose value has the wrong type or is out of bounds;
    // the message lists the valid arguments.
    static Result<ArgumentValues> parse(std::span<const AnalysisArgument> declared,
                                        std::span<const std::string> words);

    // Returns the given value, otherwise the default. `name` must be declared with this type.
    bool flag(std::string_view name) const;
    int64_t whole(std::string_view name) const;
    double number(std::string_view name) const;
    Duration duration(std::string_view name) const;
    std::string_view choice(std::string_view name) const;
    std::string_view text(std::string_view name) const;
    std::vector<std::string> names(std::string_view name) const;

    bool isGiven(std::string_view name) const;
    // Returns the given arguments in declaration order, so that arguments with equal meaning give equal
    // strings.
    std::string canonical() const;

  private:
    struct Value {
        const AnalysisArgument* argument = nullptr;
        bool isGiven = false;
        std::string text; // the given value or the default; empty for a flag
        double number = 0;
        int64_t whole = 0; // in ns for a duration
    };

    static Status read(Value& value, std::string_view text);
    const Value& valueOf(std::string_view name, ArgumentType type) const;

    std::vector<Value> m_values; // in the order of declaration
};

} // namespace lockstep
