// SPDX-License-Identifier: Apache-2.0
// ConfigValue: one value of a configuration text as its author spelled it: a scalar, list or map. Made by the
// YAML and the Hydra readers, read by typed_value.h. Marks (line, column) are kept for messages and are not
// part of equality. A plain value: safe to copy and to read on any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lockstep {

// A place in a text, both counted from 1; 0 where unknown.
struct TextPlace {
    int line = 0;
    int column = 0;
};

// "line 3, column 7", or "" where unknown.
std::string placeText(TextPlace place);

struct ConfigValue {
    enum class Kind : uint8_t { null, boolean, number, text, list, map };

    Kind kind = Kind::null;
    std::string text;               // scalars, as spelled: "True", "1e-3", "100_000"
    std::vector<ConfigValue> items; // elements of a list, values of a map
    std::vector<std::string> keys;  // of a map, same length as items, unique
    TextPlace place;
    TextPlace keyPlace; // of the key, where this is a map's value

    static ConfigValue fromBool(bool value);
    static ConfigValue fromInt(int64_t value);
    static ConfigValue fromText(std::string value);
    static ConfigValue emptyList();
    static ConfigValue emptyMap();

    bool isScalar() const { return kind != Kind::list && kind != Kind::map; }
    // Value of the key, or nullptr when this is no map or has no such key.
    const ConfigValue* find(std::string_view key) const;
    // Appends the key, or replaces its value. This becomes a map if it was null.
    ConfigValue& set(std::string_view key, ConfigValue value);

    // Same kind and spelling; booleans compare by meaning ("True" equals "true").
    friend bool operator==(const ConfigValue& a, const ConfigValue& b);
};

// What an unquoted word means in YAML's core schema and in Hydra: null, a boolean, a whole or decimal number,
// or text. "inf" and "nan" count as text, since no setting of ours takes them.
ConfigValue::Kind plainWordKind(std::string_view word);

// Sets of names and values that keep their order: environment variables, options.
using TextPairs = std::vector<std::pair<std::string, std::string>>;

} // namespace lockstep
