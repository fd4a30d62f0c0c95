// SPDX-License-Identifier: Apache-2.0
// RecipeValue is a value in an expression of a recipe. A value may be unknown; it then keeps the name of what
// is not known, for messages. Value type.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/session/config_value.h"

namespace lockstep {

struct RecipeValue {
    enum class Kind : uint8_t { unknown, null, boolean, integer, text, list };

    Kind kind = Kind::unknown;
    int64_t number = 0;             // integer; boolean: 0 or 1
    std::string text;               // text; unknown: name of the value that is not known, or ""
    std::vector<RecipeValue> items; // list

    static RecipeValue unknown(std::string_view name = {});
    static RecipeValue null();
    static RecipeValue fromBool(bool value);
    static RecipeValue fromInt(int64_t value);
    static RecipeValue fromText(std::string_view value);
    static RecipeValue fromInts(const std::vector<int64_t>& values);
    static RecipeValue fromTexts(const std::vector<std::string>& values);
    // A map becomes the list of its keys. Numbers that are not integers become text.
    static RecipeValue fromConfig(const ConfigValue& value);

    bool isKnown() const { return kind != Kind::unknown; }
    bool isTrue() const { return kind == Kind::boolean && number == 1; }
    // Returns the value as text, as it appears in a message: "true", "12", "[1, 2]", "" for null and unknown.
    std::string message() const;
    // Returns the value for a command line. unknown and null become null.
    ConfigValue config() const;

    friend bool operator==(const RecipeValue&, const RecipeValue&) = default;
};

} // namespace lockstep
