// SPDX-License-Identifier: Apache-2.0
// AnalysisArgument: what can be said to an analysis after its name, as "gpu_gaps:threshold=1ms" does,
// declared once: the command line's help and checks, forms and completions are made from it. ArgumentValues:
// what was said, checked. Values; any thread.
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
    duration, // "gap=500ms"; a number without a unit is in the argument's
    choice,   // one of `choices`
    text,
    names // "ranges=forward+backward"; a '+' that is part of a name is "\+"
};

struct AnalysisArgument {
    std::string_view name;
    std::string_view doc;
    ArgumentType type = ArgumentType::flag;
    std::string_view byDefault = {}; // as it would be said; of a text or names empty: none
    std::string_view unit = {};      // of a whole or number: "%", "rows"
    double least = 0;                // of a whole or number; of a duration in ns
    double most = std::numeric_limits<double>::infinity();
    std::span<const std::string_view> choices = {};
    std::string_view alias = {}; // means the same
};

// "threshold=DURATION", "mode=sum|union", "base": for help texts.
std::string argumentUsage(const AnalysisArgument& argument);

// The parts of "NAME[:ARGUMENT...]", the name first. "\:" and "\\" stand for themselves; other backslashes
// stay.
std::vector<std::string> splitRequest(std::string_view what);

class ArgumentValues {
  public:
    ArgumentValues() = default;

    // words: "name" or "name=value" each, in any order. invalid: not declared, said twice, no value or one
    // that the type or its limits do not allow; the message says what is.
    static Result<ArgumentValues> parse(std::span<const AnalysisArgument> declared,
                                        std::span<const std::string> words);

    // The value said or else the default. `name` must be declared with the type.
    bool flag(std::string_view name) const;
    int64_t whole(std::string_view name) const;
    double number(std::string_view name) const;
    Duration duration(std::string_view name) const;
    std::string_view choice(std::string_view name) const;
    std::string_view text(std::string_view name) const;
    std::vector<std::string> names(std::string_view name) const;

    bool isSaid(std::string_view name) const;
    // What was said, in the order of the declaration: equal for what means the same.
    std::string canonical() const;

  private:
    struct Value {
        const AnalysisArgument* argument = nullptr;
        bool isSaid = false;
        std::string text; // said or default; of a flag empty
        double number = 0;
        int64_t whole = 0; // of a duration ns
    };

    static Status read(Value& value, std::string_view text);
    const Value& valueOf(std::string_view name, ArgumentType type) const;

    std::vector<Value> m_values; // as declared
};

} // namespace lockstep
