// SPDX-License-Identifier: Apache-2.0
// The ledger as readable text and as JSON.
#include <algorithm>
#include <set>

#include "core/base/json_fields.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/remote/ledger.h"

namespace lockstep {

namespace {

constexpr std::array<std::string_view, kLedgerStates> kStateNames{
    "expected", "capturing", "flushing", "complete",  "fetched",
    "verified", "missing",   "absent",   "cut short", "found"};

template<size_t N>
size_t indexOf(const std::array<std::string_view, N>& words, std::string_view word)
{
    return static_cast<size_t>(std::ranges::find(words, word) - words.begin());
}

// Appends the fields of one JSON object to a string. Building a Json tree for each entry is much slower, and
// delays Ctrl-C if the ledger has tens of thousands of entries.
class FieldText {
  public:
    FieldText(std::string& out, bool asAscii) : m_out(out), m_asAscii(asAscii) { m_out += '{'; }

    FieldText& raw(std::string_view key, std::string_view json)
    {
        if (m_out.back() != '{') m_out += ',';
        m_out.append("\"").append(key).append("\":").append(json);
        return *this;
    }
    FieldText& number(std::string_view key, int64_t value) { return raw(key, std::to_string(value)); }
    FieldText& boolean(std::string_view key, bool value) { return raw(key, value ? "true" : "false"); }
    FieldText& text(std::string_view key, std::string_view value)
    {
        const bool isPlain =
            std::ranges::all_of(value, [](char c) { return c >= ' ' && c < 0x7F && c != '"' && c != '\\'; });
        if (!isPlain) return raw(key, jsonLine(value, m_asAscii));
        raw(key, "\"");
        m_out.append(value).append("\"");
        return *this;
    }

  private:
    std::string& m_out;
    const bool m_asAscii;
};

Result<LedgerEntry> entryFrom(const Json& object)
{
    if (!object.is_object())
        return makeError(ErrorKind::corrupt, "an entry of the collection status is not a JSON object");
    LedgerEntry entry;
    const auto kinds = enumNames(ReportKind{});
    const auto kind = std::ranges::find(kinds, textAt(object, "kind"));
    const size_t state = indexOf(kStateNames, textAt(object, "state"));
    if (kind == kinds.end() || state == kLedgerStates)
        return makeError(ErrorKind::corrupt,
                         "an entry of the collection status has an unknown kind or state");
    entry.kind = static_cast<ReportKind>(kind - kinds.begin());
    entry.state = static_cast<LedgerState>(state);
    entry.role = textAt(object, "role");
    entry.host = textAt(object, "host");
    entry.rank = numberAt(object, "rank");
    for (const Json& step : object.value("steps", Json::array())) {
        if (step.is_number_integer()) entry.steps.push_back(step.get<int64_t>());
    }
    entry.order = numberAt(object, "order").value_or(0);
    entry.wasExpected = object.contains("expected") && object["expected"] == true;
    entry.isOpenEnded = boolAt(object, "open_ended");
    entry.isOptional = object.contains("maybe") && object["maybe"] == true;
    entry.reason = textAt(object, "reason");
    entry.path = textAt(object, "path");
    for (const Json& place : object.value("also_at", Json::array())) {
        if (place.is_object()) entry.alsoAt.push_back({textAt(place, "host"), textAt(place, "path")});
    }
    entry.size_bytes = numberAt(object, "size_bytes").value_or(0);
    entry.sha256 = textAt(object, "sha256");
    entry.localPath = textAt(object, "local_path");
    entry.isReduced = object.contains("reduced") && object["reduced"] == true;
    entry.rows = numberAt(object, "rows").value_or(0);
    const Json& writer = objectAt(object, "writer");
    entry.writer = {numberAt(writer, "rank"),         numberAt(writer, "step"),
                    numberAt(writer, "exit_status"),  boolAt(writer, "cut_short"),
                    boolAt(writer, "stop_requested"), numberAt(writer, "ended_ns").value_or(0)};
    return entry;
}

std::string padded(std::string text, size_t width)
{
    text.resize(std::max(width, text.size() + 2), ' ');
    return text;
}

std::string stepsText(const std::vector<int64_t>& steps)
{
    std::string text;
    for (const int64_t step : steps)
        text += (text.empty() ? "" : ",") + std::to_string(step);
    return text.empty() ? "-" : text;
}

std::string alsoText(const LedgerEntry& entry)
{
    std::string hosts;
    for (const LedgerLocation& place : entry.alsoAt)
        hosts += (hosts.empty() ? " (also seen on " : ", ") + place.host;
    return hosts.empty() ? hosts : hosts + ")";
}

} // namespace

std::string sharedText(const Ledger& ledger)
{
    size_t count = 0;
    std::set<std::string> hosts;
    for (const LedgerEntry& entry : ledger.entries()) {
        if (entry.alsoAt.empty()) continue;
        ++count;
        hosts.insert(entry.host);
        for (const LedgerLocation& place : entry.alsoAt)
            hosts.insert(place.host);
    }
    if (count == 0) return {};
    std::string names;
    for (const std::string& host : hosts)
        names += (names.empty() ? "" : ", ") + host;
    return names + " see the same " + (count == 1 ? "report" : std::to_string(count) + " reports") +
           ", because they are one machine or share a disk; each is counted and collected once";
}

std::string_view ledgerStateName(LedgerState state)
{
    return kStateNames[static_cast<size_t>(state)];
}

std::string Ledger::summary() const
{
    const auto numbers = counts();
    std::string text;
    constexpr std::array kOrder{LedgerState::verified, LedgerState::cutShort, LedgerState::fetched,
                                LedgerState::complete, LedgerState::flushing, LedgerState::capturing,
                                LedgerState::expected, LedgerState::missing,  LedgerState::absent};
    static_assert(kOrder.size() + 1 == kLedgerStates); // all states except found
    const size_t found = numbers[static_cast<size_t>(LedgerState::found)];
    const std::string foundText = found > 0 ? "; " + std::to_string(found) + " found, not collected" : "";
    for (const LedgerState state : kOrder) {
        const auto i = static_cast<size_t>(state);
        if (numbers[i] == 0) continue;
        text += (text.empty() ? "" : ", ") + std::to_string(numbers[i]) + " " + std::string(kStateNames[i]);
    }
    if (text.empty()) return "no reports" + foundText;
    if (!isCountKnown()) return text + " (expected number unknown)" + foundText;
    return text + " of " + std::to_string(m_entries.size() - found) + foundText;
}

std::vector<std::string> Ledger::unmatchedLines() const
{
    std::vector<std::string> unmatched;
    for (const OpenLine& line : m_openLines) {
        const auto isOfLine = [&](const LedgerEntry& entry) {
            const bool isOfRole =
                line.role.empty() || entry.role == line.role; // the content may indicate a different role
            return entry.kind == line.kind && isOfRole && !entry.path.empty() &&
                   (line.host.empty() || line.host == entry.host);
        };
        if (std::ranges::any_of(m_entries, isOfLine)) continue;
        unmatched.push_back((line.host.empty() ? "" : line.host + ": ") + "no report of " +
                            (line.role.empty() ? "" : line.role + ", ") +
                            std::string(enumNames(ReportKind{})[static_cast<size_t>(line.kind)]) +
                            ": no file name matches " + line.pattern);
    }
    return unmatched;
}

void Ledger::addEntryJson(std::string& out, size_t at, bool asAscii) const
{
    const LedgerEntry& entry = m_entries[at];
    FieldText fields(out, asAscii);
    fields.text("kind", enumNames(ReportKind{})[static_cast<size_t>(entry.kind)])
        .text("role", entry.role)
        .text("host", entry.host);
    if (entry.rank) {
        fields.number("rank", *entry.rank);
    } else {
        fields.raw("rank", "null");
    }
    fields.raw("steps", entry.steps.empty() ? "[]" : jsonLine(entry.steps))
        .number("order", entry.order)
        .boolean("expected", entry.wasExpected)
        .boolean("open_ended", entry.isOpenEnded)
        .boolean("maybe", entry.isOptional)
        .text("pattern", m_patterns[at])
        .text("state", ledgerStateName(entry.state))
        .text("reason", entry.reason)
        .text("path", entry.path)
        .number("size_bytes", entry.size_bytes)
        .text("sha256", entry.sha256)
        .text("local_path", entry.localPath)
        .boolean("reduced", entry.isReduced)
        .number("rows", entry.rows);
    if (entry.writer != CaptureWriter()) {
        const CaptureWriter& writer = entry.writer;
        Json json{{"cut_short", writer.wasCutShort},
                  {"stop_requested", writer.wasStopRequested},
                  {"ended_ns", writer.ended_ns}};
        if (writer.rank) json["rank"] = *writer.rank;
        if (writer.step) json["step"] = *writer.step;
        if (writer.exitStatus) json["exit_status"] = *writer.exitStatus;
        fields.raw("writer", jsonLine(json));
    }
    if (!entry.alsoAt.empty()) {
        Json places = Json::array();
        for (const LedgerLocation& place : entry.alsoAt)
            places.push_back({{"host", place.host}, {"path", place.path}});
        fields.raw("also_at", jsonLine(places, asAscii));
    }
    out += '}';
}

// Written entry by entry, because a Json tree of a long ledger would need ten times the memory of its text.
std::string jsonFromLedger(const Ledger& ledger)
{
    std::string text = "{\n \"lockstep_ledger\": 1,\n \"entries\": [";
    for (size_t i = 0; i < ledger.m_entries.size(); ++i) {
        text += i > 0 ? ",\n  " : "\n  ";
        ledger.addEntryJson(text, i, false);
    }
    text += "\n ]";
    Json lines = Json::array();
    for (const Ledger::OpenLine& line : ledger.m_openLines) {
        lines.push_back({{"kind", enumNames(ReportKind{})[static_cast<size_t>(line.kind)]},
                         {"role", line.role},
                         {"host", line.host},
                         {"pattern", line.pattern}});
    }
    if (!lines.empty()) text += ",\n \"open_lines\": " + jsonLine(lines);
    return text + "\n}\n";
}

std::string ledgerEntriesLine(const Ledger& ledger)
{
    std::string text = "[";
    for (size_t i = 0; i < ledger.m_entries.size(); ++i) {
        if (i > 0) text += ',';
        ledger.addEntryJson(text, i, true);
    }
    return text + "]";
}

Result<Ledger> ledgerFromJson(std::string_view text)
{
    const Json object = jsonFrom(text);
    if (!object.is_object() || !object.contains("lockstep_ledger") || !object.contains("entries") ||
        !object["entries"].is_array()) {
        return makeError(ErrorKind::corrupt, "not a valid collection status");
    }
    Ledger ledger;
    for (const Json& one : object["entries"]) {
        ledger.m_entries.push_back(LOCKSTEP_TRY(entryFrom(one)));
        ledger.m_patterns.push_back(textAt(one, "pattern"));
        ledger.m_pids.emplace_back();
        ledger.notePid(ledger.m_entries.size() - 1, ledger.m_entries.back().path);
        const LedgerEntry& last = ledger.m_entries.back();
        if (last.wasExpected && !last.isOpenEnded) ledger.m_expected = ledger.m_entries.size();
    }
    for (const Json& line : listAt(object, "open_lines")) {
        const auto kinds = enumNames(ReportKind{});
        const auto kind = std::ranges::find(kinds, textAt(line, "kind"));
        if (kind == kinds.end()) return makeError(ErrorKind::corrupt, "an \"open\" line has an unknown kind");
        ledger.m_openLines.push_back({static_cast<ReportKind>(kind - kinds.begin()), textAt(line, "role"),
                                      textAt(line, "host"), textAt(line, "pattern")});
    }
    return ledger;
}

std::string writerEndText(const LedgerEntry& entry, std::optional<int64_t> steps)
{
    const CaptureWriter& writer = entry.writer;
    if (!writer.hasFailed() && !writer.wasCutShort) return {};
    const std::optional<int64_t> rank = entry.knownRank();
    std::string text =
        rank ? "rank " + std::to_string(*rank) : "the process of " + std::string(baseName(entry.path));
    text += writer.wasStopRequested ? " was stopped"
            : writer.hasFailed()    ? " ended"
                                    : " was killed or crashed";
    if (writer.step) text += " in step " + std::to_string(*writer.step);
    if (writer.step && steps) text += " of " + std::to_string(*steps);
    if (writer.ended_ns > 0) text += " at " + utcTimeText(writer.ended_ns).substr(0, 8) + " UTC";
    if (writer.hasFailed()) text += ", exit status " + std::to_string(*writer.exitStatus);
    return text;
}

std::string ledgerText(const Ledger& ledger)
{
    if (ledger.entries().empty()) return "no reports\n";
    std::string text = padded("role", 12) + padded("rank", 6) + padded("steps", 8) + padded("host", 12) +
                       padded("state", 11) + padded("size", 11) + "path or reason\n";
    for (const LedgerEntry& entry : ledger.entries()) {
        text += padded(entry.role.empty() ? "-" : entry.role, 12) +
                padded(entry.rank ? std::to_string(*entry.rank) : "-", 6) +
                padded(stepsText(entry.steps), 8) + padded(entry.host.empty() ? "?" : entry.host, 12) +
                padded(std::string(ledgerStateName(entry.state)), 11) +
                padded(entry.path.empty() ? "-" : byteText(entry.size_bytes), 11) + entry.path +
                alsoText(entry) + (entry.path.empty() || entry.reason.empty() ? "" : ": ") + entry.reason;
        if (const std::string end = writerEndText(entry); !end.empty()) text += "; " + end;
        text += "\n";
    }
    return text + ledger.summary() + "\n";
}

} // namespace lockstep
