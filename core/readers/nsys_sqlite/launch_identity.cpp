// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "core/base/text.h"
#include "core/readers/nsys_sqlite/export_facts.h"

namespace lockstep {

namespace {

struct Variable {
    std::string_view name;
    std::string value;
    std::string source;
};

// Parses `NAME="value"` or NAME=value; returns the value if the name matches.
std::optional<std::string> valueOf(std::string_view assignment, std::string_view name)
{
    if (!assignment.starts_with(name) || assignment.substr(name.size(), 1) != "=") return std::nullopt;
    std::string_view value = assignment.substr(name.size() + 1);
    if (value.size() >= 2 && value.front() == '"' && value.back() == '"')
        value = value.substr(1, value.size() - 2);
    return std::string(value);
}

// Returns the variable of the launched process, otherwise the variable of the agent on the machine.
std::optional<Variable> findVariable(const ExportFacts& facts, std::string_view name)
{
    for (const std::string_view key : {"PROCESS_0:ENVIRONMENT_VARIABLE", "ENVIRONMENT_VARIABLE"}) {
        const auto [begin, end] = facts.captured.equal_range(key);
        for (auto entry = begin; entry != end; ++entry) {
            if (auto value = valueOf(entry->second, name)) {
                return Variable{name, *value, "META_DATA_CAPTURE environment variable " + std::string(name)};
            }
        }
    }
    std::string_view rest = firstValue(facts.system, "DeviceEnvironment");
    while (!rest.empty()) {
        const size_t end = std::min(rest.find(';'), rest.size());
        if (auto value = valueOf(rest.substr(0, end), name)) {
            return Variable{name, *value, "TARGET_INFO_SYSTEM_ENV DeviceEnvironment " + std::string(name)};
        }
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return std::nullopt;
}

struct Candidate {
    std::string_view name;
    // guessed for the scheduler's number, which is the rank only if there is one task per rank
    Confidence confidence;
};

template<size_t N>
void learnFirst(const ExportFacts& facts, const std::array<Candidate, N>& candidates, Sourced<int>& field)
{
    for (const Candidate& candidate : candidates) {
        const auto variable = findVariable(facts, candidate.name);
        const auto number = variable ? parseInt(variable->value) : std::nullopt;
        if (number && *number >= 0 && *number < 1 << 24) {
            field.learn(static_cast<int>(*number), variable->source, candidate.confidence);
        }
    }
}

} // namespace

void readLaunchIdentity(const ExportFacts& facts, size_t gpuProcesses, Identity& identity)
{
    using enum Confidence;
    static constexpr std::array<Candidate, 4> kRank{{{"RANK", stated},
                                                     {"OMPI_COMM_WORLD_RANK", stated},
                                                     {"PMI_RANK", guessed},
                                                     {"SLURM_PROCID", guessed}}};
    static constexpr std::array<Candidate, 4> kLocalRank{{{"LOCAL_RANK", stated},
                                                          {"OMPI_COMM_WORLD_LOCAL_RANK", stated},
                                                          {"MPI_LOCALRANKID", guessed},
                                                          {"SLURM_LOCALID", guessed}}};
    static constexpr std::array<Candidate, 4> kWorldSize{{{"WORLD_SIZE", stated},
                                                          {"OMPI_COMM_WORLD_SIZE", stated},
                                                          {"PMI_SIZE", guessed},
                                                          {"SLURM_NTASKS", guessed}}};
    const std::string_view host = firstValue(facts.system, "Hostname");
    if (!host.empty()) identity.host.learn(std::string(host), "TARGET_INFO_SYSTEM_ENV Hostname", stated);
    if (gpuProcesses > 1) return;
    learnFirst(facts, kRank, identity.rank);
    learnFirst(facts, kLocalRank, identity.localRank);
    learnFirst(facts, kWorldSize, identity.worldSize);
}

} // namespace lockstep
