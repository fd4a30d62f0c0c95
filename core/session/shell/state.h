// SPDX-License-Identifier: Apache-2.0
// ShellState contains the variables, arguments and folder at one point in a script, which is read but never
// run. Values that only a running shell would know are kept as written and flagged. ShellNotes contains
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

} // namespace lockstep::shell
