#include "core/timeline/name_pattern.h"

// GCC 12 takes a part of <regex> for uninitialised when sanitizers are on.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <regex>

namespace lockstep {

struct NamePattern::Compiled {
    std::regex regex;
};

Result<NamePattern> NamePattern::make(const std::string& text)
{
    constexpr auto kSyntax = std::regex::ECMAScript | std::regex::icase | std::regex::optimize;
    try {
        NamePattern pattern;
        pattern.m_compiled = std::make_shared<const Compiled>(Compiled{std::regex(text, kSyntax)});
        return pattern;
    } catch (const std::regex_error& error) {
        return makeError(ErrorKind::invalid, "'" + text + "' is no regular expression: " + error.what());
    }
}

bool NamePattern::matches(std::string_view name) const
{
    try {
        return std::regex_search(name.begin(), name.end(), m_compiled->regex);
    } catch (const std::regex_error&) {
        return false;
    }
}

} // namespace lockstep
