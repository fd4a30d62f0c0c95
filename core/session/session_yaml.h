// A SessionConfig as commented YAML and back. The text may come from anyone: yaml_tree.h's bounds hold. Keys this
// program does not know are kept and written back at the end of their map; a person's own comments are not.
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
// Same config, same text. sessionFromYaml() of it equals the config.
std::string yamlFromSession(const SessionConfig& config);

// notFound, io, and what sessionFromYaml says, with the path in front.
Result<SessionConfig> loadSession(const std::filesystem::path& path);
// Appears whole or not at all: written beside the target and renamed. io.
Result<bool> saveSession(const SessionConfig& config, const std::filesystem::path& path);

} // namespace lockstep
