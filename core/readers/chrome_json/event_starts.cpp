// SPDX-License-Identifier: Apache-2.0
#include "core/readers/chrome_json/event_starts.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "core/base/words.h"

namespace lockstep {

namespace {

constexpr size_t kNone = std::string_view::npos;

// The keys of an event in the Trace Event Format. Nested objects rarely begin with one of them.
constexpr std::array<std::string_view, 18> kKeys{"ph",  "cat",  "name", "pid",     "tid",     "ts",
                                                 "dur", "args", "id",   "id2",     "s",       "bp",
                                                 "tts", "tdur", "sf",   "bind_id", "flow_in", "cname"};

bool beginsWithEventKey(std::string_view text, size_t brace)
{
    size_t at = brace + 1;
    while (at < text.size() && isJsonBlank(text[at]))
        ++at;
    if (at >= text.size() || text[at] != '"') return false;
    const std::string_view rest = text.substr(at + 1, 8);
    const size_t quote = rest.find('"');
    return quote != kNone && std::ranges::find(kKeys, rest.substr(0, quote)) != kKeys.end();
}

bool isValueOfMember(std::string_view text, size_t brace)
{
    while (brace > 0 && isJsonBlank(text[brace - 1]))
        --brace;
    return brace > 0 && text[brace - 1] == ':';
}

// Returns the next brace that may begin an event.
size_t nextCandidate(std::string_view text, size_t from)
{
    while (from < text.size()) {
        const void* const found = std::memchr(text.data() + from, '{', text.size() - from);
        if (found == nullptr) return kNone;
        const auto brace = static_cast<size_t>(static_cast<const char*>(found) - text.data());
        if (beginsWithEventKey(text, brace) && !isValueOfMember(text, brace)) return brace;
        from = brace + 1;
    }
    return kNone;
}

} // namespace

size_t nextEventStart(std::string_view text, size_t from)
{
    size_t candidate = nextCandidate(text, from);
    while (candidate != kNone) {
        const size_t next = nextCandidate(text, candidate + 1);
        if (text.substr(candidate, next - candidate).find("\"ph\"") != kNone) return candidate;
        candidate = next;
    }
    return kNone;
}

size_t lastEventStart(std::string_view text, size_t from)
{
    size_t last = kNone;
    for (size_t start = nextEventStart(text, from); start != kNone; start = nextEventStart(text, start + 1))
        last = start;
    return last;
}

} // namespace lockstep
