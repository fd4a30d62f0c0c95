// SPDX-License-Identifier: Apache-2.0
// Builtins executes shell builtins that affect later lines of a script: assignments, export, local, unset,
// cd, set, shift, read. They modify only a State.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/session/config_value.h"
#include "core/session/shell/expansion.h"

namespace lockstep::shell {

class Builtins {
  public:
    // All arguments must outlive this object. given: see ScriptOptions::values.
    Builtins(State& state, Notes& notes, Expander& expander, const TextPairs& given)
        : m_state(state), m_notes(notes), m_expander(expander), m_given(given)
    {
    }

    // Executes NAME=VALUE. Returns the cause if the value is unknown, otherwise null.
    CausePtr assign(const Word& word, bool isExported);
    // Executes export, declare, typeset, readonly or local. Returns false for other commands.
    bool declare(const std::vector<Word>& words);
    // Executes the other builtins, some of which have no effect here. Returns false for other commands.
    bool run(int line, std::span<const Text> words);

    // Replaces unknown values of variables that the caller gives.
    void useGivenValues();

    // Variables that a function declares with `local`, with their values outside.
    using Locals = std::map<std::string, std::optional<Variable>, std::less<>>;
    // Assigns a variable that endLocals() restores.
    void assignLocal(const Word& word);
    Locals beginLocals() { return std::exchange(m_locals, {}); }
    void endLocals(Locals outer);

    // Returns the exported variables, and the assignments before a command.
    std::vector<std::pair<std::string, Text>> environmentWith(const std::vector<Word>& assignments,
                                                              Budget& budget);

  private:
    Text given(std::string_view name, Text value) const;
    void assignElement(const Assignment& parts, int line);
    void makeLocal(std::string_view name);
    void enter(std::span<const Text> words, int line);
    void setOptions(std::span<const Text> words);

    State& m_state;
    Notes& m_notes;
    Expander& m_expander;
    const TextPairs& m_given;
    Locals m_locals;
};

// Returns what echo, pwd, dirname, basename, realpath or readlink -f prints; nullopt for other commands.
std::optional<Text> printedText(std::span<const Text> words, const State& state);

} // namespace lockstep::shell
