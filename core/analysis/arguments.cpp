// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/arguments.h"

#include <algorithm>
#include <cassert>

#include "core/base/text.h"

namespace lockstep {

namespace {

std::string joined(std::span<const std::string_view> words, std::string_view between)
{
    std::string out;
    for (const std::string_view word : words)
        out += (out.empty() ? "" : std::string(between)) + std::string(word);
    return out;
}

std::string_view typeWord(const AnalysisArgument& argument)
{
    switch (argument.type) {
    case ArgumentType::flag:
    case ArgumentType::choice:
        break;
    case ArgumentType::whole:
        return "N";
    case ArgumentType::number:
        return argument.unit == "%" ? "PERCENT" : "NUMBER";
    case ArgumentType::duration:
        return "DURATION";
    case ArgumentType::text:
        return "TEXT";
    case ArgumentType::names:
        return "NAME[+NAME...]";
    }
    return "";
}

// Returns the error for an invalid value; the caller prepends the name of the analysis.
tl::unexpected<Error> invalidValue(const AnalysisArgument& argument, std::string_view text,
                                   std::string_view expected)
{
    return makeError(ErrorKind::invalid, "argument ':" + std::string(argument.name) + "' must be " +
                                             std::string(expected) + ", not '" + std::string(text) + "'");
}

// Formats a bound for display, without trailing zeros.
std::string limitText(double limit)
{
    std::string text = std::to_string(limit);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.ends_with('.')) text.pop_back();
    return text;
}

std::string limitsText(const AnalysisArgument& argument)
{
    const bool isDuration = argument.type == ArgumentType::duration;
    const std::string unit = isDuration              ? " ns"
                             : argument.unit.empty() ? ""
                                                     : " " + std::string(argument.unit);
    return "at least " + limitText(argument.least) + unit +
           (argument.most < 1e18 ? " and at most " + limitText(argument.most) + unit : std::string());
}

std::string usageList(std::span<const AnalysisArgument> declared)
{
    std::string out;
    for (const AnalysisArgument& argument : declared)
        out += " :" + argumentUsage(argument);
    return out.empty() ? " none" : out;
}

} // namespace

std::string argumentUsage(const AnalysisArgument& argument)
{
    const std::string name(argument.name);
    if (argument.type == ArgumentType::flag) return name;
    if (argument.type == ArgumentType::choice) return name + "=" + joined(argument.choices, "|");
    return name + "=" + std::string(typeWord(argument));
}

std::vector<std::string> splitRequest(std::string_view what)
{
    std::vector<std::string> parts(1);
    for (size_t i = 0; i < what.size(); ++i) {
        const char next = i + 1 < what.size() ? what[i + 1] : '\0';
        if (what[i] == '\\' && (next == ':' || next == '\\')) {
            parts.back() += what[++i];
        } else if (what[i] == ':') {
            parts.emplace_back();
        } else {
            parts.back() += what[i];
        }
    }
    return parts;
}

Status ArgumentValues::read(Value& value, std::string_view text)
{
    const AnalysisArgument& argument = *value.argument;
    value.text = text;
    switch (argument.type) {
    case ArgumentType::flag:
    case ArgumentType::text:
    case ArgumentType::names:
        return {};
    case ArgumentType::choice:
        if (std::ranges::find(argument.choices, text) != argument.choices.end()) return {};
        return invalidValue(argument, text, "one of " + joined(argument.choices, ", "));
    case ArgumentType::whole: {
        const auto whole = parseInt(text);
        if (!whole) return invalidValue(argument, text, "a whole number");
        value.whole = *whole;
        value.number = static_cast<double>(*whole);
        break;
    }
    case ArgumentType::number: {
        const auto number =
            parseDouble(text.ends_with('%') && argument.unit == "%" ? text.substr(0, text.size() - 1) : text);
        if (!number) return invalidValue(argument, text, "a number");
        value.number = *number;
        break;
    }
    case ArgumentType::duration: {
        const bool isBare = parseDouble(text).has_value();
        const auto ns =
            parseDuration(isBare ? std::string(text) + std::string(argument.unit) : std::string(text));
        if (!ns) return invalidValue(argument, text, "a time such as 250us, 1.5ms or 2s");
        value.whole = *ns;
        value.number = static_cast<double>(*ns);
        break;
    }
    }
    if (value.number < argument.least || value.number > argument.most)
        return invalidValue(argument, text, limitsText(argument));
    return {};
}

Result<ArgumentValues> ArgumentValues::parse(std::span<const AnalysisArgument> declared,
                                             std::span<const std::string> words)
{
    ArgumentValues out;
    for (const AnalysisArgument& argument : declared) {
        Value& value = out.m_values.emplace_back();
        value.argument = &argument;
        if (!argument.byDefault.empty()) LOCKSTEP_TRY(read(value, argument.byDefault));
    }
    for (const std::string& word : words) {
        const size_t equals = word.find('=');
        const std::string_view name = std::string_view(word).substr(0, equals);
        const auto found = std::ranges::find_if(out.m_values, [&](const Value& value) {
            return value.argument->name == name ||
                   (!value.argument->alias.empty() && value.argument->alias == name);
        });
        if (found == out.m_values.end()) {
            return makeError(ErrorKind::invalid, "unknown argument ':" + std::string(name) +
                                                     "'; valid arguments:" + usageList(declared));
        }
        const AnalysisArgument& argument = *found->argument;
        if (found->isGiven)
            return makeError(ErrorKind::invalid,
                             "argument ':" + std::string(argument.name) + "' is specified more than once");
        found->isGiven = true;
        const bool hasValue = equals != std::string::npos;
        if (hasValue != (argument.type != ArgumentType::flag)) {
            return makeError(ErrorKind::invalid,
                             "write ':" + argumentUsage(argument) + "' instead of ':" + word + "'");
        }
        if (hasValue) LOCKSTEP_TRY(read(*found, std::string_view(word).substr(equals + 1)));
    }
    return out;
}

const ArgumentValues::Value& ArgumentValues::valueOf(std::string_view name, ArgumentType type) const
{
    const auto found =
        std::ranges::find_if(m_values, [&](const Value& value) { return value.argument->name == name; });
    assert(found != m_values.end() && found->argument->type == type);
    (void)type;
    return *found;
}

bool ArgumentValues::flag(std::string_view name) const
{
    return valueOf(name, ArgumentType::flag).isGiven;
}

int64_t ArgumentValues::whole(std::string_view name) const
{
    return valueOf(name, ArgumentType::whole).whole;
}

double ArgumentValues::number(std::string_view name) const
{
    return valueOf(name, ArgumentType::number).number;
}

Duration ArgumentValues::duration(std::string_view name) const
{
    return {valueOf(name, ArgumentType::duration).whole};
}

std::string_view ArgumentValues::choice(std::string_view name) const
{
    return valueOf(name, ArgumentType::choice).text;
}

std::string_view ArgumentValues::text(std::string_view name) const
{
    return valueOf(name, ArgumentType::text).text;
}

std::vector<std::string> ArgumentValues::names(std::string_view name) const
{
    const std::string& text = valueOf(name, ArgumentType::names).text;
    std::vector<std::string> out;
    if (text.empty()) return out;
    out.emplace_back();
    for (size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\\' && i + 1 < text.size() && text[i + 1] == '+') {
            out.back() += text[++i];
        } else if (text[i] == '+') {
            out.emplace_back();
        } else {
            out.back() += text[i];
        }
    }
    return out;
}

bool ArgumentValues::isGiven(std::string_view name) const
{
    return std::ranges::any_of(
        m_values, [&](const Value& value) { return value.isGiven && value.argument->name == name; });
}

std::string ArgumentValues::canonical() const
{
    std::string out;
    for (const Value& value : m_values) {
        if (!value.isGiven) continue;
        out += (out.empty() ? "" : ":") + std::string(value.argument->name);
        switch (value.argument->type) {
        case ArgumentType::flag:
            break;
        case ArgumentType::whole:
            out += "=" + std::to_string(value.whole);
            break;
        case ArgumentType::duration:
            out += "=" + std::to_string(value.whole) + "ns";
            break;
        default:
            out += "=" + value.text;
        }
    }
    return out;
}

} // namespace lockstep
