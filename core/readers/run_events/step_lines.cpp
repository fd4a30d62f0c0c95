// SPDX-License-Identifier: Apache-2.0
#include "core/readers/run_events/step_lines.h"

#include <algorithm>
#include <utility>

namespace lockstep {

namespace {

// StepWalk processes the lines of one command in order.
class StepWalk {
  public:
    explicit StepWalk(ImportNotes& notes) : m_notes(notes) {}

    void beginStep(const StepLine& line)
    {
        if (m_open && m_open->step == line.step) return note(line, "events.step_repeated", kRepeated);
        closeOpen(line.time_ns, line.step);
        m_open = line;
    }

    void endStep(const StepLine& line)
    {
        if (m_open) {
            // An end with a different number also ends the open step, because only one step runs at a time.
            if (m_open->step != line.step) note(line, "events.step_order", kOrder);
            closeOpen(line.time_ns, {});
        } else if (!m_lastEnd) {
            // A guessed begin, such as the start of the command, would show loading time as training.
            note(line, "events.first_step",
                 "the log does not record where the first training step began: that step is not drawn");
        } else if (m_lastEnd->step == line.step) {
            return note(line, "events.step_repeated", kRepeated);
        } else {
            const int64_t last = m_lastEnd->step;
            if (line.step < last) note(line, "events.step_order", kOrder);
            const int64_t first = line.step > last ? last + 1 : line.step;
            if (first < line.step) note(line, "events.steps_missing", kMissing);
            m_slices.push_back({m_lastEnd->time_ns, line.time_ns, nameOf(first, line.step), line.row});
        }
        m_lastEnd = line;
    }

    // `next` is the number of the step that begins at this time, if any.
    void closeOpen(int64_t end_ns, std::optional<int64_t> next)
    {
        if (!m_open) return;
        const StepLine open = *m_open;
        m_open.reset();
        if (next && *next < open.step) note(open, "events.step_order", kOrder);
        const int64_t last = next && *next > open.step ? *next - 1 : open.step;
        if (last > open.step) note(open, "events.steps_missing", kMissing);
        m_slices.push_back({open.time_ns, end_ns, nameOf(open.step, last), open.row});
    }

    void note(const StepLine& line, const char* kind, const char* text)
    {
        m_notes.add(kind, NoteSeverity::warning, text,
                    "step " + std::to_string(line.step) + ", line " + std::to_string(line.row + 1));
    }
    std::vector<StepSlice> takeSlices() { return std::move(m_slices); }

  private:
    static constexpr const char* kRepeated = "lines that repeat a training step: the first one is used";
    static constexpr const char* kOrder =
        "training steps whose numbers decrease: a new epoch, a resumed run, or lines out of order";
    static constexpr const char* kMissing =
        "training steps whose lines are not in the log: merged with the next step that is";

    static std::string nameOf(int64_t first, int64_t last)
    {
        if (first == last) return "step " + std::to_string(first);
        return "steps " + std::to_string(first) + "-" + std::to_string(last);
    }

    ImportNotes& m_notes;
    std::vector<StepSlice> m_slices;
    std::optional<StepLine> m_open, m_lastEnd;
};

} // namespace

std::vector<StepSlice> StepLines::slices(int64_t last_ns, ImportNotes& notes) const
{
    StepWalk walk(notes);
    const bool isStated = std::ranges::any_of(
        m_lines, [](const StepLine& line) { return line.mark != StepLine::Mark::unknown; });
    for (const StepLine& line : m_lines) {
        if (line.mark == StepLine::Mark::ends) {
            walk.endStep(line);
        } else if (line.mark == StepLine::Mark::begins) {
            walk.beginStep(line);
        } else if (!isStated) {
            walk.note(line, "events.step_mark",
                      "unknown whether these lines mark the beginning or the end of a training step: each "
                      "step is drawn from its line onward");
            walk.beginStep(line);
        } // otherwise, the line comes from another printer, and there are unambiguous lines as well
    }
    walk.closeOpen(m_end_ns.value_or(last_ns), {});
    return walk.takeSlices();
}

} // namespace lockstep
