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
                         "line 1, column 1: this is no configuration of NeMo RL: it must begin with keys");
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
                       root.keys[i] + ".max_num_steps: " + taken.error().message, "give the run's length");
        }
    }
    addFinding(made.findings, Severity::note, "imported_yaml", "yaml.other_keys",
               "the file says nothing about profiling; its keys are kept but not put on the command line",
               "start the command with that file (--config)");
    return made;
}

} // namespace lockstep
