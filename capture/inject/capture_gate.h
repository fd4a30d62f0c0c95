// SPDX-License-Identifier: Apache-2.0
// CaptureGate: when a report is opened and closed, by the rules of verl's profilers: which ranks take part,
// which steps are recorded, one report a step or one a stage, neighbouring steps joined. Pure; it is told
// what the program does and answers what to do. One per process; its owner locks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::capture {

enum class RangeKind : uint8_t {
    all,         // from the library's loading to the process's end, or the chosen steps of it
    profilerApi, // cudaProfilerStart to cudaProfilerStop
    nvtx         // ranges of one name
};

enum class StepsAre : uint8_t {
    ordinals, // the n-th capture range of the process
    names,    // ranges named like "step N", and step(N) of the C and Python interface
    listed // the program opens its ranges for the listed steps only: the n-th range is the n-th step of the
           // list
};

struct GateSettings {
    RangeKind range = RangeKind::all;
    std::string name;           // of the capture range; one '*' at its end stands for any rest
    std::string domain;         // "" the default domain, "*" any
    std::vector<int64_t> steps; // empty = all; sorted, each once
    StepsAre stepsAre = StepsAre::names;
    bool isDiscrete = false;   // one report an annotated stage
    bool isContinuous = false; // steps that follow each other share a report
    std::vector<int64_t> ranks;
    bool isAllRanks = false;
    std::string role;
};

// What a report is of.
struct ReportLabel {
    std::optional<int64_t> step;  // the first where it holds several
    std::optional<int64_t> range; // n-th capture range, 1-based
    std::string role;             // "" = the process's
    std::string stage;
    std::string processRole = {}; // that was known when the report began; the Recorder's

    friend bool operator==(const ReportLabel&, const ReportLabel&) = default;
};

struct GateDecision {
    bool closes = false; // the open report, first
    std::optional<ReportLabel> opens;
};

class CaptureGate {
  public:
    explicit CaptureGate(GateSettings settings) : m_settings(std::move(settings)) {}

    // The rank gate: all ranks, else the listed, else rank 0 when enabled. A program without ranks is its own
    // rank 0; where ranks are listed, one whose rank is unknown takes no part.
    static bool isRankChosen(const GateSettings& settings, bool isEnabled, std::optional<int> rank);
    // Why no report was opened so far, as a sentence for people.
    std::string whyNothing() const;
    // "step 12", "Step#3", "ProfilerStep#3", "train_step_7".
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
    // True where names of ranges must be looked at.
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
    std::optional<int64_t> m_step;     // the one the program is in
    std::optional<int64_t> m_openStep; // the last one of the open report
    int64_t m_ranges = 0;              // capture ranges that began
    int64_t m_steps = 0;               // steps that began; the last one:
    int64_t m_lastStep = 0;
};

} // namespace lockstep::capture
