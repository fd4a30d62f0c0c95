// SPDX-License-Identifier: Apache-2.0
// JsonClosure: whether a JSON text, seen piece by piece, was written to its end: every bracket is closed and
// nothing but blanks stands behind. Knows nothing else of JSON, so it runs at the speed of memory. One
// thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lockstep::agent {

class JsonClosure {
  public:
    void add(std::string_view piece);
    // Also true for PyTorch traces whose names hold unescaped quotes: their last key, "traceName", stands at
    // the end.
    bool isClosed() const;

  private:
    int64_t m_depth = 0;
    bool m_isInText = false;
    bool m_isEscaped = false;
    bool m_wasClosed = false; // depth came back to 0
    bool m_hasMore = false;   // something stood behind
    std::string m_end;        // last bytes of the text
};

} // namespace lockstep::agent
