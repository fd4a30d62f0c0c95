// SPDX-License-Identifier: Apache-2.0
// Secrets of a session: values that go to the processes and are written nowhere. Session files, workspaces,
// plans, scripts, records and command lines contain "$NAME" instead; the value is the launching
// environment's, or was typed for this launch. core/base/secret_text.h decides what a secret is. Pure; any
// thread.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/secret_text.h"
#include "core/session/session_config.h"

namespace lockstep {

// Variables of this prefix stand for secrets in the words of a command line: "--api-key", "sk-abc" becomes
// "--api-key", "${LOCKSTEP_SECRET_API_KEY}". The agent replaces them when it starts the command; scripts for
// Slurm and Ray leave that to their shell.
inline constexpr std::string_view kArgumentSecret = "LOCKSTEP_SECRET_";

// Whether the session's variable is a secret: looksSecret(), marked by `secret:`, or its value contains a
// secret, such as the password of a proxy's URL.
bool isSecret(const SessionConfig& config, std::string_view name);
// The secrets of the session's environment, then those that only `secret:` names; each once.
std::vector<std::string> secretNames(const SessionConfig& config);
// What replaces the value in everything that is written: $NAME.
std::string secretReference(std::string_view name);
// Whether a value of a session file stands for the launching environment's: nothing, $NAME or ${NAME}.
bool isSecretReference(std::string_view name, std::string_view value);
// The session's environment: without secrets, and with references instead of them.
TextPairs openEnvironment(const SessionConfig& config);
TextPairs writtenEnvironment(const SessionConfig& config);

struct HiddenSecrets {
    SessionConfig config; // as it may be written: `secret:` names what is not a secret by its own name
    TextPairs values;     // by variable
};
// Moves every secret of the session's environment and command lines out of it. Hiding twice changes nothing.
// Keys that no plan uses get kSecretMask, since nobody is to give them a value.
HiddenSecrets hideSecrets(const SessionConfig& config);

struct SecretValues {
    TextPairs values;
    std::vector<std::string> missing; // names without a value
};
// The session's own values, else those of lookUp (an environment: nullptr where not set).
SecretValues secretValues(const SessionConfig& config,
                          const std::function<const char*(const char* name)>& lookUp);
// "HF_TOKEN has no value" for each, and how to give one; one line.
std::string missingSecretsText(const std::vector<std::string>& names);

// The text with $NAME for every one of the values of 6 bytes or more, and for the longer lines of values that
// have several. Shorter values, such as "on", are part of ordinary words.
std::string withoutSecretValues(std::string text, const TextPairs& values);
// The same, and kSecretMask for what findSecrets() finds: a log as it may be handed on.
std::string withoutSecrets(std::string text, const TextPairs& values);

} // namespace lockstep
