// SPDX-License-Identifier: Apache-2.0
#include "core/session/hydra_override.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/base/words.h"

namespace lockstep {

namespace {

constexpr int kMaxValueDepth = 40;

bool isLetter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool isBareChar(char c)
{
    return isLetter(c) || isDigit(c) || std::string_view("_/-+.%*@?|:").find(c) != std::string_view::npos;
}

bool isKeyPart(std::string_view part)
{
    if (part.empty()) return false;
    if (std::all_of(part.begin(), part.end(), isDigit)) return true;
    if (!isLetter(part[0]) && part[0] != '_' && part[0] != '$') return false;
    return std::all_of(part.begin(), part.end(), [](char c) {
        return isLetter(c) || isDigit(c) || c == '_' || c == '-' || c == '$' || c == '/';
    });
}

// Returns true for text that does not need quotes and that Hydra reads as text. This is stricter than the
// grammar, because text with an unusual first character is quoted.
bool isBareWord(std::string_view text)
{
    const bool begins = !text.empty() && (isLetter(text[0]) || text[0] == '/' || text.starts_with("./"));
    const std::string lower = lowerAscii(text);
    return begins && lower != "inf" && lower != "nan" && plainWordKind(text) == ConfigValue::Kind::text &&
           std::all_of(text.begin(), text.end(), [](char c) { return isBareChar(c) && c != ':'; });
}

class ValueParser {
  public:
    explicit ValueParser(std::string_view text) : m_text(text) {}

    Result<ConfigValue> parse()
    {
        ConfigValue value = LOCKSTEP_TRY(element(0));
        skipBlanks();
        if (m_at == m_text.size()) return value;
        if (m_text[m_at] == ',')
            return makeError(ErrorKind::invalid,
                             "a comma makes this value a sweep, which a single run cannot use");
        return fail("is unexpected here");
    }

  private:
    tl::unexpected<Error> fail(std::string_view reason) const
    {
        // End of the UTF-8 character, including all of its bytes.
        size_t end = std::min(m_at + 1, m_text.size());
        while (end < m_text.size() && (static_cast<unsigned char>(m_text[end]) & 0xC0) == 0x80)
            ++end;
        const std::string what =
            m_at < m_text.size() ? "'" + std::string(m_text.substr(m_at, end - m_at)) + "' " : "the end ";
        return makeError(ErrorKind::invalid, "at offset " + std::to_string(m_at) + " of the value: " + what +
                                                 std::string(reason));
    }

    void skipBlanks()
    {
        while (m_at < m_text.size() && (m_text[m_at] == ' ' || m_text[m_at] == '\t'))
            ++m_at;
    }

    bool isAt(char c) const { return m_at < m_text.size() && m_text[m_at] == c; }

    Result<ConfigValue> element(int depth)
    {
        if (depth > kMaxValueDepth)
            return makeError(ErrorKind::invalid, "brackets nested more than 40 levels deep");
        skipBlanks();
        if (m_at == m_text.size()) return ConfigValue::fromText("");
        switch (m_text[m_at]) {
        case '[':
            return list(depth);
        case '{':
            return dict(depth);
        case '"':
        case '\'':
            return quotedText();
        default:
            return bareText();
        }
    }

    Result<ConfigValue> list(int depth)
    {
        ConfigValue made = ConfigValue::emptyList();
        ++m_at;
        skipBlanks();
        while (!isAt(']')) {
            if (!made.items.empty()) {
                if (!isAt(',')) return fail("is unexpected in a list");
                ++m_at;
            }
            made.items.push_back(LOCKSTEP_TRY(element(depth + 1)));
            skipBlanks();
        }
        ++m_at;
        return made;
    }

    Result<ConfigValue> dict(int depth)
    {
        ConfigValue made = ConfigValue::emptyMap();
        ++m_at;
        skipBlanks();
        while (!isAt('}')) {
            if (!made.items.empty()) {
                if (!isAt(',')) return fail("is unexpected in a map");
                ++m_at;
            }
            skipBlanks();
            const size_t begin = m_at;
            while (m_at < m_text.size() && m_text[m_at] != ':' && isBareChar(m_text[m_at]))
                ++m_at;
            const std::string_view key = m_text.substr(begin, m_at - begin);
            skipBlanks();
            if (key.empty() || !isAt(':')) return fail("is unexpected in a key");
            ++m_at;
            made.set(key, LOCKSTEP_TRY(element(depth + 1)));
            skipBlanks();
        }
        ++m_at;
        return made;
    }

    Result<ConfigValue> quotedText()
    {
        const char quote = m_text[m_at++];
        std::string out;
        while (m_at < m_text.size() && m_text[m_at] != quote) {
            size_t slashes = 0;
            while (isAt('\\')) {
                ++slashes;
                ++m_at;
            }
            if (!isAt(quote)) {
                out.append(slashes, '\\');
                if (slashes == 0) out += m_text[m_at++];
                continue;
            }
            out.append(slashes / 2, '\\');
            if (slashes % 2 == 0) break;
            out += m_text[m_at++];
        }
        if (!isAt(quote)) return fail("comes before the closing quote");
        ++m_at;
        return ConfigValue::fromText(std::move(out));
    }

    Result<ConfigValue> bareText()
    {
        std::string out;
        bool plain = true;
        while (m_at < m_text.size()) {
            const char c = m_text[m_at];
            const char next = m_at + 1 < m_text.size() ? m_text[m_at + 1] : '\0';
            if (c == '\\' && std::string_view("\\()[]{}:=, \t").find(next) != std::string_view::npos &&
                next != '\0') {
                out += next;
                plain = false;
                m_at += 2;
            } else if (c == '$' && next == '{') {
                const size_t end = m_text.find('}', m_at);
                if (end == std::string_view::npos) return fail("opens an interpolation that is never closed");
                out += m_text.substr(m_at, end + 1 - m_at);
                m_at = end + 1;
            } else if (c == '(') {
                return makeError(ErrorKind::unsupported, "only Hydra can evaluate functions");
            } else if (isBareChar(c) || c == '\\' || c == '$' || c == ' ' || c == '\t') {
                out += c;
                ++m_at;
            } else {
                break;
            }
        }
        while (!out.empty() && plain && (out.back() == ' ' || out.back() == '\t'))
            out.pop_back();
        if (out.empty()) return fail("must be quoted");
        ConfigValue value = ConfigValue::fromText(out);
        // In Hydra, unlike YAML, "~" is not null, and an empty word is empty text.
        if (plain && out != "~") value.kind = plainWordKind(out);
        return value;
    }

    std::string_view m_text;
    size_t m_at = 0;
};

} // namespace

bool isHydraKey(std::string_view key)
{
    const size_t package = key.find('@');
    std::string_view rest = key.substr(0, package);
    while (true) {
        const size_t dot = rest.find('.');
        if (!isKeyPart(rest.substr(0, dot))) return false;
        if (dot == std::string_view::npos) return true;
        rest.remove_prefix(dot + 1);
    }
}

bool looksLikeOverride(std::string_view word)
{
    if (word.starts_with('~')) return isHydraKey(word.substr(1, word.find('=') - 1));
    while (word.starts_with('+'))
        word.remove_prefix(1);
    const size_t equals = word.find('=');
    return equals != std::string_view::npos && isHydraKey(word.substr(0, equals));
}

Result<HydraOverride> parseHydraOverride(std::string_view word)
{
    HydraOverride made;
    if (word.starts_with("++")) {
        made.prefix = OverridePrefix::force;
        word.remove_prefix(2);
    } else if (word.starts_with('+') || word.starts_with('~')) {
        made.prefix = word[0] == '+' ? OverridePrefix::add : OverridePrefix::remove;
        word.remove_prefix(1);
    }
    const size_t equals = word.find('=');
    made.key = std::string(word.substr(0, equals));
    if (!isHydraKey(made.key)) return makeError(ErrorKind::invalid, "'" + made.key + "' is not a valid key");
    if (equals == std::string_view::npos) {
        if (made.prefix == OverridePrefix::remove) return made;
        return makeError(ErrorKind::invalid, made.key + " has no '='");
    }
    made.value = LOCKSTEP_TRY(ValueParser(word.substr(equals + 1)).parse());
    return made;
}

std::string hydraText(const ConfigValue& value)
{
    switch (value.kind) {
    case ConfigValue::Kind::null:
        return "null";
    case ConfigValue::Kind::boolean:
        return value.text[0] == 't' || value.text[0] == 'T' ? "True" : "False";
    case ConfigValue::Kind::number:
        return value.text;
    case ConfigValue::Kind::text:
        return isBareWord(value.text) ? value.text : hydraQuoted(value.text);
    case ConfigValue::Kind::list:
    case ConfigValue::Kind::map:
        break;
    }
    const bool isMap = value.kind == ConfigValue::Kind::map;
    std::string text = isMap ? "{" : "[";
    for (size_t i = 0; i < value.items.size(); ++i) {
        text +=
            (i > 0 ? "," : "") + (isMap ? value.keys[i] + ":" : std::string()) + hydraText(value.items[i]);
    }
    return text + (isMap ? "}" : "]");
}

std::string hydraQuoted(std::string_view text)
{
    std::string out = "\"";
    size_t slashes = 0;
    for (const char c : text) {
        if (c == '"') out.append(slashes + 1, '\\');
        slashes = c == '\\' ? slashes + 1 : 0;
        out += c;
    }
    out.append(slashes, '\\');
    return out + "\"";
}

} // namespace lockstep
