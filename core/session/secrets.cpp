// SPDX-License-Identifier: Apache-2.0
#include "core/session/secrets.h"

#include <algorithm>
#include <functional>

namespace lockstep {

namespace {

constexpr size_t kShortest_bytes = 6; // minimum length of a value that is replaced in text

std::string bracedReference(std::string_view name)
{
    return "${" + std::string(name) + "}";
}

bool isListed(const SessionConfig& config, std::string_view name)
{
    return std::ranges::find(config.secrets, name) != config.secrets.end();
}

// Hides the secrets in one session. Equal values share one variable name.
class SecretReplacer {
  public:
    explicit SecretReplacer(const SessionConfig& config) : m_out{config, {}} {}

    HiddenSecrets take()
    {
        SessionConfig& config = m_out.config;
        hideEnvironment();
        maskArguments(config.command);
        maskArguments(config.scriptArguments);
        maskArguments(config.containerPrefix);
        maskArguments(config.otherOverrides);
        maskArguments(config.launcher.slurmOptions);
        maskArguments(config.torchrun.options);
        hideText(config.launcher.rayAddress);
        for (NsightOptions* options : {&config.controllerOptions, &config.workerOptions}) {
            for (NsightOption& option : *options) {
                if (option.value) hideText(*option.value);
            }
        }
        hideHooks(config.hooks);
        for (RoleProfile& role : config.roles)
            hideHooks(role.hooks);
        maskTree(config.importedYaml, {});
        for (UnknownKey& unknown : config.unknown)
            maskTree(unknown.value, unknown.path.empty() ? std::string_view() : unknown.path.back());
        return std::move(m_out);
    }

  private:
    void list(const std::string& name)
    {
        if (!isSecretVariable(name) && !isListed(m_out.config, name)) m_out.config.secrets.push_back(name);
    }

    void hideEnvironment()
    {
        for (auto& [name, value] : m_out.config.environment) {
            if (!isSecret(m_out.config, name)) continue;
            if (!isSecretReference(name, value)) m_out.values.emplace_back(name, value);
            list(name);
        }
        m_out.config.environment = writtenEnvironment(m_out.config);
        m_known = m_out.values.size();
    }

    std::string argumentName(const std::string& label, const std::string& value)
    {
        const std::string stem = std::string(kArgumentSecret) + label;
        std::string name = stem;
        for (int next = 2;; ++next) {
            const auto known = std::ranges::find(m_out.values, name, [](const auto& p) { return p.first; });
            if (known != m_out.values.end() && known->second == value) return name;
            if (known == m_out.values.end() && !isListed(m_out.config, name)) break;
            name = stem + "_" + std::to_string(next);
        }
        m_out.values.emplace_back(name, value);
        m_out.config.secrets.push_back(name);
        return name;
    }

    void replaceSpans(std::string& text, std::span<const SecretSpan> spans)
    {
        std::string hidden;
        size_t from = 0;
        for (const SecretSpan& secret : spans) {
            hidden += text.substr(from, secret.begin - from);
            hidden +=
                bracedReference(argumentName(secret.label, text.substr(secret.begin, secret.size_bytes)));
            from = secret.begin + secret.size_bytes;
        }
        text = hidden + text.substr(from);
        replaceKnown(text);
    }

    // Replaces values of variables if they also occur in a command line.
    void replaceKnown(std::string& text)
    {
        for (size_t i = 0; i < m_known; ++i) {
            const auto [name, value] = m_out.values[i];
            for (size_t at = 0;
                 value.size() >= kShortest_bytes && (at = text.find(value, at)) != text.npos;) {
                const std::string reference = bracedReference(argumentName(name, value));
                text.replace(at, value.size(), reference);
                at += reference.size();
            }
        }
    }

    void hideText(std::string& text) { replaceSpans(text, findSecrets(text)); }

    void maskArguments(std::vector<std::string>& words)
    {
        const auto found = findSecretsInArguments(words);
        for (size_t i = 0; i < words.size(); ++i)
            replaceSpans(words[i], found[i]);
    }

    void hideHooks(Hooks& hooks)
    {
        if (hooks.command) hideText(*hooks.command);
    }

    void maskTree(ConfigValue& value, std::string_view key)
    {
        for (size_t i = 0; i < value.items.size(); ++i)
            maskTree(value.items[i], i < value.keys.size() ? std::string_view(value.keys[i]) : key);
        if (!value.isScalar() || value.text.empty()) return;
        const bool isSecretKey = !key.empty() && isSecretOption(key) && value.kind == ConfigValue::Kind::text;
        if (isSecretKey && !secret_rule::isNoValue(value.text)) {
            value.text = kSecretMask;
        } else if (!findSecrets(value.text).empty()) {
            value.text = maskSecrets(value.text);
        }
    }

    HiddenSecrets m_out;
    size_t m_known = 0; // number of values from variables; values from command lines follow them
};

// Replaces each value of at least 6 bytes with $NAME, and also each sufficiently long line of a multi-line
// value. Shorter values, such as "on", are not replaced, because they occur in ordinary words.
std::string withoutSecretValues(std::string text, const TextPairs& values)
{
    constexpr size_t kShortestLine_bytes = 16;
    TextPairs longestFirst = values; // longest first, because one value may contain another
    for (const auto& [name, value] : values) {
        if (value.find('\n') == value.npos)
            // The value has several lines, such as a private key, which a log may print line by line.
            continue;
        for (size_t at = 0; at < value.size();) {
            const size_t end = std::min(value.find('\n', at), value.size());
            if (end - at >= kShortestLine_bytes) longestFirst.emplace_back(name, value.substr(at, end - at));
            at = end + 1;
        }
    }
    std::ranges::stable_sort(longestFirst, std::greater(),
                             [](const auto& pair) { return pair.second.size(); });
    for (const auto& [name, value] : longestFirst) {
        const std::string reference = secretReference(name);
        if (value.size() < kShortest_bytes || isSecretReference(name, value)) continue;
        for (size_t at = text.find(value); at != text.npos; at = text.find(value, at + reference.size()))
            text.replace(at, value.size(), reference);
    }
    return text;
}

} // namespace

bool isSecret(const SessionConfig& config, std::string_view name)
{
    if (isSecretVariable(name) || isListed(config, name)) return true;
    const auto own = std::ranges::find(config.environment, name, [](const auto& p) { return p.first; });
    return own != config.environment.end() && !findSecrets(own->second).empty();
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
    return value.empty() || value == secretReference(name) || value == bracedReference(name);
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

HiddenSecrets hideSecrets(const SessionConfig& config)
{
    return SecretReplacer(config).take();
}

SecretValues secretValues(const SessionConfig& config,
                          const std::function<const char*(const char* name)>& lookUp)
{
    SecretValues found;
    // The cluster sets the secrets, see launch_plan.cpp.
    if (config.launcher.kind == LauncherKind::rayJob) return found;
    const HiddenSecrets hidden = hideSecrets(config);
    for (const std::string& name : secretNames(hidden.config)) {
        const auto own = std::ranges::find(hidden.values, name, [](const auto& p) { return p.first; });
        const char* const there = lookUp(name.c_str());
        if (own != hidden.values.end()) {
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
           " no value here: session files and workspaces store only names; set " +
           (names.size() == 1 ? "it" : "them") + " in the environment from which lockstep is started";
}

std::string withoutSecrets(std::string text, const TextPairs& values)
{
    return maskSecrets(withoutSecretValues(std::move(text), values));
}

} // namespace lockstep
