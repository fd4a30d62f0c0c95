// SPDX-License-Identifier: Apache-2.0
// Import of a verl configuration file of either era (ppo_trainer.yaml, or a part of it with the profiler's
// keys).
#pragma once

#include "core/session/imported_session.h"

namespace lockstep {

// Profiler settings become fields; those of the profiler that this program does not know become overrides;
// everything else is kept in importedYaml. Interpolations (${...}) count as not chosen and are kept. Errors
// as readYaml().
Result<ImportedSession> importVerlYaml(std::string_view text);

} // namespace lockstep
