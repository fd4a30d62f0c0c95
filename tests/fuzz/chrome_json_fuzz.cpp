// SPDX-License-Identifier: Apache-2.0
// Reads any bytes as a Chrome trace, with small windows so that every path of the cutter is used, and reads
// the details of each slice.
#include <cstdint>
#include <cstdlib>

#include "core/readers/chrome_json/slice_details.h"
#include "tests/support/chrome_json_text.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto report = lockstep::test::reportOfText(text, 64);
    for (const lockstep::SourceRow source : report->slices.source) {
        if (source.row() >= size || text[source.row()] != '{') std::abort(); // a slice's source is its object
        (void)lockstep::detailsOfObject(text.substr(source.row()));
    }
    return 0;
}
