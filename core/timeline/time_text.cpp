// SPDX-License-Identifier: Apache-2.0
#include "core/timeline/time_text.h"

#include <algorithm>
#include <array>
#include <chrono>

#include "core/align/step_markers.h"
#include "core/base/text.h"

namespace lockstep {

namespace {

constexpr int64_t kSecond_ns = 1'000'000'000;
constexpr int64_t kDay_ns = 86'400 * kSecond_ns;
constexpr int64_t kWholeParts = 1'000'000'000; // TimeQuery::From::part
constexpr size_t kLongestTimeText = 4096;

bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}

// Replaces thin and other spaces with ' ', the typographic minus with '-', and the micro signs with 'u'.
std::string plainText(std::string_view text)
{
    static constexpr std::array<std::pair<std::string_view, char>, 7> kSpelled{{{"\u2009", ' '},
                                                                                {"\u00A0", ' '},
                                                                                {"\u202F", ' '},
                                                                                {"\t", ' '},
                                                                                {"\u2212", '-'},
                                                                                {"\u00B5", 'u'},
                                                                                {"\u03BC", 'u'}}};
    std::string out;
    for (size_t at = 0; at < text.size();) {
        const auto found = std::ranges::find_if(
            kSpelled, [&](const auto& s) { return text.substr(at).starts_with(s.first); });
        out += found != kSpelled.end() ? found->second : text[at];
        at += found != kSpelled.end() ? found->first.size() : 1;
    }
    const size_t first = out.find_first_not_of(' '), last = out.find_last_not_of(' ');
    return first == out.npos ? std::string() : out.substr(first, last - first + 1);
}

// Converts a number with digit groups and its unit to the format that parseDuration() accepts: "1.204 118 402
// s" becomes "1.204118402s".
std::string joined(std::string_view text)
{
    std::string out;
    for (const char c : text) {
        if (c != ' ') out += c;
    }
    return out;
}

// Returns whether every space between two digits separates groups of three digits. Two separate numbers do
// not count as such groups.
bool isGrouped(std::string_view text)
{
    for (size_t at = text.find(' '); at != text.npos; at = text.find(' ', at + 1)) {
        const bool isBetween =
            at > 0 && isDigit(text[at - 1]) && at + 1 < text.size() && isDigit(text[at + 1]);
        if (!isBetween) continue;
        size_t end = at + 1;
        while (end < text.size() && isDigit(text[end]))
            ++end;
        const bool isFraction = text.substr(0, at).find('.') != text.npos;
        const size_t digits = end - at - 1;
        if (digits > 3 || (digits < 3 && !isFraction)) return false;
    }
    return true;
}

// Returns the input without the commas that group digits in the integer part, as in "12,345.5 s". Returns
// nullopt if there is a comma elsewhere, because "1,20 s" could mean 1.20 s.
std::optional<std::string> withoutCommas(std::string_view text)
{
    std::string out;
    for (size_t at = 0; at < text.size(); ++at) {
        if (text[at] != ',') {
            out += text[at];
            continue;
        }
        size_t digits = 0;
        while (at + 1 + digits < text.size() && isDigit(text[at + 1 + digits]))
            ++digits;
        if (out.empty() || !isDigit(out.back()) || digits != 3 || out.find('.') != out.npos)
            return std::nullopt;
    }
    return out;
}

// Removes a count with the given unit, such as "2 h", from the start of the input. Returns the count, or 0 if
// the input does not begin with one.
int64_t takeCount(std::string_view& text, std::string_view unit)
{
    size_t end = 0;
    while (end < text.size() && isDigit(text[end]))
        ++end;
    const auto count = parseInt(text.substr(0, end));
    std::string_view rest = text.substr(end);
    while (rest.starts_with(' '))
        rest.remove_prefix(1);
    if (!count || *count > 100'000 || !rest.starts_with(unit)) return 0;
    rest.remove_prefix(unit.size());
    if (!rest.empty() && rest[0] != ' ' && !isDigit(rest[0])) return 0; // the "h" belongs to another word
    while (rest.starts_with(' '))
        rest.remove_prefix(1);
    text = rest;
    return *count;
}

// Parses a length as written by durationText(): "1.204 s", "12,345 s", "1 d 2 h 3 min 4.5 s".
std::optional<int64_t> lengthOf(std::string_view text)
{
    const auto plain = withoutCommas(text);
    if (!plain || !isGrouped(*plain)) return std::nullopt;
    std::string_view rest = *plain;
    const bool isNegative = rest.starts_with('-');
    if (isNegative) rest.remove_prefix(1);
    const size_t whole = rest.size();
    int64_t long_ns = 0; // cannot overflow, because takeCount() limits each count
    for (const auto& [unit, seconds] :
         {std::pair<std::string_view, int64_t>{"d", 86'400}, {"h", 3'600}, {"min", 60}})
        long_ns += takeCount(rest, unit) * seconds * kSecond_ns;
    if (rest.size() != whole && !rest.empty() && isDigit(rest.back())) return std::nullopt; // "1 h 30"
    const auto short_ns = rest.empty() && whole > 0 ? std::optional<int64_t>(0) : parseDuration(joined(rest));
    if (!short_ns || *short_ns >= kAllTime.end.ns || *short_ns < 0) return std::nullopt;
    if (long_ns >= kAllTime.end.ns - *short_ns) return std::nullopt;
    const int64_t ns = isNegative ? -(long_ns + *short_ns) : long_ns + *short_ns;
    return ns >= kAllTime.begin.ns ? std::optional(ns) : std::nullopt;
}

// Converts "12:04:31.204" or "12:04" to ns since midnight.
std::optional<int64_t> clockOf(std::string_view text)
{
    const size_t first = text.find(':'), second = text.find(':', first + 1);
    if (first == text.npos || first == 0) return std::nullopt;
    const auto hours = parseInt(text.substr(0, first));
    const auto minutes = parseInt(text.substr(first + 1, second == text.npos ? second : second - first - 1));
    if (!hours || !minutes || *hours < 0 || *hours > 23 || *minutes < 0 || *minutes > 59) return std::nullopt;
    const int64_t whole_ns = (*hours * 3600 + *minutes * 60) * kSecond_ns;
    if (second == text.npos) return whole_ns;
    const std::string_view seconds = text.substr(second + 1);
    if (seconds.empty() || !isDigit(seconds[0]) || !isGrouped(seconds)) return std::nullopt;
    const auto ns = parseDuration(joined(seconds) + "s");
    if (!ns || *ns < 0 || *ns >= 60 * kSecond_ns) return std::nullopt;
    return whole_ns + *ns;
}

// Parses "2026-11-20T12:04:31.204Z" or "2026-11-20 14:04:31+02:00".
std::optional<int64_t> parseTimestamp(std::string_view text)
{
    if (text.size() < 12 || text[4] != '-' || text[7] != '-') return std::nullopt;
    if (text[10] != 'T' && text[10] != 't' && text[10] != ' ') return std::nullopt;
    const auto year = parseInt(text.substr(0, 4)), month = parseInt(text.substr(5, 2)),
               day = parseInt(text.substr(8, 2));
    if (!year || !month || !day || *year < 1970 || *year > 2100) return std::nullopt;
    const std::chrono::year_month_day date{std::chrono::year(static_cast<int>(*year)),
                                           std::chrono::month(static_cast<unsigned>(*month)),
                                           std::chrono::day(static_cast<unsigned>(*day))};
    if (!date.ok()) return std::nullopt;
    std::string_view clock = text.substr(11);
    int64_t offset_ns = 0;
    if (clock.ends_with('Z') || clock.ends_with('z')) {
        clock.remove_suffix(1);
    } else if (const size_t sign = clock.find_first_of("+-"); sign != clock.npos) {
        const auto offset = clockOf(clock.substr(sign + 1));
        if (!offset) return std::nullopt;
        offset_ns = clock[sign] == '-' ? -*offset : *offset;
        clock = clock.substr(0, sign);
    }
    while (clock.ends_with(' '))
        clock.remove_suffix(1);
    const auto time = clockOf(clock);
    if (!time) return std::nullopt;
    const int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
    return days * kDay_ns + *time - offset_ns;
}

tl::unexpected<Error> notUnderstood(std::string_view text)
{
    return makeError(ErrorKind::invalid,
                     "'" + printable(text) +
                         "' is not a valid time; examples: 1.204 s, +38 ms, 12:04:31.204, "
                         "2026-11-20T12:04:31Z, @r3 123456789, step 3, marker 2, 50%");
}

std::optional<TimeQuery> numbered(std::string_view text)
{
    using From = TimeQuery::From;
    static constexpr std::array<std::pair<std::string_view, From>, 4> kWords{
        {{"step", From::step}, {"marker", From::mark}, {"mark", From::mark}, {"note", From::mark}}};
    for (const auto& [word, from] : kWords) {
        if (!lowerAscii(text.substr(0, word.size())).starts_with(word)) continue;
        const auto number = parseInt(joined(text.substr(word.size())));
        if (number && *number >= 0) return TimeQuery{from, *number, {}};
    }
    return std::nullopt;
}

std::string momentText(const Scene& scene, TraceTime at)
{
    std::string text = durationText({at.ns}, 9);
    if (scene.alignment.utcAtZero_ns)
        text += ", " + utcTimeText(*scene.alignment.utcAtZero_ns + at.ns) + " UTC";
    return text;
}

Result<ResolvedTime> moment(const Scene& scene, TraceTime at, const std::string& what = {})
{
    const TimeRange whole = scene.extent();
    if (whole.isEmpty()) return makeError(ErrorKind::notFound, "no report is open");
    if (at < whole.begin || at > whole.end)
        return makeError(ErrorKind::notFound,
                         momentText(scene, at) + " is outside the run, which lasts from " +
                             durationText({whole.begin.ns}, 9) + " to " + durationText({whole.end.ns}, 9));
    return ResolvedTime{{at, at}, (what.empty() ? "" : what + ": ") + momentText(scene, at)};
}

bool isNamed(const Scene& scene, ReportKey key, const std::string& name)
{
    if (name.size() > 1 && (name[0] == 'r' || name[0] == 'R')) {
        const auto rank = parseInt(std::string_view(name).substr(1));
        if (rank) return scene.shown.identity(key).rank.value == static_cast<int>(*rank);
    }
    return scene.shown.report(key).provenance.path.filename().string().find(name) != std::string::npos;
}

Result<ResolvedTime> ofReport(const TimeQuery& query, const Scene& scene)
{
    std::vector<ReportKey> named, matching;
    for (const ReportKey key : scene.shown.keys()) {
        if (!isNamed(scene, key, query.report)) continue;
        named.push_back(key);
        const TimeRange extent = scene.shown.report(key).extent;
        if (extent.begin.ns <= query.value && query.value <= extent.end.ns) matching.push_back(key);
    }
    if (named.empty())
        return makeError(ErrorKind::notFound, "no open report is named '" + query.report + "'");
    if (matching.empty())
        return makeError(ErrorKind::notFound, "the time is outside of report '" + query.report + "'");
    if (matching.size() > 1)
        return makeError(ErrorKind::notFound, std::to_string(matching.size()) + " reports match '" +
                                                  query.report + "': enter more of the name");
    const ReportKey key = matching.front();
    return moment(scene, scene.alignment.map(key).alignedFromTrace(TraceTime{query.value}),
                  scene.shown.report(key).provenance.path.filename().string());
}

std::string markedText(const StepRanges& steps)
{
    const std::string first = std::to_string(steps.begin()->first),
                      last = std::to_string(steps.rbegin()->first);
    return first == last ? "only step " + first + " is marked"
                         : "steps " + first + " to " + last + " are marked";
}

Result<ResolvedTime> ofStep(const TimeQuery& query, const TimeContext& context)
{
    if (context.steps == nullptr) return makeError(ErrorKind::notFound, "still searching for steps");
    if (context.steps->empty()) return makeError(ErrorKind::notFound, "no open report marks steps");
    const auto found = context.steps->find(query.value);
    if (found == context.steps->end())
        return makeError(ErrorKind::notFound, "there is no step " + std::to_string(query.value) + ": " +
                                                  markedText(*context.steps));
    return ResolvedTime{found->second, "step " + std::to_string(query.value) + ": " +
                                           durationText(found->second.length()) + " from " +
                                           momentText(context.scene, found->second.begin)};
}

Result<ResolvedTime> ofMark(const TimeQuery& query, const TimeContext& context)
{
    const Mark* const mark = context.marks == nullptr ? nullptr : context.marks->find(query.value);
    if (mark == nullptr)
        return makeError(ErrorKind::notFound, "there is no marker " + std::to_string(query.value));
    MarkPlacer placer(context.scene);
    const PlacedMark placed = placer.place(*mark);
    if (!placed.aligned)
        return makeError(ErrorKind::notFound, markName(*mark) + ": " + placer.explain(*mark, placed));
    return ResolvedTime{*placed.aligned,
                        markName(*mark) + ": " + momentText(context.scene, placed.aligned->begin)};
}

// Chooses the day on which this time of day is closest to the visible range.
Result<ResolvedTime> ofDay(const TimeQuery& query, const TimeContext& context)
{
    const auto& zero = context.scene.alignment.utcAtZero_ns;
    if (!zero) return makeError(ErrorKind::notFound, "no open report records UTC", HelpTopic::clocks);
    const int64_t seen_ns = *zero + context.visible.begin.ns;
    const int64_t day = seen_ns / kDay_ns * kDay_ns;
    int64_t best_ns = day + query.value;
    for (const int64_t other_ns : {best_ns - kDay_ns, best_ns + kDay_ns}) {
        if (std::abs(other_ns - seen_ns) < std::abs(best_ns - seen_ns)) best_ns = other_ns;
    }
    return moment(context.scene, {best_ns - *zero}, utcDateText(best_ns));
}

} // namespace

Result<TimeQuery> parseTimeText(std::string_view text)
{
    using From = TimeQuery::From;
    if (text.size() > kLongestTimeText) return makeError(ErrorKind::invalid, "too long to be a time value");
    const std::string plain = plainText(text);
    if (plain.empty()) return notUnderstood(text);
    if (const auto query = numbered(plain)) return *query;
    if (plain.front() == '@') {
        // A number may contain digit groups; the name ends at the first space.
        const size_t end = plain.find(' ');
        if (end == plain.npos || end < 2) return notUnderstood(text);
        const auto ns = lengthOf(std::string_view(plain).substr(end + 1));
        if (!ns) return notUnderstood(text);
        return TimeQuery{From::report, *ns, plain.substr(1, end - 1)};
    }
    if (plain.back() == '%') {
        // 10^-9 of the whole is 10^-7 %, so percentages with up to 7 decimals are exact.
        const auto percent = parseDuration(joined(std::string_view(plain).substr(0, plain.size() - 1)) + "s");
        if (!percent || *percent < 0 || *percent > 100 * kSecond_ns) return notUnderstood(text);
        return TimeQuery{From::part, *percent / 100, {}};
    }
    if (const auto timestamp = parseTimestamp(plain)) return TimeQuery{From::utc, *timestamp, {}};
    if (const auto clock = clockOf(plain)) return TimeQuery{From::utcOfDay, *clock, {}};
    const bool isSigned = plain.front() == '+' || plain.front() == '-';
    const auto ns = lengthOf(isSigned ? std::string_view(plain).substr(1) : std::string_view(plain));
    if (!ns || (isSigned && *ns < 0)) return notUnderstood(text);
    if (isSigned) return TimeQuery{From::here, plain.front() == '-' ? -*ns : *ns, {}};
    return TimeQuery{From::axis, *ns, {}};
}

StepRanges stepRangesOf(const Scene& scene)
{
    StepRanges steps;
    for (const ReportKey key : scene.shown.keys()) {
        const Report& report = scene.shown.report(key);
        const ClockMap& clock = scene.alignment.map(key);
        for (const StepMark& mark : findSteps(report)) {
            const TimeRange aligned = clock.alignedFromTrace(mark.range);
            if (aligned.isEmpty()) continue;
            const auto [at, isNew] = steps.try_emplace(mark.number, aligned);
            if (!isNew) at->second = at->second.unitedWith(aligned);
        }
    }
    return steps;
}

Result<ResolvedTime> resolveTime(const TimeQuery& query, const TimeContext& context)
{
    using From = TimeQuery::From;
    const Scene& scene = context.scene;
    switch (query.from) {
    case From::axis:
        return moment(scene, {query.value});
    case From::here:
        return moment(scene, context.from.value_or(context.visible.begin) + Duration{query.value},
                      context.from ? "from the selection" : "from the left edge");
    case From::utcOfDay:
        return ofDay(query, context);
    case From::utc:
        if (!scene.alignment.utcAtZero_ns)
            return makeError(ErrorKind::notFound, "no open report records UTC", HelpTopic::clocks);
        return moment(scene, {query.value - *scene.alignment.utcAtZero_ns});
    case From::report:
        return ofReport(query, scene);
    case From::step:
        return ofStep(query, context);
    case From::mark:
        return ofMark(query, context);
    case From::part: {
        const TimeRange whole = scene.extent();
        const auto part_ns = static_cast<int64_t>(__int128(whole.length().ns) * query.value / kWholeParts);
        return moment(scene, whole.begin + Duration{part_ns});
    }
    }
    return notUnderstood({});
}

} // namespace lockstep
