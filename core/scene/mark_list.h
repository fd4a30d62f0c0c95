// SPDX-License-Identifier: Apache-2.0
// MarkList: the marks and notes of a workspace, by number, and their JSON text: the section "marks" of a
// workspace file. Filled by the window or by reading the section; read by the timeline, the list of marks and
// the table `notes`. A value.
#pragma once

#include <span>

#include "core/base/result.h"
#include "core/scene/mark.h"

namespace lockstep {

inline constexpr const char* kMarksSection = "marks";
inline constexpr size_t kMostMarks = 100'000;
inline constexpr size_t kMostMarkText = 64 * 1024; // bytes of one text

class MarkList {
  public:
    bool isEmpty() const { return m_marks.empty(); }
    size_t size() const { return m_marks.size(); }
    // By number, ascending.
    std::span<const Mark> all() const { return m_marks; }
    const Mark* find(int64_t number) const; // nullptr: none

    // Gives the mark a number that none ever had here and returns it. invalid: the list is full, or the text
    // too long.
    Result<int64_t> add(Mark mark);
    // Under the number it has, in place of what has it; for taking changes back and for reading.
    void put(Mark mark);
    bool remove(int64_t number); // false: there is none
    // All marks of another list, renumbered from here on; how many found no room.
    size_t append(const MarkList& other);
    // The least number that a mark to come may have.
    int64_t nextNumber() const { return m_next; }
    // No number below this one is given from now on.
    void startAt(int64_t number) { m_next = std::max(m_next, number); }

    friend bool operator==(const MarkList&, const MarkList&) = default;

  private:
    std::vector<Mark> m_marks;
    int64_t m_next = 1;
};

// A text as a mark keeps it: valid UTF-8 of kMostMarkText at most. cut: whether anything was lost.
std::string markText(std::string_view text, bool* cut = nullptr);

// The same list gives the same bytes.
std::string marksText(const MarkList& marks);

struct ReadMarks {
    MarkList marks;
    std::vector<std::string> notes; // what was dropped or cut, one sentence each
};
// unsupported: no JSON of a version that this build knows. What makes no sense is dropped and noted.
Result<ReadMarks> parseMarks(std::string_view text);

} // namespace lockstep
