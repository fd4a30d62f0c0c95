// SPDX-License-Identifier: Apache-2.0
#include "core/readers/run_events/step_lines.h"

#include <algorithm>
#include <utility>

namespace lockstep {

namespace {

// One command's lines, one after another.
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
            // Whose number is another ends what is open all the same: one step goes on at a time.
            if (m_open->step != line.step) note(line, "events.step_order", kOrder);
            closeOpen(line.time_ns, {});
        } else if (!m_lastEnd) {
            // A guess, such as the command's start, would draw what loading took as training.
            note(line, "events.first_step",
                 "where the first training step began is not in the log; it is not drawn");
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

    // next: the number of the step that begins there, where one does.
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
    static constexpr const char* kRepeated = "lines that name the same training step again; the first counts";
    static constexpr const char* kOrder =
        "training steps whose numbers go back: a new epoch, a run that was resumed, or lines out of order";
    static constexpr const char* kMissing =
        "training steps whose lines are not in the log; drawn as one with the next that is";

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
    const bool isSaid = std::ranges::any_of(
        m_lines, [](const StepLine& line) { return line.mark != StepLine::Mark::unknown; });
    for (const StepLine& line : m_lines) {
        if (line.mark == StepLine::Mark::ends) {
            walk.endStep(line);
        } else if (line.mark == StepLine::Mark::begins) {
            walk.beginStep(line);
        } else if (!isSaid) {
            walk.note(line, "events.step_mark",
                      "whether these lines begin or end their training step is not known; each step is drawn "
                      "from its line on");
            walk.beginStep(line);
        } // else: of another printer, beside those that say it
    }
    walk.closeOpen(m_end_ns.value_or(last_ns), {});
    return walk.takeSlices();
}

} // namespace lockstep
