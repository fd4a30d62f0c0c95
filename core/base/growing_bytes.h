// SPDX-License-Identifier: Apache-2.0
// GrowingBytes: bytes that grow without being copied or cleared where the system can move pages. Copying and
// clearing tens of megabytes cannot be canceled. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <string_view>

namespace lockstep {

class GrowingBytes {
  public:
    // False where there is no memory; what was there stays. New bytes have no defined value.
    bool resize(size_t size);
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
