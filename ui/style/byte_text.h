// SPDX-License-Identifier: Apache-2.0
// byteText() of core as the window's text: "61.2 GiB".
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
