// SPDX-License-Identifier: Apache-2.0
#include "core/session/yaml_patch.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "core/session/yaml_tree.h"

namespace lockstep {

namespace {

// YamlLine is one line of YAML text and the position of its comment, which is found without parsing. Quotes,
// brackets and block scalars are tracked only as far as required to distinguish a comment from a '#' in a
// value. Used by edits that preserve comments; the editor verifies the result with readYaml().
struct YamlLine {
    std::string_view text;      // text of the line, including its line end
    size_t contentSize = 0;     // size up to the comment or the line end, without the spaces before it
    std::string_view comment{}; // starts at '#' and excludes the line end; empty = no comment
    bool isInValue = false; // the line begins inside a quoted or block scalar that started on an earlier line

    bool hasContent() const { return contentSize > 0 || isInValue; }
};

constexpr size_t kNone = std::string_view::npos;

class Scanner {
  public:
    YamlLine scan(std::string_view whole)
    {
        YamlLine line;
        line.text = whole;
        std::string_view text = whole;
        while (text.ends_with('\n') || text.ends_with('\r'))
            text.remove_suffix(1);
        const size_t indent = std::min(text.find_first_not_of(' '), text.size());
        const bool isBlank = text.find_first_not_of(" \t") == kNone;
        if (m_blockIndent != kNone) {
            if (isBlank || indent > m_blockIndent) {
                line.isInValue = true;
                line.contentSize = text.size();
                return line;
            }
            m_blockIndent = kNone;
        }
        line.isInValue = m_quote != '\0';
        size_t end = text.size();
        m_before = '\0';
        for (size_t at = 0; at < text.size(); ++at) {
            const char c = text[at];
            if (m_quote != '\0') {
                at = inQuote(text, at);
            } else if (c == '#' && (at == 0 || text[at - 1] == ' ' || text[at - 1] == '\t')) {
                line.comment = text.substr(at);
                end = at;
                break;
            } else if (c == ' ' || c == '\t') {
                continue;
            } else {
                plain(text, at);
            }
            if (m_quote == '\0') m_before = text[std::min(at, text.size() - 1)];
        }
        const size_t last = text.substr(0, end).find_last_not_of(" \t");
        line.contentSize = last == kNone ? 0 : last + 1;
        return line;
    }

  private:
    // Returns true if a value may begin here: after ':' and
    // similar characters, or at the beginning of the line.
    bool isStart() const { return m_before == '\0' || std::string_view(":,[{-?").find(m_before) != kNone; }

    size_t inQuote(std::string_view text, size_t at)
    {
        const char c = text[at];
        if (m_quote == '"' && c == '\\') return at + 1;
        if (c != m_quote) return at;
        const bool isDoubled = c == '\'' && at + 1 < text.size() && text[at + 1] == '\'';
        if (isDoubled) return at + 1;
        m_quote = '\0';
        m_before = 'q';
        return at;
    }

    void plain(std::string_view text, size_t at)
    {
        const char c = text[at];
        if ((c == '"' || c == '\'') && isStart()) {
            m_quote = c;
        } else if ((c == '[' || c == '{') && isStart()) {
            ++m_flow;
        } else if ((c == ']' || c == '}') && m_flow > 0) {
            --m_flow;
        } else if ((c == '|' || c == '>') && isStart() && m_flow == 0) {
            const size_t rest = text.find_first_not_of("0123456789+-", at + 1);
            const bool isHeader = rest == kNone || text[rest] == ' ' || text[rest] == '\t';
            if (isHeader) m_blockIndent = indentOfKey(text);
        }
    }

    // Returns the column of the first key or value in the line, after the list dashes.
    size_t indentOfKey(std::string_view text)
    {
        size_t at = std::min(text.find_first_not_of(' '), text.size());
        while (text.substr(at).starts_with("- ") && text.find(':', at) != kNone)
            at = std::min(text.find_first_not_of(' ', at + 1), text.size());
        return at;
    }

    char m_quote = '\0';
    char m_before = '\0'; // last non-blank character of this line
    int m_flow = 0;
    size_t m_blockIndent = kNone; // lines indented by more than this belong to a block scalar
};

// Splits text into lines. The last line does not need a line end.
std::vector<YamlLine> yamlLines(std::string_view text)
{
    std::vector<YamlLine> lines;
    Scanner scanner;
    while (!text.empty()) {
        const size_t end = text.find('\n');
        const size_t size = end == kNone ? text.size() : end + 1;
        lines.push_back(scanner.scan(text.substr(0, size)));
        text.remove_prefix(size);
    }
    return lines;
}

// Collects the comments that the writer adds itself, including their '#'.
void collectOwn(const ConfigValue& map, const std::string& path, const YamlComments& comments,
                std::set<std::string, std::less<>>& own)
{
    for (size_t i = 0; i < map.keys.size(); ++i) {
        const std::string below = path.empty() ? map.keys[i] : path + "." + map.keys[i];
        const std::string_view comment = comments ? comments(below) : std::string_view();
        if (!comment.empty()) own.insert("# " + std::string(comment));
        collectOwn(map.items[i], below, comments, own);
    }
}

struct Lines {
    size_t begin = 0, end = 0;
};

// The lines of one key in a block map, or of one item in a block list. Comments and blank lines before these
// lines are the entry's lead.
struct Entry {
    size_t lead = 0;
    Lines lines;
};

class Patch {
  public:
    Patch(std::string_view source, const YamlComments& comments, std::set<std::string, std::less<>> own)
        : m_lines(yamlLines(source)), m_comments(comments), m_own(std::move(own)),
          m_lineEnd(source.find("\r\n") != std::string_view::npos ? "\r\n" : "\n")
    {
    }

    std::optional<std::string> whole(const ConfigValue& raw, const ConfigValue& before,
                                     const ConfigValue& after)
    {
        if (!patchMap(raw, before, after, {0, m_lines.size()}, {})) return std::nullopt;
        return std::move(m_out);
    }

  private:
    static size_t lineOf(TextLocation place) { return static_cast<size_t>(std::max(place.line, 1)) - 1; }

    void copy(Lines lines)
    {
        for (size_t i = lines.begin; i < lines.end; ++i)
            copyLine(m_lines[i].text);
    }

    void copyLine(std::string_view text)
    {
        if (!m_out.empty() && m_out.back() != '\n') m_out += m_lineEnd;
        m_out += text;
    }

    // Adds lines from the writer, with indentation.
    void put(std::string_view text, size_t indent)
    {
        while (!text.empty()) {
            const size_t end = std::min(text.find('\n'), text.size());
            copyLine(std::string(end > 0 ? indent : 0, ' ') + std::string(text.substr(0, end)) + m_lineEnd);
            text.remove_prefix(std::min(end + 1, text.size()));
        }
    }

    // Keeps the user's comments from removed lines.
    void preserveComments(Lines lines, size_t indent)
    {
        for (size_t i = lines.begin; i < lines.end; ++i) {
            const std::string_view comment = m_lines[i].comment;
            if (!comment.empty() && !m_own.contains(comment)) put(comment, indent);
        }
    }

    // Returns the column of the comment, or 0 for a line without a comment.
    size_t commentColumn(size_t line) const
    {
        const YamlLine& one = m_lines[line];
        return one.comment.empty() ? 0 : static_cast<size_t>(one.comment.data() - one.text.data());
    }

    // Returns the entries that begin at the given lines, all of which are within `lines`. Returns nullopt
    // unless there is one entry per line.
    std::optional<std::vector<Entry>> entriesOf(const std::vector<size_t>& firsts, Lines lines,
                                                size_t indent) const
    {
        std::vector<Entry> entries;
        for (size_t i = 0; i < firsts.size(); ++i) {
            const size_t end = i + 1 < firsts.size() ? firsts[i + 1] : lines.end;
            if (firsts[i] < lines.begin || firsts[i] >= end || end > lines.end) return std::nullopt;
            size_t last = end;
            // A comment with deeper indentation belongs to the entry before it.
            while (last > firsts[i] + 1 && !m_lines[last - 1].hasContent() &&
                   commentColumn(last - 1) <= indent)
                --last;
            entries.push_back({i == 0 ? lines.begin : entries.back().lines.end, {firsts[i], last}});
        }
        return entries;
    }

    std::optional<std::vector<Entry>> entriesOfMap(const ConfigValue& raw, Lines lines) const
    {
        std::vector<size_t> firsts;
        for (size_t i = 0; i < raw.items.size(); ++i) {
            const TextLocation place = raw.items[i].keyLocation;
            const size_t line = lineOf(place);
            if (line >= m_lines.size() || place.column != raw.items[0].keyLocation.column)
                return std::nullopt;
            const std::string_view front =
                m_lines[line].text.substr(0, static_cast<size_t>(place.column) - 1);
            if (front.find_first_not_of(i == 0 ? " -" : " ") != std::string_view::npos) return std::nullopt;
            firsts.push_back(line);
        }
        if (firsts.empty()) return std::nullopt;
        return entriesOf(firsts, lines, static_cast<size_t>(raw.items[0].keyLocation.column) - 1);
    }

    std::optional<std::vector<Entry>> entriesOfList(const ConfigValue& raw, Lines lines, size_t& indent) const
    {
        std::vector<size_t> firsts;
        for (const ConfigValue& item : raw.items) {
            const size_t line = lineOf(item.place);
            if (line >= m_lines.size()) return std::nullopt;
            const size_t dash = m_lines[line].text.find_first_not_of(' ');
            if (dash == std::string_view::npos || !m_lines[line].text.substr(dash).starts_with("- "))
                return std::nullopt;
            if (!firsts.empty() && dash != indent) return std::nullopt;
            indent = dash;
            firsts.push_back(line);
        }
        if (firsts.empty()) return std::nullopt;
        return entriesOf(firsts, lines, indent);
    }

    // Returns the text of a value after "key:" in the writer's form, with its line end.
    std::string afterKey(const ConfigValue& value, const std::string& path) const
    {
        ConfigValue map = ConfigValue::emptyMap();
        map.set("k", value);
        const YamlComments comments = [&](std::string_view below) {
            const bool isBelow = m_comments && below.size() > 2;
            return isBelow ? m_comments(path + "." + std::string(below.substr(2))) : std::string_view();
        };
        return yamlText(map, comments).substr(2);
    }

    // Returns the position after the colon of the key that begins at `at`.
    static size_t behindColon(std::string_view line, size_t at)
    {
        const char quote = at < line.size() && (line[at] == '"' || line[at] == '\'') ? line[at] : '\0';
        if (quote != '\0') {
            for (++at; at < line.size() && line[at] != quote; ++at)
                at += quote == '"' && line[at] == '\\' ? 1 : 0;
        }
        const size_t colon = line.find(':', at);
        return colon == std::string_view::npos ? line.size() : colon + 1;
    }

    void addEntry(const std::string& key, const ConfigValue& value, const std::string& path, size_t indent)
    {
        ConfigValue map = ConfigValue::emptyMap();
        map.set(key, value);
        const std::string above = path.substr(0, path.size() - std::min(path.size(), key.size()));
        const YamlComments comments = [&](std::string_view below) {
            return m_comments ? m_comments(above + std::string(below)) : std::string_view();
        };
        put(yamlText(map, comments), indent);
    }

    // Rewrites the entry but keeps its key and the comment of its first line in place.
    void replaceEntry(const ConfigValue& raw, const ConfigValue& after, const Entry& entry,
                      const std::string& path)
    {
        const YamlLine& first = m_lines[entry.lines.begin];
        const auto indent = static_cast<size_t>(raw.keyLocation.column) - 1;
        preserveComments({entry.lines.begin + 1, entry.lines.end}, indent);
        std::string text = afterKey(after, path);
        const size_t lineEnd = text.find('\n');
        const std::string key(first.text.substr(0, behindColon(first.text, indent)));
        std::string line = key + text.substr(0, lineEnd);
        if (!first.comment.empty()) {
            const auto column = static_cast<size_t>(first.comment.data() - first.text.data());
            line.resize(std::max(column, line.size() + 1), ' ');
            line += first.comment;
        }
        copyLine(line + m_lineEnd);
        put(std::string_view(text).substr(lineEnd + 1), indent);
    }

    void patchEntry(const ConfigValue& raw, const ConfigValue& before, const ConfigValue& after,
                    const Entry& entry, const std::string& path)
    {
        const Lines inside{entry.lines.begin + 1, entry.lines.end};
        const size_t start = m_out.size();
        const bool isBelow = !raw.items.empty() && lineOf(raw.place) > entry.lines.begin &&
                             lineOf(raw.place) < entry.lines.end;
        if (isBelow && raw.kind == before.kind && raw.kind == after.kind && !after.items.empty()) {
            copyLine(m_lines[entry.lines.begin].text);
            if (raw.kind == ConfigValue::Kind::map && patchMap(raw, before, after, inside, path)) return;
            if (raw.kind == ConfigValue::Kind::list && patchList(raw, before, after, inside, path)) return;
            m_out.resize(start);
        }
        replaceEntry(raw, after, entry, path);
    }

    // Returns true if the keys that both maps have in common are in a different order.
    static bool isReordered(const ConfigValue& before, const ConfigValue& after)
    {
        size_t at = 0;
        for (const std::string& key : after.keys) {
            if (before.find(key) == nullptr) continue;
            const auto found = std::find(before.keys.begin(), before.keys.end(), key);
            const auto index = static_cast<size_t>(found - before.keys.begin());
            if (index < at) return true;
            at = index;
        }
        return false;
    }

    // Returns where to insert the added keys. They are inserted after the closest preceding key in the text;
    // "" means after the first key.
    static std::map<std::string, std::vector<size_t>>
    additions(const ConfigValue& raw, const ConfigValue& before, const ConfigValue& after)
    {
        std::map<std::string, std::vector<size_t>> added;
        std::string last = raw.keys.front();
        for (size_t i = 0; i < after.keys.size(); ++i) {
            const ConfigValue* const old = before.find(after.keys[i]);
            if (raw.find(after.keys[i]) != nullptr) {
                last = after.keys[i];
            } else if (old == nullptr || !(*old == after.items[i])) {
                added[last].push_back(i);
            }
        }
        return added;
    }

    bool patchMap(const ConfigValue& raw, const ConfigValue& before, const ConfigValue& after, Lines lines,
                  const std::string& path)
    {
        const std::optional<std::vector<Entry>> entries = entriesOfMap(raw, lines);
        if (!entries || isReordered(before, after)) return false;
        const auto indent = static_cast<size_t>(raw.items[0].keyLocation.column) - 1;
        // A map after a list dash keeps its first key on that line.
        const bool hasDash = m_lines[entries->front().lines.begin].text.find_first_not_of(' ') < indent;
        if (hasDash && after.find(raw.keys[0]) == nullptr) return false;
        const auto added = additions(raw, before, after);
        for (size_t i = 0; i < raw.keys.size(); ++i) {
            const std::string& key = raw.keys[i];
            const Entry& entry = (*entries)[i];
            const ConfigValue *old = before.find(key), *now = after.find(key);
            const std::string below = path.empty() ? key : path + "." + key;
            copy({entry.lead, entry.lines.begin});
            if (now == nullptr && old != nullptr) {
                preserveComments(entry.lines, indent);
            } else if (now == nullptr || (old != nullptr && *old == *now)) {
                copy(entry.lines);
            } else {
                patchEntry(raw.items[i], old != nullptr ? *old : ConfigValue(), *now, entry, below);
            }
            const auto here = added.find(key);
            if (here == added.end()) continue;
            for (const size_t one : here->second) {
                const std::string& name = after.keys[one];
                addEntry(name, after.items[one], path.empty() ? name : path + "." + name, indent);
            }
        }
        copy({entries->back().lines.end, lines.end});
        return true;
    }

    void addItem(const ConfigValue& item, const std::string& path, size_t indent)
    {
        ConfigValue list = ConfigValue::emptyList();
        list.items.push_back(item);
        if (item.isScalar()) return put("- " + yamlScalar(item), indent);
        const std::string text = afterKey(list, path);
        // The writer indents items by two.
        std::string_view rest = std::string_view(text).substr(text.find('\n') + 1);
        while (!rest.empty()) {
            const size_t end = std::min(rest.find('\n'), rest.size());
            put(rest.substr(std::min<size_t>(2, end), end - std::min<size_t>(2, end)), indent);
            rest.remove_prefix(std::min(end + 1, rest.size()));
        }
    }

    // Equal items at the start and at the end of the list are kept. The items between them are paired in
    // order.
    bool patchList(const ConfigValue& raw, const ConfigValue& before, const ConfigValue& after, Lines lines,
                   const std::string& path)
    {
        size_t indent = 0;
        const std::optional<std::vector<Entry>> entries = entriesOfList(raw, lines, indent);
        if (!entries || before.items.size() != raw.items.size()) return false;
        const size_t most = std::min(before.items.size(), after.items.size());
        size_t front = 0, back = 0;
        while (front < most && before.items[front] == after.items[front])
            ++front;
        while (back < most - front &&
               before.items[before.items.size() - 1 - back] == after.items[after.items.size() - 1 - back])
            ++back;
        const size_t paired = most - back;
        if (raw.items.size() == back) {
            for (size_t k = 0; k < after.items.size() - back; ++k)
                addItem(after.items[k], path, indent);
        }
        for (size_t i = 0; i < raw.items.size(); ++i) {
            const Entry& entry = (*entries)[i];
            copy({entry.lead, entry.lines.begin});
            const bool isSame = i < front || i >= raw.items.size() - back;
            if (isSame) {
                copy(entry.lines);
            } else if (i < paired) {
                patchItem(raw.items[i], before.items[i], after.items[i], entry, path, indent);
            } else {
                preserveComments(entry.lines, indent);
            }
            if (i + 1 != raw.items.size() - back) continue;
            for (size_t k = std::max(paired, raw.items.size() - back); k < after.items.size() - back; ++k)
                addItem(after.items[k], path, indent);
        }
        copy({entries->back().lines.end, lines.end});
        return true;
    }

    void patchItem(const ConfigValue& raw, const ConfigValue& before, const ConfigValue& after,
                   const Entry& entry, const std::string& path, size_t indent)
    {
        const size_t start = m_out.size();
        const bool areMaps =
            raw.kind == ConfigValue::Kind::map && before.kind == raw.kind && after.kind == raw.kind;
        if (areMaps && patchMap(raw, before, after, entry.lines, path + "[]")) return;
        m_out.resize(start);
        preserveComments(entry.lines, indent);
        addItem(after, path, indent);
    }

    std::vector<YamlLine> m_lines;
    const YamlComments& m_comments;
    std::set<std::string, std::less<>> m_own;
    std::string m_lineEnd;
    std::string m_out;
};

std::vector<std::string> commentsOf(std::string_view text, const std::set<std::string, std::less<>>& own)
{
    std::vector<std::string> all;
    for (const YamlLine& line : yamlLines(text)) {
        if (!line.comment.empty() && !own.contains(line.comment)) all.emplace_back(line.comment);
    }
    return all;
}

} // namespace

std::string patchedYaml(std::string_view source, const ConfigValue& before, const ConfigValue& after,
                        const YamlComments& comments)
{
    const Result<ConfigValue> raw = readYaml(source);
    if (!raw || raw->kind != ConfigValue::Kind::map || raw->items.empty()) return {};
    std::set<std::string, std::less<>> own;
    collectOwn(before, {}, comments, own);
    return Patch(source, comments, std::move(own)).whole(*raw, before, after).value_or(std::string());
}

bool preservesComments(std::string_view source, std::string_view text, const ConfigValue& before,
                       const YamlComments& comments)
{
    std::set<std::string, std::less<>> own;
    collectOwn(before, {}, comments, own);
    std::vector<std::string> was = commentsOf(source, own), is = commentsOf(text, own);
    std::sort(was.begin(), was.end());
    std::sort(is.begin(), is.end());
    return std::includes(is.begin(), is.end(), was.begin(), was.end());
}

std::string commentLines(std::string_view source, const ConfigValue& before, const YamlComments& comments)
{
    std::set<std::string, std::less<>> own;
    collectOwn(before, {}, comments, own);
    std::string lines;
    for (const std::string& comment : commentsOf(source, own))
        lines += comment + "\n";
    return lines;
}

} // namespace lockstep
