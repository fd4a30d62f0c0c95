// SPDX-License-Identifier: Apache-2.0
// Imports a verl configuration file from any release: ppo_trainer.yaml, or the part of that file that
// contains the profiler's keys.
#pragma once

#include "core/session/imported_session.h"

namespace lockstep {

// Converts known profiler settings to fields and unknown profiler settings to overrides. Everything else is
// kept in importedYaml. Interpolations (${...}) count as not set and are kept. Errors: same as for
// readYaml().
Result<ImportedSession> importVerlYaml(std::string_view text);

} // namespace lockstep
