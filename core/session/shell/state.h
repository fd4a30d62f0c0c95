// SPDX-License-Identifier: Apache-2.0
// State contains the variables, arguments and folder at one point in a script, which is read but never run. A
// value that only a running shell would know has a cause instead. Plain value types; copied at branches
// with an unknown condition.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/session/shell/syntax.h"

namespace lockstep::shell {

// Why a value is unknown.
struct Cause {
    std::string name; // variable, or number of an argument, whose value would resolve it; "" if there is none
    std::string text; // such as "$(date) runs a command"
    int line = 0;     // 0 if the cause has no line of its own

    // Returns "NAME: text (line N)".
    std::string description() const;
};
using CausePtr = std::shared_ptr<const Cause>;
CausePtr causeOf(std::string_view name, std::string text, int line = 0);
// Text of the cause of a variable that only the caller may set.
inline constexpr const char* kNotSet = "not set in the script";

// A reference that the host resolves, such as $HOME, is written as kReferenceBegin NAME kReferenceEnd. No
// UTF-8 text contains these bytes.
constexpr char kReferenceBegin = '\xFE';
constexpr char kReferenceEnd = '\xFF';

struct Text {
    std::string text = {};   // the value; if it is unknown, the text as written in the script
    CausePtr unknown = {};   // null if the value is known
    std::string remark = {}; // how the value may differ in bash; "" = not at all
    bool usesFolder = false; // contains the folder of the script on this machine
    int line = 0;

    bool isKnown() const { return unknown == nullptr; }
    bool hasReference() const { return text.find(kReferenceBegin) != std::string::npos; }
    // Ignores the line.
    friend bool operator==(const Text& a, const Text& b);
};

Text referenceTo(std::string_view name);
Text unknownText(std::string_view written, CausePtr cause);

// Returns the text in the spelling of a session: $NAME for references, $$ where a literal dollar would be a
// reference.
std::string sessionText(std::string_view text);

struct Variable {
    std::vector<Text> values; // one value, or the elements of an array
    bool isArray = false;
    bool isExported = false;
    bool isGiven = false; // has the value that the caller gives

    friend bool operator==(const Variable&, const Variable&) = default;
};

// Variables that a function declares with `local`, with their values outside.
using Locals = std::map<std::string, std::optional<Variable>, std::less<>>;

struct State {
    std::map<std::string, Variable, std::less<>> variables;
    Locals locals;                                             // of the function that is executed
    std::map<std::string, const Node*, std::less<>> functions; // null: defined differently by branches
    std::optional<std::vector<Text>> arguments;                // of the script or function; nullopt: unknown
    Text folder; // current folder; "" = the folder in which the script was started
    bool exportsAll = false;

    const Variable* find(std::string_view name) const;
    // Sets a variable; its export status is unchanged.
    void set(std::string_view name, std::vector<Text> values, bool isArray = false);
};

// Returns a sequence in which elements that both have in the same order are known and all others are unknown.
std::vector<Text> mergedTexts(const std::vector<Text>& a, const std::vector<Text>& b, const CausePtr& cause);
// Returns the element at an index: unknown if it is after an unknown element, which may be any number of
// words; null if there is none.
const Text* elementAt(const std::vector<Text>& values, size_t index);
// Makes unknown what differs between the outcomes of branches. outcomes must not be empty.
State mergedStates(std::vector<State> outcomes, const CausePtr& cause);

struct Note {
    int line = 0;
    bool isLoss = false;    // the import lacks an effect of the script
    std::string text;       // text without the line number
    CausePtr why = nullptr; // of what was left unset
};

struct Notes {
    std::vector<Note> all;
    // For each variable that the caller may set: the first line in which a default was used for it.
    std::map<std::string, int, std::less<>> defaults;

    // Adds a note. Identical notes are added only once, at their first line.
    void add(int line, bool isLoss, std::string text);
    // Adds a note about `defaults`.
    void addDefaults();

  private:
    std::set<std::string, std::less<>> m_reported;
};

// Limits for reading one script. Once a limit is exceeded, the rest of the script is skipped.
struct Budget {
    size_t bytes = 8 << 20; // bytes of expanded text and copied state
    size_t steps = 20'000;  // number of commands, branches and loop iterations
    bool isSpent = false;

    bool takeBytes(size_t count);
    bool takeStep();
};

// What the parts of the interpreter share while they read one script.
struct Reading {
    State state;
    Notes notes;
    Budget budget;
    std::vector<std::string>
        files;                   // absolute paths of the script and of the files that it sources; may be ""
    bool isBatch = false;        // has #SBATCH lines, so Slurm sets its variables
    bool hasOwnArguments = true; // State::arguments are those of the script, not of a function
    // Values of ScriptOptions, and the names of those that the script has used.
    std::map<std::string, std::string, std::less<>> given;
    std::set<std::string, std::less<>> usedGiven;
    // Returns the output of $(...), whose inside is given.
    std::function<Text(std::string_view inside, int line)> output;
};

// Returns the beginning of a part of a script on a single line, without secrets, for use in a note.
std::string shortened(std::string_view text);

} // namespace lockstep::shell
