// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <span>

#include "core/base/text.h"
#include "core/session/recipes/expression.h"

namespace lockstep {

// RecipeParser reads an expression by recursive descent, one function per level of precedence. Every call of
// a function that recurses creates a node or consumes a parenthesis, and both are limited, so the depth is
// limited too.
class RecipeParser {
  public:
    explicit RecipeParser(std::string_view text) : m_text(text) {}

    Result<RecipeExpression> parse()
    {
        const size_t root = LOCKSTEP_TRY(parseOr());
        skipSpaces();
        if (m_at < m_text.size()) return fail("an operator or the end is expected");
        m_made.m_root = root;
        return std::move(m_made);
    }

  private:
    using Operation = RecipeExpression::Operation;
    using Level = Result<size_t> (RecipeParser::*)();

    tl::unexpected<Error> fail(std::string_view reason) const
    {
        return makeError(ErrorKind::invalid,
                         "character " + std::to_string(m_at + 1) + ": " + std::string(reason));
    }

    void skipSpaces()
    {
        while (m_at < m_text.size() && (m_text[m_at] == ' ' || m_text[m_at] == '\n' || m_text[m_at] == '\t'))
            ++m_at;
    }

    static bool isWordCharacter(char c)
    {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
    }

    // Consumes the symbol or word if it is next. A word must not continue.
    bool take(std::string_view symbol)
    {
        skipSpaces();
        if (!m_text.substr(m_at).starts_with(symbol)) return false;
        const size_t end = m_at + symbol.size();
        if (isWordCharacter(symbol.back()) && end < m_text.size() && isWordCharacter(m_text[end]))
            return false;
        m_at = end;
        return true;
    }

    Result<size_t> addNode(Operation operation, std::vector<size_t> inputs, RecipeValue value = {})
    {
        if (m_made.m_nodes.size() >= RecipeExpression::kMaxNodes) {
            return fail("the expression has more than " + std::to_string(RecipeExpression::kMaxNodes) +
                        " operations");
        }
        m_made.m_nodes.push_back({operation, std::move(value), std::move(inputs)});
        return m_made.m_nodes.size() - 1;
    }

    struct Binary {
        std::string_view symbol;
        Operation operation;
    };

    Result<size_t> parseChain(std::span<const Binary> operators, Level next)
    {
        size_t left = LOCKSTEP_TRY((this->*next)());
        for (;;) {
            const auto found =
                std::ranges::find_if(operators, [this](const Binary& one) { return take(one.symbol); });
            if (found == operators.end()) return left;
            const size_t right = LOCKSTEP_TRY((this->*next)());
            left = LOCKSTEP_TRY(addNode(found->operation, {left, right}));
        }
    }

    Result<size_t> parseOr()
    {
        static constexpr std::array<Binary, 1> kOr{{{"or", Operation::logicalOr}}};
        return parseChain(kOr, &RecipeParser::parseAnd);
    }

    Result<size_t> parseAnd()
    {
        static constexpr std::array<Binary, 1> kAnd{{{"and", Operation::logicalAnd}}};
        return parseChain(kAnd, &RecipeParser::parseNot);
    }

    Result<size_t> parseNot()
    {
        size_t count = 0;
        while (take("not"))
            ++count;
        size_t made = LOCKSTEP_TRY(parseComparison());
        if (count % 2 == 1) made = LOCKSTEP_TRY(addNode(Operation::logicalNot, {made}));
        return made;
    }

    Result<size_t> parseComparison()
    {
        static constexpr std::array<Binary, 7> kComparisons{{{"==", Operation::equal},
                                                             {"!=", Operation::notEqual},
                                                             {"<=", Operation::lessEqual},
                                                             {">=", Operation::greaterEqual},
                                                             {"<", Operation::less},
                                                             {">", Operation::greater},
                                                             {"in", Operation::in}}};
        const size_t left = LOCKSTEP_TRY(parseSum());
        for (const Binary& one : kComparisons) {
            if (!take(one.symbol)) continue;
            const size_t right = LOCKSTEP_TRY(parseSum());
            return addNode(one.operation, {left, right});
        }
        return left;
    }

    Result<size_t> parseSum()
    {
        static constexpr std::array<Binary, 2> kSums{{{"+", Operation::add}, {"-", Operation::subtract}}};
        return parseChain(kSums, &RecipeParser::parseProduct);
    }

    Result<size_t> parseProduct()
    {
        static constexpr std::array<Binary, 2> kProducts{
            {{"*", Operation::multiply}, {"/", Operation::divide}}};
        return parseChain(kProducts, &RecipeParser::parseSign);
    }

    Result<size_t> parseSign()
    {
        size_t count = 0;
        while (take("-"))
            ++count;
        size_t made = LOCKSTEP_TRY(parsePrimary());
        if (count % 2 == 1) made = LOCKSTEP_TRY(addNode(Operation::negative, {made}));
        return made;
    }

    Result<size_t> parsePrimary()
    {
        skipSpaces();
        if (m_at == m_text.size()) return fail("a value is expected");
        const char c = m_text[m_at];
        if (take("(")) {
            if (++m_depth > kMaxDepth) return fail("too many nested parentheses");
            const size_t inner = LOCKSTEP_TRY(parseOr());
            if (!take(")")) return fail("')' is expected");
            --m_depth;
            return inner;
        }
        if (take("[")) return parseItems(Operation::list, "]");
        if (c == '\'' || c == '"') {
            const std::string text = LOCKSTEP_TRY(parseText());
            return addNode(Operation::constant, {}, RecipeValue::fromText(text));
        }
        if (!isWordCharacter(c)) return fail("a value is expected");
        return parseWord();
    }

    Result<std::string> parseText()
    {
        const size_t end = m_text.find(m_text[m_at], m_at + 1);
        if (end == std::string_view::npos) return fail("the text has no closing quote");
        std::string text(m_text.substr(m_at + 1, end - m_at - 1));
        m_at = end + 1;
        return text;
    }

    Result<size_t> parseItems(Operation operation, std::string_view close)
    {
        if (++m_depth > kMaxDepth) return fail("too many nested parentheses");
        std::vector<size_t> inputs;
        if (!take(close)) {
            do {
                inputs.push_back(LOCKSTEP_TRY(parseOr()));
            } while (take(","));
            if (!take(close)) return fail("',' or '" + std::string(close) + "' is expected");
        }
        --m_depth;
        return addNode(operation, std::move(inputs));
    }

    Result<size_t> parseWord()
    {
        const size_t begin = m_at;
        while (m_at < m_text.size() && isWordCharacter(m_text[m_at]))
            ++m_at;
        const std::string word(m_text.substr(begin, m_at - begin));
        if (std::isdigit(static_cast<unsigned char>(word[0])) != 0) {
            const std::optional<int64_t> number = parseInt(word);
            m_at = number ? m_at : begin;
            if (!number) return fail("'" + word + "' is not an integer");
            return addNode(Operation::constant, {}, RecipeValue::fromInt(*number));
        }
        if (word == "true" || word == "false")
            return addNode(Operation::constant, {}, RecipeValue::fromBool(word == "true"));
        if (word == "null") return addNode(Operation::constant, {}, RecipeValue::null());
        if (take("(")) return parseCall(word, begin);
        if (word == "and" || word == "or" || word == "not" || word == "in") {
            m_at = begin;
            return fail("a value is expected");
        }
        m_made.m_names.push_back(word);
        return addNode(Operation::name, {}, RecipeValue::fromText(word));
    }

    // set(name) and era(condition) take a name or a text, which is not evaluated.
    Result<size_t> parseSpecial(Operation operation)
    {
        skipSpaces();
        std::string word;
        if (m_at < m_text.size() && (m_text[m_at] == '\'' || m_text[m_at] == '"')) {
            word = LOCKSTEP_TRY(parseText());
        } else {
            const size_t begin = m_at;
            while (m_at < m_text.size() && isWordCharacter(m_text[m_at]))
                ++m_at;
            word = m_text.substr(begin, m_at - begin);
        }
        if (word.empty()) return fail("a name is expected");
        if (!take(")")) return fail("')' is expected");
        (operation == Operation::isEra ? m_made.m_eras : m_made.m_names).push_back(word);
        return addNode(operation, {}, RecipeValue::fromText(word));
    }

    Result<size_t> parseCall(std::string_view word, size_t begin)
    {
        struct Function {
            std::string_view name;
            Operation operation;
            size_t least, most; // number of arguments
        };
        static constexpr std::array<Function, 17> kFunctions{
            {{"ceildiv", Operation::ceilDivide, 2, 2},
             {"first", Operation::first, 1, 1},
             {"last", Operation::last, 1, 1},
             {"range", Operation::range, 2, 2},
             {"groups", Operation::groups, 2, 2},
             {"members", Operation::members, 2, 2},
             {"matching", Operation::matching, 2, 2},
             {"matched", Operation::matched, 2, 2},
             {"in_role", Operation::inRole, 2, 2},
             {"named", Operation::named, 1, 1},
             {"absolute", Operation::absolute, 1, 1},
             {"roles_where", Operation::rolesWhere, 1, 1},
             {"min", Operation::minimum, 1, RecipeExpression::kMaxNodes},
             {"max", Operation::maximum, 1, RecipeExpression::kMaxNodes},
             {"len", Operation::length, 1, 1},
             {"runs", Operation::runs, 1, 1},
             {"if", Operation::choice, 3, 3}}};
        if (word == "set") return parseSpecial(Operation::isSet);
        if (word == "era") return parseSpecial(Operation::isEra);
        const auto found = std::ranges::find(kFunctions, word, &Function::name);
        if (found == kFunctions.end()) {
            m_at = begin;
            return fail("there is no function '" + std::string(word) + "'");
        }
        const size_t made = LOCKSTEP_TRY(parseItems(found->operation, ")"));
        const size_t count = m_made.m_nodes[made].inputs.size();
        if (count < found->least || count > found->most) {
            m_at = begin;
            return fail("wrong number of arguments for '" + std::string(word) + "'");
        }
        return made;
    }

    static constexpr size_t kMaxDepth = 50;
    std::string_view m_text;
    size_t m_at = 0;
    size_t m_depth = 0;
    RecipeExpression m_made;
};

Result<RecipeExpression> RecipeExpression::parse(std::string_view text)
{
    return RecipeParser(text).parse();
}

} // namespace lockstep
