// SPDX-License-Identifier: Apache-2.0
// MarkList: the markers and notes in a workspace, by number, and their JSON text: the "marks" section of a
// workspace file. Filled by the window or by reading that section; read by the timeline, the list of markers
// and the `notes` table. Value type; copies are cheap until they are changed.
#pragma once

#include <span>

#include "core/base/result.h"
#include "core/base/shared_value.h"
#include "core/scene/mark.h"

namespace lockstep {

inline constexpr const char* kMarksSection = "marks";
inline constexpr size_t kMaxMarks = 100'000;
inline constexpr size_t kMaxMarkText = 64 * 1024; // maximum size of one note in bytes

class MarkList {
  public:
    bool isEmpty() const { return m_marks->empty(); }
    size_t size() const { return m_marks->size(); }
    // Returns the markers sorted by number.
    std::span<const Mark> all() const { return *m_marks; }
    // Returns the marker, or nullptr if there is no marker with this number.
    const Mark* find(int64_t number) const;

    // Adds a marker under a number that was never used in this list, and returns the number. Returns
    // `invalid` if the list is full or the note is too long.
    Result<int64_t> add(Mark mark);
    // Stores the marker under its own number and replaces any existing marker with that number. Used for undo
    // and for reading.
    void put(Mark mark);
    bool remove(int64_t number); // returns false if there is no marker with this number
    // Appends all markers of another list with new numbers. Returns the number of markers that did not fit.
    size_t append(const MarkList& other);
    // Returns true if both are copies of one list and neither was changed since. O(1).
    bool isCopyOf(const MarkList& other) const { return m_marks.isSharedWith(other.m_marks); }
    // Returns the smallest number that may be assigned to a future marker.
    int64_t nextNumber() const { return m_next; }
    // Reserves all numbers below this one.
    void startAt(int64_t number) { m_next = std::max(m_next, number); }

    friend bool operator==(const MarkList&, const MarkList&) = default;

  private:
    SharedValue<std::vector<Mark>> m_marks; // sorted by number
    int64_t m_next = 1;
};

// Returns the text in the form in which a marker stores it: valid UTF-8 with at most kMaxMarkText bytes.
// `cut` is set to whether anything was lost.
std::string markText(std::string_view text, bool* cut = nullptr);

// Returns the list as JSON text. Equal lists give equal bytes.
std::string marksText(const MarkList& marks);

struct ReadMarks {
    MarkList marks;
    std::vector<std::string> notes; // one sentence for each dropped or truncated marker
};
// Parses JSON text. Returns `unsupported` unless the text is JSON in a version known to this build. Invalid
// entries are dropped and reported in notes.
Result<ReadMarks> parseMarks(std::string_view text);

} // namespace lockstep
