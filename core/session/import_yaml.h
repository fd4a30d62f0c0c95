// SPDX-License-Identifier: Apache-2.0
// Imports the YAML configuration files of verl and NeMo RL. Pure. Thread: any.
#pragma once

#include "core/session/import_text.h"

namespace lockstep {

// Imports a verl configuration file from any release: ppo_trainer.yaml, or the part of that file that
// contains the profiler's keys. Converts known profiler settings to fields and unknown profiler settings to
// overrides. Everything else is kept in importedYaml. Interpolations (${...}) count as not set and are kept.
// Errors: same as for readYaml().
Result<ImportedSession> importVerlYaml(std::string_view text);

// Imports a NeMo RL configuration file (examples/configs/*.yaml). Reads the length of the run from the
// algorithm's max_num_steps and keeps the complete file in importedYaml. Errors: same as for readYaml().
Result<ImportedSession> importNemoYaml(std::string_view text);

} // namespace lockstep
