// SPDX-License-Identifier: Apache-2.0
// What a report records about damage in its file, read from its notes.
#pragma once

#include <cinttypes>
#include <cstdio>
#include <string>
#include <string_view>

#include "core/trace/report.h"

namespace lockstep::test {

inline uint64_t noteCount(const Report& report, std::string_view kind)
{
    for (const ImportNote& note : report.notes.all()) {
        if (note.kind == kind) return note.count;
    }
    return 0;
}

struct DamageAccount {
    uint64_t total = 0; // bytes between the first and the last event; 0 if none is lost
    uint64_t lost = 0;
    uint64_t repaired = 0;
    uint64_t parsed = 0;
    uint64_t lostRows = 0; // rows counted by other data-loss notes
    bool isReadable = true;
    std::string all;

    static DamageAccount of(const Report& report)
    {
        DamageAccount out;
        for (const ImportNote& note : report.notes.all()) {
            out.all += note.kind + " " + std::to_string(note.count) + " (" + note.example + ") ";
            if (note.kind != "events.lost") {
                if (note.severity == NoteSeverity::dataLoss) out.lostRows += note.count;
                continue;
            }
            out.all += note.text + " ";
            const int got = std::sscanf(
                note.text.c_str(),
                "%" SCNu64 " of the %" SCNu64
                " bytes between the first and the last event do not form events and were skipped; %" SCNu64
                " were repaired, %" SCNu64,
                &out.lost, &out.total, &out.repaired, &out.parsed);
            out.isReadable = got == 4 && note.count > 0 && note.example.starts_with("byte ");
        }
        return out;
    }

    bool isWhole() const { return isReadable && lost + repaired + parsed == total && lost <= total; }
    const std::string& text() const { return all; }
};

} // namespace lockstep::test
