// NamePattern: a regular expression that names are matched against, anywhere in them and without regard to
// letter case (ASCII). Shared by the lane filter and the slice search; a value, any thread may match.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace lockstep {

class NamePattern {
  public:
    // ECMAScript syntax. invalid: `text` is none; the message quotes it.
    static Result<NamePattern> make(const std::string& text);

    // False also where the pattern needs more steps than the library allows on this name.
    bool matches(std::string_view name) const;

  private:
    struct Compiled;
    std::shared_ptr<const Compiled> m_compiled;
};

} // namespace lockstep
