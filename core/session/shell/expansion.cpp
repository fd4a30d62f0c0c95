// SPDX-License-Identifier: Apache-2.0
#include "core/session/shell/expansion.h"

#include <algorithm>
#include <filesystem>

#include <fnmatch.h>

#include "core/base/host_reference.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/session/shell/arithmetic.h"
#include "core/session/shell_quote.h"

namespace lockstep::shell {

namespace {

constexpr int kMaxExpansions = 30;

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

// Returns true if bash would expand {a,b} or {1..3} in the word.
bool hasBraceList(std::string_view raw)
{
    size_t open = npos;
    for (size_t at = 0; at < raw.size(); at = endOfPart(raw, at)) {
        if (raw[at] == '{') open = at;
        const std::string_view inner = raw[at] == '}' && open != npos ? raw.substr(open, at - open) : "";
        if (inner.find(',') != npos || inner.find("..") != npos) return true;
    }
    return false;
}

} // namespace

std::optional<std::string> normalPath(std::string_view path)
{
    namespace fs = std::filesystem;
    const size_t end = path.starts_with(kReferenceBegin) ? path.find(kReferenceEnd) + 1 : 0;
    const std::string_view rest = path.substr(end);
    if (rest.find(kReferenceBegin) != npos) return std::nullopt;
    // A reference stands for at least one folder.
    std::string normal = fs::path((end > 0 ? "x" : "") + std::string(rest)).lexically_normal().string();
    if (normal.size() > 1 && normal.ends_with('/')) normal.pop_back();
    if (end == 0) return normal == "." ? "" : normal;
    if (!normal.starts_with('x')) return std::nullopt;
    return std::string(path.substr(0, end)) + normal.substr(1);
}

Text currentFolder(const State& state)
{
    const Text& folder = state.folder;
    if (!folder.isKnown() || folder.text.starts_with('/') || folder.text.starts_with(kReferenceBegin))
        return folder;
    Text whole = referenceTo("PWD");
    if (folder.text.empty()) return whole;
    const std::optional<std::string> normal = normalPath(whole.text + "/" + folder.text);
    if (normal) return {*normal};
    return unknownText("$PWD", causeOf("PWD", "the folder is unknown"));
}

namespace {

class Expander {
  public:
    explicit Expander(Reading& reading) : m_reading(reading) {}

    std::vector<Text> fields(const Word& word)
    {
        m_line = word.line;
        Out out;
        out.isAssigned = isAssignment(word.text); // for ~ in NAME=~/x
        if (hasBraceList(word.text)) {
            appendUnknown(out, word.text, "bash expands {...} to several arguments");
        } else {
            expand(word.text, false, out);
        }
        endField(out);
        return std::move(out.done);
    }

    Text single(std::string_view raw, int line, bool isAssigned = false)
    {
        m_line = line;
        Out out;
        out.isSplit = false;
        out.isAssigned = isAssigned;
        expand(raw, false, out);
        out.now.line = line;
        return std::move(out.now);
    }

    std::optional<int64_t> number(std::string_view raw, int line, CausePtr& why)
    {
        const Text expression = single(raw, line);
        why = expression.unknown;
        if (!expression.isKnown()) return std::nullopt;
        const auto value = evaluate(expression.text, [&](std::string_view name) -> std::optional<int64_t> {
            const Values values = valuesOf(name, "", false);
            const Text* const text = values.isSet && !values.texts.empty() ? &values.texts[0] : nullptr;
            if (!why) why = text != nullptr ? text->unknown : values.why;
            if (text == nullptr || !text->isKnown()) return std::nullopt;
            return text->text.empty()                                 ? 0
                   : text->text.starts_with('0') && text->text != "0" ? std::nullopt
                                                                      : parseInt(text->text);
        });
        if (!value && !why) why = causeOf("", "can't evaluate " + shortened(raw), line);
        return value;
    }

  private:
    struct Out {
        std::vector<Text> done;
        Text now;
        bool hasNow = false; // `now` is a word, even if it is empty
        bool isSplit = true;
        bool isAssigned = false;
    };
    struct Values {
        bool isSet = false;
        std::vector<Text> texts;
        CausePtr why; // if it is not set
    };

    void put(Out& out, std::string_view text)
    {
        out.hasNow = true;
        if (m_reading.budget.takeBytes(text.size())) out.now.text += text;
    }

    void endField(Out& out)
    {
        constexpr size_t kFieldCost = 40; // overhead of a word, in bytes
        if (out.hasNow && m_reading.budget.takeBytes(kFieldCost)) {
            if (out.now.line == 0) out.now.line = m_line;
            out.done.push_back(std::move(out.now));
        }
        out.now = {};
        out.hasNow = false;
    }

    void appendValue(Out& out, const Text& value, std::string_view written, bool isQuoted)
    {
        if (!value.isKnown()) return appendUnknown(out, written, value.unknown);
        out.now.usesFolder |= value.usesFolder;
        if (out.now.remark.empty()) out.now.remark = value.remark;
        if (isQuoted || !out.isSplit) return put(out, value.text);
        const Variable* const separators = m_reading.state.find("IFS");
        if (separators != nullptr && value.text.find_first_of(" \t\n,:;/") != npos)
            return appendUnknown(out, written, "IFS is changed, so words are split differently");
        for (const char c : value.text) {
            if (isFieldSeparator(c)) {
                endField(out);
            } else {
                if (c == '*' || c == '?') out.now.remark = "bash replaces * and ? if files match";
                put(out, std::string_view(&c, 1));
            }
        }
    }

    void appendUnknown(Out& out, std::string_view written, CausePtr cause)
    {
        put(out, written);
        if (out.now.isKnown()) out.now.unknown = std::move(cause);
    }

    void appendUnknown(Out& out, std::string_view written, const std::string& reason)
    {
        appendUnknown(out, written, causeOf("", reason, m_line));
    }

    // isOperand: in a part such as ":-x" of "${...}", where $'...' counts even in double quotes.
    void expand(std::string_view raw, bool isQuoted, Out& out, bool isOperand = false)
    {
        if (++m_depth > kMaxExpansions || m_reading.budget.isSpent) {
            --m_depth;
            return appendUnknown(out, raw.substr(0, 80), "expansions are nested too deep");
        }
        for (size_t at = 0, end = 0; at < raw.size(); at = end) {
            const char c = raw[at], next = at + 1 < raw.size() ? raw[at + 1] : '\0';
            end = std::min(endOfPart(raw, at, isQuoted), raw.size());
            const std::string_view part = raw.substr(at, end - at);
            if (c == '\\') {
                const bool isCarriageReturn = next == '\r' && raw.substr(at + 2).starts_with("\n");
                if (isCarriageReturn) ++end;
                const bool isKept = isQuoted && std::string_view("$`\"\\\n").find(next) == npos;
                if (part.size() > 1 && next != '\n' && !isCarriageReturn)
                    put(out, isKept ? part : part.substr(1));
            } else if (c == '$' && next == '\'' && (!isQuoted || isOperand)) {
                const std::string text = ansiCText(part.substr(2, part.size() - 3));
                isValidUtf8(text) ? put(out, text) : appendUnknown(out, part, "not valid UTF-8");
            } else if (c == '$' && (next != '"' || isQuoted)) {
                end = expandDollar(raw, at, isQuoted, out);
            } else if (c == '\'' && !isQuoted) {
                put(out, part.substr(1, part.size() - 2));
            } else if (c == '"') {
                const std::string_view inner = part.substr(1, part.size() - 2);
                // "${a[@]}" and "$@" expand to no word if they have no elements.
                const bool isList = inner == "$@" || inner.starts_with("${@") ||
                                    (inner.starts_with("${") && inner.find("[@]") != npos);
                if (!isList) put(out, "");
                expand(inner, true, out);
            } else if (c == '`' || ((c == '<' || c == '>') && next == '(' && !isQuoted)) {
                if (c != '`') end = raw.size();
                const std::string_view whole = raw.substr(at, end - at);
                appendUnknown(out, whole, shortened(whole) + " runs a command");
            } else if (isFieldSeparator(c) && !isQuoted && out.isSplit) {
                endField(out); // can occur in a default value: ${x:-a b}
            } else if (c == '~' && !isQuoted) {
                end = expandTilde(raw, at, out);
            } else if (c != '$' || isQuoted) {
                if ((c == '*' || c == '?') && !isQuoted && out.isSplit)
                    out.now.remark = "bash replaces * and ? if files match";
                put(out, part);
            }
        }
        --m_depth;
    }

    size_t expandTilde(std::string_view raw, size_t at, Out& out)
    {
        const char before = at > 0 ? raw[at - 1] : '\0';
        const bool isAfterFirstEquals = before == '=' && raw.find('=') == at - 1;
        const bool isHome = at == 0 || (out.isAssigned && (before == ':' || isAfterFirstEquals));
        const size_t end = std::min(raw.find_first_of("/:\"'$", at), raw.size());
        if (!isHome) {
            put(out, "~");
            return at + 1;
        }
        if (end > at + 1) {
            appendUnknown(out, raw.substr(at, end - at), "the home folder of another user");
        } else {
            put(out, referenceTo("HOME").text);
        }
        return end;
    }

    size_t expandDollar(std::string_view raw, size_t at, bool isQuoted, Out& out)
    {
        const char next = at + 1 < raw.size() ? raw[at + 1] : '\0';
        if (next == '{' || next == '(') {
            const size_t end = std::min(endOfPart(raw, at, isQuoted), raw.size());
            const std::string_view whole = raw.substr(at, end - at);
            if (next == '{') {
                expandBraces(whole, isQuoted, out);
            } else if (whole.starts_with("$((") && whole.ends_with("))")) {
                CausePtr why;
                const int line = m_line;
                const std::optional<int64_t> value = number(whole.substr(3, whole.size() - 5), line, why);
                value ? put(out, std::to_string(*value)) : appendUnknown(out, whole, why);
            } else {
                const int line = m_line;
                const Text text = m_reading.output(whole.substr(2, whole.size() - 3), line);
                m_line = line;
                appendValue(out, text, whole, isQuoted);
            }
            return end;
        }
        size_t length = nameLength(raw.substr(at + 1));
        if (length > 1 && isDigit(next)) length = 1; // $10 means $1 followed by a 0
        if (length == 0) {
            put(out, "$");
            return at + 1;
        }
        const std::string_view name = raw.substr(at + 1, length);
        append(raw.substr(at, length + 1), valuesOf(name, "", false), name == "@", isQuoted, out);
        return at + 1 + length;
    }

    Values argumentOf(std::string_view name)
    {
        const auto& arguments = m_reading.state.arguments;
        if (name == "@" || name == "*") {
            if (m_reading.hasOwnArguments && (!arguments || arguments->empty()))
                m_reading.notes.add(m_line, false,
                                    "$" + std::string(name) +
                                        ": the arguments of the script; none are assumed");
            return {true, arguments.value_or(std::vector<Text>()), nullptr};
        }
        const CausePtr own = causeOf(name, "an argument of the script", m_line);
        if (!arguments && name == "#")
            return {true, {unknownText("$#", causeOf("1", "the arguments of the script", m_line))}, nullptr};
        if (!arguments) return {true, {unknownText("$" + std::string(name), own)}, nullptr};
        if (name == "#") {
            const Text* const last =
                arguments->empty() ? nullptr : elementAt(*arguments, arguments->size() - 1);
            if (last != nullptr && !last->isKnown())
                return {true, {unknownText("$#", last->unknown)}, nullptr};
            return {true, {{std::to_string(arguments->size())}}, nullptr};
        }
        const auto index = static_cast<size_t>(parseInt(name).value_or(0));
        const Text* const found = index > 0 ? elementAt(*arguments, index - 1) : nullptr;
        if (found != nullptr) return {true, {*found}, nullptr};
        // There may be more arguments than elements.
        for (const Text& one : *arguments) {
            if (!one.isKnown()) return {true, {unknownText("$" + std::string(name), one.unknown)}, nullptr};
        }
        return {false, {}, m_reading.hasOwnArguments ? own : nullptr};
    }

    Values valuesOf(std::string_view name, std::string_view subscript, bool hasDefault)
    {
        if (name == "@" || name == "*" || name == "#" || (isDigit(name[0]) && name != "0"))
            return argumentOf(name);
        const auto cause = [&](const char* reason) { return causeOf(name, reason, m_line); };
        if (name == "0" || name == "BASH_SOURCE") {
            const size_t index = static_cast<size_t>(parseInt(subscript).value_or(0));
            const size_t count = m_reading.files.size();
            if (index >= count) return {false, {}, cause(kNotSet)};
            const std::string& file = name == "0" ? m_reading.files[0] : m_reading.files[count - 1 - index];
            Text text = file.empty() ? unknownText("$0", causeOf("", "the folder of the script", m_line))
                                     : Text{file};
            text.usesFolder = true;
            return {true, {std::move(text)}, nullptr};
        }
        const Variable* const variable = m_reading.state.find(name);
        if (variable != nullptr) {
            if (variable->isGiven) m_reading.usedGiven.emplace(name);
            if (!m_reading.budget.takeBytes(variable->values.size())) return {};
            if (subscript == "@" || subscript == "*") return {true, variable->values, nullptr};
            CausePtr why;
            const int64_t index = subscript.empty() ? 0 : number(subscript, m_line, why).value_or(-1);
            if (index < 0)
                return {true, {unknownText("", why ? why : cause("the index is unknown"))}, nullptr};
            if (const Text* const one = elementAt(variable->values, static_cast<size_t>(index));
                one != nullptr)
                return {true, {*one}, nullptr};
            for (const Text& one : variable->values) {
                if (!one.isKnown() && variable->isArray)
                    return {true, {unknownText("", one.unknown)}, nullptr};
            }
            return {false, {}, nullptr};
        }
        if (name == "PWD") return {true, {currentFolder(m_reading.state)}, nullptr};
        const bool isAlwaysSet = name == "HOME" || name == "USER" || m_reading.isBatch || !hasDefault;
        if (isHostVariable(name) && isAlwaysSet) return {true, {referenceTo(name)}, nullptr};
        if (name == "PATH" || name == "LD_LIBRARY_PATH")
            return {true, {unknownText("$" + std::string(name), cause("the host's own value"))}, nullptr};
        return {false, {}, cause(kNotSet)};
    }

    void append(std::string_view whole, const Values& values, bool isList, bool isQuoted, Out& out)
    {
        if (!values.isSet) {
            if (values.why) appendUnknown(out, whole, values.why);
            return;
        }
        for (size_t i = 0; i < values.texts.size(); ++i) {
            const Text& value = values.texts[i];
            const bool isSeparate = out.isSplit && (isList || !isQuoted);
            if (i > 0 && isSeparate) endField(out);
            if (i > 0 && !isSeparate) {
                if (m_reading.state.find("IFS") != nullptr) appendUnknown(out, "", "IFS is changed");
                put(out, " ");
            }
            if (isList && !out.hasNow) out.now.line = value.line;
            appendValue(out, value, isList && !value.text.empty() ? std::string_view(value.text) : whole,
                        isQuoted);
        }
    }

    void expandBraces(std::string_view whole, bool isQuoted, Out& out)
    {
        const auto unsupported = [&] { appendUnknown(out, whole, shortened(whole) + " is not supported"); };
        if (!whole.ends_with('}') || whole.size() < 4) return unsupported();
        std::string_view inner = whole.substr(2, whole.size() - 3);
        const bool isLength = inner.size() > 1 && inner[0] == '#' && nameLength(inner.substr(1)) > 0;
        if (isLength) inner.remove_prefix(1);
        const std::string_view name = inner.substr(0, nameLength(inner));
        if (name.empty() || name == "!") return unsupported();
        std::string_view op = inner.substr(name.size());
        std::string_view subscript;
        if (op.starts_with('[')) {
            const size_t close = op.find(']');
            if (close == npos) return unsupported();
            subscript = op.substr(1, close - 1);
            op.remove_prefix(close + 1);
        }
        const bool hasDefault = !op.empty() && std::string_view(":-=+?").find(op[0]) != npos;
        Values values = valuesOf(name, subscript, hasDefault);
        const bool isList = subscript == "@" || name == "@";
        if (isLength) {
            const bool counts = isList || subscript == "*" || name == "*";
            if (!op.empty() || (!counts && !values.isSet)) return unsupported();
            for (const Text& text : values.texts) {
                if (!text.isKnown()) return appendUnknown(out, whole, text.unknown);
                if (!counts && text.hasReference()) return unsupported();
            }
            return put(out, std::to_string(counts ? values.texts.size() : values.texts[0].text.size()));
        }
        if (op.empty()) return append(whole, values, isList, isQuoted, out);
        if (expandDefault(whole, name, op, values, isQuoted, out)) return;
        for (Text& value : values.texts) {
            if (!value.isKnown()) continue;
            std::optional<Text> made = changed(value, op);
            if (!made) return unsupported();
            value = std::move(*made);
        }
        append(whole, values, isList, isQuoted, out);
    }

    // Expands the part after the name, such as ":-x". Returns false for other operators.
    bool expandDefault(std::string_view whole, std::string_view name, std::string_view op,
                       const Values& values, bool isQuoted, Out& out)
    {
        const bool colon =
            op.starts_with(':') && op.size() > 1 && std::string_view("-=+?").find(op[1]) != npos;
        const char kind = op[colon ? 1 : 0];
        if (std::string_view("-=+?").find(kind) == npos) return false;
        const std::string_view operand = op.substr(colon ? 2 : 1);
        // In double quotes, bash and this parser may find different ends of an operand with apostrophes.
        const auto apostrophes = std::ranges::count(operand, '\'');
        if (isQuoted && kind != '?' &&
            (apostrophes % 2 != 0 || (apostrophes > 0 && operand.find('}') != npos)))
            return appendUnknown(out, whole, "an apostrophe in quotes"), true;
        bool isSet = values.isSet && !values.texts.empty();
        if (isSet && colon) {
            const auto isCertain = [](const Text& one) { return one.isKnown() && !one.text.empty(); };
            const bool hasText = std::ranges::any_of(values.texts, isCertain);
            const auto unknown =
                std::ranges::find_if(values.texts, [](const Text& one) { return !one.isKnown(); });
            if (!hasText && unknown != values.texts.end())
                return appendUnknown(out, whole, unknown->unknown), true;
            isSet = hasText;
        }
        const bool isArgument = name == "@" || name == "*" || isDigit(name[0]);
        if (!isSet && kind != '?' && m_reading.state.find(name) == nullptr && !isArgument)
            m_reading.notes.defaults.try_emplace(std::string(name), m_line);
        if (kind == '+') {
            if (isSet) expand(operand, isQuoted, out, true);
        } else if (isSet) {
            append(whole, values, name == "@" || whole.find("[@]") != npos, isQuoted, out);
        } else if (kind == '?') {
            const CausePtr why = causeOf(name, "must be set by the caller", m_line);
            m_reading.notes.add(m_line, false,
                                std::string(name) + " must be set by the caller, or the script ends");
            if (!isArgument) m_reading.state.set(name, {unknownText(whole, why)});
            appendUnknown(out, whole, why);
        } else {
            if (kind == '=' && !isArgument) {
                const int line = m_line;
                m_reading.state.set(name, {single(operand, line)});
            }
            expand(operand, isQuoted, out, true);
        }
        return true;
    }

    // Returns the value changed by an operator such as "##*/", or nullopt if that is not supported.
    std::optional<Text> changed(const Text& value, std::string_view op)
    {
        constexpr size_t kLongest = 300; // because patterns are tried at every position
        Text made = value;
        if (op == ",," && !value.hasReference()) {
            made.text = lowerAscii(value.text);
            return made;
        }
        const size_t lastReference = value.text.rfind(kReferenceEnd);
        const size_t slash = value.text.rfind('/');
        if (op == "##*/" && (lastReference == npos || (slash != npos && slash > lastReference))) {
            made.text = baseName(value.text);
            return made;
        }
        if ((op[0] != '#' && op[0] != '%') || value.hasReference() || value.text.size() > kLongest)
            return std::nullopt;
        const bool isLongest = op.size() > 1 && op[1] == op[0], isPrefix = op[0] == '#';
        const int line = m_line;
        const std::string_view raw = op.substr(isLongest ? 2 : 1);
        const Text pattern = single(raw, line);
        const auto stars = std::ranges::count(pattern.text, '*');
        if (!pattern.isKnown() || pattern.hasReference() || stars > 2 || raw.find_first_of("\"'\\(") != npos)
            return std::nullopt;
        const size_t size = value.text.size();
        for (size_t i = 0; i <= size; ++i) {
            const size_t length = isLongest ? size - i : i; // of the part to remove
            const size_t begin = isPrefix ? 0 : size - length;
            if (::fnmatch(pattern.text.c_str(), value.text.substr(begin, length).c_str(), 0) != 0) continue;
            made.text.erase(begin, length);
            break;
        }
        return made;
    }

    Reading& m_reading;
    int m_line = 0;
    int m_depth = 0;
};

} // namespace

std::vector<Text> expandedWords(Reading& reading, std::span<const Word> words)
{
    std::vector<Text> all;
    for (const Word& word : words)
        std::ranges::move(Expander(reading).fields(word), std::back_inserter(all));
    return all;
}

Text expandedText(Reading& reading, std::string_view raw, int line, bool isAssigned)
{
    return Expander(reading).single(raw, line, isAssigned);
}

std::optional<int64_t> numberOf(Reading& reading, std::string_view raw, int line, CausePtr& why)
{
    return Expander(reading).number(raw, line, why);
}

} // namespace lockstep::shell
