// SPDX-License-Identifier: Apache-2.0
// Converts a SessionConfig to commented YAML and back. The text may be untrusted; the limits in yaml_tree.h
// apply. Unknown keys are kept and written back. A session keeps the text from which it was read. Unchanged
// parts are written back byte for byte, with the user's comments, order and layout.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/session/session_config.h"

namespace lockstep {

// The value of the key lockstep_session. Files with a larger value come from a newer Lockstep and are
// rejected.
inline constexpr int64_t kSessionVersion = 1;

// Parses a session. Errors: invalid, with line, column and the path of the field; unsupported if the file is
// from a newer version.
Result<SessionConfig> sessionFromYaml(std::string_view text);
// Returns the text from which the config was read, updated with the changes. If there is no such text,
// returns canonicalYaml(). Deterministic. Parsing the result with sessionFromYaml() gives an equal config.
std::string yamlFromSession(const SessionConfig& config);
// Returns only the session, in the order of session_fields.h and with the comments for the fields.
std::string canonicalYaml(const SessionConfig& config);

// Sets a value as if it had been read at that path, which is the path of a field or of a map of fields.
// Unknown keys are kept as unknown. Errors: invalid if the value is not valid there; in that case the config
// is unchanged.
Status setSessionValue(SessionConfig& config, const std::vector<std::string>& path, const ConfigValue& value);

// Reads a session file. Errors: notFound, io, and the errors of sessionFromYaml() with the file path as a
// prefix.
Result<SessionConfig> loadSession(const std::filesystem::path& path);
// Writes a file atomically: writes a temporary file in the same folder and then renames it. Errors: io.
Status saveSession(const SessionConfig& config, const std::filesystem::path& path);

} // namespace lockstep
