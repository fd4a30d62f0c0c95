// SPDX-License-Identifier: Apache-2.0
#include "tests/support/json_walk.h"

#include <simdjson.h>
#include <zlib.h>

namespace lockstep::test {

namespace {

std::string textOf(simdjson::dom::object event, const char* key)
{
    std::string_view text;
    return event[key].get(text) == simdjson::SUCCESS ? std::string(text) : std::string();
}

} // namespace

std::string traceText(const std::filesystem::path& path)
{
    gzFile file = gzopen(path.c_str(), "rb");
    std::string text;
    if (file == nullptr) return text;
    std::vector<char> block(1 << 20);
    for (int got = gzread(file, block.data(), unsigned(block.size())); got > 0;
         got = gzread(file, block.data(), unsigned(block.size()))) {
        text.append(block.data(), size_t(got));
    }
    gzclose(file);
    return text;
}

std::vector<WalkedEvent> walkTrace(const std::filesystem::path& path)
{
    simdjson::dom::parser parser;
    simdjson::dom::element root;
    std::vector<WalkedEvent> events;
    const std::string text = traceText(path);
    if (parser.parse(text).get(root) != simdjson::SUCCESS) return events;
    simdjson::dom::array list;
    if (root.get(list) != simdjson::SUCCESS && root["traceEvents"].get(list) != simdjson::SUCCESS)
        return events;
    for (simdjson::dom::object event : list) {
        WalkedEvent walked{textOf(event, "ph"), textOf(event, "cat"), textOf(event, "name"), "", false, 0};
        std::string_view task;
        if (event["args"]["Task Type"].get(task) == simdjson::SUCCESS) walked.task = task;
        walked.hasCorrelation = event["args"]["correlation"].get(walked.correlation) == simdjson::SUCCESS;
        events.push_back(walked);
    }
    return events;
}

namespace {

// Rows of Ascend's profiler have a task type or a name in place of a category.
std::string wordWithoutCategory(const WalkedEvent& event)
{
    const auto has = [&](const char* part) { return event.task.find(part) != std::string::npos; };
    if (event.task.empty()) return event.name.starts_with("hcom_") ? "kernel" : "span";
    if (has("EVENT") || has("Notify") || has("Write") || has("PLACE")) return "synchronization";
    return has("SDMA") || has("PCIE") ? "memcpy" : "kernel";
}

} // namespace

std::map<std::string, uint64_t> countsOf(const std::vector<WalkedEvent>& events)
{
    static const std::map<std::string, std::string> kSlices{{"kernel", "kernel"},
                                                            {"gpu_memcpy", "memcpy"},
                                                            {"gpu_memset", "memset"},
                                                            {"cpu_op", "op"},
                                                            {"user_annotation", "user_annotation"},
                                                            {"cuda_runtime", "runtime_api"},
                                                            {"cuda_driver", "driver_api"},
                                                            {"python_function", "python"},
                                                            {"gpu_user_annotation", "gpu_annotation"},
                                                            {"cuda_sync", "synchronization"},
                                                            {"cuda_event", "cuda_event"},
                                                            {"overhead", "overhead"}};
    static const std::map<std::string, std::string> kPhases{
        {"s", "flow_start"}, {"t", "flow_step"}, {"f", "flow_end"}, {"M", "metadata"}, {"C", "counter"}};
    std::map<std::string, uint64_t> counts;
    for (const WalkedEvent& event : events) {
        const auto phase = kPhases.find(event.phase);
        const auto slice = kSlices.find(event.category);
        if (phase != kPhases.end()) {
            ++counts[phase->second];
        } else if (event.phase == "i") {
            ++counts[event.category == "cpu_instant_event" ? "memory_event" : "instant"];
        } else if (event.category.empty()) {
            ++counts[wordWithoutCategory(event)];
        } else if (event.name.starts_with("ProfilerStep#") && event.category == "cpu_op") {
            ++counts["user_annotation"];
        } else {
            ++counts[slice != kSlices.end() ? slice->second : "span"];
        }
    }
    return counts;
}

} // namespace lockstep::test
