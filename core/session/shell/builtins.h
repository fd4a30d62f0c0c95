// SPDX-License-Identifier: Apache-2.0
// Builtins: commands of the shell itself that change what a script's later lines see: assignments, export,
// unset, cd, set, shift. Carried out on a State; nothing else is touched.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "core/session/shell/cursor.h"
#include "core/session/shell/expansion.h"
#include "core/session/shell/script.h"
#include "core/session/shell/state.h"

namespace lockstep::shell {

// "NAME=...", "NAME+=...", "NAME[i]=...".
bool isAssignment(std::string_view raw);

class Builtins {
  public:
    Builtins(State& state, Notes& notes, Expander& expander)
        : m_state(state), m_notes(notes), m_expander(expander)
    {
    }

    void assign(std::string_view raw, int line, bool isExported);
    // export, declare, typeset, readonly, local: their words as written, the name first. false: another
    // command.
    bool declare(int line, std::span<const std::string_view> raws);
    // cd, unset, shift, set, and those that mean nothing to what is read. false: another command.
    bool run(int line, std::span<const Text> words);

    std::vector<Text> expanded(std::span<const std::string_view> raws, int line);
    // The command with what it sees: exported variables and its own assignments, which hold for it alone.
    Command command(const Simple& simple, std::vector<Text> words, Budget& budget);

  private:
    void enter(int line, std::span<const Text> words);
    void setOptions(std::span<const Text> words);
    void forget(int line, std::span<const Text> words);

    State& m_state;
    Notes& m_notes;
    Expander& m_expander;
};

} // namespace lockstep::shell
