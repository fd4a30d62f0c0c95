// SPDX-License-Identifier: Apache-2.0
#include "core/session/import_text.h"

#include <algorithm>

#include "core/session/hydra_override.h"
#include "core/session/shell_quote.h"
#include "core/session/verl_keys.h"
#include "core/session/verl_schema.h"
#include "core/session/verl_settings.h"

namespace lockstep {

namespace {

struct PastedCommand {
    TextPairs environment;
    std::vector<std::string> command;
    std::vector<std::string> overrides;
};

// HYDRA_FULL_ERROR=1 also looks like an override. Before a command, a name without dots and lower-case
// letters is treated as a variable.
bool isAssignment(const std::string& word)
{
    const size_t equals = word.find('=');
    if (equals == std::string::npos || !isEnvironmentName(word.substr(0, equals))) return false;
    return std::none_of(word.begin(), word.begin() + static_cast<std::ptrdiff_t>(equals),
                        [](char c) { return c >= 'a' && c <= 'z'; });
}

PastedCommand partsOf(std::vector<std::string> words)
{
    PastedCommand parts;
    const bool hasCommand =
        std::any_of(words.begin(), words.end(), [](const auto& word) { return !looksLikeOverride(word); });
    size_t at = 0;
    for (; hasCommand && at < words.size() && isAssignment(words[at]); ++at) {
        const size_t equals = words[at].find('=');
        parts.environment.emplace_back(words[at].substr(0, equals), words[at].substr(equals + 1));
    }
    for (; at < words.size(); ++at) {
        (looksLikeOverride(words[at]) ? parts.overrides : parts.command).push_back(std::move(words[at]));
    }
    return parts;
}

class OverrideListImport {
  public:
    explicit OverrideListImport(PastedCommand parts) : m_parts(std::move(parts))
    {
        m_made.config.framework = isOmni() ? Framework::verlOmni : Framework::verl;
        m_made.config.command = m_parts.command;
        m_trainer = trainerOf(m_made.config);
        const std::optional<VerlSchema> detected = schemaOfOverrides(m_trainer, m_parts.overrides);
        m_schema = detected.value_or(VerlSchema::head);
        m_made.config.schema = detected;
    }

    ImportedSession import()
    {
        SessionConfig& config = m_made.config;
        config.environment = std::move(m_parts.environment);
        for (const std::string& word : m_parts.overrides)
            take(word);
        normalizeVerlSettings(config, m_schema);
        return std::move(m_made);
    }

  private:
    bool isOmni() const
    {
        return std::any_of(m_parts.command.begin(), m_parts.command.end(), [](const std::string& word) {
            return word.find("omni") != std::string::npos || word.find("flowgrpo") != std::string::npos ||
                   word.find("diffusion") != std::string::npos;
        });
    }

    void keep(const std::string& word, Severity severity, std::string rule, std::string reason,
              std::string fix)
    {
        m_made.config.otherOverrides.push_back(word);
        if (!reason.empty()) {
            m_made.findings.push_back(
                {severity, "other_overrides", std::move(rule), std::move(reason), std::move(fix), {}});
        }
    }

    void take(const std::string& word)
    {
        const Result<HydraOverride> parsed = parseHydraOverride(word);
        const std::string key(word.substr(0, word.find('=')));
        if (!parsed) {
            const bool broken = parsed.error().kind == ErrorKind::invalid;
            return keep(
                word, broken ? Severity::error : Severity::warning, "override.syntax",
                key + ": cannot read the value: " + parsed.error().message,
                "it is kept as written; put double quotes around the value, inside the shell's quotes");
        }
        if (parsed->value && isBlock(*parsed) && importBlock(*parsed)) return;
        if (!parsed->value || !isProfilerKey(parsed->key)) return keepOther(word, *parsed);
        const Result<bool> imported = importVerlSetting(m_made.config, m_schema, parsed->key, *parsed->value);
        if (!imported) {
            return keep(word, Severity::error, "override.type", parsed->key + " " + imported.error().message,
                        "it is kept as written");
        }
        if (!*imported) return keepUnknown(word, parsed->key);
        checkPrefix(*parsed);
    }

    void keepOther(const std::string& word, const HydraOverride& parsed)
    {
        const bool fatal =
            parsed.prefix == OverridePrefix::remove && parsed.key.ends_with("capture-range-end");
        keep(word, Severity::error, "override.removed",
             fatal ? "verl always reads capture-range-end: removing the key makes the launch fail" : "",
             "remove this override; the plan sets the option");
    }

    // Returns whether an override contains a map of settings, such as ...profiler={enable:true,ranks:[0]}.
    bool isBlock(const HydraOverride& parsed) const
    {
        return parsed.value->kind == ConfigValue::Kind::map && !parsed.value->items.empty() &&
               isProfilerKey(parsed.key + ".") && !isVerlKeyRead(m_trainer, m_schema, parsed.key);
    }

    // Imports all leaves of the map as fields. If that is not possible for one of them, imports none and
    // keeps the override.
    bool importBlock(const HydraOverride& parsed)
    {
        SessionConfig changed = m_made.config;
        if (!importLeaves(changed, parsed.key, *parsed.value)) return false;
        m_made.config = std::move(changed);
        return true;
    }

    bool importLeaves(SessionConfig& config, const std::string& key, const ConfigValue& map) const
    {
        for (size_t i = 0; i < map.keys.size(); ++i) {
            const std::string below = key + "." + map.keys[i];
            const ConfigValue& value = map.items[i];
            if (value.kind == ConfigValue::Kind::map && !isVerlKeyRead(m_trainer, m_schema, below)) {
                if (!importLeaves(config, below, value)) return false;
                continue;
            }
            const Result<bool> imported = importVerlSetting(config, m_schema, below, value);
            if (!imported || !*imported) return false;
        }
        return true;
    }

    void keepUnknown(const std::string& word, const std::string& key)
    {
        keep(word, Severity::warning, "override.unknown", unreadVerlKeyReason(m_trainer, m_schema, key),
             "it is kept as written; check it against the YAML of the verl checkout");
    }

    // Checks the prefix (none, + or ++) of an override whose key exists in the YAML.
    void checkPrefix(const HydraOverride& parsed)
    {
        if (parsed.prefix != OverridePrefix::add) return;
        const VerlKey* known = findVerlKey(m_trainer, m_schema, parsed.key);
        if (known == nullptr) return; // an nsys option, which can be added with +
        // The defaults of these keys are null, a list or a map, which + can replace.
        const bool replaceable = parsed.key.ends_with(".tool") || parsed.key.ends_with(".steps") ||
                                 parsed.key.ends_with(".ranks") || parsed.key.ends_with(".contents") ||
                                 parsed.key.ends_with("_cmd") ||
                                 parsed.key.ends_with("profile_token_start") ||
                                 parsed.key.ends_with("profile_token_end");
        const bool rolePath = parsed.key.ends_with(".profiler.save_path");
        if (replaceable || rolePath) return;
        m_made.findings.push_back(
            {Severity::warning,
             known->field,
             "override.plus",
             "+" + parsed.key + " makes Hydra fail: the key already exists, and + only adds new keys",
             "the plan writes ++, which adds or replaces",
             {}});
    }

    PastedCommand m_parts;
    VerlTrainer m_trainer = VerlTrainer::rl;
    VerlSchema m_schema = VerlSchema::head;
    ImportedSession m_made;
};

} // namespace

ImportedSession importVerlLaunch(TextPairs environment, std::vector<std::string> words)
{
    PastedCommand parts;
    parts.environment = std::move(environment);
    for (std::string& word : words)
        (looksLikeOverride(word) ? parts.overrides : parts.command).push_back(std::move(word));
    return OverrideListImport(std::move(parts)).import();
}

Result<ImportedSession> importOverrideList(std::string_view text)
{
    ShellWords pasted = LOCKSTEP_TRY(splitShellWords(text));
    ImportedSession made = OverrideListImport(partsOf(std::move(pasted.words))).import();
    if (pasted.hasExpansion) {
        made.findings.push_back(
            {Severity::warning,
             "command",
             "import.expansion",
             "the pasted text contains $ or `, which a shell would expand; they are kept as written",
             "replace the variables with their values",
             {}});
    }
    return made;
}

} // namespace lockstep
