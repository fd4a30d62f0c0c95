// SPDX-License-Identifier: Apache-2.0
// Tests fields that are present, absent, null, or of an unexpected type; no access throws.
#include "core/base/json_fields.h"

#include "tests/support/test_registry.h"

using namespace lockstep;

namespace {

const Json kOdd = Json::parse(R"({"text": "a", "number": -7, "huge": 18446744073709551615, "real": 2.5,
    "yes": true, "list": ["a", "b"], "mixed": ["a", 1], "object": {"inside": 1}, "nothing": null})");

template<class T>
std::string errorOf(const char* key)
{
    T target{};
    const Result<bool> read = readField(kOdd, key, target);
    return read ? (*read ? "read" : "absent") : read.error().message;
}

} // namespace

class JsonFieldsTest : public QObject {
    Q_OBJECT

  private slots:
    void defaultsReplaceInvalidFields()
    {
        QCOMPARE(textAt(kOdd, "text"), std::string("a"));
        QCOMPARE(textAt(kOdd, "number"), std::string());
        QCOMPARE(numberAt(kOdd, "number").value_or(0), int64_t(-7));
        for (const char* key : {"huge", "real", "text", "absent", "nothing"})
            QVERIFY(!numberAt(kOdd, key));
        QCOMPARE(countAt(kOdd, "number"), uint64_t(0));
        QCOMPARE(realAt(kOdd, "real"), 2.5);
        QCOMPARE(realAt(kOdd, "number"), -7.0);
        QCOMPARE(realAt(kOdd, "text", 30), 30.0);
        QVERIFY(boolAt(kOdd, "yes") && !boolAt(kOdd, "number") && !boolAt(kOdd, "absent"));
        QCOMPARE(listAt(kOdd, "list").size(), size_t(2));
        QCOMPARE(listAt(kOdd, "object").size(), size_t(0));
        QCOMPARE(numberAt(objectAt(kOdd, "object"), "inside").value_or(0), int64_t(1));
        QCOMPARE(objectAt(kOdd, "list").size(), size_t(0));
    }

    void nonObjectsHaveNoFields()
    {
        for (const Json& value : {Json(), Json(3), Json::array({1, 2}), Json("text")}) {
            QVERIFY(textAt(value, "text").empty() && !numberAt(value, "number") && !boolAt(value, "yes"));
            QVERIFY(listAt(value, "list").empty() && objectAt(value, "object").empty());
        }
    }

    void strictFieldsNameTheExpectedType()
    {
        QCOMPARE(errorOf<std::string>("text"), std::string("read"));
        QCOMPARE(errorOf<std::string>("nothing"), std::string("absent"));
        QCOMPARE(errorOf<std::string>("number"), std::string("number must be text"));
        QCOMPARE(errorOf<int64_t>("huge"), std::string("huge must be a whole number"));
        QCOMPARE(errorOf<bool>("text"), std::string("text must be true or false"));
        QCOMPARE(errorOf<std::vector<std::string>>("mixed"), std::string("mixed must be a list of strings"));
        QCOMPARE(errorOf<std::optional<int64_t>>("absent"), std::string("absent"));
        std::vector<int64_t> items;
        const auto readItem = [](const Json&, int64_t&) -> Status { return {}; };
        QCOMPARE(readList(kOdd, "list", items, readItem).error().message,
                 std::string("list must be a list of objects"));
    }

    void invalidTextIsNotRepeated()
    {
        QVERIFY(objectFromJson("{}", "a plan"));
        for (const char* text : {"", "[]", "secret", "{\"a\": ", "\xFF"}) {
            const Result<Json> object = objectFromJson(text, "a plan");
            QVERIFY(!object);
            QCOMPARE(object.error(), (Error{ErrorKind::corrupt, "a plan is not a JSON object"}));
        }
    }

    void linesAndPages()
    {
        const Json value{{"z", "\u00E4\xFF"}, {"a", {1, 2}}}; // the order is kept, bytes are repaired
        QCOMPARE(jsonLine(value), std::string("{\"z\":\"\u00E4\uFFFD\",\"a\":[1,2]}"));
        QCOMPARE(jsonLine(value, true), std::string("{\"z\":\"\\u00e4\\ufffd\",\"a\":[1,2]}"));
        QCOMPARE(indentedJson(Json{{"a", 1}}), std::string("{\n \"a\": 1\n}\n"));
    }
};

LOCKSTEP_TEST(JsonFieldsTest, "json_fields_test")
#include "json_fields_test.moc"
