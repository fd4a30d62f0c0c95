// SPDX-License-Identifier: Apache-2.0
// Syntax tree of a launch script: commands with their words as written. parseShell() finds where words and
// commands end; it expands nothing. Views refer to the text, which the caller keeps. Pure. Thread: any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace lockstep::shell {

constexpr size_t npos = std::string_view::npos;

struct Word {
    std::string_view text; // with its quotes; "NAME=( ... )" is one word
    int line = 0;          // one-based
};

struct Node {
    enum class Kind : uint8_t {
        simple,     // assignments and words
        list,       // children in sequence
        chain,      // children joined by && or ||, see isAnd
        pipeline,   // children joined by |
        negated,    // ! child
        subshell,   // ( child )
        condition,  // if: condition, body, condition, body, ..., body of else
        forLoop,    // words: name, values; child: body
        whileLoop,  // condition, body; words[0]: while or until
        caseOf,     // words[0]: subject; children: bodies; patterns: one list per child
        function,   // words[0]: name; child: body
        test,       // words[0]: the whole [[ ... ]]
        arithmetic, // words[0]: the whole (( ... ))
    };
    Kind kind = Kind::simple;
    int line = 0;
    std::vector<Word> assignments = {}, words = {};
    std::vector<Node> children = {};
    std::vector<bool> isAnd = {}; // chain: whether && precedes the child; true for the first
    std::vector<std::vector<Word>> patterns = {};
    std::vector<Word> outputs = {}; // files to which output is redirected
    bool hasInput = false;          // reads a file or a here-document
    bool hasValues = false;         // forLoop: has "in ..."
    bool isRedirected = false;
};

// Line numbers begin at firstLine. Errors: invalid, with line and column, for an unclosed quote or bracket, a
// misplaced word or operator, or more than 100 nested commands.
Result<Node> parseShell(std::string_view text, int firstLine = 1);
// Splits the inside of "[[ ]]" or of an array into words; operators of conditions are words of their own.
std::vector<Word> splitWords(std::string_view text, int firstLine);

// Returns the arguments of the #SBATCH lines in a script.
std::vector<std::string> batchOptionsOf(std::string_view text);

// Returns the position after the character, quote or expansion such as "${...}" at `at`, or npos if its end
// is missing. isQuoted: inside "${...}" in double quotes, where the apostrophe of "${x:-it's}" is a
// character.
size_t endOfPart(std::string_view text, size_t at, bool isQuoted = false);

struct Assignment {
    std::string_view name, subscript, value;
    bool isAdding = false; // +=
};
// Returns true and the parts if the word is "NAME=...", "NAME+=..." or "NAME[i]=...".
bool isAssignment(std::string_view word, Assignment* parts = nullptr);

} // namespace lockstep::shell
