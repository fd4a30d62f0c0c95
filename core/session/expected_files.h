// SPDX-License-Identifier: Apache-2.0
// Forecast of the reports a run leaves: what, where, how many, about how large. Made from the plan's inputs,
// held against what the collector finds ("47 of 48"). Pure; any thread.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/session/host_facts.h"
#include "core/session/session_config.h"

namespace lockstep {

enum class ReportKind : uint8_t { nsysReport, torchTrace, memorySnapshot, captureSpool, npuProfile };
std::span<const std::string_view> wordsOf(ReportKind);

// Where Ray's workers leave their nsys reports on a host, every Ray session's; Ray's own default place.
inline constexpr std::string_view kRayReportFolder = "/tmp/ray/session_*/logs/nsight";

// Reports of one kind that one role writes on one host, alike but for rank, step and stage.
struct ExpectedFile {
    ReportKind kind = ReportKind::nsysReport;
    std::string role;                 // actor, ..., controller, or "" for programs without roles
    std::string host;                 // "" where only the run decides
    std::vector<int64_t> ranks;       // one or more reports each; empty where not known, see rankCount
    std::optional<int64_t> rankCount; // known even where ranks are not; empty = not known before the run
    int64_t reportsPerRank = 1;       // steps (or groups of them) x stages, all that may come
    int64_t maybePerRank = 0; // of them, those of stages that a configuration may do without: never missed
    std::vector<std::vector<int64_t>> steps; // the groups of steps, in report order
    std::string folder;
    std::string pattern;    // PCRE of the file name, named groups pid, rank, range, step, host
    int64_t size_bytes = 0; // of one report, rough: see expected_files.cpp

    // All that may come; 0 where the ranks are not known. All three stop at the largest number instead of
    // passing it.
    int64_t count() const;
    int64_t certainCount() const; // without those that may not come
    int64_t totalSize_bytes() const;
    // The n-th report of a rank, from 0, is of a stage that may not come. Stages of a step come in their
    // order and are counted on by an nsys range, so those left out are the last of a rank's; names with a
    // step tell which step lacks some.
    bool isMaybe(int64_t order) const;
};

std::vector<ExpectedFile> forecastFiles(const SessionConfig& config, std::span<const HostFacts> facts);

// Sums over all, and per host in the order of first mention.
struct ForecastTotal {
    std::string host;
    int64_t count = 0;      // that must come
    int64_t maybeCount = 0; // and that may
    int64_t size_bytes = 0; // of both
};
// "12", "12 to 36".
std::string countText(int64_t certain, int64_t maybe);
ForecastTotal forecastTotal(std::span<const ExpectedFile> files);
std::vector<ForecastTotal> forecastByHost(std::span<const ExpectedFile> files);
// A table for people: role, ranks x reports, count, size each, place.
std::string forecastText(std::span<const ExpectedFile> files);

// Rough sizes of one report, in bytes. Sources: a torch trace of one verl step measured 163 MB with stacks
// and shapes and 32 MB with light contents; the rest scales with what such steps record and is meant to find
// a full disk, no more.
int64_t nsysReportSize(size_t steps, bool discrete);
int64_t controllerReportSize();
int64_t torchTraceSize(const TorchOptions& torch, size_t steps);
int64_t memorySnapshotSize(const TorchMemoryOptions& memory);
int64_t captureSpoolSize(size_t steps);
int64_t npuProfileSize(size_t steps, bool discrete);

// Ranks split over the hosts in rank order, where every host's GPU count is known; else one part without a
// host.
struct HostRanks {
    std::string host;
    std::vector<int64_t> ranks;
};
std::vector<HostRanks> ranksByHost(std::span<const Host> hosts, const std::vector<int64_t>& ranks);

} // namespace lockstep
