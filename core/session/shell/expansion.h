// SPDX-License-Identifier: Apache-2.0
// Expander expands the words in a script into what its commands would receive, without running any part of
// the script. It removes quotes and expands ~, variables, defaults, arrays and arithmetic. Whatever it cannot
// evaluate makes the word unknown.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/session/shell/state.h"

namespace lockstep::shell {

// What is known about the script as a whole.
struct ScriptContext {
    std::vector<std::string>
        files;                   // absolute paths of the script and of the files that it sources; may be ""
    bool isBatch = false;        // has #SBATCH lines, so Slurm sets its variables
    bool hasOwnArguments = true; // State::arguments are those of the script, not of a function
    // Returns the output of $(...), whose inside is given.
    std::function<Text(std::string_view inside, int line)> output;
};

class Expander {
  public:
    // All arguments must outlive the expander.
    Expander(State& state, Notes& notes, Budget& budget, const ScriptContext& context)
        : m_state(state), m_notes(notes), m_budget(budget), m_context(context)
    {
    }

    // Expands one word to zero, one or several words. For example, "${array[@]}" may give several.
    std::vector<Text> fields(const Word& word);
    std::vector<Text> fields(const std::vector<Word>& words);
    // Expands the value of an assignment or the word of a condition, without splitting.
    Text single(std::string_view raw, int line, bool isAssigned = false);
    // Returns the elements of the array "( ... )".
    std::vector<Text> arrayElements(std::string_view raw, int line);
    // Evaluates the content of $(( )) or (( )). Returns nullopt and the cause if the value is unknown.
    std::optional<int64_t> number(std::string_view raw, int line, CausePtr& why);

  private:
    struct Out {
        std::vector<Text> done;
        Text now;
        bool hasNow = false; // `now` is a word, even if it is empty
        bool isSplit = true;
        bool isAssigned = false;
    };
    struct Values {
        bool isSet = false;
        std::vector<Text> texts;
        CausePtr why; // if it is not set
    };

    void expand(std::string_view raw, bool isQuoted, Out& out);
    size_t expandTilde(std::string_view raw, size_t at, Out& out);
    size_t expandDollar(std::string_view raw, size_t at, bool isQuoted, Out& out);
    void expandBraces(std::string_view whole, bool isQuoted, Out& out);
    // Expands the part after the variable name, such as ":-x". Returns false for other operators.
    bool expandDefault(std::string_view whole, std::string_view name, std::string_view op,
                       const Values& values, bool isQuoted, Out& out);
    // Returns the value changed by an operator such as "##*/", or nullopt if that is not supported.
    std::optional<Text> changed(const Text& value, std::string_view op);
    void append(std::string_view whole, const Values& values, bool isList, bool isQuoted, Out& out);
    Values valuesOf(std::string_view name, std::string_view subscript, bool hasDefault);
    Values argumentOf(std::string_view name);

    void put(Out& out, std::string_view text);
    void appendValue(Out& out, const Text& value, std::string_view written, bool isQuoted);
    void appendUnknown(Out& out, std::string_view written, CausePtr cause);
    void appendUnknown(Out& out, std::string_view written, const std::string& reason);
    void endField(Out& out);

    State& m_state;
    Notes& m_notes;
    Budget& m_budget;
    const ScriptContext& m_context;
    int m_line = 0;
    int m_depth = 0;
};

// Returns the path without "." and "..", or nullopt if a reference makes the result unknown.
std::optional<std::string> normalPath(std::string_view path);
// Returns the current folder, as pwd prints it.
Text currentFolder(const State& state);

} // namespace lockstep::shell
