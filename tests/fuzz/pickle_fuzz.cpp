// SPDX-License-Identifier: Apache-2.0
// Reads any bytes as a pickle: refused or read, in bounded time and memory, and every value can be traversed.
#include "core/readers/memory_snapshot/pickle.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    using namespace lockstep;
    PickleLimits limits;
    limits.values_bytes = size_t(64) << 20;
    const auto pickle = readPickle({reinterpret_cast<const char*>(data), size}, limits, Progress());
    if (!pickle) return 0;
    size_t visited = 0;
    const auto count = [&](ValueId item) { visited += pickle->values.asText(item).value_or("").size(); };
    pickle->values.forEachItem(pickle->root, count);
    pickle->values.forEachEntry(pickle->root, [&](std::string_view, ValueId value) { count(value); });
    return 0;
}
