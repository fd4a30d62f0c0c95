// SPDX-License-Identifier: Apache-2.0
#include "core/session/yaml_tree.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <sstream>

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include "core/base/text.h"
#include "core/session/yaml_text.h"

namespace lockstep {

namespace {

TextLocation locationOf(const YAML::Mark& mark)
{
    return {mark.line + 1, mark.column + 1};
}

TextLocation locationAt(std::string_view text, size_t at)
{
    const std::string_view before = text.substr(0, at);
    const size_t lineBegin = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
    return {static_cast<int>(std::count(before.begin(), before.end(), '\n')) + 1,
            static_cast<int>(at - lineBegin) + 1};
}

Error errorAt(TextLocation place, std::string_view reason)
{
    return {ErrorKind::invalid, locationText(place) + ": " + std::string(reason)};
}

size_t nodeCount(const ConfigValue& value)
{
    size_t count = 1;
    for (const ConfigValue& item : value.items)
        count += nodeCount(item);
    return count;
}

size_t depthOf(const ConfigValue& value)
{
    size_t depth = 0;
    for (const ConfigValue& item : value.items)
        depth = std::max(depth, depthOf(item));
    return depth + 1;
}

// TreeBuilder builds the tree from the parser's events.
// After the first error, it ignores the rest of the text.
class TreeBuilder : public YAML::EventHandler {
  public:
    explicit TreeBuilder(std::string_view text) : m_text(text) {}

    std::optional<Error> error;
    ConfigValue root;

    void OnDocumentStart(const YAML::Mark& mark) override { root.place = locationOf(mark); }
    void OnDocumentEnd() override {}

    void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override
    {
        ConfigValue value;
        value.place = locationOf(mark);
        addLeaf(std::move(value), anchor);
    }

    void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  const std::string& text) override
    {
        if (const auto open = openQuote(mark)) {
            return reject(*open, "this quote is never closed, so the rest of the text belongs to it");
        }
        // yaml-cpp converts these two escapes to single bytes, which is invalid UTF-8.
        if (!isValidUtf8(text))
            return reject(locationOf(mark),
                          "the escapes \\N and \\_ are not supported; write the character itself");
        ConfigValue value = ConfigValue::fromText(text);
        value.place = locationOf(mark);
        // yaml-cpp uses the tags "?" or "" for plain scalars and "!" for quoted scalars.
        if (tag.empty() || tag == "?") {
            value.kind = plainWordKind(text);
        } else if (tag != "!" && tag != "tag:yaml.org,2002:str") {
            return reject(value.place, "the tag " + tag + " is not supported; write the value without it");
        }
        addLeaf(std::move(value), anchor);
    }

    void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override
    {
        if (error) return;
        const TextLocation place = locationOf(mark);
        const auto found = m_anchors.find(anchor);
        if (found == m_anchors.end()) return reject(place, "an alias inside the value that it refers to");
        if (++m_aliases > kYamlMaxAliases) return reject(place, "more than 100 aliases");
        if (m_nodes + nodeCount(found->second) > kYamlMaxNodes)
            return reject(place, "aliases expand to too many values");
        if (m_open.size() + depthOf(found->second) > kYamlMaxDepth)
            return reject(place, "nested more than 40 levels deep");
        m_nodes += nodeCount(found->second);
        ConfigValue copy = found->second;
        copy.place = place;
        add(std::move(copy));
    }

    void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                         YAML::EmitterStyle::value) override
    {
        open(ConfigValue::emptyList(), mark, anchor);
    }
    void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                    YAML::EmitterStyle::value) override
    {
        open(ConfigValue::emptyMap(), mark, anchor);
    }
    void OnSequenceEnd() override { close(); }
    void OnMapEnd() override { close(); }

  private:
    struct Open {
        ConfigValue value;
        YAML::anchor_t anchor = 0;
        std::optional<std::string> key; // key in a map whose value has not been read yet
        TextLocation keyLocation{};
        std::set<std::string> seen{};      // keys read so far
        std::vector<ConfigValue> merged{}; // maps of the merge key
    };

    // If the text ends inside the quoted scalar at the mark, returns the position of the opening quote. This
    // check is needed because yaml-cpp accepts the last line feed in a text as the end of a quoted scalar.
    // Anchors and tags precede the quote.
    std::optional<TextLocation> openQuote(const YAML::Mark& mark) const
    {
        constexpr std::string_view kBlanks = " \t\r\n";
        size_t at = static_cast<size_t>(mark.pos) + (m_text.starts_with("\xEF\xBB\xBF") ? 3 : 0);
        while (at < m_text.size() && (m_text[at] == '&' || m_text[at] == '!')) {
            at = m_text.find_first_of(kBlanks, at);
            at = m_text.find_first_not_of(kBlanks, at);
        }
        if (at >= m_text.size() || (m_text[at] != '"' && m_text[at] != '\'')) return std::nullopt;
        const char quote = m_text[at];
        for (size_t i = at + 1; i < m_text.size(); ++i) {
            if (quote == '"' && m_text[i] == '\\') {
                ++i;
            } else if (m_text[i] == quote) {
                if (quote == '"' || i + 1 >= m_text.size() || m_text[i + 1] != quote) return std::nullopt;
                ++i; // '' is an escaped quote in single quotes
            }
        }
        return locationAt(m_text, at);
    }

    void reject(TextLocation place, std::string_view reason)
    {
        if (!error) error = errorAt(place, reason);
    }

    void open(ConfigValue value, const YAML::Mark& mark, YAML::anchor_t anchor)
    {
        if (error) return;
        value.place = locationOf(mark);
        if (m_open.size() >= kYamlMaxDepth) return reject(value.place, "nested more than 40 levels deep");
        if (!mayAdd(value)) return;
        m_open.push_back({std::move(value), anchor, std::nullopt, {}, {}});
    }

    void close()
    {
        if (error) return;
        Open done = std::move(m_open.back());
        m_open.pop_back();
        // The map's own keys come before merged ones, and earlier maps before later ones.
        for (const ConfigValue& map : done.merged) {
            for (size_t i = 0; i < map.keys.size(); ++i) {
                if (!done.seen.insert(map.keys[i]).second) continue;
                done.value.keys.push_back(map.keys[i]);
                done.value.items.push_back(map.items[i]);
            }
        }
        if (done.anchor != 0) m_anchors[done.anchor] = done.value;
        add(std::move(done.value));
    }

    void addLeaf(ConfigValue value, YAML::anchor_t anchor)
    {
        if (error || !mayAdd(value)) return;
        if (anchor != 0) m_anchors[anchor] = value;
        add(std::move(value));
    }

    // Counts one node, and checks that the key of a map is a scalar.
    bool mayAdd(const ConfigValue& value)
    {
        if (++m_nodes > kYamlMaxNodes) reject(value.place, "more than 50000 values");
        const bool isKey =
            !m_open.empty() && m_open.back().value.kind == ConfigValue::Kind::map && !m_open.back().key;
        if (isKey && !value.isScalar()) reject(value.place, "a key must be a single value");
        return !error;
    }

    void add(ConfigValue value)
    {
        if (m_open.empty()) {
            root = std::move(value);
            return;
        }
        Open& parent = m_open.back();
        if (parent.value.kind == ConfigValue::Kind::list) {
            parent.value.items.push_back(std::move(value));
        } else if (parent.key == "<<") {
            parent.key.reset();
            addMerged(parent, std::move(value));
        } else if (parent.key) {
            value.keyLocation = parent.keyLocation;
            parent.value.keys.push_back(std::move(*parent.key));
            parent.value.items.push_back(std::move(value));
            parent.key.reset();
        } else {
            addKey(parent, value);
        }
    }

    // Keeps the maps of a merge key until the map's own keys are known.
    void addMerged(Open& parent, ConfigValue value)
    {
        const bool isList = value.kind == ConfigValue::Kind::list;
        const auto isMap = [](const ConfigValue& one) { return one.kind == ConfigValue::Kind::map; };
        if (!(isList ? std::ranges::all_of(value.items, isMap) : isMap(value)))
            return reject(value.place, "the value of a merge key (<<) must be a map or a list of maps");
        if (!isList) {
            parent.merged.push_back(std::move(value));
        } else {
            for (ConfigValue& one : value.items)
                parent.merged.push_back(std::move(one));
        }
    }

    void addKey(Open& parent, const ConfigValue& value)
    {
        if (!value.isScalar()) return reject(value.place, "a key must be a single value");
        if (yamlScalar(ConfigValue::fromText(value.text)).size() > kYamlMaxKeyBytes)
            return reject(value.place, "a key longer than 1000 bytes, including quotes and escapes");
        if (!parent.seen.insert(value.text).second) {
            return reject(value.place, "duplicate key " + value.text);
        }
        parent.key = value.text;
        parent.keyLocation = value.place;
    }

    std::string_view m_text;
    std::vector<Open> m_open;
    std::map<YAML::anchor_t, ConfigValue> m_anchors;
    size_t m_nodes = 0;
    size_t m_aliases = 0;
};

std::optional<Error> invalidBytes(std::string_view text)
{
    if (text.size() > kYamlMaxBytes) {
        return errorAt(locationAt(text, kYamlMaxBytes),
                       "the text is larger than 1 MiB, the limit for a session");
    }
    if (isValidUtf8(text)) return std::nullopt;
    const std::string repaired = repairedUtf8(text);
    const auto bad = std::mismatch(text.begin(), text.end(), repaired.begin(), repaired.end()).first;
    return errorAt(locationAt(text, static_cast<size_t>(bad - text.begin())), "not valid UTF-8");
}

} // namespace

Result<ConfigValue> readYaml(std::string_view text)
{
    if (std::optional<Error> refused = invalidBytes(text)) return tl::make_unexpected(std::move(*refused));
    TreeBuilder builder(text);
    try {
        std::istringstream stream{std::string(text)};
        YAML::Parser parser(stream);
        bool more = parser.HandleNextDocument(builder);
        if (more && !builder.error) {
            TreeBuilder second(text);
            more = parser.HandleNextDocument(second);
            if (more)
                return tl::make_unexpected(
                    errorAt(second.root.place, "a second YAML document; only one is allowed"));
        }
    } catch (const YAML::Exception& failure) {
        // yaml-cpp accepts an open quote after a line feed, and TreeBuilder then reports the line of the
        // quote.
        if (failure.msg == YAML::ErrorMsg::EOF_IN_SCALAR && !text.ends_with('\n')) {
            Result<ConfigValue> again = readYaml(std::string(text) + "\n");
            if (!again) return again;
        }
        if (!builder.error) builder.error = errorAt(locationOf(failure.mark), failure.msg);
    } catch (const std::exception& failure) {
        if (!builder.error) builder.error = errorAt({1, 1}, failure.what());
    }
    if (builder.error) return tl::make_unexpected(std::move(*builder.error));
    return std::move(builder.root);
}

Result<ConfigValue> readYamlKey(std::string_view text, std::string_view key)
{
    const std::string begin = std::string(key) + ":";
    size_t at = 0;
    for (std::string lines; at < text.size(); lines += '\n') {
        const auto next = [&] { return std::min(text.find('\n', at), text.size() - 1) + 1; };
        if (!text.substr(at).starts_with(begin)) {
            at = next();
            continue;
        }
        const size_t first = at;
        // The value goes on as long as lines are indented, empty, comments, or elements of a list.
        do
            at = next();
        while (at < text.size() && std::string_view(" \t\r\n#-").find(text[at]) != std::string_view::npos);
        const ConfigValue map = LOCKSTEP_TRY(readYaml(lines + std::string(text.substr(first, at - first))));
        const ConfigValue* value = map.find(key);
        return value == nullptr ? ConfigValue() : *value;
    }
    return ConfigValue();
}

} // namespace lockstep
