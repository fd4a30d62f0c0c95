// SPDX-License-Identifier: Apache-2.0
#include "core/trace/import_notes.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <tuple>

namespace lockstep {

std::string_view noteSeverityName(NoteSeverity severity)
{
    switch (severity) {
    case NoteSeverity::info:
        return "info";
    case NoteSeverity::warning:
        return "warning";
    case NoteSeverity::dataLoss:
        return "data loss";
    }
    return "unknown";
}

bool ImportNote::isAtEnd() const
{
    return kind == "spool.not_ended" || kind == "events.cut_short";
}

bool ImportNote::isFailure() const
{
    return kind == "process.failed";
}

void ImportNotes::add(std::string_view kind, NoteSeverity severity, std::string_view text,
                      std::string_view example, uint64_t count)
{
    const auto found =
        std::find_if(m_notes.begin(), m_notes.end(), [&](const auto& n) { return n.kind == kind; });
    if (found != m_notes.end()) {
        found->count += count;
    } else {
        m_notes.push_back({std::string(kind), severity, count, std::string(text), std::string(example)});
    }
}

void ImportNotes::merge(const ImportNotes& other)
{
    for (const ImportNote& note : other.m_notes) {
        add(note.kind, note.severity, note.text, note.example, note.count);
    }
}

bool ImportNotes::hasDataLoss() const
{
    return std::any_of(m_notes.begin(), m_notes.end(),
                       [](const ImportNote& note) { return note.severity == NoteSeverity::dataLoss; });
}

namespace {

// Returns the number at the end of an example. Examples without a number sort last, by their text.
auto placeOf(const ImportNote& note)
{
    const std::string_view text = note.example;
    const size_t begin = text.find_last_not_of("0123456789") + 1;
    uint64_t place = std::numeric_limits<uint64_t>::max();
    std::from_chars(text.data() + begin, text.data() + text.size(), place);
    return std::tuple(place, text, std::string_view(note.kind));
}

} // namespace

ImportNotes mergedNotes(std::span<const ImportNotes* const> workers)
{
    std::vector<const ImportNote*> all;
    for (const ImportNotes* const notes : workers) {
        for (const ImportNote& note : notes->all())
            all.push_back(&note);
    }
    std::ranges::sort(all, {}, [](const ImportNote* note) { return placeOf(*note); });
    ImportNotes merged;
    for (const ImportNote* const note : all)
        merged.add(note->kind, note->severity, note->text, note->example, note->count);
    return merged;
}

} // namespace lockstep
