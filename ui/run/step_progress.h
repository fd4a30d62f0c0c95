// SPDX-License-Identifier: Apache-2.0
// StepProgress: the training steps of a run as reported by its log: the start and end of each step and, if
// the framework prints them, the durations of its phases. RunFeed fills it, StepChart draws it. UI thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep {

struct StepPhase {
    std::string name; // see rlPhaseName(); for other phases as in the log
    std::string role; // for the color, see Theme::roleColor()
    double seconds = 0;

    friend bool operator==(const StepPhase&, const StepPhase&) = default;
};

struct StepSpan {
    int64_t step = 0;
    int64_t begin_ns = 0;          // Unix epoch, host clock
    std::optional<int64_t> end_ns; // empty while the step runs
    std::vector<StepPhase> phases; // in chronological order; empty if the log does not report phases
    bool isRecorded = false;       // the session records this step
};

// StepTimings holds the timings of a finished step, parsed from one line of a metrics log.
struct StepTimings {
    int64_t step = 0;
    double seconds = 0; // duration of the whole step; 0 if not reported
    std::vector<StepPhase> phases;
};
// Parses a line that ends a step and has its timings, by the recipes' signs, such as "step:12 - actor/... -
// timing_s/gen:31.2 - timing_s/step:88.1 ...". Returns nullopt for other lines. Cheap for lines without
// timings.
std::optional<StepTimings> stepTimingsOf(std::string_view line);

class StepProgress {
  public:
    void clear();
    void setRecorded(std::vector<int64_t> steps) { m_recorded = std::move(steps); }
    // Begins a step at the time of a host's step event. Later events for the same step are ignored.
    void noteStep(int64_t step, int64_t time_ns);
    void noteTimings(const StepTimings& timings, int64_t time_ns);
    // Ends the running step, if any.
    void noteEnd(int64_t time_ns);

    // Returns the steps in ascending order.
    std::vector<StepSpan> steps() const;
    std::optional<int64_t> latest() const;

  private:
    std::map<int64_t, StepSpan> m_steps;
    std::vector<int64_t> m_recorded;
};

} // namespace lockstep
