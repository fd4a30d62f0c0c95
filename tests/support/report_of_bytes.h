// SPDX-License-Identifier: Apache-2.0
// Opens a file with these bytes.
#pragma once

#include <memory>
#include <string>

#include "core/readers/reader.h"
#include "tests/support/temp_dir.h"
#include "tests/support/workers.h"

namespace lockstep::test {

// Returns nullptr if it cannot be opened.
inline std::shared_ptr<const Report> reportOfBytes(const std::string& bytes)
{
    const TempDir folder;
    const auto report = readReport(folder.write("trace", bytes), Progress(test::workers()));
    return report ? *report : nullptr;
}

} // namespace lockstep::test
