// SPDX-License-Identifier: Apache-2.0
// Reads Chrome JSON from memory through the same splitter, parser and assembly as from a file, with windows
// of any size.
#pragma once

#include <memory>
#include <string_view>

#include "core/trace/report.h"

namespace lockstep::test {

// Uses one worker; the report may be empty. Never null.
std::shared_ptr<const Report> reportOfText(std::string_view text, size_t windowSize);

} // namespace lockstep::test
