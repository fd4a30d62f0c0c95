// SPDX-License-Identifier: Apache-2.0
// Reader traverses the tokens of a script in execution order and maintains the script's State. Part of
// script.cpp.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/session/shell/branches.h"
#include "core/session/shell/builtins.h"
#include "core/session/shell/condition.h"
#include "core/session/shell/cursor.h"
#include "core/session/shell/expansion.h"
#include "core/session/shell/script.h"
#include "core/session/shell/tokens.h"

namespace lockstep::shell {

class Reader {
  public:
    explicit Reader(Script& script) : m_script(script) {}

    State& state() { return m_state; }
    Notes& notes() { return m_notes; }

    Status read(std::string_view text, int firstLine);

  private:
    // How a list ended: the status of its last command, and
    // whether exit, return, break or continue ended it early.
    struct Ended {
        Truth truth = Truth::yes;
        bool isAssumed = false; // success is assumed because the command was not run
        bool isCut = false;
    };
    Ended list();
    Ended andOr();
    Ended pipeline();
    Ended command(bool isPiped);
    Ended group(std::string_view end, bool isSubshell);
    Ended ifStatement();
    Ended forLoop();
    Ended whileLoop();
    Ended caseStatement();
    void open(Branches& branches);
    // Reads a branch (a list or pipeline), which is certainly taken, possibly taken, or skipped.
    void branch(Branches& branches, Truth condition, Ended (Reader::*body)() = &Reader::list);
    Ended call(Cursor body, std::vector<Text> arguments);
    Ended simple(bool isPiped);
    Ended run(const Simple& simple);
    Ended evaluated(int line, const std::vector<Text>& words);
    void record(const Simple& simple, std::vector<Text> words);

    Script& m_script;
    State m_state;
    Notes m_notes;
    Budget m_budget;
    Expander m_expander{m_state, m_notes, m_budget};
    Builtins m_builtins{m_state, m_notes, m_expander};
    std::deque<Tokens> m_texts; // tokens of the script and of text passed to eval
    std::deque<std::string> m_evaluated;
    std::map<std::string, Cursor, std::less<>> m_functions; // positions of the function bodies
    Cursor m_cursor;
    bool m_isActive = true;
    bool m_isCertain = true;
    bool m_isCut = false;
    int m_depth = 0;
    int m_calls = 0;
};

} // namespace lockstep::shell
