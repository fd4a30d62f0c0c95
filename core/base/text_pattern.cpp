#include "core/base/text_pattern.h"

#include <array>

#include <regex.h>

namespace lockstep {

Result<TextPattern> TextPattern::compile(std::string_view expression)
{
    TextPattern pattern;
    pattern.m_expression = expression;
    auto compiled = std::make_unique<regex_t>();
    const int error = regcomp(compiled.get(), pattern.m_expression.c_str(), REG_EXTENDED);
    if (error != 0) {
        std::array<char, 128> why = {};
        regerror(error, compiled.get(), why.data(), why.size());
        return makeError(ErrorKind::invalid,
                         "regular expression '" + pattern.m_expression + "': " + why.data());
    }
    pattern.m_compiled = std::shared_ptr<const regex_t>(compiled.release(), [](const regex_t* held) {
        regfree(const_cast<regex_t*>(held));
        delete held;
    });
    return pattern;
}

bool TextPattern::matches(std::string_view text) const
{
    // REG_STARTEND: the text needs no terminator.
    regmatch_t part = {0, static_cast<regoff_t>(text.size())};
    return regexec(m_compiled.get(), text.data() == nullptr ? "" : text.data(), 0, &part, REG_STARTEND) == 0;
}

} // namespace lockstep
