// SPDX-License-Identifier: Apache-2.0
#include "core/session/session_config.h"

#include <algorithm>
#include <functional>

#include "core/base/text.h"
#include "core/session/recipes/recipe_library.h"

namespace lockstep {

std::span<const std::string_view> enumNames(Framework)
{
    static const std::vector<std::string_view> kWords = [] {
        std::vector<std::string_view> words(kOwnFrameworks.begin(), kOwnFrameworks.end());
        for (const LaunchRecipe& recipe : launchRecipes()) {
            if (std::ranges::find(words, recipe.name) == words.end()) words.push_back(recipe.name);
        }
        return words;
    }();
    return kWords;
}

std::span<const std::string_view> enumNames(LauncherKind)
{
    static constexpr std::array<std::string_view, 4> kWords{"ssh", "slurm", "ray_job", "local"};
    return kWords;
}

std::span<const std::string_view> enumNames(Tool)
{
    static constexpr std::array<std::string_view, 6> kWords{
        "nsys", "torch", "torch_memory", "npu", "precision_debugger", "capture"};
    return kWords;
}

std::span<const std::string_view> enumNames(Role)
{
    static constexpr std::array<std::string_view, kRoleCount> kWords{"actor", "rollout", "ref", "critic",
                                                                     "reward"};
    return kWords;
}

std::span<const std::string_view> enumNames(NsysPlacement)
{
    static constexpr std::array<std::string_view, 2> kWords{"node", "rank"};
    return kWords;
}

std::span<const std::string_view> enumNames(CaptureSteps)
{
    static constexpr std::array<std::string_view, 3> kWords{"ordinals", "names", "listed"};
    return kWords;
}

std::span<const std::string_view> enumNames(WhenFull)
{
    static constexpr std::array<std::string_view, 2> kWords{"drop", "block"};
    return kWords;
}

std::span<const std::string_view> enumNames(GraphTrace)
{
    static constexpr std::array<std::string_view, 2> kWords{"node", "graph"};
    return kWords;
}

std::span<const std::string_view> enumNames(ClockExchangeUse)
{
    static constexpr std::array<std::string_view, 2> kWords{"off", "on"};
    return kWords;
}

std::span<const std::string_view> enumNames(ServerKind)
{
    static constexpr std::array<std::string_view, 2> kWords{"vllm", "sglang"};
    return kWords;
}

const NsightOption* findOption(const NsightOptions& options, std::string_view name)
{
    const auto found =
        std::find_if(options.begin(), options.end(), [&](const auto& o) { return o.name == name; });
    return found == options.end() ? nullptr : &*found;
}

void setOption(NsightOptions& options, std::string_view name, std::optional<std::string> value)
{
    const auto found =
        std::find_if(options.begin(), options.end(), [&](const auto& o) { return o.name == name; });
    if (found == options.end()) {
        options.push_back({std::string(name), std::move(value)});
    } else {
        found->value = std::move(value);
    }
}

void eraseOption(NsightOptions& options, std::string_view name)
{
    std::erase_if(options, [&](const NsightOption& option) { return option.name == name; });
}

std::vector<int64_t> sortedSteps(const SessionConfig& config)
{
    std::vector<int64_t> steps = config.steps.value_or(std::vector<int64_t>());
    std::sort(steps.begin(), steps.end());
    steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
    return steps;
}

std::vector<std::vector<int64_t>> stepGroups(const SessionConfig& config)
{
    std::vector<std::vector<int64_t>> groups;
    const bool join = config.profileContinuousSteps.value_or(false);
    for (const int64_t step : sortedSteps(config)) {
        if (join && !groups.empty() && step == groups.back().back() + 1) {
            groups.back().push_back(step);
        } else {
            groups.push_back({step});
        }
    }
    return groups;
}

// Returns the value of the last override with a matching key, in the command and the other overrides.
static std::optional<std::string> valueOfLast(const SessionConfig& config,
                                              const std::function<bool(std::string_view key)>& isWanted)
{
    std::optional<std::string> last;
    for (const std::vector<std::string>* words : {&config.command, &config.otherOverrides}) {
        for (std::string_view word : *words) {
            while (word.starts_with('+'))
                word.remove_prefix(1);
            const size_t equals = word.find('=');
            if (equals != std::string_view::npos && isWanted(word.substr(0, equals)))
                last = std::string(word.substr(equals + 1));
        }
    }
    return last;
}

std::optional<std::string> overrideValue(const SessionConfig& config, std::string_view key)
{
    return valueOfLast(config, [key](std::string_view one) { return one == key; });
}

} // namespace lockstep
