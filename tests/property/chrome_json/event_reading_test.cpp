// SPDX-License-Identifier: Apache-2.0
// Tests that the rows of a window are the same for each way of reading its events: by remembered shapes, by
// tokens, by simdjson's objects. The events come from writers that repeat themselves, with values and keys of
// any kind among them, and with damaged bytes.
#include <random>

#include <rapidcheck.h>

#include "tests/support/event_rows_text.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using namespace lockstep::test;
using Reading = EventParser::Reading;

namespace {

using Words = std::vector<std::string>;

// Keys with a meaning, keys that begin like one, and keys that equal one only after unescaping.
const Words kKeys{"ph",    "pid",       "tid",      "ts",       "dur",
                  "cat",   "name",      "id",       "id2",      "scope",
                  "bp",    "bind_id",   "flow_in",  "flow_out", "tts",
                  "cname", "flow_outs", "flow_in_", "p\\u0068", "names",
                  "t",     "durable",   "ts\\\"x",  "",         "registers per thread",
                  "é"};
const Words kArgumentKeys{"correlation",
                          "stream",
                          "device",
                          "context",
                          "bytes",
                          "External id",
                          "Device Type",
                          "Total Allocated",
                          "Collective name",
                          "dtype",
                          "Group size",
                          "Process Group Ranks",
                          "Seq",
                          "cbid",
                          "value",
                          "name",
                          "grid",
                          "corr\\u0065lation",
                          "connection_id",
                          "level"};
const Words kOddValues{"-0",
                       "1e3",
                       "1.5e2",
                       "123456789012345678901",
                       "007",
                       "null",
                       "true",
                       "\"x\"",
                       "\"\"",
                       "\"a\\\"b\"",
                       "\"\\u00e9\"",
                       "\"\\q\"",
                       "NaN",
                       "{}",
                       "[1,2]",
                       "{\"x\":[1]}",
                       "\"é\"",
                       "12.",
                       "-",
                       "1.2345",
                       "[]",
                       "[[],{}]",
                       "0.5",
                       "-Infinity",
                       "1x",
                       "\"1\" 2",
                       "9223372036854775807",
                       "1419247332000.1259",
                       "\"ncclKernel\"",
                       "{\"name\":1,\"ph\":\"X\"}",
                       "[{\"ph\":\"X\"}]",
                       "12345678",
                       "123456789",
                       "1234567890123456",
                       "12345678901234567",
                       "0000000000000012"};
const Words kBytes{"{", "}",  "[", "]", "\"",   ",",    ":", "\\",
                   " ", "\n", "0", "a", "\x01", "\xC3", "p", "\"ph\":"};

class Generator {
  public:
    explicit Generator(uint64_t seed) : m_random(seed) {}

    std::string events()
    {
        m_blank = pick(Words{"", "", " ", "\n    "});
        std::vector<Words> writers;
        for (size_t i = 0; i < 1 + below(3); ++i)
            writers.push_back(writer());
        std::string text;
        for (size_t count = below(40), i = 0; i < count; ++i)
            text += (i > 0 ? "," + m_blank : m_blank) + event(writers[below(writers.size())]);
        if (below(2) == 0) damage(text);
        return text;
    }

  private:
    size_t below(size_t count) { return std::uniform_int_distribution<size_t>(0, count - 1)(m_random); }
    const std::string& pick(const Words& words) { return words[below(words.size())]; }

    // The keys of one writer's events. Most have all keys that an event needs; some have a key twice.
    Words writer()
    {
        Words keys{"ph", "cat", "name", "pid", "tid", "ts", "dur"};
        for (size_t more = below(3); more > 0; --more)
            keys.insert(keys.begin() + std::ptrdiff_t(below(keys.size() + 1)), pick(kKeys));
        if (below(4) == 0) keys.insert(keys.begin() + 2, {"bind_id", pick(Words{"flow_out", "flow_outs"})});
        if (below(4) == 0) std::shuffle(keys.begin(), keys.end(), m_random);
        if (below(4) != 0) keys.push_back("args");
        if (below(8) == 0) keys.push_back(pick(kKeys));
        return keys;
    }

    std::string event(Words keys)
    {
        const size_t other = below(20); // some have one event that differs from the others
        if (other == 0) keys[below(keys.size())] = pick(kKeys);
        if (other == 1) keys.erase(keys.begin() + std::ptrdiff_t(below(keys.size())));
        if (other == 2) keys.push_back(pick(kKeys));
        if (other == 3) std::swap(keys.front(), keys.back());
        if (other == 4) {
            for (std::string& key : keys)
                key = key == "flow_out" ? "flow_outs" : key == "flow_outs" ? "flow_out" : key;
        }
        std::string text = "{";
        for (size_t i = 0; i < keys.size(); ++i)
            text += (i > 0 ? "," + m_blank : m_blank) + "\"" + keys[i] + "\":" + valueOf(keys[i]);
        return text + m_blank + "}";
    }

    std::string valueOf(const std::string& key)
    {
        static const Words kPhases{"\"X\"", "\"X\"", "\"X\"", "\"i\"", "\"s\"",
                                   "\"f\"", "\"b\"", "\"B\"", "\"C\"", "\"M\""};
        static const Words kCategories{"\"cpu_op\"", "\"kernel\"",     "\"cuda_runtime\"",
                                       "\"ac2g\"",   "\"gpu_memcpy\"", "\"cpu_instant_event\""};
        static const Words kNames{"\"aten::mm\"",    "\"ncclDevKernel\"", "\"record_param_comms\"",
                                  "\"thread_name\"", "\"hcom_x\"",        "\"é\""};
        if (below(25) == 0) return pick(kOddValues);
        if (key == "args") return arguments();
        if (key == "ph") return pick(kPhases);
        if (key == "cat") return pick(kCategories);
        if (key == "name") return pick(kNames);
        if (key == "ts" || key == "dur")
            return std::to_string(below(100'000)) + pick(Words{"", ".125", ".5"});
        return std::to_string(below(100));
    }

    std::string arguments()
    {
        std::string text = "{" + m_blank;
        for (size_t count = below(6), i = 0; i < count; ++i) {
            const std::string value = below(4) == 0 ? pick(kOddValues) : std::to_string(below(5000));
            text += (i > 0 ? "," : "") + ("\"" + pick(kArgumentKeys)) + "\":" + m_blank + value;
        }
        return text + m_blank + "}";
    }

    void damage(std::string& text)
    {
        for (size_t faults = 1 + below(4); faults > 0 && !text.empty(); --faults) {
            size_t at = below(text.size());
            if (below(2) == 0) at = std::min(text.find_first_of("{}[]:,\"", at), text.size() - 1);
            if (below(3) == 0) {
                text.erase(at, 1 + below(3));
            } else if (below(2) == 0) {
                text.replace(at, 1, pick(kBytes));
            } else {
                text.insert(at, pick(kBytes));
            }
        }
    }

    std::mt19937_64 m_random;
    std::string m_blank;
};

} // namespace

class EventReadingTest : public QObject {
    Q_OBJECT

  private slots:
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

    // Damages the event between two complete ones: each byte is replaced or removed, or another is inserted
    // before it.
    void everyByteChanged()
    {
        QFETCH(QByteArray, event);
        const std::string whole = event.toStdString();
        for (size_t at = 0; at < whole.size(); ++at) {
            for (const std::string& byte : kBytes) {
                for (const size_t replaced : {0, 1}) {
                    std::string other = whole;
                    other.replace(at, replaced, replaced == 1 && byte == "p" ? "" : byte);
                    const std::string events = whole + "," + whole + "," + other + "," + whole;
                    const std::string rows = eventRowsText(events, Reading::objects);
                    QVERIFY2(eventRowsText(events, Reading::tokens) == rows, other.c_str());
                    QVERIFY2(eventRowsText(events, Reading::shapes) == rows, other.c_str());
                }
            }
        }
    }

    void allWaysGiveTheSameRows()
    {
        int rounds = 0;
        QVERIFY(rc::check([&rounds] {
            const auto seed = *rc::gen::arbitrary<uint64_t>();
            for (uint64_t i = 0; i < 60; ++i, ++rounds) {
                const std::string events = Generator(seed * 1000 + i).events();
                const std::string rows = eventRowsText(events, Reading::objects);
                if (eventRowsText(events, Reading::tokens) != rows) RC_LOG() << "tokens: " << events;
                RC_ASSERT(eventRowsText(events, Reading::tokens) == rows);
                if (eventRowsText(events, Reading::shapes) != rows) RC_LOG() << "shapes: " << events;
                RC_ASSERT(eventRowsText(events, Reading::shapes) == rows);
            }
        }));
        qInfo("%d windows", rounds);
    }
};

LOCKSTEP_TEST(EventReadingTest, "event_reading_test")
#include "event_reading_test.moc"
