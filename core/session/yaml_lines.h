// SPDX-License-Identifier: Apache-2.0
// YamlLine: one line of a YAML text with where its comment begins, told without parsing: quotes, brackets and
// block scalars are followed just far enough to know a comment from a '#' in a value. For edits that keep
// comments; whoever edits checks the result with readYaml(). Any thread.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace lockstep {

struct YamlLine {
    std::string_view text;      // with its line end
    size_t contentSize = 0;     // up to the comment or the line end, blanks in front of those left out
    std::string_view comment{}; // from its '#' on, without the line end; empty = none
    bool isInValue = false;     // begins inside a quoted or block scalar that an earlier line opened

    bool hasContent() const { return contentSize > 0 || isInValue; }
};

// Texts end at their own last line, whether or not it has a line end.
std::vector<YamlLine> yamlLines(std::string_view text);

} // namespace lockstep
