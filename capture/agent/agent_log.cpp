// SPDX-License-Identifier: Apache-2.0
#include "capture/agent/agent_log.h"

#include "core/session/secrets.h"

namespace lockstep::agent {

LogRing& agentLog()
{
    static LogRing ring(64 * 1024);
    return ring;
}

Status writeAgentLog(const RunFolder& folder, const Secrets& secrets)
{
    constexpr size_t kMax_bytes = 256 * 1024;
    TextPairs values;
    for (const auto& [name, value] : secrets) {
        if (value) values.emplace_back(name, *value);
    }
    std::string text = readTextFile(folder.agentLogFile()).value_or(std::string());
    text += withoutSecrets(agentLog().text(), values);
    if (text.size() > kMax_bytes) text.erase(0, text.find('\n', text.size() - kMax_bytes) + 1);
    return writeTextFile(folder.agentLogFile(), text);
}

} // namespace lockstep::agent
