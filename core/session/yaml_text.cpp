// SPDX-License-Identifier: Apache-2.0
#include "core/session/yaml_text.h"

#include <algorithm>
#include <cstdio>

#include "core/base/text.h"

namespace lockstep {

namespace {

constexpr size_t kFlowWidth = 96; // maximum width of a list on one line, in columns

bool isPlainSafe(std::string_view text)
{
    const auto isWordStart = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
               c == '/' || c == '.';
    };
    const auto isWordChar = [&](char c) {
        return isWordStart(c) || c == '-' || c == '+' || c == '=' || c == '@' || c == '*';
    };
    if (text.empty() || !isWordStart(text[0]) || !std::all_of(text.begin(), text.end(), isWordChar))
        return false;
    if (text == "..." || text == "=") return false;
    // Also quotes words that other YAML parsers read as booleans or numbers.
    const std::string lower = lowerAscii(text);
    for (const std::string_view word : {"yes", "no", "on", "off", "y", "n", ".inf", ".nan"}) {
        if (lower == word) return false;
    }
    return plainWordKind(text) == ConfigValue::Kind::text;
}

std::string inQuotes(std::string_view text)
{
    std::string out = "\"";
    for (const char c : text) {
        switch (c) {
        case '"':
            out += "\\\"";
            break;
        case '\\':
            out += "\\\\";
            break;
        case '\n':
            out += "\\n";
            break;
        case '\t':
            out += "\\t";
            break;
        default:
            if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
                char code[8];
                std::snprintf(code, sizeof code, "\\x%02X", static_cast<unsigned char>(c));
                out += code;
            } else {
                out += c;
            }
        }
    }
    return out + "\"";
}

std::string textScalar(const std::string& text)
{
    return isPlainSafe(text) ? text : inQuotes(text);
}

class Writer {
  public:
    explicit Writer(const YamlComments& comments) : m_comments(comments) {}

    std::string out;

    void writeMap(const ConfigValue& map, size_t indent, const std::string& path)
    {
        bool afterBlock = false;
        for (size_t i = 0; i < map.keys.size(); ++i) {
            const ConfigValue& value = map.items[i];
            const std::string keyPath = path.empty() ? map.keys[i] : path + "." + map.keys[i];
            const bool isBlock = !value.items.empty() && value.kind == ConfigValue::Kind::map;
            const std::string comment = m_comments ? std::string(m_comments(keyPath)) : std::string();
            if (indent == 0 && (isBlock || afterBlock) && !out.empty()) out += '\n';
            afterBlock = isBlock;
            if (isBlock && !comment.empty()) out += std::string(indent, ' ') + "# " + comment + "\n";
            out += std::string(indent, ' ') + textScalar(map.keys[i]) + ":";
            writeAfter(value, indent, keyPath, isBlock ? std::string() : comment);
        }
    }

  private:
    // Writes the text after "key:" or "-".
    void writeAfter(const ConfigValue& value, size_t indent, const std::string& path,
                    const std::string& comment)
    {
        const size_t lineBegin = out.rfind('\n') == std::string::npos ? 0 : out.rfind('\n') + 1;
        const std::string flow =
            flowText(value, kFlowWidth - std::min(kFlowWidth, out.size() - lineBegin + 1));
        if (!flow.empty()) {
            out += " " + flow;
            if (!comment.empty()) pad(lineBegin, comment);
            out += '\n';
            return;
        }
        out += comment.empty() ? "\n" : " # " + comment + "\n";
        if (value.kind == ConfigValue::Kind::map) return writeMap(value, indent + 2, path);
        for (const ConfigValue& item : value.items) {
            out += std::string(indent + 2, ' ') + "-";
            if (item.kind == ConfigValue::Kind::map && !item.items.empty()) {
                writeItemMap(item, indent + 4, path);
            } else {
                writeAfter(item, indent + 2, path + "[]", {});
            }
        }
    }

    // A map in a list starts on the same line as its dash.
    void writeItemMap(const ConfigValue& map, size_t indent, const std::string& path)
    {
        const size_t begin = out.size();
        writeMap(map, indent, path + "[]");
        out.replace(begin, indent, " ");
    }

    void pad(size_t lineBegin, const std::string& comment)
    {
        constexpr size_t kCommentColumn = 40;
        const size_t width = out.size() - lineBegin;
        out += std::string(width < kCommentColumn ? kCommentColumn - width : 2, ' ') + "# " + comment;
    }

    // Returns the one-line form of scalars, empty containers and short lists of scalars, or "" for values
    // that need a block.
    static std::string flowText(const ConfigValue& value, size_t width)
    {
        if (value.isScalar()) return yamlScalar(value);
        if (value.kind == ConfigValue::Kind::map) return value.items.empty() ? "{}" : "";
        std::string text = "[";
        for (const ConfigValue& item : value.items) {
            if (!item.isScalar()) return {};
            text += (text.size() > 1 ? ", " : "") + yamlScalar(item);
        }
        text += "]";
        return text.size() <= width || value.items.empty() ? text : std::string();
    }

    const YamlComments& m_comments;
};

} // namespace

std::string yamlScalar(const ConfigValue& value)
{
    switch (value.kind) {
    case ConfigValue::Kind::null:
        return "null";
    case ConfigValue::Kind::boolean:
        return lowerAscii(value.text);
    case ConfigValue::Kind::number:
        return value.text;
    default:
        return textScalar(value.text);
    }
}

std::string yamlText(const ConfigValue& map, const YamlComments& comments)
{
    if (map.items.empty()) return "{}\n";
    Writer writer(comments);
    writer.writeMap(map, 0, {});
    return std::move(writer.out);
}

} // namespace lockstep
