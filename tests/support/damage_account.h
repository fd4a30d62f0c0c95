// SPDX-License-Identifier: Apache-2.0
// What a report says of the damage in its file, read back from its notes.
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
    uint64_t total = 0; // bytes between the first and the last event; 0 where none is lost
    uint64_t lost = 0;
    uint64_t repaired = 0;
    uint64_t parsed = 0;
    uint64_t lostRows = 0; // rows that other data-loss notes count
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
            const int got =
                std::sscanf(note.text.c_str(),
                            "%" SCNu64 " of the %" SCNu64 " bytes between the first and the last event make "
                            "no event and were skipped; %" SCNu64 " were repaired, %" SCNu64,
                            &out.lost, &out.total, &out.repaired, &out.parsed);
            out.isReadable = got == 4 && note.count > 0 && note.example.starts_with("byte ");
        }
        return out;
    }

    bool isWhole() const { return isReadable && lost + repaired + parsed == total && lost <= total; }
    const std::string& text() const { return all; }
};

} // namespace lockstep::test
