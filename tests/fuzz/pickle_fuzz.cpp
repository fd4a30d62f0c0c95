// SPDX-License-Identifier: Apache-2.0
// Reads any bytes as a pickle of plain data and as one of torch.save: refused or read, in bounded time and
// memory, and every value can be traversed.
#include "core/readers/pickle/pickle.h"

using namespace lockstep;

static void traverse(const Result<Pickle>& pickle)
{
    if (!pickle) return;
    size_t visited = 0;
    const auto count = [&](ValueId item) { visited += pickle->values.asText(item).value_or("").size(); };
    pickle->values.forEachItem(pickle->root, count);
    pickle->values.forEachEntry(pickle->root, [&](std::string_view, ValueId value) { count(value); });
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    PickleLimits limits;
    limits.values_bytes = size_t(64) << 20;
    traverse(readPickle(bytes, limits, Progress()));
    traverse(readTorchPickle(bytes, limits, Progress()));
    return 0;
}
