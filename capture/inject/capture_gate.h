// SPDX-License-Identifier: Apache-2.0
// CaptureGate decides when a report is opened and closed, by the rules of verl's profilers: which ranks and
// steps are recorded, whether there is one report per step or per stage, and whether adjacent steps are
// joined. It is pure logic: it receives what the program does and returns what to do. One per process; its
// owner does the locking.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::capture {

enum class RangeKind : uint8_t {
    all, // from loading the library to the end of the process, or only the selected steps in that time
    profilerApi, // from cudaProfilerStart to cudaProfilerStop
    nvtx         // ranges with a given name
};

enum class StepsAre : uint8_t {
    ordinals, // the n-th capture range of the process
    names,    // ranges named like "step N", and step(N) of the C and Python interface
    listed    // the program opens ranges for the listed steps only, so the n-th range is the n-th listed step
};

struct GateSettings {
    RangeKind range = RangeKind::all;
    std::string name;           // name of the capture range; a trailing '*' matches any text
    std::string domain;         // "" = default domain, "*" = any
    std::vector<int64_t> steps; // sorted, without duplicates; empty = all
    StepsAre stepsAre = StepsAre::names;
    bool isDiscrete = false;   // one report per annotated stage
    bool isContinuous = false; // adjacent steps share a report
    std::vector<int64_t> ranks;
    bool isAllRanks = false;
    std::string role;
};

// Identifies what a report covers.
struct ReportLabel {
    std::optional<int64_t> step;  // the first step if the report covers several
    std::optional<int64_t> range; // 1-based index of the capture range
    std::string role;             // "" = role of the process
    std::string stage;
    std::string processRole = {}; // role known when the report began; set by Recorder

    friend bool operator==(const ReportLabel&, const ReportLabel&) = default;
};

struct GateDecision {
    bool closes = false; // close the open report before opening another
    std::optional<ReportLabel> opens;
};

class CaptureGate {
  public:
    explicit CaptureGate(GateSettings settings) : m_settings(std::move(settings)) {}

    // Returns true if the rank is recorded: all ranks, otherwise the listed ranks, otherwise rank 0 if
    // enabled. A program without ranks counts as rank 0. If ranks are listed, a process with an unknown rank
    // is not recorded.
    static bool isRankChosen(const GateSettings& settings, bool isEnabled, std::optional<int> rank);
    // Returns the reason why no report was opened so far, as a readable sentence.
    std::string noReportReason() const;
    // Parses step names such as "step 12", "Step#3", "ProfilerStep#3" and "train_step_7".
    static std::optional<int64_t> stepOfName(std::string_view name);
    bool isCaptureRange(std::string_view name, std::string_view domain) const;

    GateDecision started();
    GateDecision rangeBegan(std::string_view name);
    GateDecision rangeEnded();
    GateDecision stepBegan(int64_t step);
    GateDecision stepEnded();
    GateDecision stageBegan(std::string_view role, std::string_view stage);
    GateDecision stageEnded();

    bool isOpen() const { return m_isOpen; }
    // Returns true if range names must be checked.
    bool watchesNames() const;

  private:
    bool isChosen(int64_t step) const;
    GateDecision open(ReportLabel label);
    GateDecision close();
    GateDecision beginSpan(std::optional<int64_t> step);
    GateDecision endSpan();

    GateSettings m_settings;
    bool m_isOpen = false;
    bool m_isInRange = false;
    bool m_isInStage = false;
    bool m_stageOpened = false;
    std::optional<int64_t> m_step;     // current step of the program
    std::optional<int64_t> m_openStep; // last step of the open report
    int64_t m_ranges = 0;              // number of capture ranges that began
    int64_t m_steps = 0;               // number of steps that began, and the last of these steps
    int64_t m_lastStep = 0;
};

} // namespace lockstep::capture
