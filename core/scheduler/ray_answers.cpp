// SPDX-License-Identifier: Apache-2.0
#include "core/scheduler/ray_answers.h"

#include <algorithm>
#include <array>

#include "core/base/text.h"

namespace lockstep {

namespace {

constexpr std::string_view kTime = "dddd-dd-dd dd:dd:dd,ddd"; // d: a digit
constexpr std::string_view kServer = "Job submission server address: ";
constexpr std::string_view kMessage = "Status message: ";
constexpr std::string_view kTraceback = "Traceback (most recent call last):";
constexpr std::string_view kExitCode = "Job entrypoint command failed with exit code ";
constexpr size_t kLongest_bytes = 500;

bool isIdDigit(char c)
{
    return c >= '0' && c <= '9';
}

bool isUpper(char c)
{
    return c >= 'A' && c <= 'Z';
}

bool isIdLetter(char c)
{
    return isUpper(c) || (c >= 'a' && c <= 'z');
}

bool contains(std::string_view text, std::string_view part)
{
    return text.find(part) != text.npos;
}

bool isTime(std::string_view text)
{
    return text.size() == kTime.size() && std::ranges::equal(text, kTime, [](char c, char form) {
               return form == 'd' ? isIdDigit(c) : c == form;
           });
}

// A record: TIME<TAB or blank>LEVEL FILE:LINE -- TEXT.
struct Record {
    size_t begin = 0, text = 0; // offsets of TIME and TEXT
};

// Returns the record whose " -- " is at `dashes`, or nullopt if there is no record. Text before TIME is
// ignored.
std::optional<Record> recordAt(std::string_view all, size_t dashes)
{
    size_t at = dashes;
    const auto skipBack = [&](auto matches) {
        const size_t end = at;
        while (at > 0 && matches(all[at - 1]))
            --at;
        return end - at;
    };
    const auto back = [&](std::string_view one) {
        if (at == 0 || !contains(one, all.substr(at - 1, 1))) return false;
        --at;
        return true;
    };
    const bool isPlace =
        skipBack(isIdDigit) > 0 && back(":") &&
        skipBack([](char c) { return isIdLetter(c) || isIdDigit(c) || c == '_' || c == '.'; }) > 0;
    if (!isPlace || !back(" ") || skipBack(isUpper) == 0 || !back("\t ") || at < kTime.size())
        return std::nullopt;
    at -= kTime.size();
    if (!isTime(all.substr(at, kTime.size()))) return std::nullopt;
    return Record{at, dashes + 4};
}

// Returns all records of Ray's command line, in order.
std::vector<Record> recordsOf(std::string_view text)
{
    constexpr std::string_view kFile = " cli.py:";
    std::vector<Record> records;
    for (size_t at = text.find(kFile); at != text.npos; at = text.find(kFile, at + 1)) {
        const size_t number = std::min(text.find_first_not_of("0123456789", at + kFile.size()), text.size());
        if (!text.substr(number).starts_with(" -- ")) continue;
        if (const auto record = recordAt(text, number)) records.push_back(*record);
    }
    return records;
}

std::string_view withoutBlanks(std::string_view line)
{
    const size_t begin = line.find_first_not_of(' ');
    if (begin == line.npos) return {};
    return line.substr(begin, line.find_last_not_of(' ') - begin + 1);
}

// Returns a line without the beginning of its record.
std::string_view textOfLine(std::string_view line)
{
    const size_t dashes = line.find(" -- ");
    const auto record = dashes == line.npos ? std::nullopt : recordAt(line, dashes);
    return record && record->begin == 0 ? line.substr(record->text) : line;
}

// Returns the lines that contain a letter, without record prefixes and trailing spaces; indentation is kept.
std::vector<std::string_view> messageLines(std::string_view text)
{
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = textOfLine(text.substr(0, end));
        while (!line.empty() && line.back() == ' ')
            line.remove_suffix(1);
        if (std::ranges::any_of(line, isIdLetter)) lines.push_back(line);
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

// Returns the length of a Python exception's class name at the beginning of a traceback's last line
// ("RuntimeError: ", "requests.exceptions.ReadTimeout: "), or of click's "Error: ". Returns 0 if there is no
// class name.
size_t classLength(std::string_view line)
{
    const size_t colon = line.find(": ");
    if (colon == line.npos) return 0;
    const std::string_view name = line.substr(0, colon);
    const bool isName = std::ranges::all_of(
        name, [](char c) { return isIdLetter(c) || isIdDigit(c) || c == '.' || c == '_'; });
    const std::string_view last = name.substr(name.rfind('.') + 1); // if there is no dot, npos + 1 is 0
    constexpr std::array<std::string_view, 4> kEndings{"Error", "Exception", "Timeout", "Exit"};
    const bool isClass =
        std::ranges::any_of(kEndings, [last](std::string_view ending) { return last.ends_with(ending); });
    return isName && isClass ? colon + 2 : 0;
}

std::string shortened(std::string_view text)
{
    text = withoutBlanks(text);
    if (text.ends_with("..") && !text.ends_with("..."))
        text.remove_suffix(1); // Ray adds a period to every response
    if (text.size() <= kLongest_bytes) return std::string(text);
    size_t end = kLongest_bytes;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80)
        --end;
    return std::string(text.substr(0, end)) + "...";
}

// Returns Ray's message in one line. For a traceback, this is the last line, otherwise the first line without
// a quoted log.
std::string shortMessage(std::string_view message)
{
    const std::vector<std::string_view> lines = messageLines(message);
    if (lines.empty()) return {};
    std::string_view first = lines.front();
    if (const size_t log = first.find(", last available logs"); log != first.npos)
        return shortened(first.substr(0, log));
    const size_t traceback = first.find(kTraceback);
    const bool hasTraceback = contains(message, kTraceback);
    if (traceback != first.npos) first = withoutBlanks(first.substr(0, traceback));
    std::string_view last = lines.back();
    if (!hasTraceback || lines.size() == 1) return shortened(first);
    last.remove_prefix(classLength(last));
    if (first.empty()) return shortened(last);
    return shortened(std::string(first) + (first.ends_with(':') ? " " : ": ") +
                     std::string(withoutBlanks(last)));
}

// Reads "failed with exit code 3, ..." in Ray's message. The code is negative if a signal killed the program.
void takeExitCode(std::string_view message, JobAnswer& answer)
{
    const size_t at = message.find(kExitCode);
    if (at == message.npos) return;
    const std::string_view text = message.substr(at + kExitCode.size());
    const auto code = parseInt(text.substr(0, text.find_first_not_of("-0123456789")));
    if (!code || *code > 255 || *code < -64) return;
    if (*code >= 0) answer.exitStatus = static_cast<int>(*code);
    if (*code < 0) answer.signal = static_cast<int>(-*code);
}

struct NamedPhase {
    std::string_view state;
    JobPhase phase;
};
constexpr std::array<NamedPhase, 5> kStates{{{"PENDING", JobPhase::pending},
                                             {"RUNNING", JobPhase::running},
                                             {"STOPPED", JobPhase::ended},
                                             {"SUCCEEDED", JobPhase::ended},
                                             {"FAILED", JobPhase::ended}}};

std::string quotedJob(std::string_view job)
{
    return "Job '" + std::string(job) + "'";
}

// Returns the state that a line of `ray job status` reports, or "" for other lines.
std::string_view stateOfLine(std::string_view line, std::string_view job)
{
    const std::string name = quotedJob(job), open = "Status for job '" + std::string(job) + "': ";
    if (line.starts_with(open)) return line.substr(open.size());
    if (!line.starts_with(name)) return {};
    line.remove_prefix(name.size());
    if (line == " succeeded") return "SUCCEEDED";
    if (line == " failed") return "FAILED";
    return line == " was stopped" ? "STOPPED" : std::string_view();
}

bool areDashes(std::string_view line)
{
    return !line.empty() && line.find_first_not_of('-') == line.npos;
}

std::string_view lineAt(std::string_view text, size_t at)
{
    return text.substr(at, std::min(text.find('\n', at), text.size()) - at);
}

// Returns the phase that corresponds to Ray's state ("PENDING").
std::optional<JobPhase> rayPhase(std::string_view state)
{
    const auto found = std::ranges::find(kStates, state, &NamedPhase::state);
    if (found == kStates.end()) return std::nullopt;
    return found->phase;
}

} // namespace

RayFailure rayFailureFrom(std::string_view err)
{
    const std::string text = printable(err, "\n");
    const auto has = [&text](std::string_view part) { return contains(text, part); };
    const auto hasAny = [&](std::initializer_list<std::string_view> parts) {
        return std::ranges::any_of(parts, has);
    };
    if (has("status code 404") && has("does not exist")) return RayFailure::unknownJob;
    if (has("submission_id") && has("already exists")) return RayFailure::duplicate;
    if (hasAny({"Failed to connect to Ray at address", "Could not find any running Ray instance"}))
        return RayFailure::notReached;
    if (has("No available agent to submit job")) return RayFailure::refused;
    if (hasAny({"status code 5", "Connection aborted", "Connection reset", "RemoteDisconnected",
                "IncompleteRead", "timed out", "Timeout", "Connection refused", "ConnectionError"}))
        return RayFailure::unsure;
    return RayFailure::refused;
}

std::string rayErrorText(std::string_view out, std::string_view err)
{
    const std::string errors = printable(err, "\n");
    const std::vector<std::string_view> lines = messageLines(errors);
    for (size_t i = lines.size(); i-- > 0;) {
        const size_t length = classLength(lines[i]);
        if (length == 0) continue;
        const std::string_view text = lines[i].substr(length);
        if (contains(text, kTraceback)) break; // a server traceback that ends without a class
        return shortened(text);
    }
    if (!lines.empty()) return shortened(lines.back());
    const std::string output = printable(out, "\n");
    const std::vector<std::string_view> own = messageLines(output);
    return own.empty() || own.back().starts_with(kServer) ? std::string() : shortened(own.back());
}

bool isRayJobSubmitted(std::string_view out, std::string_view job)
{
    return contains(printable(out, "\n"), quotedJob(job) + " submitted successfully");
}

std::optional<JobAnswer> rayAnswerFrom(std::string_view out, std::string_view job)
{
    const std::string text = printable(out, "\n");
    std::optional<JobAnswer> answer;
    for (size_t at = 0; at < text.size();) {
        const std::string_view line = lineAt(text, at);
        const std::string_view words = withoutBlanks(textOfLine(line));
        if (answer && words.starts_with(kMessage)) {
            // The message is printed last, and may have any number of lines.
            const size_t begin = static_cast<size_t>(words.data() - text.data()) + kMessage.size();
            const std::string_view message = std::string_view(text).substr(begin);
            answer->reason = shortMessage(message);
            if (answer->state == "FAILED") takeExitCode(message.substr(0, message.find('\n')), *answer);
            break;
        }
        const std::string_view state = answer ? std::string_view() : stateOfLine(words, job);
        if (!state.empty()) {
            const auto phase = rayPhase(state);
            if (!phase) return std::nullopt;
            answer.emplace();
            answer->phase = *phase;
            answer->state = state;
            if (state == "SUCCEEDED") answer->exitStatus = 0;
        }
        at += line.size() + 1;
    }
    return answer;
}

std::string rayEndText(const JobAnswer& answer, bool isStopped)
{
    if (answer.state == "SUCCEEDED") return {};
    if (answer.state == "STOPPED")
        return isStopped ? "stopped as requested" : "stopped outside Lockstep (STOPPED)";
    if (!answer.reason.empty()) return answer.reason;
    return "failed (" + answer.state + ")";
}

std::string rayPendingText(const JobAnswer& answer)
{
    constexpr std::string_view kPlain = "Job has not started yet.";
    std::string_view text = answer.reason;
    if (text.starts_with(kPlain)) text = withoutBlanks(text.substr(kPlain.size()));
    return std::string(text);
}

std::vector<std::string> rayCommand(const std::vector<std::string>& submit, std::string_view verb)
{
    constexpr std::array<std::string_view, 3> kShared{"--address", "--verify", "--headers"};
    const auto verbAt = std::ranges::find(submit, "submit");
    const auto end = std::find(verbAt, submit.end(), "--");
    std::vector<std::string> words(submit.begin(), verbAt);
    words.emplace_back(verb);
    words.emplace_back(kRayLogStyle);
    for (auto word = verbAt; word != end; ++word) {
        const std::string name = word->substr(0, word->find('='));
        if (std::ranges::find(kShared, name) == kShared.end()) continue;
        words.push_back(*word);
        if (name == *word && word + 1 != end) words.push_back(*++word);
    }
    return words;
}

std::optional<size_t> rayLogBegin(std::string_view text)
{
    const size_t end = text.find('\n');
    if (end == text.npos) return std::nullopt;
    return textOfLine(text.substr(0, end)).starts_with(kServer) ? end + 1 : 0;
}

size_t rayLogEnd(std::string_view text, std::string_view job)
{
    const std::vector<Record> records = recordsOf(text);
    // Returns true for dashes in the line that ends where the next record begins.
    const auto isBefore = [&](size_t i) {
        return areDashes(lineAt(text, records[i].text)) &&
               records[i].text + lineAt(text, records[i].text).size() + 1 == records[i + 1].begin;
    };
    for (size_t i = records.size(); i-- > 0;) {
        if (stateOfLine(lineAt(text, records[i].text), job).empty()) continue;
        return i > 0 && isBefore(i - 1) ? records[i - 1].begin : records[i].begin;
    }
    if (records.empty()) return text.size();
    const std::string_view rest = text.substr(records.back().text);
    const std::string_view line = rest.substr(0, rest.find('\n'));
    const bool isLast = rest.size() <= line.size() + 1;
    return isLast && areDashes(line) ? records.back().begin : text.size();
}

} // namespace lockstep
