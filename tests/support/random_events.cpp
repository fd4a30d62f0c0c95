// SPDX-License-Identifier: Apache-2.0
#include "tests/support/random_events.h"

#include <algorithm>

namespace lockstep::test {

namespace {

using Words = std::vector<std::string>;

// Keys with a meaning, keys that begin like one, and keys that equal one only after unescaping.
const Words kKeys{"ph",        "pid",
                  "tid",       "ts",
                  "dur",       "cat",
                  "name",      "id",
                  "id2",       "scope",
                  "bp",        "bind_id",
                  "flow_in",   "flow_out",
                  "tts",       "cname",
                  "flow_outs", "flow_in_",
                  "p\\u0068",  "a\\\\b",
                  "names",     "t",
                  "durable",   "ts\\\"x",
                  "",          "registers per thread",
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
                          "c\\\\d",
                          "connection_id",
                          "level",
                          "block",
                          "count",
                          "Addr",
                          "Bytes",
                          "Ev Idx",
                          "data_type",
                          "Task Type",
                          "Total Reserved",
                          "graph node id",
                          "registers per thread",
                          "memory bandwidth (GB/s)"};
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
                       "0000000000000012",
                       "[1,2,3]",
                       "[4, 5,6,7]",
                       "[1,{}",
                       "{\"x\":}",
                       "tru",
                       "nan",
                       "-1.-500"};
const Words kBytes{"{", "}",  "[", "]", "\"",   ",",    ":", "\\",
                   " ", "\n", "0", "a", "\x01", "\xC3", "p", "\"ph\":"};

} // namespace

std::vector<std::string> RandomEvents::events()
{
    m_blank = pick(Words{"", "", " ", "\n    "});
    std::vector<Words> writers;
    for (size_t i = 0; i < 1 + below(3); ++i)
        writers.push_back(writer());
    std::vector<std::string> events;
    for (size_t count = below(40); count > 0; --count)
        events.push_back(event(writers[below(writers.size())]));
    return events;
}

// The keys of one writer's events. Most have all keys that an event needs; some have a key twice.
RandomEvents::Words RandomEvents::writer()
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

std::string RandomEvents::event(Words keys)
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

std::string RandomEvents::valueOf(const std::string& key)
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
    if (key == "ts" || key == "dur") return std::to_string(below(100'000)) + pick(Words{"", ".125", ".5"});
    return std::to_string(below(100));
}

std::string RandomEvents::arguments()
{
    std::string text = "{" + m_blank;
    for (size_t count = below(6), i = 0; i < count; ++i) {
        const std::string value = below(4) == 0 ? pick(kOddValues) : std::to_string(below(5000));
        text += (i > 0 ? "," : "") + ("\"" + pick(kArgumentKeys)) + "\":" + m_blank + value;
    }
    return text + m_blank + "}";
}

void RandomEvents::damage(std::string& text)
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

} // namespace lockstep::test
