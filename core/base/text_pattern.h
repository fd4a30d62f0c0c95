// TextPattern: a compiled POSIX extended regular expression, searched for anywhere in a text. Its matcher
// cannot run out of stack on the kilobytes long names of C++ kernels, as std::regex does. Cheap to copy,
// usable on any thread.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "core/base/result.h"

struct re_pattern_buffer;

namespace lockstep {

class TextPattern {
  public:
    // invalid when the expression is malformed; the message says why.
    static Result<TextPattern> compile(std::string_view expression);

    // True when some part of text matches. Case-sensitive.
    bool matches(std::string_view text) const;
    const std::string& expression() const { return m_expression; }

  private:
    std::string m_expression;
    std::shared_ptr<const re_pattern_buffer> m_compiled;
};

} // namespace lockstep
