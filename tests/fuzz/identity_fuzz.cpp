// SPDX-License-Identifier: Apache-2.0
// Reads any text as an identity file, as a file's path and as manual shifts: it is refused with its line, or
// usable.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "app/cli/identity_file.h"
#include "core/align/manual_shifts.h"
#include "core/readers/identity/file_identity.h"

using namespace lockstep;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    const std::string text(reinterpret_cast<const char*>(data), size);
    const auto file = IdentityFile::parse(text, "ranks.csv");
    if (!file && file.error().kind != ErrorKind::invalid) std::abort();
    if (file) {
        const Identity stated = file->statedFor("run/node-1/rank3.json");
        if (stated.rank.value.value_or(0) < 0) std::abort();
    }
    const Identity identity = identityFromPath(text.substr(0, 4096));
    if (identity.rank.isKnown() && *identity.rank.value < 0) std::abort();
    const Workspace workspace;
    if (const auto shifts = parseManualShifts(text, workspace); !shifts && shifts.error().message.empty())
        std::abort();
    return 0;
}
