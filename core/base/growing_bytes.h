// SPDX-License-Identifier: Apache-2.0
// GrowingBytes: a byte buffer that grows with realloc(), which remaps large blocks instead of copying them,
// and that never clears memory. Copying or clearing tens of megabytes would delay cancellation. Not
// thread-safe.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <string_view>

namespace lockstep {

class GrowingBytes {
  public:
    // Returns false if out of memory; the content is then unchanged. Added bytes are uninitialized.
    bool resize(size_t size)
    {
        auto* const grown = static_cast<char*>(std::realloc(m_bytes.get(), std::max<size_t>(size, 1)));
        if (grown == nullptr) return false;
        (void)m_bytes.release();
        m_bytes.reset(grown);
        m_size = size;
        return true;
    }
    char* data() { return m_bytes.get(); }
    const char* data() const { return m_bytes.get(); }
    size_t size() const { return m_size; }
    operator std::string_view() const { return {m_bytes.get(), m_size}; }

  private:
    struct Free {
        void operator()(char* bytes) const { std::free(bytes); }
    };
    std::unique_ptr<char, Free> m_bytes;
    size_t m_size = 0;
};

} // namespace lockstep
