// SPDX-License-Identifier: Apache-2.0
// Returns the result of core's byteText(), such as "61.2 GiB", as a QString.
#pragma once

#include <QString>

#include "core/base/text.h"

namespace lockstep {

inline QString byteQText(int64_t size_bytes)
{
    return QString::fromStdString(byteText(size_bytes));
}
inline QString byteQText(uint64_t size_bytes)
{
    return byteQText(static_cast<int64_t>(size_bytes));
}

} // namespace lockstep
