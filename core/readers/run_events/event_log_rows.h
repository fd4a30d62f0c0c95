// SPDX-License-Identifier: Apache-2.0
// EventLogRows converts a host's event log, line by line, to rows of a report: commands and training steps as
// slices, the agent's samples as counters, and clock comparisons. The rows read so far are available at any
// time, so the log may still be growing. Data from a host is not trusted: GPU numbers, counts and timestamps
// are checked against limits, and omitted data is counted. Used by the reader of run events and by
// LiveEventLog; one thread at a time.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "core/base/json_fields.h"
#include "core/readers/run_events/step_lines.h"
#include "core/trace/report_builder.h"

namespace lockstep {

// ClockRoundRows: the clock comparisons in a host's event log (kind clock_exchange), checked one by one.
// Corrupt or inconsistent comparisons are not used, and notes count them. Used only by the reader of run
// events.
class ClockRoundRows {
  public:
    // Reads an event. `row` is the zero-based line number in the log.
    void take(const Json& event, uint64_t row);
    // Adds the comparisons read so far to the builder; more may follow. O(rounds).
    void addTo(ReportBuilder& builder) const;

  private:
    void handleRound(const Json& event, uint64_t row);
    void handleReading(const Json& event, uint64_t row);
    void handleDropped(const Json& event, uint64_t row);
    void note(const char* kind, const char* text, uint64_t row);
    StringId boot(const Json& event, const char* key);

    StringPool m_names; // names of hosts and boots
    ImportNotes m_notes;
    std::vector<std::string> m_hostNames;
    std::vector<ClockRound> m_rounds;
    std::set<std::tuple<uint32_t, int64_t>> m_seen; // (peer, time of the request)
};

// seq, t_ns and kind are the first fields of a line, within this number of bytes.
inline constexpr size_t kEventHead_bytes = 96;

class EventLogRows {
  public:
    static constexpr int64_t kMaxGpus = 1024;
    // enough for more than a year of a host with eight GPUs
    static constexpr size_t kMaxSamples = 32'000'000;
    // A timestamp is invalid if its distance from both neighboring timestamps is larger than this.
    static constexpr int64_t kMaxJump_ns = 3600ll * 1'000'000'000;

    // Reads a line; `row` is its zero-based number in the log. Returns true if the line changes what is
    // drawn.
    bool handleLine(std::string_view line, uint64_t row);
    // Adds all rows to the builder. O(rows).
    void addTo(ReportBuilder& builder) const;
    // Fills in the report's description for a log with that name.
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
    struct Jump { // a line whose sequence number is not the next one
        uint64_t seq = 0;
        uint64_t row = 0;
        uint64_t unnumbered = 0; // number of corrupt lines before it
    };
    struct Drawn { // the event of one line
        Json event;
        int64_t time_ns = 0;
        uint64_t row = 0;
    };

    void note(const char* kind, const char* text, uint64_t row,
              NoteSeverity severity = NoteSeverity::warning);
    void takeNumber(uint64_t seq, uint64_t row);
    void noteGap(ImportNotes& notes, const Jump& jump) const;
    void noteMalformed(uint64_t row);
    void handleEvent(const Json& event, int64_t time_ns, uint64_t row);
    void handleSample(const Json& event, int64_t time_ns, uint64_t row);
    void takeStep(const Json& event, int64_t time_ns, uint64_t row);
    void handleCommand(const Json& event, int64_t time_ns, uint64_t row);
    void sample(const Json& object, const char* key, CounterName name, int64_t time_ns, uint64_t row);
    void addSlices(ReportBuilder& builder) const;

    ClockRoundRows m_rounds;
    std::map<CounterName, std::vector<std::pair<int64_t, double>>> m_samples;
    std::vector<Command> m_commands;
    std::map<int64_t, size_t> m_open;     // command number -> index in m_commands
    std::set<int64_t> m_waiting;          // command numbers of commands that were held back
    std::map<int64_t, StepLines> m_steps; // by command number
    ImportNotes m_notes;
    // An event whose timestamp is far from the previous one. The next line decides which of the two is wrong.
    std::optional<Drawn> m_outlier;
    std::optional<int64_t> m_last_ns;
    int64_t m_latest_ns = 0;
    uint64_t m_seq = 0;         // sequence number of the last line that was in order
    uint64_t m_unnumbered = 0;  // number of corrupt lines since then
    std::optional<Jump> m_jump; // the next line decides whether lines are missing before it
    bool m_hasRunEnd = false;
    size_t m_sampleCount = 0;
    uint64_t m_rows = 0;
};

} // namespace lockstep
