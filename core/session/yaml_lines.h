// SPDX-License-Identifier: Apache-2.0
// YamlLine is one line of YAML text and the position of its comment, which is found without parsing. Quotes,
// brackets and block scalars are tracked only as far as required to distinguish a comment from a '#' in a
// value. Used by edits that preserve comments; the editor verifies the result with readYaml(). Thread: any.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace lockstep {

struct YamlLine {
    std::string_view text;      // text of the line, including its line end
    size_t contentSize = 0;     // size up to the comment or the line end, without the spaces before it
    std::string_view comment{}; // starts at '#' and excludes the line end; empty = no comment
    bool isInValue = false; // the line begins inside a quoted or block scalar that started on an earlier line

    bool hasContent() const { return contentSize > 0 || isInValue; }
};

// Splits text into lines. The last line does not need a line end.
std::vector<YamlLine> yamlLines(std::string_view text);

} // namespace lockstep
