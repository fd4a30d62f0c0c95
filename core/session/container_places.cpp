// SPDX-License-Identifier: Apache-2.0
#include "core/session/container_places.h"

#include <algorithm>
#include <array>
#include <functional>

#include "core/base/text.h"
#include "core/session/expected_files.h"
#include "core/session/preflight_rules.h"

namespace lockstep {

namespace {

// Reads HOST[:INSIDE[:OPTIONS]]. Without INSIDE, the folder has the same path on both sides.
void addMount(std::string_view text, ContainerPlaces& places)
{
    const std::vector<std::string_view> parts = splitAt(text, ':');
    if (!parts[0].starts_with('/') && !parts[0].starts_with('~') && !parts[0].starts_with('$'))
        return; // a named volume, which is no folder of the host
    places.mounts.emplace_back(parts[0], parts.size() > 1 && !parts[1].empty() ? parts[1] : parts[0]);
}

// Reads the value of --mount: type=bind,source=HOST,target=INSIDE.
void addLongMount(std::string_view text, ContainerPlaces& places)
{
    std::string source, target;
    for (const std::string_view part : splitAt(text, ',')) {
        const size_t sign = part.find('=');
        const std::string_view key = part.substr(0, sign);
        const std::string_view value = sign == std::string_view::npos ? "" : part.substr(sign + 1);
        if (key == "source" || key == "src") source = value;
        if (key == "target" || key == "dst" || key == "destination") target = value;
    }
    if (source.starts_with('/') && !target.empty()) places.mounts.emplace_back(source, target);
}

// Calls `use` with the value of each of the options: --name VALUE, --name=VALUE, and -nVALUE for short names.
void eachValue(const std::vector<std::string>& words, std::initializer_list<std::string_view> names,
               const std::function<void(std::string_view)>& use)
{
    for (size_t i = 0; i < words.size(); ++i) {
        const std::string_view word = words[i];
        for (const std::string_view name : names) {
            const bool isLong = name.starts_with("--");
            if (word == name && i + 1 < words.size()) {
                use(words[i + 1]);
            } else if (word.starts_with(name) && word.size() > name.size()) {
                const std::string_view rest = word.substr(name.size());
                if (rest.front() == '=') use(rest.substr(1));
                if (rest.front() != '=' && !isLong) use(rest);
            }
        }
    }
}

bool hasOption(const std::vector<std::string>& words, std::initializer_list<std::string_view> names)
{
    return std::ranges::any_of(words, [&](const std::string& word) {
        return std::ranges::any_of(names, [&](std::string_view name) {
            return word == name || word.starts_with(std::string(name) + "=");
        });
    });
}

void readDocker(const std::vector<std::string>& words, ContainerPlaces& places)
{
    places.areMountsKnown = std::ranges::find(words, "exec") == words.end();
    eachValue(words, {"-v", "--volume"}, [&](std::string_view text) { addMount(text, places); });
    eachValue(words, {"--mount"}, [&](std::string_view text) { addLongMount(text, places); });
}

void readApptainer(const SessionConfig& config, const std::vector<std::string>& words,
                   ContainerPlaces& places)
{
    eachValue(words, {"-B", "--bind"}, [&](std::string_view text) {
        for (const std::string_view one : splitAt(text, ','))
            addMount(one, places);
    });
    if (hasOption(words, {"-c", "--contain", "-C", "--containall", "--no-mount"})) return;
    for (const char* folder : {"/tmp", "/var/tmp", "~"})
        places.mounts.emplace_back(folder, folder);
    if (!config.workingFolder.empty()) places.mounts.emplace_back(config.workingFolder, config.workingFolder);
}

void readPyxis(const std::vector<std::string>& words, ContainerPlaces& places)
{
    eachValue(words, {"--container-mounts"}, [&](std::string_view text) {
        for (const std::string_view one : splitAt(text, ','))
            addMount(one, places);
    });
    if (hasOption(words, {"--container-mount-home"})) places.mounts.emplace_back("~", "~");
}

// Returns the folder that a mount has to show: without patterns, and Ray's temporary folder for its sessions.
std::string fixedPart(const std::string& folder)
{
    const size_t session = folder.find("/session_");
    if (session != std::string::npos) return folder.substr(0, session);
    const size_t sign = folder.find_first_of("*?[");
    return sign == std::string::npos ? folder : folder.substr(0, folder.rfind('/', sign));
}

} // namespace

std::optional<std::string> ContainerPlaces::onHost(std::string_view inside) const
{
    const std::pair<std::string, std::string>* best = nullptr;
    for (const auto& mount : mounts) {
        std::string_view folder = mount.second;
        while (folder.size() > 1 && folder.ends_with('/'))
            folder.remove_suffix(1);
        const bool contains = inside == folder || folder == "/" ||
                              (inside.starts_with(folder) && inside.substr(folder.size()).starts_with('/'));
        if (contains && (best == nullptr || mount.second.size() > best->second.size())) best = &mount;
    }
    if (best == nullptr) return std::nullopt;
    std::string host = best->first;
    while (host.ends_with('/'))
        host.pop_back();
    std::string_view folder = best->second;
    while (folder.ends_with('/'))
        folder.remove_suffix(1);
    host += inside.substr(folder.size());
    return host.empty() ? "/" : host;
}

ContainerPlaces containerPlaces(const SessionConfig& config)
{
    static constexpr std::array<std::string_view, 3> kDocker{"docker", "podman", "nerdctl"};
    static constexpr std::array<std::string_view, 2> kApptainer{"apptainer", "singularity"};
    ContainerPlaces places;
    std::vector<std::string> words = config.containerPrefix;
    if (config.launcher.kind == LauncherKind::slurm)
        words.insert(words.end(), config.launcher.slurmOptions.begin(), config.launcher.slurmOptions.end());
    for (const std::string& word : words) {
        const std::string name = word.substr(word.rfind('/') + 1); // if there is no slash, npos + 1 is 0
        if (std::ranges::find(kDocker, name) != kDocker.end()) {
            places.program = name;
            readDocker(words, places);
            return places;
        }
        if (std::ranges::find(kApptainer, name) != kApptainer.end()) {
            places.program = name;
            readApptainer(config, words, places);
            return places;
        }
    }
    if (hasOption(words, {"--container-image", "--container-name"})) {
        places.program = "Pyxis";
        readPyxis(words, places);
    } else if (!config.containerPrefix.empty()) {
        places.program = config.containerPrefix.front();
        places.areMountsKnown = false;
    }
    return places;
}

void checkContainerFolders(const RecipeInput& input, Findings& findings)
{
    const SessionConfig& config = input.config;
    const ContainerPlaces places = containerPlaces(config);
    if (places.program.empty() || !config.tool) return;
    std::vector<std::string> checked;
    for (const ExpectedFile& file : forecastFiles(config, input.facts)) {
        std::string folder = fixedPart(file.folder);
        const bool isRelative = !folder.starts_with('/') && !folder.starts_with('~');
        if (isRelative && !config.workingFolder.empty()) folder = config.workingFolder + "/" + folder;
        if (folder.empty() || std::ranges::find(checked, folder) != checked.end()) continue;
        checked.push_back(folder);
        if (places.onHost(folder)) continue;
        const bool isPyxis = places.program == "Pyxis";
        const bool isApptainer = places.program == "apptainer" || places.program == "singularity";
        const std::string option = (isPyxis       ? "--container-mounts="
                                    : isApptainer ? "--bind "
                                                  : "-v ") +
                                   folder + ":" + folder;
        addFinding(findings, Severity::warning, "container", "container.folder",
                   places.areMountsKnown
                       ? "reports in " + folder +
                             " stay inside the container: no mount shows this folder on the host"
                       : "it is not known whether the host sees the reports in " + folder +
                             ": the mounts of the container are not in the session",
                   places.areMountsKnown ? "add " + option : "start the container with " + option);
    }
}

} // namespace lockstep
