// SPDX-License-Identifier: Apache-2.0
#include "core/trace/shared_notes.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <tuple>

namespace lockstep {

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
