// SPDX-License-Identifier: Apache-2.0
// Forecast of the reports that a run will write: kinds, places, counts and rough sizes. It is computed from
// the inputs of the plan and compared with the reports that the collector finds ("47 of 48"). Pure. Thread:
// any.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/session/host_facts.h"
#include "core/session/session_config.h"

namespace lockstep {

enum class ReportKind : uint8_t { nsysReport, torchTrace, memorySnapshot, captureSpool, npuProfile, samples };
std::span<const std::string_view> enumNames(ReportKind);

// The folder for nsys reports from Ray workers on a host, for all Ray sessions (Ray's default).
inline constexpr std::string_view kRayReportFolder = "/tmp/ray/session_*/logs/nsight";

// ExpectedFile describes the reports of one kind that one role writes on one host. They differ only in rank,
// step and stage.
struct ExpectedFile {
    ReportKind kind = ReportKind::nsysReport;
    // Such as actor or controller; "" for programs without roles. "actor, critic" if the reports of a process
    // do not show which of its roles wrote them.
    std::string role;
    std::string host;           // "" if the host becomes known only during the run
    std::vector<int64_t> ranks; // each rank writes one or more reports; empty if unknown, see rankCount
    // May be known even if the ranks are not; nullopt: unknown before the run.
    std::optional<int64_t> rankCount;
    int64_t reportsPerRank = 1;  // the maximum: steps (or groups of steps) x stages
    int64_t optionalPerRank = 0; // how many of reportsPerRank come from optional stages, which are never
                                 // reported as missing
    std::vector<std::vector<int64_t>> steps; // groups of steps, in report order
    std::string folder;
    // Patterns for the file name, one per line, with groups pid, rank, range, step, host. A pattern with '/'
    // also describes the names of the folders that contain the file.
    std::string pattern;
    int64_t size_bytes = 0; // rough size of one report; see expected_files.cpp
    // Why the number of ranks is unknown, and the remedy if there is one; "" if it is known.
    std::string unknownReason;

    // Returns false if the number of reports becomes known only during the run.
    bool isCountKnown() const { return !ranks.empty() || rankCount.has_value(); }
    // Returns the maximum number of reports, or 0 if it is unknown. Like the next two functions, it
    // saturates instead of overflowing.
    int64_t count() const;
    int64_t requiredCount() const; // Returns the number of reports without optional reports.
    int64_t totalSize_bytes() const;
    // Returns true if the n-th report of a rank (zero-based) belongs to an optional stage. Stages run in
    // order and nsys numbers its ranges consecutively, so missing optional reports are always the last
    // reports of a rank. If the file names contain the step, they show which step lacks reports.
    bool isOptional(int64_t order) const;
    // Returns the steps of the n-th report of a rank, if each optional stage before it writes its report. The
    // content may show other steps.
    std::vector<int64_t> stepsOf(int64_t order) const;
};

// ExpectedFile::unknownReason if only the number of GPUs is missing.
inline constexpr const char* kGpusUnknown = "the number of GPUs is not known; set it for every host";

std::vector<ExpectedFile> forecastFiles(const SessionConfig& config, std::span<const HostFacts> facts);

// Totals over all files, and per host in order of first appearance.
struct ForecastTotal {
    std::string host;
    int64_t count = 0;              // certain reports
    int64_t optionalCount = 0;      // optional reports
    int64_t size_bytes = 0;         // total size of both
    bool isKnown = false;           // at least one number is known
    bool isPartial = false;         // at least one number is unknown, so the sums are lower bounds
    std::string unknownReason = {}; // of the first unknown number
};
// Returns "12" or "12 to 36".
std::string countText(int64_t required, int64_t optionalCount);
// Returns "12", "12 to 36", "at least 12" or "unknown".
std::string countText(const ForecastTotal& total);
ForecastTotal forecastTotal(std::span<const ExpectedFile> files);
std::vector<ForecastTotal> forecastByHost(std::span<const ExpectedFile> files);
// Returns a printable table with role, ranks x reports, count, size of each report, and place.
std::string forecastText(std::span<const ExpectedFile> files);

// Returns the rough size of one report in bytes. Source: a measured torch trace of one verl step took 163 MB
// with stacks and shapes, and 32 MB with less detailed contents. The other sizes are scaled from these two
// and only serve to predict a full disk.
int64_t nsysReportSize(size_t steps, bool discrete);
int64_t controllerReportSize();
int64_t torchTraceSize(const TorchOptions& torch, size_t steps);
int64_t memorySnapshotSize(const TorchMemoryOptions& memory);
int64_t captureSpoolSize(size_t steps);
int64_t npuProfileSize(size_t steps, bool discrete);
int64_t samplesSize(); // for 256 samples of 4,000 tokens, with a number for each token

// Splits the ranks over the hosts in rank order if the GPU count of every host is known; otherwise returns
// one part without a host.
struct HostRanks {
    std::string host;
    std::vector<int64_t> ranks;
};
std::vector<HostRanks> ranksByHost(std::span<const Host> hosts, const std::vector<int64_t>& ranks);

} // namespace lockstep
