// SPDX-License-Identifier: Apache-2.0
// Tests the expressions of recipes: values, three-valued logic, limits and errors.
#include <QTest>

#include <map>

#include "core/session/recipes/expression.h"
#include "tests/support/test_registry.h"

using namespace lockstep;

namespace {

class TestScope final : public RecipeScope {
  public:
    RecipeValue value(std::string_view name) const override
    {
        const auto found = m_values.find(name);
        return found != m_values.end() ? found->second : RecipeValue::unknown(name);
    }
    bool isSet(std::string_view name) const override { return m_values.contains(name); }
    RecipeValue isEra(std::string_view condition) const override
    {
        return RecipeValue::fromBool(condition == ">=0.8");
    }

  private:
    std::map<std::string, RecipeValue, std::less<>> m_values{
        {"steps", RecipeValue::fromInts({5, 6, 9})},
        {"none", RecipeValue::fromInts({})},
        {"tool", RecipeValue::fromText("torch")},
        {"empty", RecipeValue::null()},
        {"roles", RecipeValue::fromTexts({"actor", "ref"})},
        {"big", RecipeValue::fromInt(INT64_MAX)},
        {"smallest", RecipeValue::fromInt(INT64_MIN)}};
};

// "?NAME" stands for an unknown value, "null" for null.
std::string result(std::string_view text)
{
    const Result<RecipeExpression> expression = RecipeExpression::parse(text);
    if (!expression) return "error: " + expression.error().message;
    const RecipeValue value = expression->evaluate(TestScope());
    if (!value.isKnown()) return "?" + value.text;
    return value.kind == RecipeValue::Kind::null ? "null" : value.message();
}

} // namespace

class ExpressionTest : public QObject {
    Q_OBJECT

  private slots:
    void values_data();
    void values();
    void manyOperationsAreRefused();
    void deepNestingIsRefused();
    void namesAreListed();
};

void ExpressionTest::values_data()
{
    QTest::addColumn<QString>("expected");
    const auto row = [](const char* text, const char* expected) { QTest::newRow(text) << expected; };
    row("1 + 2 * 3", "7");
    row("(1 + 2) * 3", "9");
    row("10 - 3 - 2", "5");
    row("-3 + 1", "-2");
    row("--3", "3");
    row("steps + [1]", "[5, 6, 9, 1]");
    row("steps - [5, 7]", "[6, 9]");
    row("steps - 1", "?");
    row("first(steps)", "5");
    row("last(steps)", "9");
    row("last(none)", "?");
    row("range(2, 5)", "[2, 3, 4]");
    row("range(5, 2)", "[]");
    row("range(0, big)", "?");
    row("range(smallest, big)", "?");
    row("groups([9, 1, 2, -1], 4)", "[0, 2]");
    row("members([2, 0], 2)", "[0, 1, 4, 5]");
    row("members([big], 2)", "?");
    row("members([1], big)", "?");
    row("matching(['*ct*', 'x'], roles)", "[actor]");
    row("matched(['*ct*', 'x'], roles)", "[*ct*]");
    row("matching(empty, roles)", "[]");
    row("matching(tool, roles)", "?");
    row("7 / 2", "3");
    row("-7 / 2", "-4");
    row("ceildiv(7, 2)", "4");
    row("ceildiv(-7, 2)", "-3");
    row("1 / 0", "?");
    row("smallest / -1", "?");
    row("-smallest", "?");
    row("big + 1", "?");
    row("big * 2", "?");
    row("'a' + \"b\"", "ab");
    row("'a' + 1 + ':' + (2 + 3)", "a1:5");
    row("'a' + true", "?");
    row("tool == 'torch'", "true");
    row("tool != 'torch'", "false");
    row("tool == 1", "false");
    row("empty == null", "true");
    row("tool in ['nsys', 'torch']", "true");
    row("not tool in ['nsys']", "true");
    row("'actor' in roles and not ('critic' in roles)", "true");
    row("max(steps) + 1", "10");
    row("min(steps)", "5");
    row("min(3, 1, 2)", "1");
    row("max(none)", "?");
    row("len(steps)", "3");
    row("len(tool)", "5");
    row("runs(steps)", "2");
    row("runs(none)", "0");
    row("runs([3, 1, 2, 2])", "1");
    row("if(len(steps) > 2, 'many', 'few')", "many");
    row("if(missing, 1, 2)", "?missing");
    row("if(true, 1, missing)", "1");
    row("set(steps)", "true");
    row("set(missing)", "false");
    row("set(env.HOME)", "false");
    row("era('>=0.8')", "true");
    row("era(\"head\")", "false");
    row("[1, 2] == [1, 2]", "true");
    row("[1, missing] == [2, 3]", "false");
    row("[1, missing] == [1, 3]", "?missing");
    row("2 in [1, missing]", "?missing");
    row("1 in [1, missing]", "true");
    // Three-valued logic.
    row("true or missing", "true");
    row("missing or true", "true");
    row("false or missing", "?missing");
    row("false and missing", "false");
    row("missing and false", "false");
    row("true and missing", "?missing");
    row("not missing", "?missing");
    row("not empty", "true");
    row("empty and missing", "false");
    row("missing > 1", "?missing");
    row("1 and true", "?");
    row("orders == 1", "?orders");
    row("notable", "?notable");
    // Errors state where.
    row("", "error: character 1: a value is expected");
    row("1 +", "error: character 4: a value is expected");
    row("1 2", "error: character 3: an operator or the end is expected");
    row("(1", "error: character 3: ')' is expected");
    row("'abc", "error: character 1: the text has no closing quote");
    row("1 + 2x", "error: character 5: '2x' is not an integer");
    row("99999999999999999999", "error: character 1: '99999999999999999999' is not an integer");
    row("sin(1)", "error: character 1: there is no function 'sin'");
    row("if(1, 2)", "error: character 1: wrong number of arguments for 'if'");
    row("len()", "error: character 1: wrong number of arguments for 'len'");
    row("1 < 2 < 3", "error: character 7: an operator or the end is expected");
    row("a and or b", "error: character 7: a value is expected");
    row("[1, 2", "error: character 6: ',' or ']' is expected");
    row("a $ b", "error: character 3: an operator or the end is expected");
    row("\xff", "error: character 1: a value is expected");
}

void ExpressionTest::values()
{
    QFETCH(QString, expected);
    QCOMPARE(QString::fromStdString(result(QTest::currentDataTag())), expected);
}

void ExpressionTest::manyOperationsAreRefused()
{
    std::string text = "1";
    for (int i = 0; i < 99; ++i)
        text += " + 1";
    QCOMPARE(result(text), std::string("100"));
    text += " + 1";
    QCOMPARE(result(text).substr(0, 6), std::string("error:"));
    QVERIFY(result(text).ends_with("the expression has more than 200 operations"));
}

void ExpressionTest::deepNestingIsRefused()
{
    for (const char* open : {"(", "[", "len(", "- ", "not "}) {
        std::string text;
        for (int i = 0; i < 100'000; ++i)
            text += open;
        QCOMPARE(result(text).substr(0, 6), std::string("error:"));
    }
}

void ExpressionTest::namesAreListed()
{
    const auto expression = RecipeExpression::parse("a.b + len(c) > 1 and set(d) and era('0.9')");
    QVERIFY(expression);
    QCOMPARE(expression->names(), (std::vector<std::string>{"a.b", "c", "d"}));
    QCOMPARE(expression->eras(), std::vector<std::string>{"0.9"});
}

LOCKSTEP_TEST(ExpressionTest, "expression_test")
#include "expression_test.moc"
