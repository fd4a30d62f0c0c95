// SPDX-License-Identifier: Apache-2.0
#include "core/base/host_reference.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <unistd.h>

namespace lockstep {

namespace {

constexpr size_t npos = std::string_view::npos;

bool isHostNameChar(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// Returns the position of a ~ that stands for the home folder, or npos.
size_t tildeIn(std::string_view text)
{
    const auto isTilde = [text](size_t at, char quote) {
        if (at >= text.size() || text[at] != '~') return false;
        const char next = at + 1 < text.size() ? text[at + 1] : '\0';
        return next == '\0' || next == '/' || (quote != '\0' && next == quote);
    };
    if (isTilde(0, '\0')) return 0;
    size_t begin = text.find('=');
    if (begin == npos || ++begin == text.size()) return npos;
    const char quote = text[begin] == '"' || text[begin] == '\'' ? text[begin] : '\0';
    if (quote != '\0') ++begin;
    return isTilde(begin, quote) ? begin : npos;
}

// Returns the reference at the dollar at `at`. size_bytes is 0 if there is none.
HostReference dollarReference(std::string_view text, size_t at)
{
    const std::string_view rest = text.substr(at + 1);
    if (rest.starts_with('$')) return {at, 2, rest.substr(0, 1)};
    const bool isBraced = rest.starts_with('{');
    const size_t begin = isBraced ? 1 : 0;
    const auto end = static_cast<size_t>(
        std::find_if_not(rest.begin() + static_cast<std::ptrdiff_t>(begin), rest.end(), isHostNameChar) -
        rest.begin());
    const std::string_view name = rest.substr(begin, end - begin);
    const bool isClosed = !isBraced || rest.substr(end).starts_with('}');
    if (!isClosed || !isHostVariable(name)) return {};
    return {at, end + (isBraced ? 2 : 1), name};
}

} // namespace

bool isHostVariable(std::string_view name)
{
    const auto hasPrefix = [name](std::string_view prefix) {
        return name.starts_with(prefix) && name.size() > prefix.size();
    };
    return name == "HOME" || name == "USER" || name == "PWD" || hasPrefix("SLURM_") || hasPrefix("RAY_");
}

std::vector<HostReference> hostReferences(std::string_view text)
{
    std::vector<HostReference> found;
    const size_t tilde = tildeIn(text);
    for (size_t at = 0; (at = text.find_first_of("~$", at)) != npos;) {
        const HostReference one = at == tilde       ? HostReference{at, 1, "HOME"}
                                  : text[at] == '$' ? dollarReference(text, at)
                                                    : HostReference();
        if (one.size_bytes > 0) found.push_back(one);
        at += std::max<size_t>(one.size_bytes, 1);
    }
    return found;
}

std::string resolvedText(std::string_view text, const HostValue& valueOf)
{
    std::string out;
    size_t from = 0;
    for (const HostReference& one : hostReferences(text)) {
        out += text.substr(from, one.begin - from);
        const std::optional<std::string> value =
            one.name == "$" ? std::optional<std::string>("$") : valueOf(one.name);
        out += value ? std::string_view(*value) : text.substr(one.begin, one.size_bytes);
        from = one.begin + one.size_bytes;
    }
    return out += text.substr(from);
}

std::string literalText(std::string_view text)
{
    std::string out;
    for (size_t at = 0; at < text.size(); ++at) {
        if (text[at] == '$' && dollarReference(text, at).size_bytes > 0) out += '$';
        out += text[at];
    }
    return out;
}

bool isAbsoluteOrHomePath(std::string_view path)
{
    if (path.starts_with('/')) return true;
    const std::vector<HostReference> found = hostReferences(path);
    if (found.empty() || found[0].begin > 0 || (found[0].name != "HOME" && found[0].name != "PWD"))
        return false;
    return path.size() == found[0].size_bytes || path[found[0].size_bytes] == '/';
}

// Containers often run without USER. The agent is a static program, so it cannot use getpwuid().
static std::optional<std::string> userName()
{
    for (const char* const variable : {"USER", "LOGNAME"}) {
        const char* const value = std::getenv(variable);
        if (value != nullptr && *value != '\0') return value;
    }
    const std::string id = ":" + std::to_string(::getuid()) + ":";
    std::ifstream accounts("/etc/passwd");
    for (std::string line; std::getline(accounts, line);) { // name:password:id:...
        const size_t name = line.find(':');
        const size_t password = name == std::string::npos ? name : line.find(':', name + 1);
        if (password != std::string::npos && line.compare(password, id.size(), id) == 0)
            return line.substr(0, name);
    }
    return std::nullopt;
}

std::string resolvedHere(std::string_view text, const std::string& workingFolder)
{
    return resolvedText(text, [&](std::string_view name) -> std::optional<std::string> {
        if (name == "USER") return userName();
        if (name == "PWD") {
            std::error_code error;
            const std::filesystem::path current = std::filesystem::current_path(error);
            if (error) return std::nullopt;
            return workingFolder.empty() ? current.string()
                                         : (current / workingFolder).lexically_normal().string();
        }
        const char* const value = std::getenv(std::string(name).c_str());
        if (value == nullptr || (name == "HOME" && *value == '\0')) return std::nullopt;
        return value;
    });
}

} // namespace lockstep
