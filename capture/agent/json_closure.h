// SPDX-License-Identifier: Apache-2.0
// JsonClosure finds out whether JSON, given chunk by chunk, is complete: every bracket is closed and only
// whitespace follows. It does not check any other JSON syntax, so it runs at memory speed. One thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lockstep::agent {

class JsonClosure {
  public:
    void add(std::string_view piece);
    // Also returns true for PyTorch traces with unescaped quotes in names if their last key, "traceName", is
    // at the end.
    bool isClosed() const;

  private:
    int64_t m_depth = 0;
    bool m_isInText = false;
    bool m_isEscaped = false;
    bool m_wasClosed = false; // the nesting depth returned to 0
    bool m_hasMore = false;   // text other than whitespace followed
    std::string m_end;        // last bytes of the text
};

} // namespace lockstep::agent
