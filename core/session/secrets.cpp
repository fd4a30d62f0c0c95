// SPDX-License-Identifier: Apache-2.0
#include "core/session/secrets.h"

#include <algorithm>
#include <array>
#include <functional>

namespace lockstep {

namespace {

std::string upperCased(std::string_view text)
{
    std::string upper(text);
    for (char& c : upper) {
        if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    }
    return upper;
}

std::string_view lastWord(std::string_view name)
{
    const size_t at = name.rfind('_');
    return at == std::string_view::npos ? name : name.substr(at + 1);
}

template<size_t N>
bool isOneOf(std::string_view word, const std::array<std::string_view, N>& words)
{
    return std::ranges::find(words, word) != words.end();
}

template<size_t N>
bool holdsOneOf(std::string_view text, const std::array<std::string_view, N>& parts)
{
    return std::ranges::any_of(parts, [text](std::string_view part) { return text.find(part) != text.npos; });
}

constexpr std::array<std::string_view, 6> kLastWords{"KEY", "APIKEY", "TOKEN", "PAT", "PWD", "PASSPHRASE"};
constexpr std::array<std::string_view, 4> kParts{"PASSWORD", "PASSWD", "SECRET", "CREDENTIAL"};
constexpr std::array<std::string_view, 4> kPlaces{"FILE", "PATH", "DIR", "FOLDER"};
constexpr std::array<std::string_view, 17> kHarmless{
    "PWD",       "OLDPWD",     "PUBLIC_KEY",         "PAD_TOKEN",   "EOS_TOKEN",          "BOS_TOKEN",
    "UNK_TOKEN", "SEP_TOKEN",  "CLS_TOKEN",          "MASK_TOKEN",  "IMAGE_TOKEN",        "STOP_TOKEN",
    "PATH",      "AWS_REGION", "AWS_DEFAULT_REGION", "AWS_PROFILE", "AWS_DEFAULT_OUTPUT",
};

bool isHarmless(std::string_view name)
{
    return isOneOf(name, kHarmless) || isOneOf(lastWord(name), kPlaces) ||
           name.starts_with("AWS_ENDPOINT_URL") || name == "GOOGLE_APPLICATION_CREDENTIALS" ||
           name.ends_with("_PUBLIC_KEY");
}

} // namespace

bool looksSecret(std::string_view name)
{
    const std::string upper = upperCased(name);
    if (isHarmless(upper)) return false;
    return isOneOf(lastWord(upper), kLastWords) || upper.ends_with("APIKEY") || upper.ends_with("KEY_ID") ||
           upper.starts_with("AWS_") || holdsOneOf(upper, kParts);
}

bool isSecret(const SessionConfig& config, std::string_view name)
{
    return looksSecret(name) || std::ranges::find(config.secrets, name) != config.secrets.end();
}

std::vector<std::string> secretNames(const SessionConfig& config)
{
    std::vector<std::string> names;
    const auto add = [&names](const std::string& name) {
        if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    };
    for (const auto& [name, value] : config.environment) {
        if (isSecret(config, name)) add(name);
    }
    for (const std::string& name : config.secrets)
        add(name);
    return names;
}

std::string secretReference(std::string_view name)
{
    return "$" + std::string(name);
}

bool isSecretReference(std::string_view name, std::string_view value)
{
    return value.empty() || value == secretReference(name) || value == "${" + std::string(name) + "}";
}

TextPairs openEnvironment(const SessionConfig& config)
{
    TextPairs open;
    for (const auto& pair : config.environment) {
        if (!isSecret(config, pair.first)) open.push_back(pair);
    }
    return open;
}

TextPairs writtenEnvironment(const SessionConfig& config)
{
    TextPairs written = config.environment;
    for (auto& [name, value] : written) {
        if (isSecret(config, name)) value = secretReference(name);
    }
    return written;
}

SecretValues secretValues(const SessionConfig& config,
                          const std::function<const char*(const char* name)>& lookUp)
{
    SecretValues found;
    if (config.launcher.kind == LauncherKind::rayJob)
        return found; // its cluster has them, see launch_plan.cpp
    for (const std::string& name : secretNames(config)) {
        const auto own = std::ranges::find(config.environment, name, [](const auto& p) { return p.first; });
        const char* const there = lookUp(name.c_str());
        if (own != config.environment.end() && !isSecretReference(name, own->second)) {
            found.values.push_back(*own);
        } else if (there != nullptr) {
            found.values.emplace_back(name, there);
        } else {
            found.missing.push_back(name);
        }
    }
    return found;
}

std::string missingSecretsText(const std::vector<std::string>& names)
{
    std::string text;
    for (const std::string& name : names)
        text += (text.empty() ? "" : ", ") + name;
    return text + (names.size() == 1 ? " is a secret and has" : " are secrets and have") +
           " no value here: session files and workspaces hold names only; set " +
           (names.size() == 1 ? "it" : "them") + " in the environment from which lockstep is started";
}

std::string withoutSecretValues(std::string text, const TextPairs& values)
{
    constexpr size_t kShortest = 6;
    TextPairs longestFirst = values; // one value may be part of another
    std::ranges::stable_sort(longestFirst, std::greater(),
                             [](const auto& pair) { return pair.second.size(); });
    for (const auto& [name, value] : longestFirst) {
        const std::string reference = secretReference(name);
        if (value.size() < kShortest || isSecretReference(name, value)) continue;
        for (size_t at = text.find(value); at != text.npos; at = text.find(value, at + reference.size()))
            text.replace(at, value.size(), reference);
    }
    return text;
}

std::string withoutSecrets(std::string text, const TextPairs& values)
{
    text = withoutSecretValues(std::move(text), values);
    constexpr std::string_view kBetweenWords = " \t\n\"'`;,()[]{}";
    std::string masked;
    for (size_t at = 0; at < text.size();) {
        const size_t end = std::min(text.find_first_of(kBetweenWords, at), text.size());
        const std::string_view word = std::string_view(text).substr(at, end - at);
        const std::string name = secretInWord(word);
        masked += name.empty() ? std::string(word)
                               : std::string(word.substr(0, word.find('=') + 1)) + secretReference(name);
        if (end < text.size()) masked += text[end];
        at = end + 1;
    }
    return masked;
}

std::string secretInWord(std::string_view word)
{
    const size_t equals = word.find('=');
    if (equals == std::string_view::npos || equals + 1 == word.size() || word[equals + 1] == '$') return {};
    std::string_view key = word.substr(0, equals);
    key = key.substr(std::min(key.find_first_not_of("+~-"), key.size()));
    const std::string upper = upperCased(key.substr(key.rfind('.') + 1)); // npos + 1 = 0
    static constexpr std::array<std::string_view, 8> kTelling{
        "API_KEY", "APIKEY", "ACCESS_KEY", "HF_TOKEN", "AUTH_TOKEN", "ACCESS_TOKEN", "PASSWORD", "SECRET"};
    return holdsOneOf(upper, kTelling) && looksSecret(upper) ? std::string(key) : std::string();
}

} // namespace lockstep
