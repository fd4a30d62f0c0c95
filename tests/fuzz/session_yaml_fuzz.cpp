// SPDX-License-Identifier: Apache-2.0
// Reads any text: it is refused with a position, or is a session that can be saved and read back unchanged.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "core/session/import_environment.h"
#include "core/session/import_text.h"
#include "core/session/preflight.h"
#include "core/session/secrets.h"
#include "core/session/session_yaml.h"

using namespace lockstep;

static void require(bool holds)
{
    if (!holds) std::abort();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    (void)importOverrideList(text);
    (void)hostFactsFromJson(text);
    (void)hostPlanFromJson(text);
    const Result<SessionConfig> config = sessionFromYaml(text);
    if (!config) {
        require(config.error().kind == ErrorKind::unsupported ||
                config.error().message.find("line ") != std::string::npos);
        return 0;
    }
    const Result<SessionConfig> again = sessionFromYaml(yamlFromSession(*config));
    SessionConfig written = *config; // values of secrets are not written
    written.environment = writtenEnvironment(written);
    require(again && *again == written);
    const Result<LaunchPlan> plan = planLaunch(*config, {});
    if (plan) (void)preflight(*config, *plan, {});
    return 0;
}
