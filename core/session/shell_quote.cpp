// SPDX-License-Identifier: Apache-2.0
#include "core/session/shell_quote.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "core/base/host_reference.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/session/secrets.h"

namespace lockstep {

namespace {

bool isLetterOrDigit(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool isPlain(std::string_view word)
{
    const bool isOption = word.starts_with('-');
    return !word.empty() && std::all_of(word.begin(), word.end(), [&](char c) {
        return isLetterOrDigit(c) || std::string_view("_@%/:,.-").find(c) != std::string_view::npos ||
               (c == '=' && isOption);
    });
}

// Encloses the text in single quotes, or in $'' if it contains control characters.
std::string visibleQuoted(std::string_view text)
{
    const bool isVisible = std::ranges::none_of(text, [](char c) { return c == '\r' || c == '\t'; }) &&
                           printable(text, "\n") == text;
    if (isVisible) return shellQuoted(text);
    std::string out = "$'";
    for (const char c : text) {
        constexpr std::string_view kDigits = "0123456789abcdef";
        const auto byte = static_cast<unsigned char>(c);
        if (byte >= 0x20 && byte < 0x7F && c != '\'' && c != '\\') {
            out += c;
        } else {
            out += c == '\n' ? "\\n" : c == '\t' ? "\\t" : c == '\r' ? "\\r" : "\\x";
            if (c != '\n' && c != '\t' && c != '\r') {
                out += kDigits[byte / 16];
                out += kDigits[byte % 16];
            }
        }
    }
    return out + "'";
}

// AnsiCDecoder reads the escapes of $'...' as bash does (its lib/sh/strtrans.c and the section ANSI-C Quoting
// of its manual).
class AnsiCDecoder {
  public:
    explicit AnsiCDecoder(std::string_view text) : m_text(text) {}

    std::string decode()
    {
        while (m_at < m_text.size() && !m_isEnded) {
            const char c = m_text[m_at++];
            if (c != '\\' || m_at >= m_text.size()) {
                m_out += c;
            } else {
                escape(m_text[m_at++]);
            }
        }
        return std::move(m_out);
    }

  private:
    void escape(char c)
    {
        constexpr std::string_view kNames = "abeEfnrtv\\'\"?", kValues = "\a\b\x1b\x1b\f\n\r\t\v\\'\"?";
        const size_t known = kNames.find(c);
        if (known != std::string_view::npos) {
            m_out += kValues[known];
        } else if (c >= '0' && c <= '7') {
            --m_at;
            put(number(3, 8).value_or(0) & 0xFF, false);
        } else if (c == 'x' || c == 'u' || c == 'U') {
            const bool isBraced = c == 'x' && m_text.substr(m_at).starts_with('{');
            m_at += isBraced ? 1 : 0;
            const std::optional<uint32_t> value = number(isBraced   ? m_text.size()
                                                         : c == 'x' ? 2
                                                         : c == 'u' ? 4
                                                                    : 8,
                                                         16);
            if (isBraced && m_text.substr(m_at).starts_with('}')) ++m_at;
            if (value || isBraced) return put(c == 'x' ? value.value_or(0) & 0xFF : *value, c != 'x');
            m_out += {'\\', c};
        } else if (c == 'c' && m_at < m_text.size()) {
            const char key = m_text[m_at++];
            if (key == '\\' && m_text.substr(m_at).starts_with('\\')) ++m_at;
            put(key == '?'
                    ? 0x7F
                    : static_cast<unsigned char>((key >= 'a' && key <= 'z' ? key - 'a' + 'A' : key)) & 0x1F,
                false);
        } else {
            m_out += {'\\', c};
        }
    }

    // Reads up to `most` digits; nullopt without any.
    std::optional<uint32_t> number(size_t most, uint32_t base)
    {
        constexpr std::string_view kDigits = "0123456789abcdef";
        std::optional<uint32_t> value;
        for (; most > 0 && m_at < m_text.size(); --most, ++m_at) {
            const size_t digit = kDigits.find(lowerAscii(m_text.substr(m_at, 1)));
            if (digit >= base) break;
            value = value.value_or(0) * base + static_cast<uint32_t>(digit);
        }
        return value;
    }

    // Adds a byte or a code point. A NUL ends the text, because arguments cannot contain it.
    void put(uint32_t value, bool isCodePoint)
    {
        m_isEnded = value == 0;
        if (m_isEnded) return;
        if (!isCodePoint || value < 0x80 || value > 0x10'FFFF) {
            m_out += static_cast<char>(isCodePoint && value >= 0x80 ? 0xFF : value); // 0xFF: not UTF-8
        } else {
            const int more = value < 0x800 ? 1 : value < 0x1'0000 ? 2 : 3; // continuation bytes
            const uint32_t lead = more == 1 ? 0xC0 : more == 2 ? 0xE0 : 0xF0;
            m_out += static_cast<char>(lead | (value >> (6 * more)));
            for (int i = more; i-- > 0;)
                m_out += static_cast<char>(0x80 | ((value >> (6 * i)) & 0x3F));
        }
    }

    std::string_view m_text;
    size_t m_at = 0;
    std::string m_out;
    bool m_isEnded = false;
};

// Splits text into words, character by character.
class Splitter {
  public:
    explicit Splitter(std::string_view text) : m_text(text) {}

    Result<ShellWords> split()
    {
        while (m_at < m_text.size()) {
            const char c = m_text[m_at];
            if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
                endWord();
                ++m_at;
            } else if (c == '#' && !m_inWord) {
                m_at = std::min(m_text.find('\n', m_at), m_text.size());
            } else if (c == '\\') {
                backslash();
            } else if (c == '\'') {
                LOCKSTEP_TRY(singleQuotes(false));
            } else if (c == '"') {
                LOCKSTEP_TRY(doubleQuotes());
            } else if (c == '$' && m_text.substr(m_at, 2) == "$'") {
                ++m_at;
                LOCKSTEP_TRY(singleQuotes(true));
            } else {
                m_result.hasExpansion |= c == '$' || c == '`';
                take(c);
                ++m_at;
            }
        }
        endWord();
        return std::move(m_result);
    }

  private:
    void take(char c)
    {
        m_inWord = true;
        m_word += c;
    }

    void endWord()
    {
        if (m_inWord) m_result.words.push_back(std::move(m_word));
        m_word.clear();
        m_inWord = false;
    }

    void backslash()
    {
        ++m_at;
        if (m_text.substr(m_at).starts_with("\r\n")) ++m_at;
        if (m_at >= m_text.size()) return take('\\');
        if (m_text[m_at] != '\n') take(m_text[m_at]);
        ++m_at;
    }

    Status singleQuotes(bool escapes)
    {
        const size_t open = m_at++;
        m_inWord = true;
        while (m_at < m_text.size() && m_text[m_at] != '\'')
            m_at = std::min(m_at + (escapes && m_text[m_at] == '\\' ? 2 : 1), m_text.size());
        const std::string_view inside = m_text.substr(open + 1, m_at - open - 1);
        m_word += escapes ? ansiCText(inside) : inside;
        return close(open);
    }

    Status doubleQuotes()
    {
        const size_t open = m_at++;
        m_inWord = true;
        for (; m_at < m_text.size() && m_text[m_at] != '"'; ++m_at) {
            const char next = m_at + 1 < m_text.size() ? m_text[m_at + 1] : '\0';
            if (m_text[m_at] == '\\' && next == '\n') {
                ++m_at;
            } else if (m_text[m_at] == '\\' && (next == '"' || next == '\\' || next == '$' || next == '`')) {
                take(m_text[++m_at]);
            } else {
                m_result.hasExpansion |= m_text[m_at] == '$' || m_text[m_at] == '`';
                take(m_text[m_at]);
            }
        }
        return close(open);
    }

    Status close(size_t open)
    {
        if (m_at < m_text.size()) {
            ++m_at;
            return {};
        }
        const std::string_view before = m_text.substr(0, open);
        const auto line = std::count(before.begin(), before.end(), '\n') + 1;
        const size_t begin = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
        const TextLocation place{static_cast<int>(line), static_cast<int>(open - begin) + 1};
        return makeError(ErrorKind::invalid, locationText(place) + ": this quote is never closed");
    }

    std::string_view m_text;
    size_t m_at = 0;
    std::string m_word;
    bool m_inWord = false;
    ShellWords m_result;
};

} // namespace

std::string ansiCText(std::string_view inside)
{
    return AnsiCDecoder(inside).decode();
}

std::string shellQuoted(std::string_view word)
{
    if (isPlain(word)) return std::string(word);
    std::string out = "'";
    for (const char c : word) {
        if (c == '\'') {
            out += "'\\''";
        } else {
            out += c;
        }
    }
    return out + "'";
}

std::string shellLine(std::span<const std::string> words)
{
    std::string line;
    for (const std::string& word : words)
        line += (line.empty() ? "" : " ") + shellQuoted(word);
    return line;
}

// Quotes text without host references.
static std::string quotedWithSecrets(std::string_view word)
{
    const std::string begin = "${" + std::string(kArgumentSecret);
    std::string quoted;
    for (size_t at = 0; at < word.size();) {
        const size_t found = std::min(word.find(begin, at), word.size());
        const size_t close = std::min(word.find('}', found), word.size());
        const bool isReference =
            close < word.size() && isEnvironmentName(word.substr(found + 2, close - found - 2));
        const size_t end = isReference ? found : close;
        if (end > at) quoted += visibleQuoted(word.substr(at, end - at));
        if (isReference) quoted += "\"" + std::string(word.substr(found, close + 1 - found)) + "\"";
        at = isReference ? close + 1 : end;
    }
    return quoted;
}

std::string bashQuoted(std::string_view word)
{
    if (word.empty()) return shellQuoted(word);
    std::string quoted, literal;
    size_t from = 0;
    const auto endLiteral = [&](size_t end) {
        literal += word.substr(from, end - from);
        if (!quoted.empty() && literal.starts_with('/')) {
            quoted += '/';
            literal.erase(0, 1);
        }
        quoted += quotedWithSecrets(literal);
        literal.clear();
    };
    for (const HostReference& one : hostReferences(word)) {
        if (one.name == "$") {
            literal += std::string(word.substr(from, one.begin - from)) + "$";
        } else {
            endLiteral(one.begin);
            // bash expands an unquoted ~ only at the beginning of a word or of an assigned value.
            const std::string_view written = word.substr(one.begin, one.size_bytes);
            const bool isTilde = written == "~";
            quoted += isTilde && one.begin == 0 ? "~"
                      : isTilde                 ? "\"$HOME\""
                                                : "\"" + std::string(written) + "\"";
        }
        from = one.begin + one.size_bytes;
    }
    endLiteral(word.size());
    return quoted;
}

std::string bashLine(std::span<const std::string> words)
{
    std::string line;
    for (const std::string& word : words)
        line += (line.empty() ? "" : " ") + bashQuoted(word);
    return line;
}

std::vector<std::string> withLiteralShellTexts(std::vector<std::string> words)
{
    bool isShell = false;
    for (size_t i = 0; i + 1 < words.size(); ++i) {
        const std::string_view word = words[i];
        if (isShell && word.size() > 1 && word[0] == '-' && word[1] != '-' && word.ends_with('c')) {
            std::string& text = words[++i];
            for (size_t at = 0; (at = text.find('$', at)) != text.npos; at += 2)
                text.insert(at, 1, '$');
            isShell = false;
        } else if (!isShell || !word.starts_with('-')) {
            isShell = isOneOf(baseName(word), {"bash", "sh", "dash", "zsh"});
        }
    }
    return words;
}

std::string shellEnter(std::string_view folder)
{
    return (folder.starts_with('-') ? "cd -- " : "cd ") + bashQuoted(folder);
}

std::string shellAssignment(std::string_view name, std::string_view value)
{
    return std::string(name) + "=" + (value.empty() ? std::string() : bashQuoted(value));
}

std::string shellBlock(std::span<const std::string> words)
{
    constexpr size_t kWidth = 100;
    std::string block;
    size_t lineBegin = 0;
    for (const std::string& word : words) {
        const bool isSetting = !word.starts_with('-') && word.find('=') != std::string::npos;
        const std::string quoted = bashQuoted(word);
        if (!block.empty() && (isSetting || block.size() + quoted.size() - lineBegin > kWidth)) {
            block += " \\\n  ";
            lineBegin = block.size() - 2;
        } else if (!block.empty()) {
            block += ' ';
        }
        block += quoted;
    }
    return block;
}

std::string shellComments(std::string_view text, std::string_view mark)
{
    std::string lines;
    while (!text.empty()) {
        const size_t end = std::min(text.find('\n'), text.size());
        lines += std::string(mark) + printable(text.substr(0, end)) + "\n";
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

bool isEnvironmentName(std::string_view name)
{
    return !name.empty() && !(name[0] >= '0' && name[0] <= '9') &&
           std::all_of(name.begin(), name.end(), [](char c) { return isLetterOrDigit(c) || c == '_'; });
}

Result<ShellWords> splitShellWords(std::string_view text)
{
    return Splitter(text).split();
}

} // namespace lockstep
