// SPDX-License-Identifier: Apache-2.0
#include "app/cli/input_defects.h"

namespace lockstep {

namespace {

// Returns true for losses that the profiler recorded; the file itself is complete.
bool wasLostInRun(const ImportNote& note)
{
    return note.kind == "kineto.records_lost" || note.kind == "perfetto.lost_packets";
}

} // namespace

int gravity(const ImportNote& note)
{
    if (note.severity != NoteSeverity::dataLoss) return 0;
    if (wasLostInRun(note)) return 1;
    const bool isCut = note.kind.ends_with("truncated") || note.kind.ends_with("cut_short") ||
                       note.kind.ends_with("unreadable");
    return isCut ? 3 : 2;
}

std::string noteText(const ImportNote& note)
{
    std::string text = note.text;
    if (note.count > 1) text += " (" + std::to_string(note.count) + " times)";
    if (!note.example.empty()) text += "; first at " + note.example;
    return text;
}

} // namespace lockstep
