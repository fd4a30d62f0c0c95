// SPDX-License-Identifier: Apache-2.0
// Expander: the words of a script as its commands would see them, as far as that is known without running
// anything: quotes undone, variables, defaults, arrays and arithmetic replaced; $(command), unset variables
// and ~ stay as written, with a note.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/session/shell/state.h"

namespace lockstep::shell {

class Expander {
  public:
    // All three outlive the expander.
    Expander(State& state, Notes& notes, Budget& budget) : m_state(state), m_notes(notes), m_budget(budget) {}

    // One word as the words that it becomes: none, one, or those of "${array[@]}".
    std::vector<Text> fields(std::string_view raw, int line);
    // The word as the one text that an assignment takes: not split.
    Text single(std::string_view raw, int line);
    // The elements of "( ... )", which begins raw.
    std::vector<Text> arrayElements(std::string_view raw, int line);
    // Of $(( )) and (( )), without their brackets. Empty where not known.
    std::optional<int64_t> number(std::string_view raw, int line);

  private:
    struct Out {
        std::vector<Text> done;
        Text now;
        bool hasNow = false; // now is a word even if empty
        bool isSplit = true;
    };
    using Values = std::optional<std::vector<Text>>;

    void expand(std::string_view raw, bool isQuoted, Out& out);
    size_t expandDollar(std::string_view raw, size_t at, bool isQuoted, Out& out);
    void expandBraces(std::string_view whole, bool isQuoted, Out& out);
    void expandArithmetic(std::string_view whole, bool isQuoted, Out& out);
    // What stands behind the name: ":-x" and its like. false: not one of those.
    bool expandDefault(std::string_view name, std::string_view op, const Values& values, bool isQuoted,
                       Out& out);
    Text changed(const Text& value, std::string_view op);
    void plain(std::string_view whole, std::string_view name, const Values& values, bool isList,
               bool isQuoted, Out& out);
    Values valuesOf(std::string_view name, std::string_view subscript);
    size_t ansiQuote(std::string_view raw, size_t at, Out& out);

    void put(Out& out, std::string_view text);
    void putValue(Out& out, const Text& value, bool isQuoted);
    void putUnknown(Out& out, std::string_view text, const std::string& why, bool isLoss = true);
    void endField(Out& out);

    State& m_state;
    Notes& m_notes;
    Budget& m_budget;
    int m_line = 0;
    int m_depth = 0;
};

} // namespace lockstep::shell
