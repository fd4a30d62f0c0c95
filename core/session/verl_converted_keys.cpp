// SPDX-License-Identifier: Apache-2.0
#include "core/session/verl_converted_keys.h"

#include <algorithm>
#include <array>

#include "core/session/typed_value.h"

namespace lockstep {

namespace {

constexpr std::string_view kOptions = "trainer.npu_profile.options.";
constexpr int64_t kLongestInterval = 100'000; // a longer interval is assumed to be a typo

struct Flag {
    std::string_view key, word;
};
constexpr std::array<Flag, 6> kFlags{Flag{"with_npu", "npu"},       Flag{"with_cpu", "cpu"},
                                     Flag{"with_memory", "memory"}, Flag{"record_shapes", "shapes"},
                                     Flag{"with_module", "module"}, Flag{"with_stack", "stack"}};

bool has(const std::vector<std::string>& words, std::string_view word)
{
    return std::find(words.begin(), words.end(), word) != words.end();
}

Status readInterval(SessionConfig& config, const ConfigValue& value)
{
    std::vector<int64_t> ends;
    LOCKSTEP_TRY(assign(ends, value));
    if (ends.size() != 2) return valueError(value, "the first and the last step, such as [3, 5]");
    if (ends[0] < 0 || ends[1] < 0) {
        config.steps.reset();
        return {};
    }
    if (ends[1] < ends[0] || ends[1] - ends[0] >= kLongestInterval)
        return valueError(value, "a first step and a last step that is not before it");
    config.steps.emplace();
    for (int64_t step = ends[0]; step <= ends[1]; ++step)
        config.steps->push_back(step);
    return {};
}

std::optional<ConfigValue> writeInterval(const SessionConfig& config)
{
    const std::vector<int64_t> steps = sortedSteps(config);
    if (steps.empty()) return std::nullopt;
    return valueOf(std::vector<int64_t>{steps.front(), steps.back()});
}

VerlKey flagKey(const Flag& flag)
{
    const auto read = [word = std::string(flag.word)](SessionConfig& config, const ConfigValue& value) {
        bool isOn = false;
        const Status done = assign(isOn, value);
        if (!done) return done;
        std::vector<std::string> words = config.npu.contents.value_or(std::vector<std::string>{"npu", "cpu"});
        std::erase(words, word);
        if (isOn) words.push_back(word);
        config.npu.contents = std::move(words);
        return done;
    };
    const auto write = [word = flag.word](const SessionConfig& config) -> std::optional<ConfigValue> {
        if (config.tool != Tool::npu || !config.npu.contents) return std::nullopt;
        return ConfigValue::fromBool(has(*config.npu.contents, word));
    };
    return {std::string(kOptions) + std::string(flag.key), "npu.contents", {}, read, write};
}

template<class Get>
VerlKey plainKey(std::string_view name, std::string field, Get get)
{
    return {std::string(kOptions) + std::string(name),
            std::move(field),
            {},
            [get](SessionConfig& config, const ConfigValue& value) { return assign(get(config), value); },
            [get](const SessionConfig& config) {
                return config.tool == Tool::npu ? writtenValue(get(config)) : std::nullopt;
            }};
}

} // namespace

VerlKey profileIntervalKey()
{
    return {"trainer.profile_interval", "steps", {}, readInterval, writeInterval};
}

std::vector<VerlKey> npuProfileKeys()
{
    std::vector<VerlKey> keys;
    keys.push_back(plainKey(
        "level", "npu.level", [](auto& c) -> auto& { return c.npu.level; }));
    keys.push_back(plainKey(
        "analysis", "npu.analysis", [](auto& c) -> auto& { return c.npu.analysis; }));
    // In the old era, save_path is not used for anything else.
    keys.push_back(plainKey(
        "save_path", "save_path", [](auto& c) -> auto& { return c.savePath; }));
    for (const Flag& flag : kFlags)
        keys.push_back(flagKey(flag));
    return keys;
}

} // namespace lockstep
