// SPDX-License-Identifier: Apache-2.0
// Reads any script: it is refused with a position, or becomes a session that can be saved and read back
// unchanged, in bounded time and memory.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "core/session/import_text.h"
#include "core/session/launch_plan.h"
#include "core/session/secrets.h"
#include "core/session/session_yaml.h"
#include "core/session/shell/script.h"

using namespace lockstep;

static void require(bool holds)
{
    if (!holds) std::abort();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const Result<shell::Script> script = shell::readScript(text);
    if (script) {
        size_t bytes = 0;
        for (const shell::Command& command : script->commands) {
            for (const shell::Text& word : command.words)
                bytes += word.text.size();
        }
        require(bytes <= (8 << 20) && script->commands.size() <= shell::kMaxCommands);
    }
    const Result<ImportedSession> imported = importText(text);
    if (!imported) return 0;
    (void)planLaunch(imported->config, {});
    const Result<SessionConfig> again = sessionFromYaml(yamlFromSession(imported->config));
    SessionConfig written = hideSecrets(imported->config).config;
    written.environment = writtenEnvironment(written);
    // A session beyond its own limits: longer than a session file may be, or with a NUL, which YAML cannot
    // contain.
    if (again) require(*again == written);
    return 0;
}
