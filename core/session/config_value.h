// SPDX-License-Identifier: Apache-2.0
// ConfigValue is one value of a configuration text, as its author spelled it: a scalar, list or map. The YAML
// and Hydra readers create it, and typed_value.h reads it. Positions in the text (line, column) are stored
// for messages and are ignored by comparisons. A plain value: safe to copy, and to read on any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lockstep {

// A one-based line and column in a text. Both are 0 if unknown.
struct TextLocation {
    int line = 0;
    int column = 0;
};

// Returns "line 3, column 7", or "" if unknown.
std::string locationText(TextLocation place);

struct ConfigValue {
    enum class Kind : uint8_t { null, boolean, number, text, list, map };

    Kind kind = Kind::null;
    std::string text;               // spelling of a scalar: "True", "1e-3", "100_000"
    std::vector<ConfigValue> items; // elements of a list, or values of a map
    std::vector<std::string> keys;  // keys of a map, one per item, unique
    TextLocation place;
    TextLocation keyLocation; // position of the key if this is the value of a map

    static ConfigValue fromBool(bool value);
    static ConfigValue fromInt(int64_t value);
    static ConfigValue fromText(std::string value);
    static ConfigValue emptyList();
    static ConfigValue emptyMap();

    bool isScalar() const { return kind != Kind::list && kind != Kind::map; }
    // Returns the value for a key, or nullptr if this is not a map or does not have the key.
    const ConfigValue* find(std::string_view key) const;
    // Appends a key or replaces the value of an existing key. If this is a null value, it becomes a map.
    ConfigValue& set(std::string_view key, ConfigValue value);
    // Removes a key if it exists. A map without keys becomes a null value.
    void erase(std::string_view key);

    // Compares kind and spelling; booleans are compared by meaning ("True" equals "true").
    friend bool operator==(const ConfigValue& a, const ConfigValue& b);
};

// Returns the kind of an unquoted word in YAML's core schema and in Hydra: null, boolean, integer, decimal
// number, or text. "inf" and "nan" count as text because no Lockstep setting accepts them.
ConfigValue::Kind plainWordKind(std::string_view word);

// Names and values in a stable order, for environment variables and options.
using TextPairs = std::vector<std::pair<std::string, std::string>>;

} // namespace lockstep
