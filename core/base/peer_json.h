// SPDX-License-Identifier: Apache-2.0
// JSON that another machine sent: parsed only within limits, so that no text costs more time or memory than
// it has bytes. Any thread.
#pragma once

#include <string_view>

#include "core/base/json_fields.h"

namespace lockstep {

// Limits for JSON text from another machine. Json finds a key by comparing it with every key of its object,
// so the cost of an object is quadratic in its keys.
struct JsonLimits {
    size_t bytes = 8 << 20;
    size_t depth = 64;         // of nested objects and lists
    size_t keysOfOne = 1'024;  // in one object
    size_t keys = 16'384;      // in all objects together
    size_t values = 1'000'000; // of objects and lists together
};
// Parses text that another machine sent. Discarded (is_discarded(), not an object) where the text is not JSON
// or exceeds a limit. Linear in the text, which is checked before anything is allocated.
Json jsonFromPeer(std::string_view text, const JsonLimits& limits = {});

} // namespace lockstep
