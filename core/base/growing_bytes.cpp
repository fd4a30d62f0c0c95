// SPDX-License-Identifier: Apache-2.0
#include "core/base/growing_bytes.h"

#include <algorithm>

namespace lockstep {

bool GrowingBytes::resize(size_t size)
{
    auto* const grown = static_cast<char*>(std::realloc(m_bytes.get(), std::max<size_t>(size, 1)));
    if (grown == nullptr) return false;
    (void)m_bytes.release();
    m_bytes.reset(grown);
    m_size = size;
    return true;
}

} // namespace lockstep
