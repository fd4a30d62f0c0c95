// SPDX-License-Identifier: Apache-2.0
// Builtins executes shell builtins that affect later lines of a script: assignments, export, unset, cd, set,
// shift. They modify only a State.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "core/session/shell/expansion.h"
#include "core/session/shell/script.h"
#include "core/session/shell/state.h"
#include "core/session/shell/tokens.h"

namespace lockstep::shell {

// Executes "NAME=...", "NAME+=..." or "NAME[i]=...".
bool isAssignment(std::string_view raw);

class Builtins {
  public:
    Builtins(State& state, Notes& notes, Expander& expander)
        : m_state(state), m_notes(notes), m_expander(expander)
    {
    }

    void assign(std::string_view raw, int line, bool isExported);
    // Executes export, declare, typeset, readonly or local. `raws` are the words as written, starting with
    // the command name. Returns false for other commands.
    bool declare(int line, std::span<const std::string_view> raws);
    // Executes cd, unset, shift and set. Ignores builtins that have no effect on the import. Returns false
    // for other commands.
    bool run(int line, std::span<const Text> words);

    std::vector<Text> expanded(std::span<const std::string_view> raws, int line);
    // Returns the command with its environment, which consists of the exported variables and the command's
    // own assignments.
    Command command(const Simple& simple, std::vector<Text> words, Budget& budget);

  private:
    void enter(int line, std::span<const Text> words);
    void setOptions(std::span<const Text> words);
    void unset(int line, std::span<const Text> words);

    State& m_state;
    Notes& m_notes;
    Expander& m_expander;
};

} // namespace lockstep::shell
