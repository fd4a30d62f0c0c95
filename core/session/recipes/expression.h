// SPDX-License-Identifier: Apache-2.0
// Expressions of recipes: conditions such as `torch and len(steps) > 0` and counts such as `gated * windows`.
// resources/help/recipes.md describes the syntax. Untrusted text: at most kMaxNodes operations, no loops,
// and no recursion deeper than that.
//
// Evaluation never fails: a value that is not known, a type that an operator does not accept, an overflow and
// a division by zero give an unknown value. Pure. Thread: any.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/session/recipes/recipe_value.h"

namespace lockstep {

// RecipeScope gives the values of the names in an expression.
class RecipeScope {
  public:
    virtual ~RecipeScope() = default;
    virtual RecipeValue value(std::string_view name) const = 0;
    // Returns true if the user, the session or the launch sets the name.
    virtual bool isSet(std::string_view name) const = 0;
    // Returns true, false or unknown for a condition on the era, such as ">=0.8".
    virtual RecipeValue isEra(std::string_view condition) const = 0;
    // Returns the roles of the session that the framework has, and the scope of one of them, in which
    // `role.NAME` is its setting; nullptr for an unknown role. The scope is owned by this one.
    virtual std::vector<std::string> roleNames() const { return {}; }
    virtual const RecipeScope* forRole(std::string_view) const { return nullptr; }
};

class RecipeExpression {
  public:
    static constexpr size_t kMaxNodes = 200;

    // Errors: invalid, with the column of the first character that cannot be read, counted from 1.
    static Result<RecipeExpression> parse(std::string_view text);

    RecipeValue evaluate(const RecipeScope& scope) const;

    // Returns the names that the expression uses, and its era conditions, in order of appearance.
    const std::vector<std::string>& names() const { return m_names; }
    const std::vector<std::string>& eras() const { return m_eras; }

  private:
    friend class RecipeParser;
    enum class Operation : uint8_t {
        constant,
        name,
        list,
        negative,
        logicalNot,
        logicalAnd,
        logicalOr,
        add,
        subtract,
        multiply,
        divide,
        equal,
        notEqual,
        less,
        lessEqual,
        greater,
        greaterEqual,
        in,
        ceilDivide,
        minimum,
        maximum,
        length,
        runs,
        first,
        last,
        range,
        groups,
        members,
        matching,
        matched,
        inRole,
        rolesWhere,
        named,
        absolute,
        choice,
        isSet,
        isEra
    };
    struct Node {
        Operation operation = Operation::constant;
        RecipeValue value;          // constant; the text of a name, of isSet and of isEra
        std::vector<size_t> inputs; // nodes that are evaluated first
    };

    RecipeValue evaluate(const RecipeScope& scope, size_t node) const;
    static RecipeValue applied(Operation operation, std::vector<RecipeValue> inputs);
    static RecipeValue integersApplied(Operation operation, const RecipeValue& a, const RecipeValue& b);

    std::vector<Node> m_nodes;
    size_t m_root = 0; // the node of the whole expression
    std::vector<std::string> m_names;
    std::vector<std::string> m_eras;
};

} // namespace lockstep
