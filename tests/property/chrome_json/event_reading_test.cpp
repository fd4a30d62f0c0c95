// SPDX-License-Identifier: Apache-2.0
// Compares EventReader with simdjson's DOM, and the two ways of EventParser through a window: all events at
// once, and event by event after a damaged one.
#include <algorithm>

#include <rapidcheck.h>

#include "core/readers/chrome_json/event_starts.h"
#include "core/readers/chrome_json/json_tokens.h"
#include "tests/support/dom_event.h"
#include "tests/support/event_rows_text.h"
#include "tests/support/random_events.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using namespace lockstep::test;

namespace {

const std::vector<std::string> kBytes{"{", "}",  "[", "]", "\"",   ",",    ":", "\\",
                                      " ", "\n", "0", "a", "\x01", "\xC3", "p", "\"ph\":"};

std::string shown(const std::optional<std::string>& text)
{
    return text.value_or("rejected");
}

// Returns the rows without the line that counts lost and repaired bytes.
std::string withoutByteCounts(std::string rows)
{
    const size_t begin = rows.find("\nbytes ");
    return rows.erase(begin, rows.find('\n', begin + 1) - begin);
}

// A window with the offset of each event.
struct WindowText {
    std::string text;
    std::vector<size_t> offsets;
};

WindowText joined(const std::vector<std::string>& events, const std::string& separator)
{
    WindowText window;
    for (const std::string& event : events) {
        if (!window.offsets.empty()) window.text += separator;
        window.offsets.push_back(window.text.size());
        window.text += event;
    }
    return window;
}

// Returns true for an event that parseOneByOne() recognizes by itself, and as one event.
bool isRecognizable(const std::string& event)
{
    return nextEventStart(event, 0) == 0 && nextEventStart(event, 1) == std::string_view::npos;
}

// Returns the first undamaged event of a window whose rows are missing; empty if there is none.
std::string lostEvent(const std::vector<std::string>& events, const std::vector<bool>& isDamaged,
                      const std::string& separator)
{
    const WindowText window = joined(events, separator);
    const std::set<uint64_t> offsets = offsetsOfRows(window.text);
    for (size_t i = 0; i < events.size(); ++i) {
        const bool hasRows = !isDamaged[i] && !offsetsOfRows(events[i]).empty();
        if (hasRows && !offsets.contains(window.offsets[i])) return events[i];
    }
    return {};
}

} // namespace

class EventReadingTest : public QObject {
    Q_OBJECT

  private slots:
    // A string that contains a backslash after unescaping must not be unescaped again: it has no closing
    // quote, so simdjson would read and write beyond it.
    void unescapedStringsAreFinal()
    {
        std::string text = R"({"a\\b":1})";
        const size_t size = text.size();
        text.append(simdjson::SIMDJSON_PADDING, ' ');
        JsonTokens tokens;
        QVERIFY(tokens.scan({text.data(), size}));
        QVERIFY(tokens.isEscaped(tokens.key(1)));
        std::vector<uint8_t> room;
        size_t used = 0;
        const std::string_view key = tokens.unescaped(tokens.key(1), room, used);
        QVERIFY(key == R"(a\b)");
        QVERIFY(!tokens.isEscaped(key));
    }

    void backslashesInValues()
    {
        const std::string event = "{\"ph\":\"B\",\"cat\":\"cpu_op\",\"name\":\"\\\\\\\\n\",\"pid\":\"{\\\\\","
                                  "\"tid\":\"a\\\\b\",\"ts\":1,\"id\":\"\\\\\\u0041\"}";
        QCOMPARE(QString::fromStdString(readerEventText(event).value_or("")),
                 QString::fromStdString(domEventText(event).value_or("not valid")));
    }

    void everyByteChanged_data()
    {
        QTest::addColumn<QByteArray>("event");
        const auto add = [](const char* name, const char* event) {
            QTest::newRow(name) << QByteArray(event);
        };
        add("slice", R"({"ph":"X","cat":"kernel","name":"a","pid":1,"tid":2,"ts":12.125,"dur":3,)"
                     R"("args":{"stream":7,"Group size":8,"grid":[1,{"x":2}]}})");
        add("skipped args",
            R"({"ph": "X", "cat": "cpu_op", "name": "a", "pid": 1, "tid": 2, "ts": 12.125, "dur": 3)"
            "\n, \"args\": {\"stream\": 7, \"grid\": [1, {\"x\": 2}]}}");
        add("skipped args in one line",
            R"({"ph":"X","cat":"cpu_op","pid":1,"ts":12,"dur":3,"args":{"x":{"y":1}}})");
        add("no args", R"({"ph":"s","id":5,"pid":1,"tid":2,"ts":12.125,"cat":"ac2g","bp":"e","dur":1})");
        add("counter", R"({"ph":"C","pid":1,"tid":2,"ts":12.125,"name":"c","args":{"a":1,"b":2.5}})");
        add("args first",
            R"({"args":{"stream":7,"x":[1]},"ph":"X","cat":"kernel","ts":12,"dur":3,"id2":{"local":1}})");
    }

    // Replaces or removes each byte of an event, and inserts another before each.
    void everyByteChanged()
    {
        QFETCH(QByteArray, event);
        const std::string whole = event.toStdString();
        for (size_t at = 0; at < whole.size(); ++at) {
            for (const std::string& byte : kBytes) {
                for (const size_t replaced : {0u, 1u}) {
                    std::string other = whole;
                    other.replace(at, replaced, replaced == 1 && byte == "p" ? "" : byte);
                    if (isSameForDom(other))
                        QVERIFY2(readerEventText(other) == domEventText(other), other.c_str());
                    const std::vector events{whole, other, whole};
                    const std::string lost = lostEvent(events, {false, true, false}, ",");
                    QVERIFY2(!isRecognizable(whole) || lost.empty(), other.c_str());
                }
            }
        }
    }

    void valuesEqualTheDom()
    {
        size_t compared = 0, accepted = 0;
        QVERIFY(rc::check([&] {
            RandomEvents random(*rc::gen::arbitrary<uint64_t>());
            for (size_t round = 0; round < 180; ++round) {
                for (std::string event : random.events()) {
                    if (random.below(3) == 0) random.damage(event);
                    if (!isSameForDom(event)) continue;
                    const auto expected = domEventText(event);
                    const auto read = readerEventText(event);
                    ++compared;
                    accepted += expected.has_value();
                    if (read != expected)
                        RC_FAIL(event + "\n" + shown(read) + "\nexpected:\n" + shown(expected));
                }
            }
        }));
        qInfo("%zu events, %zu of them valid", compared, accepted);
    }

    // The first byte of a window decides the way: a brace is a damaged element.
    void bothWaysGiveTheSameRows()
    {
        size_t windows = 0;
        QVERIFY(rc::check([&] {
            RandomEvents random(*rc::gen::arbitrary<uint64_t>());
            for (size_t round = 0; round < 400; ++round) {
                std::vector<std::string> events = random.events();
                std::erase_if(events, [](const std::string& event) {
                    return !readerEventText(event) || nextEventStart(event, 1) != std::string_view::npos;
                });
                events.insert(events.begin(), R"({"ph":"X","name":"first","ts":1,"dur":1})");
                const std::string text = joined(events, random.separator()).text;
                ++windows;
                if (withoutByteCounts(eventRowsText("  " + text)) !=
                    withoutByteCounts(eventRowsText("}," + text)))
                    RC_FAIL(text);
            }
        }));
        qInfo("%zu windows", windows);
    }

    void damageDoesNotAffectNeighbors()
    {
        size_t windows = 0;
        QVERIFY(rc::check([&] {
            RandomEvents random(*rc::gen::arbitrary<uint64_t>());
            for (size_t round = 0; round < 400; ++round) {
                std::vector<std::string> events = random.events();
                std::erase_if(events, [](const std::string& event) { return !isRecognizable(event); });
                std::vector<bool> isDamaged;
                for (std::string& event : events) {
                    isDamaged.push_back(!readerEventText(event) || random.below(5) == 0);
                    if (isDamaged.back()) random.damage(event);
                }
                ++windows;
                const std::string lost = lostEvent(events, isDamaged, random.separator());
                if (!lost.empty()) RC_FAIL(lost + "\nin\n" + joined(events, random.separator()).text);
            }
        }));
        qInfo("%zu windows", windows);
    }
};

LOCKSTEP_TEST(EventReadingTest, "event_reading_test")
#include "event_reading_test.moc"
