// SPDX-License-Identifier: Apache-2.0
#include "core/session/shell/expansion.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/base/words.h"
#include "core/session/shell/arithmetic.h"
#include "core/session/shell/pattern.h"
#include "core/session/shell/state.h"
#include "core/session/shell/tokens.h"

namespace lockstep::shell {

namespace {

constexpr int kMaxExpansions = 30;
constexpr size_t kLongestMatched = 2000; // maximum length of a value that is matched against a pattern

bool isFieldSeparator(char c)
{
    return c == ' ' || c == '\t' || c == '\n';
}

// Returns the length of the name, number or special parameter at the start of the text.
size_t nameLength(std::string_view text)
{
    if (text.empty()) return 0;
    if (std::string_view("@*#?$!-").find(text[0]) != npos) return 1;
    size_t length = 0;
    while (length < text.size() && isNameChar(text[length]))
        ++length;
    return length;
}

} // namespace

std::vector<Text> Expander::fields(std::string_view raw, int line)
{
    m_line = line;
    noteUnexpanded(raw, line, m_notes);
    Out out;
    expand(raw, false, out);
    endField(out);
    return std::move(out.done);
}

Text Expander::single(std::string_view raw, int line)
{
    m_line = line;
    Out out;
    out.isSplit = false;
    expand(raw, false, out);
    return std::move(out.now);
}

std::vector<Text> Expander::arrayElements(std::string_view raw, int line)
{
    std::vector<Text> elements;
    if (raw.size() < 2) return elements;
    const Result<Tokens> inner = splitShellTokens(raw.substr(1, raw.size() - 2), line);
    if (!inner) {
        m_notes.add(line, true, "array not read: " + inner.error().message);
        return elements;
    }
    for (const Token& token : inner->tokens) {
        if (token.kind == Token::Kind::op && token.text == "\n") continue;
        for (Text& one : fields(token.text, token.line))
            elements.push_back(std::move(one));
    }
    return elements;
}

std::optional<int64_t> Expander::number(std::string_view raw, int line)
{
    const Text expression = single(raw, line);
    if (!expression.isKnown) return std::nullopt;
    return evaluate(expression.text, [this](std::string_view name) -> std::optional<std::string> {
        const Variable* variable = m_state.find(name);
        if (variable == nullptr || variable->values.empty() || !variable->values[0].isKnown)
            return std::nullopt;
        return variable->values[0].text;
    });
}

void Expander::put(Out& out, std::string_view text)
{
    out.hasNow = true;
    if (m_budget.takeBytes(text.size())) out.now.text += text;
}

void Expander::endField(Out& out)
{
    constexpr size_t kFieldCost = 40; // overhead of a word, in bytes
    if (out.hasNow && m_budget.takeBytes(kFieldCost)) out.done.push_back(std::move(out.now));
    out.now = {};
    out.hasNow = false;
}

void Expander::appendValue(Out& out, const Text& value, bool isQuoted)
{
    if (isQuoted || !out.isSplit || !value.isKnown) {
        if (isQuoted || !value.text.empty()) put(out, value.text);
        out.now.isKnown &= value.isKnown;
        return;
    }
    for (const char c : value.text) {
        if (isFieldSeparator(c)) {
            endField(out);
        } else {
            put(out, std::string_view(&c, 1));
        }
    }
}

void Expander::appendUnknown(Out& out, std::string_view text, const std::string& why, bool isLoss)
{
    put(out, text);
    out.now.isKnown = false;
    m_notes.add(m_line, isLoss, why);
}

void Expander::expand(std::string_view raw, bool isQuoted, Out& out)
{
    if (++m_depth > kMaxExpansions || m_budget.isSpent) {
        --m_depth;
        return appendUnknown(out, raw, "nesting too deep; left unexpanded");
    }
    for (size_t at = 0; at < raw.size();) {
        const char c = raw[at], next = at + 1 < raw.size() ? raw[at + 1] : '\0';
        if (c == '\\') {
            const bool isKept = isQuoted && std::string_view("$`\"\\\n").find(next) == npos;
            if (isKept) put(out, "\\");
            if (next == '\r' && raw.substr(at + 2).starts_with("\n")) ++at;
            if (next != '\n' && next != '\r' && at + 1 < raw.size()) put(out, raw.substr(at + 1, 1));
            at += 2;
        } else if (c == '\'' && !isQuoted) {
            const size_t end = std::min(endOfQuote(raw, at), raw.size());
            put(out, raw.substr(at + 1, end - at - 2));
            at = end;
        } else if (c == '"') {
            const size_t end = std::min(endOfQuote(raw, at), raw.size());
            const std::string_view inner = raw.substr(at + 1, end - at - 2);
            // "${a[@]}" and "$@" expand to no word if they have no elements.
            const bool isList = inner == "$@" || (inner.starts_with("${") && inner.find("[@]") != npos);
            if (!isList) put(out, "");
            expand(inner, true, out);
            at = end;
        } else if (c == '$' && next == '\'' && !isQuoted) {
            at = ansiQuote(raw, at + 2, out);
        } else if (c == '$' && next == '"') {
            ++at;
        } else if (c == '$') {
            at = expandDollar(raw, at, isQuoted, out);
        } else if (c == '`' || ((c == '<' || c == '>') && next == '(' && !isQuoted)) {
            const size_t end = std::min(c == '`' ? endOfQuote(raw, at) : raw.size(), raw.size());
            const std::string_view whole = raw.substr(at, end - at);
            appendUnknown(out, whole, shortened(whole) + " would run a command; left unexpanded");
            at = end;
        } else if (isFieldSeparator(c) && !isQuoted && out.isSplit) {
            endField(out); // can occur in a default value: ${x:-a b}
            ++at;
        } else {
            put(out, raw.substr(at, 1));
            ++at;
        }
    }
    --m_depth;
}

size_t Expander::ansiQuote(std::string_view raw, size_t at, Out& out)
{
    put(out, "");
    for (; at < raw.size() && raw[at] != '\''; ++at) {
        if (raw[at] != '\\' || at + 1 >= raw.size()) {
            put(out, raw.substr(at, 1));
            continue;
        }
        const char c = raw[++at];
        const size_t known = std::string_view("ntr").find(c);
        put(out, known == npos ? raw.substr(at, 1) : std::string_view("\n\t\r").substr(known, 1));
    }
    return std::min(at + 1, raw.size());
}

size_t Expander::expandDollar(std::string_view raw, size_t at, bool isQuoted, Out& out)
{
    const char next = at + 1 < raw.size() ? raw[at + 1] : '\0';
    if (next == '{' || next == '(') {
        const size_t end = std::min(endOfExpansion(raw, at), raw.size());
        const std::string_view whole = raw.substr(at, end - at);
        if (next == '{') {
            expandBraces(whole, isQuoted, out);
        } else if (whole.starts_with("$((") && whole.ends_with("))")) {
            expandArithmetic(whole, isQuoted, out);
        } else {
            appendUnknown(out, whole, shortened(whole) + " would run a command; left unexpanded");
        }
        return end;
    }
    size_t length = nameLength(raw.substr(at + 1));
    if (length > 1 && next >= '0' && next <= '9') length = 1; // $10 means $1 followed by a 0
    if (length == 0) {
        put(out, "$");
        return at + 1;
    }
    const std::string_view name = raw.substr(at + 1, length);
    plain(raw.substr(at, length + 1), name, valuesOf(name, ""), name == "@", isQuoted, out);
    return at + 1 + length;
}

void Expander::expandArithmetic(std::string_view whole, bool isQuoted, Out& out)
{
    const std::optional<int64_t> value = number(whole.substr(3, whole.size() - 5), m_line);
    if (value) return appendValue(out, {std::to_string(*value)}, isQuoted);
    appendUnknown(out, whole, "can't evaluate " + shortened(whole) + "; left unexpanded");
}

Expander::Values Expander::valuesOf(std::string_view name, std::string_view subscript)
{
    if (name == "@" || name == "*") {
        if (m_state.arguments) return *m_state.arguments;
        m_notes.add(m_line, false,
                    "$" + std::string(name) + " refers to the arguments of the script; none are assumed");
        return std::vector<Text>();
    }
    if (name == "#")
        return m_state.arguments ? Values({{std::to_string(m_state.arguments->size())}}) : std::nullopt;
    if (!name.empty() && name[0] >= '0' && name[0] <= '9') {
        const int64_t index = parseInt(name).value_or(0);
        const size_t count = m_state.arguments ? m_state.arguments->size() : 0;
        if (index < 1 || static_cast<size_t>(index) > count) return std::nullopt;
        return Values({(*m_state.arguments)[static_cast<size_t>(index - 1)]});
    }
    const Variable* variable = m_state.find(name);
    if (variable == nullptr) return std::nullopt;
    if (subscript == "@" || subscript == "*") {
        return m_budget.takeBytes(variable->values.size()) ? Values(variable->values) : std::nullopt;
    }
    const int64_t index = subscript.empty() ? 0 : number(subscript, m_line).value_or(-1);
    if (index < 0 || static_cast<size_t>(index) >= variable->values.size()) return std::nullopt;
    return Values({variable->values[static_cast<size_t>(index)]});
}

void Expander::plain(std::string_view whole, std::string_view name, const Values& values, bool isList,
                     bool isQuoted, Out& out)
{
    if (!values) {
        const bool isArgument = !name.empty() && name[0] >= '1' && name[0] <= '9';
        const bool isGiven = isArgument && m_state.arguments.has_value();
        if (isGiven) return appendValue(out, {}, isQuoted);
        const bool isShells = !name.empty() && std::string_view("#?$!-0").find(name[0]) != npos;
        return appendUnknown(out, whole,
                             std::string(whole) +
                                 (isArgument ? " is an argument of the script and unknown"
                                  : isShells ? " is known only to a running shell"
                                             : " is not set in this text") +
                                 "; left unexpanded");
    }
    for (size_t i = 0; i < values->size(); ++i) {
        if (i > 0 && isList && out.isSplit) endField(out);
        if (i > 0 && (!isList || !out.isSplit)) put(out, " ");
        appendValue(out, (*values)[i], isQuoted);
    }
}

void Expander::expandBraces(std::string_view whole, bool isQuoted, Out& out)
{
    const auto asWritten = [&] {
        appendUnknown(out, whole, shortened(whole) + " is not supported; left unexpanded");
    };
    if (!whole.ends_with('}') || whole.size() < 4) return asWritten();
    std::string_view inner = whole.substr(2, whole.size() - 3);
    const bool isLength = inner.size() > 1 && inner[0] == '#' && nameLength(inner.substr(1)) > 0;
    if (isLength) inner.remove_prefix(1);
    const std::string_view name = inner.substr(0, nameLength(inner));
    if (name.empty() || name == "!") return asWritten();
    std::string_view op = inner.substr(name.size());
    std::string_view subscript;
    if (op.starts_with('[')) {
        const size_t close = op.find(']');
        if (close == npos) return asWritten();
        subscript = op.substr(1, close - 1);
        op.remove_prefix(close + 1);
    }
    const Values values = valuesOf(name, subscript);
    const bool isList = subscript == "@" || name == "@";
    if (isLength) {
        if (!values || !op.empty()) return asWritten();
        const bool counts = subscript == "@" || subscript == "*" || name == "@";
        if (!counts && !(*values)[0].isKnown) return asWritten();
        return appendValue(out, {std::to_string(counts ? values->size() : (*values)[0].text.size())},
                           isQuoted);
    }
    if (op.empty()) return plain(whole, name, values, isList, isQuoted, out);
    if (expandDefault(name, op, values, isQuoted, out)) return;
    if (!values) return plain(whole, name, values, isList, isQuoted, out);
    std::vector<Text> made;
    for (const Text& value : *values) {
        made.push_back(changed(value, op));
        if (!made.back().isKnown) return asWritten();
    }
    plain(whole, name, made, isList, isQuoted, out);
}

bool Expander::expandDefault(std::string_view name, std::string_view op, const Values& values, bool isQuoted,
                             Out& out)
{
    const bool colon = op.starts_with(':') && op.size() > 1 && std::string_view("-=+?").find(op[1]) != npos;
    const char kind = op[colon ? 1 : 0];
    if (std::string_view("-=+?").find(kind) == npos) return false;
    const std::string_view operand = op.substr(colon ? 2 : 1);
    const bool hasText = values && std::any_of(values->begin(), values->end(),
                                               [](const Text& one) { return !one.text.empty(); });
    const bool isSet = colon ? hasText : values && !values->empty();
    const bool isArgument = name == "@" || name == "*" || (name[0] >= '0' && name[0] <= '9');
    if (!isSet && kind != '?' && m_state.find(name) == nullptr && !isArgument)
        m_notes.defaults.try_emplace(std::string(name), m_line);
    if (kind == '+') {
        if (isSet) expand(operand, isQuoted, out);
        return true;
    }
    if (isSet) {
        plain({}, name, values, true, isQuoted, out);
    } else if (kind == '?') {
        appendUnknown(out, "${" + std::string(name) + "}",
                      "$" + std::string(name) + " must be set by the caller; left unexpanded");
    } else {
        if (kind == '=' && !isArgument) m_state.set(name, {single(operand, m_line)});
        expand(operand, isQuoted, out);
    }
    return true;
}

Text Expander::changed(const Text& value, std::string_view op)
{
    const Text kUnknown{"", false};
    const bool twice = op.size() > 1 && op[1] == op[0];
    const bool isQuotedPattern = op.find_first_of("\"'\\") != npos;
    if (!value.isKnown || value.text.size() > kLongestMatched || isQuotedPattern) return kUnknown;
    if (op[0] == '#' || op[0] == '%') {
        const Text pattern = single(op.substr(twice ? 2 : 1), m_line);
        if (!pattern.isKnown) return kUnknown;
        return {op[0] == '#' ? withoutPrefix(value.text, pattern.text, twice)
                             : withoutSuffix(value.text, pattern.text, twice)};
    }
    if (op[0] == '/') {
        const std::string_view rest = op.substr(twice ? 2 : 1);
        const size_t slash = rest.find('/');
        const Text pattern = single(rest.substr(0, slash), m_line);
        const Text by = slash == npos ? Text() : single(rest.substr(slash + 1), m_line);
        const bool isCostly = pattern.text.find('*') != npos && value.text.size() > 200;
        if (!pattern.isKnown || !by.isKnown || isCostly || pattern.text.starts_with('#') ||
            pattern.text.starts_with('%'))
            return kUnknown;
        return {replaced(value.text, pattern.text, by.text, twice)};
    }
    if (op[0] == ':') {
        const size_t colon = op.find(':', 1);
        const std::optional<int64_t> begin = number(op.substr(1, colon == npos ? npos : colon - 1), m_line);
        const std::optional<int64_t> count =
            colon == npos ? std::optional<int64_t>(1 << 20) : number(op.substr(colon + 1), m_line);
        const auto size = static_cast<int64_t>(value.text.size());
        if (!begin || !count || *begin < 0 || *begin > size || *count < 0) return kUnknown;
        return {value.text.substr(static_cast<size_t>(*begin), static_cast<size_t>(*count))};
    }
    if (op == ",," || op == "^^") {
        std::string text = lowerAscii(value.text);
        if (op == "^^") {
            std::transform(text.begin(), text.end(), text.begin(), [](char c) {
                return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
            });
        }
        return {std::move(text)};
    }
    return kUnknown;
}

} // namespace lockstep::shell
