// SPDX-License-Identifier: Apache-2.0
#include "core/readers/memory_snapshot/json_tree.h"

#include <deque>
#include <limits>
#include <optional>
#include <string>
#include <unordered_map>

#include <nlohmann/json.hpp>

#include "core/base/load_watch.h"

namespace lockstep {

namespace {

constexpr uint64_t kLongText_bytes = uint64_t(16) << 20;
constexpr size_t kDepth = 32; // maximum depth; a snapshot needs seven levels

// Receives the events of nlohmann::json::sax_parse() and builds a tree, so that reading can be stopped at any
// time. Repeated strings, such as most keys, share one value.
class TreeFiller {
  public:
    TreeFiller(JsonTree& tree, const Progress& progress) : m_tree(tree), m_progress(progress) {}

    bool null() { return put(m_tree.values.none()); }
    bool boolean(bool value) { return put(m_tree.values.boolean(value)); }
    bool number_integer(int64_t value) { return put(m_tree.values.integer(value)); }
    bool number_unsigned(uint64_t value)
    {
        return put(value <= uint64_t(std::numeric_limits<int64_t>::max())
                       ? m_tree.values.integer(static_cast<int64_t>(value))
                       : m_tree.values.unsignedInteger(value));
    }
    bool number_float(double value, const std::string&) { return put(m_tree.values.real(value)); }
    bool string(const std::string& text) { return put(textValue(text)); }
    bool key(const std::string& text) { return put(textValue(text)); }
    bool binary(const std::vector<uint8_t>&) { return false; } // called only for formats other than JSON
    bool start_object(size_t) { return open(m_tree.values.dict()); }
    bool start_array(size_t) { return open(m_tree.values.list()); }
    bool end_object() { return close(); }
    bool end_array() { return close(); }
    bool parse_error(size_t, const std::string&, const nlohmann::json::exception& error)
    {
        m_problem = error.what(); // "[json.exception.parse_error.101] parse error at line 1, column 2: ..."
        m_problem.erase(0, m_problem.find("] ") + 2);
        return false;
    }

    const std::string& problem() const { return m_problem; }

  private:
    static constexpr uint64_t kStride = 1024; // values between two progress checks

    bool put(ValueId value)
    {
        if (m_open.empty()) {
            m_tree.root = value;
        } else {
            m_tree.values.append(m_open.back(), value);
        }
        return ++m_count % kStride != 0 || !m_progress.isCanceled();
    }
    bool open(ValueId container)
    {
        if (m_open.size() == kDepth) {
            m_problem = "nesting deeper than " + std::to_string(kDepth) + " levels";
            return false;
        }
        const bool continues = put(container);
        m_open.push_back(container);
        return continues;
    }
    bool close()
    {
        m_open.pop_back();
        return true;
    }
    ValueId textValue(const std::string& text)
    {
        if (const auto known = m_texts.find(text); known != m_texts.end()) return known->second;
        const std::string& kept = m_kept->emplace_back(text);
        return m_texts[kept] = m_tree.values.text(kept);
    }

    JsonTree& m_tree;
    const Progress& m_progress;
    std::shared_ptr<std::deque<std::string>> m_kept = [this] {
        auto kept = std::make_shared<std::deque<std::string>>();
        m_tree.values.keep(kept);
        return kept;
    }();
    std::unordered_map<std::string_view, ValueId> m_texts;
    std::vector<ValueId> m_open;
    std::string m_problem;
    uint64_t m_count = 0;
};

// The parser buffers the text of one value, and briefly holds it twice; a value may be as long as the whole
// text.
uint64_t longestText_bytes(std::string_view text)
{
    size_t longest = 0;
    for (size_t begin = text.find('"'); begin != std::string_view::npos;) {
        const size_t end = std::min(text.find('"', begin + 1), text.size());
        longest = std::max(longest, end - begin);
        begin = end < text.size() ? end : std::string_view::npos;
    }
    return longest;
}

// Returns the problem with the text; empty if all of the text was read, or if reading was canceled.
std::string fillTree(std::string_view text, const Progress& progress, JsonTree& tree)
{
    tree.values = {};
    TreeFiller filler(tree, progress);
    nlohmann::json::sax_parse(text, &filler);
    return filler.problem();
}

// The last complete position in a truncated text, and the brackets that were open at that position.
struct LastWhole {
    size_t end_bytes = 0;
    std::string open;
};

// Returns the position after the last value that a comma or bracket completes. Returns nullopt for texts that
// are not truncated: all brackets are closed, or one is closed by the wrong kind.
std::optional<LastWhole> lastWhole(std::string_view text, const Progress& progress)
{
    LastWhole whole;
    std::string open;
    bool inText = false;
    for (size_t at = 0; at < text.size(); ++at) {
        const char c = text[at];
        if (at % 4096 == 0 && progress.isCanceled()) return std::nullopt;
        if (inText) {
            if (c == '\\') ++at;
            inText = c != '"';
        } else if (c == '"') {
            inText = true;
        } else if (c == '{' || c == '[') {
            if (open.size() == kDepth) return std::nullopt;
            open += c;
            whole = {at + 1, open};
        } else if (c == '}' || c == ']') {
            if (open.empty() || open.back() != (c == '}' ? '{' : '[')) return std::nullopt;
            open.pop_back();
            if (open.empty()) return std::nullopt;
            whole = {at + 1, open};
        } else if (c == ',') {
            whole = {at, open};
        }
    }
    return open.empty() ? std::nullopt : std::optional(whole);
}

std::string closed(std::string_view text, const LastWhole& whole)
{
    std::string out(text.substr(0, whole.end_bytes));
    for (auto bracket = whole.open.rbegin(); bracket != whole.open.rend(); ++bracket)
        out += *bracket == '{' ? '}' : ']';
    return out;
}

} // namespace

Result<JsonTree> readJsonTree(std::string_view text, const Progress& progress)
{
    JsonTree tree;
    // if the memory does not fit, the next check reports this
    if (const uint64_t longest = longestText_bytes(text); longest > kLongText_bytes)
        static_cast<void>(LoadScope::admit(3 * longest));
    LOCKSTEP_TRY(progress.check());
    std::string problem = fillTree(text, progress, tree);
    LOCKSTEP_TRY(progress.check());
    if (const auto whole = problem.empty() ? std::nullopt : lastWhole(text, progress)) {
        tree.isCut = true;
        tree.end_bytes = whole->end_bytes;
        problem = fillTree(closed(text, *whole), progress, tree);
    }
    LOCKSTEP_TRY(progress.check());
    if (!problem.empty()) return makeError(ErrorKind::corrupt, "JSON: " + problem);
    return tree;
}

} // namespace lockstep
