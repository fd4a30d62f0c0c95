// SPDX-License-Identifier: Apache-2.0
// ImportedSession: a session made from someone else's text, and what was noticed on the way. Nothing is lost:
// what this program does not know stays in otherOverrides, environment or importedYaml.
#pragma once

#include <filesystem>
#include <string_view>

#include "core/base/result.h"
#include "core/session/finding.h"
#include "core/session/session_config.h"

namespace lockstep {

struct ImportedSession {
    SessionConfig config;
    Findings findings;
};

} // namespace lockstep
