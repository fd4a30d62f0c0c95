// SPDX-License-Identifier: Apache-2.0
// Secrets of a session: variables whose values go to the processes and are written nowhere. Session files,
// workspaces, plans, scripts, records and command lines hold "$NAME" where the value would stand; the value
// is what the launching environment has, or what was typed for this launch. Pure; any thread.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/session/session_config.h"

namespace lockstep {

// Whether a variable of this name is taken for a secret, whatever its case: its last word is KEY, APIKEY,
// TOKEN, PAT, PWD or PASSPHRASE; it holds PASSWORD, PASSWD, SECRET or CREDENTIAL; it ends with KEY_ID or
// begins with AWS_. Not so names that end with FILE, PATH, DIR or FOLDER, marks of text (PAD_TOKEN, EOS_TOKEN
// and the like), PUBLIC_KEY, GOOGLE_APPLICATION_CREDENTIALS (a path), and AWS_REGION, AWS_DEFAULT_REGION,
// AWS_PROFILE, AWS_ENDPOINT_URL*, AWS_DEFAULT_OUTPUT. Words lie between underscores, so
// TOKENIZERS_PARALLELISM and MAX_TOKENS are no secrets.
bool looksSecret(std::string_view name);
// looksSecret(), or marked by the session's `secret:`.
bool isSecret(const SessionConfig& config, std::string_view name);
// Of the session's environment, then those that only `secret:` names; each once.
std::vector<std::string> secretNames(const SessionConfig& config);
// What stands for the value in everything that is written: $NAME.
std::string secretReference(std::string_view name);
// A value of a session file that stands for the launching environment's: nothing, $NAME or ${NAME}.
bool isSecretReference(std::string_view name, std::string_view value);
// The session's environment: without secrets, and with references for them.
TextPairs openEnvironment(const SessionConfig& config);
TextPairs writtenEnvironment(const SessionConfig& config);

struct SecretValues {
    TextPairs values;
    std::vector<std::string> missing; // names that nobody gives a value
};
// What the session itself holds, else what lookUp (of an environment: nullptr where not set) says.
SecretValues secretValues(const SessionConfig& config,
                          const std::function<const char*(const char* name)>& lookUp);
// "HF_TOKEN has no value" for each, and how to give one; one line.
std::string missingSecretsText(const std::vector<std::string>& names);

// Names that a word of a command line gives a value in clear, as "--wandb_api_key=abc" and "-e HF_TOKEN=abc"
// do; stricter than looksSecret(), since settings such as data.prompt_key=prompt are none. "" where it does
// not.
std::string secretInWord(std::string_view word);

// The text with $NAME for every one of the values of 6 bytes or more: shorter ones, such as "on", stand in
// every text.
std::string withoutSecretValues(std::string text, const TextPairs& values);
// The same, and $NAME for what secretInWord() finds in its words: a log as it may be handed on.
std::string withoutSecrets(std::string text, const TextPairs& values);

} // namespace lockstep
