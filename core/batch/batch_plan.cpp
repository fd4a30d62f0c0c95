// SPDX-License-Identifier: Apache-2.0
#include "core/batch/batch_plan.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "core/base/edit_distance.h"
#include "core/scheduler/sbatch_options.h"
#include "core/session/typed_value.h"
#include "core/session/yaml_tree.h"

namespace lockstep {

namespace {

using ReadBatchField = Status (*)(BatchPlan& plan, const ConfigValue& value);

struct BatchField {
    std::string_view key;
    ReadBatchField read; // nullptr = the command-line option of that name
    bool isFlag = false; // an option without an argument; its value is true or false
};

// Accepts a list, or a single string as a list with one element.
Status assignWords(std::vector<std::string>& target, const ConfigValue& value)
{
    if (value.kind == ConfigValue::Kind::list) return assign(target, value);
    if (!value.isScalar() || value.text.empty()) return valueError(value, "a string or a list of strings");
    target = {value.text};
    return {};
}

Status assignCount(int64_t& target, const ConfigValue& value, int64_t least, int64_t most)
{
    int64_t number = 0;
    LOCKSTEP_TRY(assign(number, value));
    if (number < least || number > most)
        return valueError(value, std::to_string(least) + " to " + std::to_string(most));
    target = number;
    return {};
}

Status readSlurmRequest(BatchPlan& plan, const ConfigValue& value);

constexpr int64_t kMaxTasks = 1'000'000;

constexpr std::array<BatchField, 31> kFields{{
    {"inputs", [](BatchPlan& plan, const ConfigValue& value) { return assignWords(plan.inputs, value); }},
    {"input_list", [](BatchPlan& plan, const ConfigValue& value) { return assign(plan.inputList, value); }},
    {"export", [](BatchPlan& plan, const ConfigValue& value) { return assignWords(plan.what, value); }},
    {"output", [](BatchPlan& plan, const ConfigValue& value) { return assign(plan.output, value); }},
    {"tasks",
     [](BatchPlan& plan, const ConfigValue& value) { return assignCount(plan.tasks, value, 1, kMaxTasks); }},
    {"reports_per_task",
     [](BatchPlan& plan, const ConfigValue& value) {
         return assignCount(plan.reportsPerTask, value, 1, kMaxTasks);
     }},
    {"launcher", [](BatchPlan& plan, const ConfigValue& value) { return assign(plan.launcher, value); }},
    {"slurm", readSlurmRequest},
    {"retries",
     [](BatchPlan& plan, const ConfigValue& value) { return assignCount(plan.retries, value, 0, 100); }},
    {"jobs",
     [](BatchPlan& plan, const ConfigValue& value) { return assignCount(plan.jobs, value, 1, kMaxTasks); }},
    {"memory_limit",
     [](BatchPlan& plan, const ConfigValue& value) { return assign(plan.memoryLimit, value); }},
    {"format", nullptr},
    {"by", nullptr},
    {"filter", nullptr},
    {"time_range", nullptr},
    {"clip", nullptr},
    {"baseline", nullptr},
    {"align", nullptr},
    {"timeunit", nullptr},
    {"rows", nullptr},
    {"size", nullptr},
    {"theme", nullptr},
    {"lanes", nullptr},
    {"fold", nullptr, true},
    {"fail_on", nullptr},
    {"identity", nullptr},
    {"raw", nullptr, true},
    {"provenance", nullptr, true},
    {"cache", nullptr},
    {"cache_limit", nullptr},
    {"cache_check", nullptr},
}};

std::string spelledWithBars(std::string_view key)
{
    std::string out(key);
    std::ranges::replace(out, '-', '_');
    return out;
}

tl::unexpected<Error> unknownKey(const ConfigValue& value, std::string_view key,
                                 std::span<const std::string_view> known)
{
    const std::string_view nearest = nearestWord(key, known);
    return makeError(
        ErrorKind::invalid,
        locationText(value.keyLocation) + ": unknown key '" + std::string(key) + "' in a batch plan" +
            (nearest.empty() ? std::string() : "; did you mean '" + std::string(nearest) + "'?"));
}

Status readSlurmRequest(BatchPlan& plan, const ConfigValue& value)
{
    static constexpr std::array<std::string_view, 4> kKeys{"partition", "account", "time", "options"};
    if (value.kind != ConfigValue::Kind::map)
        return valueError(value, "a map of Slurm settings (partition, account, time, options)");
    SlurmRequest& requested = plan.slurm;
    const std::array<std::string*, 3> words{&requested.partition, &requested.account, &requested.time};
    for (size_t i = 0; i < value.keys.size(); ++i) {
        const auto known = std::ranges::find(kKeys, value.keys[i]);
        if (known == kKeys.end()) return unknownKey(value.items[i], value.keys[i], kKeys);
        const auto at = static_cast<size_t>(known - kKeys.begin());
        if (at < words.size()) {
            LOCKSTEP_TRY(assign(*words[at], value.items[i]));
            continue;
        }
        LOCKSTEP_TRY(assignWords(requested.options, value.items[i]));
        auto options = watchableOptions(requested.options, "slurm.options");
        if (!options)
            return valueError(value.items[i],
                              "free of --array, --test-only and --wrap, because the batch submits "
                              "one array with its own script");
        requested.options = std::move(options->words);
        requested.notes = std::move(options->notes);
    }
    return {};
}

Status readOption(BatchPlan& plan, const BatchField& field, const ConfigValue& value)
{
    std::string name = "--" + std::string(field.key);
    std::ranges::replace(name, '_', '-');
    if (field.isFlag) {
        bool isOn = false;
        LOCKSTEP_TRY(assign(isOn, value));
        if (isOn) plan.options.push_back(name);
        return {};
    }
    std::vector<std::string> words;
    LOCKSTEP_TRY(assignWords(words, value));
    for (const std::string& word : words)
        plan.options.insert(plan.options.end(), {name, word});
    return {};
}

Status readField(BatchPlan& plan, const std::string& key, const ConfigValue& value)
{
    const auto field = std::ranges::find(kFields, spelledWithBars(key), &BatchField::key);
    if (field == kFields.end()) {
        std::vector<std::string_view> known;
        for (const BatchField& other : kFields)
            known.push_back(other.key);
        return unknownKey(value, key, known);
    }
    const Status read = field->read != nullptr ? field->read(plan, value) : readOption(plan, *field, value);
    if (read) return {};
    return makeError(read.error().kind, read.error().message + " (" + key + ")");
}

} // namespace

std::span<const std::string_view> enumNames(BatchLauncher)
{
    static constexpr std::array<std::string_view, 2> kWords{"local", "slurm"};
    return kWords;
}

Result<BatchPlan> batchPlanFromYaml(std::string_view text)
{
    const ConfigValue root = LOCKSTEP_TRY(readYaml(text));
    if (root.kind != ConfigValue::Kind::map)
        return makeError(ErrorKind::invalid,
                         "line 1: a batch plan must be a map with the keys inputs, export and output");
    BatchPlan plan;
    for (size_t i = 0; i < root.keys.size(); ++i)
        LOCKSTEP_TRY(readField(plan, root.keys[i], root.items[i]));
    const auto missing = [](const char* key, const char* what) {
        return makeError(ErrorKind::invalid, std::string("missing key '") + key + "': " + what);
    };
    if (plan.inputs.empty() && plan.inputList.empty())
        return missing("inputs", "reports, folders or patterns to read");
    if (plan.what.empty()) return missing("export", "tables to make, e.g. [inventory, cuda_gpu_kern_sum]");
    if (plan.output.empty()) return missing("output", "the folder to write to");
    if (plan.tasks > 0 && plan.reportsPerTask > 0)
        return makeError(ErrorKind::invalid,
                         locationText(root.find("reports_per_task")->keyLocation) +
                             ": tasks and reports_per_task cannot be combined; give one of them");
    const ConfigValue* const slurm = root.find("slurm");
    if (slurm != nullptr && plan.launcher != BatchLauncher::slurm)
        return makeError(ErrorKind::invalid,
                         locationText(slurm->keyLocation) + ": 'slurm' requires launcher: slurm");
    return plan;
}

std::vector<std::vector<uint32_t>> distributeTasks(std::span<const uint64_t> sizes, size_t tasks)
{
    std::vector<std::vector<uint32_t>> out(std::min(tasks, sizes.size()));
    if (out.empty()) return out;
    std::vector<uint32_t> bySize(sizes.size());
    std::iota(bySize.begin(), bySize.end(), 0U);
    std::ranges::stable_sort(bySize, std::ranges::greater(), [&](uint32_t i) { return sizes[i]; });
    // Ties in bytes go to the task with fewer reports, so that small files are distributed evenly.
    std::vector<std::pair<uint64_t, size_t>> load(out.size());
    for (const uint32_t i : bySize) {
        const auto least = static_cast<size_t>(std::ranges::min_element(load) - load.begin());
        out[least].push_back(i);
        load[least] = {load[least].first + sizes[i], load[least].second + 1};
    }
    for (auto& task : out)
        std::ranges::sort(task);
    return out;
}

} // namespace lockstep
