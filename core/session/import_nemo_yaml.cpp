// SPDX-License-Identifier: Apache-2.0
#include "core/session/import_nemo_yaml.h"

#include "core/session/typed_value.h"
#include "core/session/yaml_tree.h"

namespace lockstep {

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
        const Status taken = assign(made.config.totalSteps, *steps);
        if (!taken) {
            addFinding(made.findings, Severity::warning, "total_steps", "import.lost",
                       root.keys[i] + ".max_num_steps: " + taken.error().message,
                       "set the length of the run");
        }
    }
    addFinding(made.findings, Severity::note, "imported_yaml", "yaml.other_keys",
               "the file has no profiling settings; its keys are kept but not added to the command line",
               "pass that file to the command (--config)");
    return made;
}

} // namespace lockstep
