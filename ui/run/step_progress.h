// SPDX-License-Identifier: Apache-2.0
// StepProgress: the training steps of a run as its log tells them: when each began and ended, and, where the
// framework prints them, how long its phases took. Filled by RunFeed, drawn by StepChart. UI thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep {

struct StepPhase {
    std::string name; // "generate", "ref", "update"
    std::string role; // for its colour, see Theme::roleColor()
    double seconds = 0;

    friend bool operator==(const StepPhase&, const StepPhase&) = default;
};

struct StepSpan {
    int64_t step = 0;
    int64_t begin_ns = 0;          // Unix epoch, the node's clock
    std::optional<int64_t> end_ns; // empty: it runs
    std::vector<StepPhase> phases; // in the order of the step; empty where the log does not tell
    bool isRecorded = false;       // by the session's choice of steps
};

// What one line of a metrics log says about a finished step.
struct StepTimings {
    int64_t step = 0;
    double seconds = 0; // of the whole step; 0 where it is not said
    std::vector<StepPhase> phases;
};
// verl's console logger: "step:12 - actor/... - timing_s/gen:31.2 - timing_s/step:88.1 ...", after whatever
// Ray puts before a line.
std::optional<StepTimings> stepTimingsOf(std::string_view line);

class StepProgress {
  public:
    void clear();
    void setRecorded(std::vector<int64_t> steps) { m_recorded = std::move(steps); }
    // The step event of a host: a step was named at that time. The first host to name a step counts.
    void noteStep(int64_t step, int64_t time_ns);
    void noteTimings(const StepTimings& timings, int64_t time_ns);
    // No step runs any more.
    void noteEnd(int64_t time_ns);

    // In the order of their numbers.
    std::vector<StepSpan> steps() const;
    std::optional<int64_t> latest() const;

  private:
    std::map<int64_t, StepSpan> m_steps;
    std::vector<int64_t> m_recorded;
};

} // namespace lockstep
