#include "core/readers/memory_snapshot/json_tree.h"

#include <optional>
#include <string>

#include <simdjson.h>

namespace lockstep {

namespace {

constexpr size_t kDepth = 32; // a snapshot needs seven levels

class JsonCopy {
  public:
    JsonCopy(ValueTree& values, const Progress& progress) : m_values(values), m_progress(progress) {}

    // Recursion is bounded by the parser's own depth limit, kDepth.
    ValueId copy(simdjson::dom::element element)
    {
        if (m_progress.isCanceled()) return m_values.none();
        switch (element.type()) {
        case simdjson::dom::element_type::ARRAY:
            return copyArray(element.get_array().value_unsafe());
        case simdjson::dom::element_type::OBJECT:
            return copyObject(element.get_object().value_unsafe());
        case simdjson::dom::element_type::INT64:
            return m_values.integer(element.get_int64().value_unsafe());
        case simdjson::dom::element_type::UINT64:
            return m_values.unsignedInteger(element.get_uint64().value_unsafe());
        case simdjson::dom::element_type::DOUBLE:
            return m_values.real(element.get_double().value_unsafe());
        case simdjson::dom::element_type::STRING:
            return m_values.text(element.get_string().value_unsafe());
        case simdjson::dom::element_type::BOOL:
            return m_values.boolean(element.get_bool().value_unsafe());
        case simdjson::dom::element_type::NULL_VALUE:
            break;
        }
        return m_values.none();
    }

  private:
    ValueId copyArray(simdjson::dom::array array)
    {
        const ValueId list = m_values.list();
        for (const simdjson::dom::element item : array)
            m_values.append(list, copy(item));
        return list;
    }

    ValueId copyObject(simdjson::dom::object object)
    {
        const ValueId dict = m_values.dict();
        for (const auto& [key, value] : object) {
            m_values.append(dict, m_values.text(key));
            m_values.append(dict, copy(value));
        }
        return dict;
    }

    ValueTree& m_values;
    const Progress& m_progress;
};

// Where a text that ends too early was last whole, and the brackets that were open there.
struct LastWhole {
    size_t end_bytes = 0;
    std::string open;
};

// Behind the last value that a comma or bracket shows to be complete. Empty for texts that are not cut: all
// brackets closed, or closed by ones of the other kind.
std::optional<LastWhole> lastWhole(std::string_view text)
{
    LastWhole whole;
    std::string open;
    bool inText = false;
    for (size_t at = 0; at < text.size(); ++at) {
        const char c = text[at];
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
    const auto parser = std::make_shared<simdjson::dom::parser>();
    if (parser->allocate(text.size(), kDepth) != simdjson::SUCCESS) {
        return makeError(ErrorKind::unsupported, "a JSON text of " + std::to_string(text.size()) + " bytes");
    }
    simdjson::dom::element root;
    JsonTree tree;
    auto failure = parser->parse(text.data(), text.size(), true).get(root);
    if (const auto whole = failure ? lastWhole(text) : std::nullopt) {
        tree.isCut = true;
        tree.end_bytes = whole->end_bytes;
        const std::string mended = closed(text, *whole);
        failure = parser->parse(mended.data(), mended.size(), true).get(root);
    }
    if (failure)
        return makeError(ErrorKind::corrupt, std::string("JSON: ") + simdjson::error_message(failure));
    LOCKSTEP_TRY(progress.check());
    tree.root = JsonCopy(tree.values, progress).copy(root);
    tree.values.keep(parser); // its string buffer is what the texts point into
    LOCKSTEP_TRY(progress.check());
    return tree;
}

} // namespace lockstep
