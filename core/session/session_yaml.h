// SPDX-License-Identifier: Apache-2.0
// A SessionConfig as commented YAML and back. The text may come from anyone: yaml_tree.h's bounds hold. Keys
// this program does not know are kept and written back. A session that was read keeps its text: what did not
// change is written back byte by byte, with a person's comments, order and layout.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/session/session_config.h"

namespace lockstep {

// The number under the key lockstep_session; a larger one is refused with a word about the newer program.
inline constexpr int64_t kSessionVersion = 1;

// invalid: with line and column and the field's path. unsupported: a newer version.
Result<SessionConfig> sessionFromYaml(std::string_view text);
// Same config, same text. sessionFromYaml() of it equals the config. The text that the config was read from,
// with what changed since; else canonicalYaml().
std::string yamlFromSession(const SessionConfig& config);
// The session alone, in the order of session_fields.h and with their comments.
std::string canonicalYaml(const SessionConfig& config);

// Takes a value as if it stood at that path of the text: a field, or a map of fields. What is not known is
// kept as unknown. invalid, and the config unchanged: the value does not fit.
Status takeSessionValue(SessionConfig& config, const std::vector<std::string>& path,
                        const ConfigValue& value);

// notFound, io, and what sessionFromYaml says, with the path in front.
Result<SessionConfig> loadSession(const std::filesystem::path& path);
// Appears whole or not at all: written beside the target and renamed. io.
Status saveSession(const SessionConfig& config, const std::filesystem::path& path);

} // namespace lockstep
