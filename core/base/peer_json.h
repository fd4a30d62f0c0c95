// SPDX-License-Identifier: Apache-2.0
// Parses JSON from another machine within limits, so that time and memory stay proportional to the size of
// the text. Any thread.
#pragma once

#include <string_view>

#include "core/base/json_fields.h"

namespace lockstep {

// Limits for JSON text from another machine. Json finds a key by comparing it with every key of its object,
// so the cost of an object is quadratic in its number of keys.
struct JsonLimits {
    size_t bytes = 8 << 20;
    size_t depth = 64;            // nesting depth of objects and lists
    size_t keysPerObject = 1'024; // maximum number of keys in one object
    size_t keys = 16'384;         // maximum number of keys in all objects together
    size_t values = 1'000'000;    // maximum number of values in all objects and lists together
};
// Parses text that another machine sent. The result is in the discarded state (is_discarded() returns true)
// if the text is not JSON or exceeds a limit. Takes linear time; the text is checked before anything is
// allocated.
Json jsonFromPeer(std::string_view text, const JsonLimits& limits = {});

} // namespace lockstep
