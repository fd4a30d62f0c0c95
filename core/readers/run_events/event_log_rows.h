// SPDX-License-Identifier: Apache-2.0
// EventLogRows: a host's event log, taken line by line, as rows of a report: commands and training steps as
// slices, what the agent samples as counters, comparisons of clocks. What it holds so far can be told at any
// time, so the log may still be growing. Nothing that a host writes is believed: numbers of GPUs, counts and
// stamps are bounded, and what is left out is counted. Used by the reader of run events and by LiveEventLog;
// one thread at a time.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/readers/run_events/clock_round_rows.h"
#include "core/readers/run_events/step_lines.h"
#include "core/trace/report_builder.h"

namespace lockstep {

// seq, t_ns and kind stand first in a line: within so many bytes.
inline constexpr size_t kEventHead_bytes = 96;

class EventLogRows {
  public:
    static constexpr int64_t kMostGpus = 1024;
    static constexpr size_t kMostSamples =
        32'000'000; // a year of a host with eight GPUs is more than it lives
    // A stamp farther than this from those on both sides of it is none.
    static constexpr int64_t kMostJump_ns = 3600ll * 1'000'000'000;

    // row: of the log, counted from 0. True when it tells something that is drawn.
    bool takeLine(std::string_view line, uint64_t row);
    // All that was taken. O(rows).
    void addTo(ReportBuilder& builder) const;
    // The report that a log of that name is, without what follows from its file.
    static void describe(Report& report, const std::filesystem::path& log, uint64_t size_bytes);

  private:
    struct CounterName {
        std::string text, unit;
        int gpu = -1;
        auto operator<=>(const CounterName&) const = default;
    };
    struct Command {
        std::string name;
        int64_t start_ns = 0;
        std::optional<int64_t> end_ns;
        uint64_t row = 0;
    };
    struct Jump { // a line whose number is not the next one
        uint64_t seq = 0;
        uint64_t row = 0;
        uint64_t unnumbered = 0; // damaged lines before it
    };
    struct Drawn { // one line's event
        Json event;
        int64_t time_ns = 0;
        uint64_t row = 0;
    };

    void note(const char* kind, const char* text, uint64_t row,
              NoteSeverity severity = NoteSeverity::warning);
    void takeNumber(uint64_t seq, uint64_t row);
    void noteGap(ImportNotes& notes, const Jump& jump) const;
    void noteOdd(uint64_t row);
    void takeEvent(const Json& event, int64_t time_ns, uint64_t row);
    void takeSample(const Json& event, int64_t time_ns, uint64_t row);
    void takeStep(const Json& event, int64_t time_ns, uint64_t row);
    void takeCommand(const Json& event, int64_t time_ns, uint64_t row);
    void sample(const Json& object, const char* key, CounterName name, int64_t time_ns, uint64_t row);
    void addSlices(ReportBuilder& builder) const;

    ClockRoundRows m_rounds;
    std::map<CounterName, std::vector<std::pair<int64_t, double>>> m_samples;
    std::vector<Command> m_commands;
    std::map<int64_t, size_t> m_open;     // by the command's number: in m_commands
    std::set<int64_t> m_waiting;          // commands that were held back
    std::map<int64_t, StepLines> m_steps; // by the command's number
    ImportNotes m_notes;
    std::optional<Drawn> m_far; // its stamp is far from the last; the next line tells whose fault it is
    std::optional<int64_t> m_last_ns;
    int64_t m_latest_ns = 0;
    uint64_t m_seq = 0;         // of the last line in order
    uint64_t m_unnumbered = 0;  // damaged lines since
    std::optional<Jump> m_jump; // the next line decides whether lines are missing before it
    bool m_hasRunEnd = false;
    size_t m_sampleCount = 0;
    uint64_t m_rows = 0;
};

} // namespace lockstep
