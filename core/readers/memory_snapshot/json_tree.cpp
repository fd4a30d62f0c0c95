#include "core/readers/memory_snapshot/json_tree.h"

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

} // namespace

Result<JsonTree> readJsonTree(std::string_view text, const Progress& progress)
{
    const auto parser = std::make_shared<simdjson::dom::parser>();
    if (parser->allocate(text.size(), kDepth) != simdjson::SUCCESS) {
        return makeError(ErrorKind::unsupported, "a JSON text of " + std::to_string(text.size()) + " bytes");
    }
    simdjson::dom::element root;
    const auto failure = parser->parse(text.data(), text.size(), true).get(root);
    if (failure)
        return makeError(ErrorKind::corrupt, std::string("JSON: ") + simdjson::error_message(failure));
    LOCKSTEP_TRY(progress.check());
    JsonTree tree;
    tree.root = JsonCopy(tree.values, progress).copy(root);
    tree.values.keep(parser); // its string buffer is what the texts point into
    LOCKSTEP_TRY(progress.check());
    return tree;
}

} // namespace lockstep
