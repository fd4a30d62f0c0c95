// SPDX-License-Identifier: Apache-2.0
// ImportedSession is a session imported from text, together with the findings from the import. Unknown
// settings are kept in otherOverrides, environment or importedYaml.
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
