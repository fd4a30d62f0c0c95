// SPDX-License-Identifier: Apache-2.0
#include "core/session/session_yaml.h"

#include <algorithm>

#include "core/base/mapped_file.h"
#include "core/base/output_file.h"
#include "core/session/recipes/recipe_library.h"
#include "core/session/secrets.h"
#include "core/session/session_fields.h"
#include "core/session/typed_value.h"
#include "core/session/yaml_patch.h"
#include "core/session/yaml_text.h"
#include "core/session/yaml_tree.h"

namespace lockstep {

namespace {

constexpr std::string_view kVersionKey = "lockstep_session";
constexpr std::string_view kHeader = "# Lockstep session\n";

std::string dotted(const std::vector<std::string>& path)
{
    std::string text;
    for (const std::string& key : path)
        text += (text.empty() ? "" : ".") + key;
    return text;
}

bool isSection(std::string_view path)
{
    const std::string prefix = std::string(path) + ".";
    for (const SessionField& field : sessionFields()) {
        if (field.path.starts_with(prefix)) return true;
    }
    return false;
}

// Reads fields wherever their path occurs, and keeps all other keys as unknown.
Status readMap(SessionConfig& config, const ConfigValue& map, std::vector<std::string>& path)
{
    for (size_t i = 0; i < map.keys.size(); ++i) {
        if (path.empty() && map.keys[i] == kVersionKey) continue;
        path.push_back(map.keys[i]);
        const std::string name = dotted(path);
        const ConfigValue& value = map.items[i];
        // A key that itself contains a dot is never treated as a path.
        const bool known = map.keys[i].find('.') == std::string::npos;
        if (known && findSessionField(name) != nullptr) {
            LOCKSTEP_TRY(setSessionField(config, name, value));
        } else if (known && isSection(name) && value.kind == ConfigValue::Kind::map) {
            LOCKSTEP_TRY(readMap(config, value, path));
        } else if (known && isSection(name) && value.kind != ConfigValue::Kind::null) {
            return tl::make_unexpected(withContext(valueError(value, "a map").value(), name));
        } else if (!(known && isSection(name))) {
            config.unknown.push_back({path, value});
        }
        path.pop_back();
    }
    return {};
}

// Moves settings of the recipe that older versions wrote at another place of the file.
Status readFormerSettings(SessionConfig& config)
{
    const LaunchRecipe* recipe = findLaunchRecipe(enumName(config.framework));
    if (recipe == nullptr) return {};
    for (const RecipeSetting& setting : recipe->settings) {
        const size_t dot = setting.formerly.find('.');
        if (dot == std::string::npos) continue;
        const std::vector<std::string> above{setting.formerly.substr(0, dot)};
        const auto map = std::ranges::find(config.unknown, above, &UnknownKey::path);
        const std::string key = setting.formerly.substr(dot + 1);
        const ConfigValue* found = map == config.unknown.end() ? nullptr : map->value.find(key);
        if (found == nullptr) continue;
        if (findSessionField(setting.name) != nullptr) {
            LOCKSTEP_TRY(setSessionField(config, setting.name, *found));
        } else if (found->kind != ConfigValue::Kind::null) {
            config.settings.set(setting.name, *found);
        }
        map->value.erase(key);
        if (map->value.kind == ConfigValue::Kind::null) config.unknown.erase(map);
    }
    return {};
}

ConfigValue& mapAt(ConfigValue& root, std::span<const std::string> path)
{
    ConfigValue* at = &root;
    for (const std::string& key : path) {
        const ConfigValue* found = at->find(key);
        at = found != nullptr ? const_cast<ConfigValue*>(found) : &at->set(key, ConfigValue::emptyMap());
    }
    return *at;
}

std::vector<std::string> keysOf(std::string_view path)
{
    std::vector<std::string> keys;
    for (size_t dot = path.find('.'); dot != std::string_view::npos; dot = path.find('.')) {
        keys.emplace_back(path.substr(0, dot));
        path.remove_prefix(dot + 1);
    }
    keys.emplace_back(path);
    return keys;
}

std::string_view commentOf(std::string_view path)
{
    if (path == kVersionKey) return "version of this file's layout";
    if (const SessionField* field = findSessionField(path)) return field->comment;
    return sessionSectionComment(path);
}

} // namespace

Result<SessionConfig> sessionFromYaml(std::string_view text)
{
    const ConfigValue root = LOCKSTEP_TRY(readYaml(text));
    if (root.kind != ConfigValue::Kind::map) {
        return makeError(ErrorKind::invalid,
                         "line 1, column 1: this is not a session: it must be a map of keys, such as "
                         "lockstep_session: 1",
                         HelpTopic::session);
    }
    int64_t version = kSessionVersion;
    if (const ConfigValue* found = root.find(kVersionKey)) LOCKSTEP_TRY(assign(version, *found));
    if (version > kSessionVersion) {
        return makeError(ErrorKind::unsupported, "the session has version " + std::to_string(version) +
                                                     ", made by a newer Lockstep; this one reads version 1");
    }
    SessionConfig config;
    config.source.text = std::make_shared<const std::string>(text);
    std::vector<std::string> path;
    LOCKSTEP_TRY(readMap(config, root, path));
    LOCKSTEP_TRY(readFormerSettings(config));
    // Orders unknown keys for writing: keys in the same map are adjacent, and top-level keys come last.
    std::ranges::stable_sort(config.unknown, [](const UnknownKey& a, const UnknownKey& b) {
        if ((a.path.size() == 1) != (b.path.size() == 1)) return b.path.size() == 1;
        return std::ranges::lexicographical_compare(std::span(a.path).first(a.path.size() - 1),
                                                    std::span(b.path).first(b.path.size() - 1));
    });
    return config;
}

Status setSessionValue(SessionConfig& config, const std::vector<std::string>& path, const ConfigValue& value)
{
    if (path.empty()) return makeError(ErrorKind::invalid, "no key");
    ConfigValue map = ConfigValue::emptyMap();
    map.set(path.back(), value);
    SessionConfig changed = config;
    std::vector<std::string> above(path.begin(), path.end() - 1);
    LOCKSTEP_TRY(readMap(changed, map, above));
    config = std::move(changed);
    return {};
}

static ConfigValue treeOf(const SessionConfig& config)
{
    ConfigValue root = ConfigValue::emptyMap();
    root.set(kVersionKey, ConfigValue::fromInt(kSessionVersion));
    for (const SessionField& field : sessionFields()) {
        std::optional<ConfigValue> value = field.write(config);
        if (!value) continue;
        const std::vector<std::string> keys = keysOf(field.path);
        mapAt(root, std::span(keys).first(keys.size() - 1)).set(keys.back(), std::move(*value));
    }
    for (const UnknownKey& unknown : config.unknown) {
        if (unknown.path.empty()) continue;
        mapAt(root, std::span(unknown.path).first(unknown.path.size() - 1))
            .set(unknown.path.back(), unknown.value);
    }
    return root;
}

std::string canonicalYaml(const SessionConfig& config)
{
    return std::string(kHeader) + yamlText(treeOf(hideSecrets(config).config), commentOf);
}

std::string yamlFromSession(const SessionConfig& config)
{
    if (!config.source.text) return canonicalYaml(config);
    const std::string& source = *config.source.text;
    const Result<SessionConfig> was = sessionFromYaml(source);
    if (!was) return canonicalYaml(config);
    const HiddenSecrets hidden = hideSecrets(*was); // secrets in the old text are not written
    const ConfigValue before = treeOf(*was), after = treeOf(hideSecrets(config).config);
    // Comments may contain a secret, such as an old line that was commented out.
    std::string comments = commentLines(source, before, commentOf);
    const bool hasSecrets = !hidden.values.empty() || hidden.config.importedYaml != was->importedYaml ||
                            hidden.config.unknown != was->unknown || !findSecrets(comments).empty();
    if (*was == config && !hasSecrets) return source;
    std::string patched = patchedYaml(source, before, after, commentOf);
    const Result<SessionConfig> is = sessionFromYaml(patched);
    if (!hasSecrets && is && (*is == config || *is == hideSecrets(config).config) &&
        preservesComments(source, patched, before, commentOf))
        return patched;
    comments = withoutSecrets(std::move(comments), hidden.values);
    if (comments.starts_with(kHeader)) comments.erase(0, kHeader.size());
    return std::string(kHeader) + comments + yamlText(after, commentOf);
}

Result<SessionConfig> loadSession(const std::filesystem::path& path)
{
    const MappedFile file = LOCKSTEP_TRY(MappedFile::open(path));
    Result<SessionConfig> config = sessionFromYaml(file.text());
    if (!config) return tl::make_unexpected(withContext(config.error(), path.string()));
    return config;
}

Status saveSession(const SessionConfig& config, const std::filesystem::path& path)
{
    OutputFile file = LOCKSTEP_TRY(OutputFile::create(path));
    file.write(yamlFromSession(config));
    return file.commit();
}

} // namespace lockstep
