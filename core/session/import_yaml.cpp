// SPDX-License-Identifier: Apache-2.0
#include "core/session/import_text.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/session/hydra_override.h"
#include "core/session/typed_value.h"
#include "core/session/verl_keys.h"
#include "core/session/verl_schema.h"
#include "core/session/verl_settings.h"
#include "core/session/yaml_tree.h"

namespace lockstep {

namespace {

const ConfigValue* valueAt(const ConfigValue& root, std::initializer_list<std::string_view> path)
{
    const ConfigValue* at = &root;
    for (const std::string_view key : path) {
        if (at != nullptr) at = at->find(key);
    }
    return at;
}

// Returns true for an SFT trainer file, which has one `profiler` block at the top level and none of the RL
// trainer's blocks.
bool isSftFile(const ConfigValue& root)
{
    return root.find("profiler") != nullptr && root.find("global_profiler") == nullptr &&
           root.find("actor_rollout_ref") == nullptr;
}

// Detects the layout from the keys in the file. See detectVerlSchema() for a complete checkout.
std::optional<VerlSchema> schemaFrom(const ConfigValue& root)
{
    if (root.find("global_profiler") != nullptr) {
        const bool isHead = valueAt(root, {"global_profiler", "relocate_results"}) != nullptr;
        return isHead ? std::optional(VerlSchema::head) : std::nullopt;
    }
    if (isSftFile(root)) {
        const bool isHead = valueAt(root, {"profiler", "relocate_results"}) != nullptr;
        return isHead ? std::optional(VerlSchema::head) : std::nullopt;
    }
    if (valueAt(root, {"actor_rollout_ref", "profiler"}) != nullptr) return VerlSchema::v0_5_0;
    if (valueAt(root, {"actor_rollout_ref", "actor", "profiler", "enable"}) != nullptr) return std::nullopt;
    return valueAt(root, {"trainer", "profile_steps"}) != nullptr ? std::optional(VerlSchema::v0_4_1)
                                                                  : std::nullopt;
}

bool isInterpolation(const ConfigValue& value)
{
    return value.kind == ConfigValue::Kind::text && value.text.find("${") != std::string::npos;
}

class VerlYamlImport {
  public:
    VerlYamlImport(const ConfigValue& root, VerlSchema schema) : m_schema(schema)
    {
        m_made.config.framework = Framework::verl;
        m_made.config.importedYaml = ConfigValue::emptyMap();
        if (isSftFile(root)) assumeSft();
        std::vector<std::string> path;
        walk(root, path);
        if (m_made.config.importedYaml.items.empty()) m_made.config.importedYaml = {};
    }

    ImportedSession made() { return std::move(m_made); }

  private:
    // The trainer is normally determined by the command, but the file has no command.
    void assumeSft()
    {
        m_made.config.command = {"torchrun", "--standalone", "--nproc-per-node=gpu", "-m",
                                 "verl.trainer.sft_trainer"};
        m_made.findings.push_back({Severity::note,
                                   "command",
                                   "yaml.sft",
                                   "the file belongs to the SFT trainer; the command here is its default",
                                   "replace it with the command you use",
                                   {}});
    }

    void walk(const ConfigValue& map, std::vector<std::string>& path)
    {
        for (size_t i = 0; i < map.keys.size(); ++i) {
            path.push_back(map.keys[i]);
            const ConfigValue& value = map.items[i];
            if (value.kind == ConfigValue::Kind::map && !value.items.empty()) {
                walk(value, path);
            } else {
                importLeaf(path, value);
            }
            path.pop_back();
        }
    }

    void importLeaf(const std::vector<std::string>& path, const ConfigValue& value)
    {
        std::string key;
        for (const std::string& part : path)
            key += (key.empty() ? "" : ".") + part;
        if (!isProfilerKey(key) || isInterpolation(value) || path.back().starts_with('_'))
            return keep(path, value);
        const Result<bool> imported = importVerlSetting(m_made.config, m_schema, key, value);
        if (imported && *imported) {
            const bool isOption = key.find("_nsight_options.") != std::string::npos;
            if (isOption && value.kind == ConfigValue::Kind::boolean) noteOption(key, path.back(), value);
            return;
        }
        if (!imported) {
            m_made.findings.push_back({Severity::error,
                                       "other_overrides",
                                       "yaml.type",
                                       key + ": " + imported.error().message,
                                       "it is kept as written",
                                       {}});
        }
        if (!isHydraKey(key)) return keep(path, value);
        m_made.config.otherOverrides.push_back("++" + key + "=" + hydraText(value));
    }

    // Ray passes str(value) to nsys, so true becomes "True", which nsys does not accept.
    void noteOption(const std::string& key, const std::string& name, const ConfigValue& value)
    {
        const bool isWorker = key.starts_with(workerOptionsPrefix(m_schema));
        SessionConfig& config = m_made.config;
        const std::string lower = lowerAscii(value.text);
        setOption(isWorker ? config.workerOptions : config.controllerOptions, name, lower);
        m_made.findings.push_back({Severity::warning,
                                   isWorker ? "nsys.worker_options" : "nsys.controller_options",
                                   "yaml.option_type",
                                   locationText(value.place) + ": " + key +
                                       " is a boolean; nsys would receive " +
                                       (lower == "true" ? "True" : "False") + " and fail",
                                   "the plan writes it as text, \"" + lower + "\"",
                                   {}});
    }

    void keep(const std::vector<std::string>& path, const ConfigValue& value)
    {
        ConfigValue* at = &m_made.config.importedYaml;
        for (size_t i = 0; i + 1 < path.size(); ++i) {
            const ConfigValue* found = at->find(path[i]);
            at = found != nullptr ? const_cast<ConfigValue*>(found)
                                  : &at->set(path[i], ConfigValue::emptyMap());
        }
        at->set(path.back(), value);
    }

    VerlSchema m_schema;
    ImportedSession m_made;
};

} // namespace

Result<ImportedSession> importVerlYaml(std::string_view text)
{
    const ConfigValue root = LOCKSTEP_TRY(readYaml(text));
    if (root.kind != ConfigValue::Kind::map) {
        return makeError(ErrorKind::invalid,
                         "line 1, column 1: this is not a verl configuration: it must be a map of keys",
                         HelpTopic::verl);
    }
    const std::optional<VerlSchema> schema = schemaFrom(root);
    ImportedSession made = VerlYamlImport(root, schema.value_or(VerlSchema::head)).made();
    made.config.schema = schema;
    normalizeVerlSettings(made.config, schema.value_or(VerlSchema::head));
    if (made.config.importedYaml.kind == ConfigValue::Kind::map) {
        made.findings.push_back(
            {Severity::note,
             "imported_yaml",
             "yaml.other_keys",
             "the file has keys beyond profiling; they are kept but not added to the command line",
             "pass that file to the command (--config-path, --config-name)",
             {}});
    }
    return made;
}

Result<ImportedSession> importNemoYaml(std::string_view text)
{
    const ConfigValue root = LOCKSTEP_TRY(readYaml(text));
    if (root.kind != ConfigValue::Kind::map) {
        return makeError(ErrorKind::invalid,
                         "line 1, column 1: this is not a NeMo RL configuration: it must be a map of keys",
                         HelpTopic::nemoRl);
    }
    ImportedSession made;
    made.config.framework = Framework::nemoRl;
    made.config.importedYaml = root;
    for (size_t i = 0; i < root.keys.size(); ++i) {
        const ConfigValue* steps = root.items[i].find("max_num_steps");
        if (steps == nullptr) continue;
        const Status imported = assign(made.config.totalSteps, *steps);
        if (!imported) {
            addFinding(made.findings, Severity::warning, "total_steps", "import.lost",
                       root.keys[i] + ".max_num_steps: " + imported.error().message,
                       "set the length of the run");
        }
    }
    addFinding(made.findings, Severity::note, "imported_yaml", "yaml.other_keys",
               "the file has no profiling settings; its keys are kept but not added to the command line",
               "pass that file to the command (--config)");
    return made;
}

} // namespace lockstep
