// SPDX-License-Identifier: Apache-2.0
// State contains the variables, arguments and folder at one point in a script, which is read but never
// run. Values that only a running shell would know are kept as written and flagged. Notes contains
// unsupported constructs by line. Plain value types; copied at branches with an unknown condition.
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
    bool isKnown = true; // false if a part such as $HOME or $(date) is kept as written

    friend bool operator==(const Text&, const Text&) = default;
};

struct Variable {
    std::vector<Text> values; // one value, or the elements of an array
    bool isArray = false;
    bool isExported = false;

    friend bool operator==(const Variable&, const Variable&) = default;
};

struct State {
    std::map<std::string, Variable, std::less<>> variables;
    // $1 and the following arguments; unknown at the top level of the script.
    std::optional<std::vector<Text>> arguments;
    Text folder; // current folder; "" = the folder in which the script was started
    bool exportsAll = false;

    const Variable* find(std::string_view name) const;
    // Sets a variable; its export status is unchanged.
    void set(std::string_view name, std::vector<Text> values, bool isArray = false);
};

struct Note {
    int line = 0;
    bool isLoss = false; // the import lacks an effect of the script
    std::string text;    // text without the line number
};

struct Notes {
    std::vector<Note> all;
    // For each variable that the caller may set: the first line in which a default was used for it.
    std::map<std::string, int, std::less<>> defaults;

    // Adds a note. Identical notes are added only once, at their first line.
    void add(int line, bool isLoss, std::string text);

  private:
    std::set<std::string, std::less<>> m_reported;
};

// Limits for reading one script. Once a limit is exceeded, the rest of the script is skipped.
struct Budget {
    size_t bytes = 4 << 20; // bytes of expanded text
    size_t steps = 20'000;  // number of commands, branches and loop iterations
    bool isSpent = false;

    bool takeBytes(size_t count);
    bool takeStep();
};

// Branches holds the branches of an if, case or && whose condition is unknown, and the merged state with
// which the reader continues.
struct Branches {
    State before;
    std::vector<State> outcomes;
    bool isOpen = false;     // the condition of a branch could not be evaluated
    bool isTaken = false;    // a branch is certainly taken, so later branches are not
    bool isComplete = false; // one of the branches is certainly taken
};

// Merges the branches. If possibly no branch is taken, the result is the previous state, otherwise the state
// of the first branch. Adds variables that are set only in other branches, and a note about the variables
// whose values differ.
void mergeBranches(Branches& branches, int line, std::string_view what, State& state, Notes& notes,
                   Budget& budget);

// Adds notes about unquoted * ? {a,b} and ~ in a word. bash would expand these characters, but the reader
// keeps them as written.
void noteUnexpanded(std::string_view raw, int line, Notes& notes);

// Returns " (lines 3 to 7)", or "" if there is only one line.
std::string lineRange(int first, int last);
// Returns the beginning of a part of a script on a single line, for use in a note.
std::string shortened(std::string_view text);

} // namespace lockstep::shell
