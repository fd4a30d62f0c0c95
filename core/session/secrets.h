// SPDX-License-Identifier: Apache-2.0
// Secrets in a session: values that are passed to the processes but never written. Session files, workspaces,
// plans, scripts, records and command lines contain "$NAME" instead. The value is taken from the environment
// of the launch, or entered by the user for that launch. core/base/secret_text.h defines what counts as a
// secret. Pure. Thread: any.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/secret_text.h"
#include "core/session/session_config.h"

namespace lockstep {

// Prefix for the variables that replace secrets in command-line arguments: "--api-key", "sk-abc" becomes
// "--api-key", "${LOCKSTEP_SECRET_API_KEY}". The agent replaces these variables by their values when it
// starts the command. In scripts for Slurm and Ray, the shell replaces them.
inline constexpr std::string_view kArgumentSecret = "LOCKSTEP_SECRET_";

// Returns true if a session variable is a secret. This is the case if isSecretVariable() is true for its
// name, if `secret:` lists it, or if its value contains a secret, such as the password in a proxy URL.
bool isSecret(const SessionConfig& config, std::string_view name);
// Returns the names of the secrets in the session's environment, then the names listed only in `secret:`,
// without duplicates.
std::vector<std::string> secretNames(const SessionConfig& config);
// Returns the reference that replaces the value in all written files: $NAME.
std::string secretReference(std::string_view name);
// Returns true if a value in a session file refers to the environment of the launch, i.e. if it is empty,
// $NAME or ${NAME}.
bool isSecretReference(std::string_view name, std::string_view value);
// Return the session's environment without secrets, or with references in place of secrets.
TextPairs openEnvironment(const SessionConfig& config);
TextPairs writtenEnvironment(const SessionConfig& config);

struct HiddenSecrets {
    SessionConfig config; // safe to write to files; `secret:` lists secrets that are not recognizable by name
    TextPairs values;     // values keyed by variable name
};
// Replaces all secrets in the session's environment and command lines with references. Idempotent. Secrets in
// keys that no plan uses are replaced by kSecretMask, because no launch needs their values.
HiddenSecrets hideSecrets(const SessionConfig& config);

struct SecretValues {
    TextPairs values;
    std::vector<std::string> missing; // names of the secrets that have no value
};
// Takes the values of the secrets from the session, otherwise from lookUp. lookUp stands for an environment
// and returns nullptr for a variable that is not set.
SecretValues secretValues(const SessionConfig& config,
                          const std::function<const char*(const char* name)>& lookUp);
// Returns a one-line message that lists the secrets that have no value, and the remedy.
std::string missingSecretsText(const std::vector<std::string>& names);

// Replaces each value of at least 6 bytes with $NAME, and what findSecrets() finds with kSecretMask. Used for
// logs that are passed to other people.
std::string withoutSecrets(std::string text, const TextPairs& values);

} // namespace lockstep
