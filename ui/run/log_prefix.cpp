// SPDX-License-Identifier: Apache-2.0
#include "ui/run/log_prefix.h"

#include <charconv>

namespace lockstep {

namespace {

constexpr size_t kLongestPrefix_bytes = 160;

bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}

// Removes the number at the beginning of `text` and returns it.
std::optional<int64_t> takeNumber(std::string_view& text)
{
    int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || text.empty() || !isDigit(text.front())) return std::nullopt;
    text.remove_prefix(static_cast<size_t>(end - text.data()));
    return number;
}

bool takeWord(std::string_view& text, std::string_view word)
{
    if (!text.starts_with(word)) return false;
    text.remove_prefix(word.size());
    return true;
}

// Parses "[rank3]", "[Rank 3]" and "[default3]".
void parseBracket(std::string_view line, LogPrefix& prefix)
{
    std::string_view rest = line;
    if (!takeWord(rest, "[")) return;
    const bool isRank = takeWord(rest, "rank") || takeWord(rest, "Rank") || takeWord(rest, "RANK");
    if (!isRank && !takeWord(rest, "default")) return;
    if (isRank && !rest.empty() && std::string_view(" :=_").find(rest.front()) != rest.npos)
        rest.remove_prefix(1);
    const auto number = takeNumber(rest);
    if (!number || !rest.starts_with("]")) return;
    (isRank ? prefix.rank : prefix.localRank) = number;
    if (prefix.process.empty()) prefix.process = line.substr(0, line.size() - rest.size() + 1);
}

// Parses "(WorkerDict pid=41613, ip=10.0.0.2) ".
void parseRay(std::string_view line, LogPrefix& prefix)
{
    const std::string_view head = line.substr(0, kLongestPrefix_bytes);
    const size_t end = head.find(')'), at = head.find(" pid=");
    if (end == head.npos || at == head.npos || at > end) return;
    std::string_view rest = head.substr(at + 5);
    const auto pid = takeNumber(rest);
    if (!pid) return;
    if (takeWord(rest, ", ip=")) {
        prefix.ip = rest.substr(0, rest.find(')'));
    } else if (!rest.starts_with(")")) {
        return;
    }
    prefix.pid = pid;
    prefix.process = head.substr(1, end - 1);
    prefix.length_bytes = line.substr(end + 1).starts_with(" ") ? end + 2 : end + 1;
}

} // namespace

LogPrefix logPrefix(std::string_view line)
{
    LogPrefix prefix;
    if (line.starts_with("(")) parseRay(line, prefix);
    parseBracket(line.substr(prefix.length_bytes), prefix);
    return prefix;
}

} // namespace lockstep
