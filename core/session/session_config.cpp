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

std::span<const std::string_view> enumNames(VerlSchema)
{
    static constexpr std::array<std::string_view, 8> kWords{"0.4.1", "0.5.0", "0.6.0", "0.7.0",
                                                            "0.7.1", "0.8.0", "0.9.0", "head"};
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

bool isVerlFamily(Framework framework)
{
    return framework == Framework::verl || framework == Framework::verlOmni;
}

bool isOldVerl(VerlSchema schema)
{
    return schema <= VerlSchema::v0_5_0;
}

VerlTrainer trainerOf(const SessionConfig& config)
{
    const auto startsAny = [&](std::initializer_list<std::string_view> names) {
        return std::any_of(config.command.begin(), config.command.end(), [&](const std::string& word) {
            return std::any_of(names.begin(), names.end(),
                               [&](std::string_view name) { return word.find(name) != word.npos; });
        });
    };
    if (config.framework == Framework::verlOmni)
        return startsAny({"main_omni", "main_tts", "omni_trainer", "omni_megatron_trainer", "qwen3_omni"})
                   ? VerlTrainer::omni
                   : VerlTrainer::omniDiffusion;
    return startsAny({"sft_trainer"}) ? VerlTrainer::sft : VerlTrainer::rl;
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

std::optional<int64_t> knownTotalSteps(const SessionConfig& config)
{
    if (config.totalSteps) return config.totalSteps;
    const bool isNemo = config.framework == Framework::nemoRl;
    const std::optional<std::string> text =
        isNemo ? valueOfLast(config, [](std::string_view key) { return key.ends_with(".max_num_steps"); })
               : overrideValue(config, "trainer.total_training_steps");
    return text ? parseInt(*text) : std::nullopt;
}

std::optional<int64_t> knownWorldSize(const SessionConfig& config)
{
    constexpr int64_t kMax = 10'000'000; // larger than any cluster; prevents the product from overflowing
    const bool isNemo = config.framework == Framework::nemoRl;
    const std::optional<std::string> nodes =
        overrideValue(config, isNemo ? "cluster.num_nodes" : "trainer.nnodes");
    const std::optional<std::string> gpus =
        overrideValue(config, isNemo ? "cluster.gpus_per_node" : "trainer.n_gpus_per_node");
    if (nodes && gpus) {
        const int64_t n = parseInt(*nodes).value_or(0), g = parseInt(*gpus).value_or(0);
        if (n > 0 && g > 0 && n < kMax && g < kMax) return n * g;
    }
    int64_t total = 0;
    for (const Host& host : config.hosts) {
        if (!host.gpus || *host.gpus < 1 || *host.gpus > kMax) return std::nullopt;
        total += *host.gpus;
    }
    return total > 0 ? std::optional<int64_t>(total) : std::nullopt;
}

} // namespace lockstep
