// SPDX-License-Identifier: Apache-2.0
// ShellState: what is known at one point of a script that is read and never run: variables, arguments,
// folder. Values that only a running shell would know stay as written and are marked. ShellNotes: what the
// reader could not follow, line by line. Plain values; copied where a script may go two ways.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::shell {

struct Text {
    std::string text;
    bool isKnown = true; // else a part stands there as written, such as $HOME or $(date)

    friend bool operator==(const Text&, const Text&) = default;
};

struct Variable {
    std::vector<Text> values; // one, or those of an array
    bool isArray = false;
    bool isExported = false;

    friend bool operator==(const Variable&, const Variable&) = default;
};

struct State {
    std::map<std::string, Variable, std::less<>> variables;
    std::optional<std::vector<Text>> arguments; // $1...; of the script itself nothing is known
    Text folder;                                // entered by cd; "" = where the script was started
    bool exportsAll = false;

    const Variable* find(std::string_view name) const;
    // Keeps the export mark.
    void set(std::string_view name, std::vector<Text> values, bool isArray = false);
};

struct Note {
    int line = 0;
    bool isLoss = false; // something that the script does is not in what was read
    std::string text;    // "line 7: ..." without the line
};

struct Notes {
    std::vector<Note> all;
    // First line where a default was taken for a variable that the caller may set.
    std::map<std::string, int, std::less<>> defaults;

    // Each text once, at its first line.
    void add(int line, bool isLoss, std::string text);

  private:
    std::set<std::string, std::less<>> m_told;
};

// What one script may cost; spent once, everything after it is left out.
struct Budget {
    size_t bytes = 4 << 20; // of expanded text
    size_t steps = 20'000;  // commands, branches and rounds
    bool isSpent = false;

    bool takeBytes(size_t count);
    bool takeStep();
};

} // namespace lockstep::shell
