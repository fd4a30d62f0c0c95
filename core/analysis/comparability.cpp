// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <set>

#include "core/align/step_markers.h"
#include "core/analysis/comparison.h"

namespace lockstep {

namespace {

using FactTexts = std::set<std::string>;

// Properties in reports that affect measurements, by the names that the readers use for them.
constexpr std::array<std::string_view, 20> kComparedFacts{"GPU driver",
                                                          "CUDA driver",
                                                          "CUDA",
                                                          "cuda_driver_version",
                                                          "cuda_runtime_version",
                                                          "NCCL",
                                                          "Distributed backend",
                                                          "Command",
                                                          "CUDA graph trace",
                                                          "record_shapes",
                                                          "profile_memory",
                                                          "with_stack",
                                                          "with_flops",
                                                          "with_modules",
                                                          "Capture range",
                                                          "CPU",
                                                          "CPU cores",
                                                          "Operating system",
                                                          "Kernel",
                                                          "cupti_version"};

FactTexts factsNamed(const Workspace& workspace, std::string_view name)
{
    FactTexts values;
    for (const ReportKey key : workspace.keys()) {
        for (const Fact& fact : workspace.report(key).facts) {
            if (fact.first == name) values.insert(fact.second);
        }
    }
    return values;
}

FactTexts gpusOf(const Workspace& workspace)
{
    FactTexts names;
    for (const ReportKey key : workspace.keys()) {
        const Report& report = workspace.report(key);
        for (const Device& device : report.devices) {
            const std::string_view name = report.strings.at(device.name);
            if (!name.empty()) names.emplace(name);
        }
    }
    return names;
}

FactTexts producersOf(const Workspace& workspace)
{
    FactTexts producers;
    for (const ReportKey key : workspace.keys()) {
        const Provenance& file = workspace.report(key).provenance;
        producers.insert(file.producer.empty() ? file.kind : file.producer);
    }
    return producers;
}

FactTexts ranksOf(const Workspace& workspace)
{
    FactTexts ranks;
    for (const ReportKey key : workspace.keys()) {
        for (size_t p = 0; p < workspace.report(key).processes.size(); ++p) {
            const Identity& identity = workspace.identity(key, ProcessId(p));
            if (identity.rank.isKnown())
                ranks.insert(identity.role.value.value_or("") + " " + std::to_string(*identity.rank.value));
        }
    }
    return ranks;
}

FactTexts stepsOfRun(const Workspace& workspace)
{
    FactTexts steps;
    for (const ReportKey key : workspace.keys()) {
        const HostSteps marks = findHostSteps(workspace.report(key), {});
        for (const StepMark& mark : marks.marks)
            steps.insert(marks.word + " " + std::to_string(mark.number));
        const Identity& identity = workspace.identity(key, {});
        if (marks.marks.empty() && identity.step.isKnown())
            steps.insert("step " + std::to_string(*identity.step.value));
    }
    return steps;
}

std::string listed(const FactTexts& values)
{
    constexpr size_t kMax = 3, kLongest = 120;
    std::string text;
    size_t count = 0;
    for (const std::string& value : values) {
        if (++count > kMax) return text + ", and " + std::to_string(values.size() - kMax) + " more";
        text += (text.empty() ? "" : ", ") +
                (value.size() <= kLongest ? value : value.substr(0, kLongest) + "...");
    }
    return text.empty() ? "not recorded" : text;
}

void compareTexts(std::string_view what, const FactTexts& before, const FactTexts& after,
                  std::vector<std::string>& out)
{
    if (before == after) return;
    out.push_back(std::string(what) + ": before " + listed(before) + "; after " + listed(after));
}

void compareCounts(std::string_view what, size_t before, size_t after, std::vector<std::string>& out)
{
    if (before == after) return;
    out.push_back(std::string(what) + ": before " + std::to_string(before) + "; after " +
                  std::to_string(after));
}

} // namespace

std::vector<std::string> differencesOf(const Workspace& before, const Workspace& after)
{
    std::vector<std::string> out;
    compareTexts("GPU", gpusOf(before), gpusOf(after), out);
    for (const std::string_view name : kComparedFacts)
        compareTexts(name, factsNamed(before, name), factsNamed(after, name), out);
    compareTexts("recorded by", producersOf(before), producersOf(after), out);
    compareCounts("reports", before.size(), after.size(), out);
    compareCounts("ranks", ranksOf(before).size(), ranksOf(after).size(), out);
    compareCounts("steps", stepsOfRun(before).size(), stepsOfRun(after).size(), out);
    return out;
}

} // namespace lockstep
