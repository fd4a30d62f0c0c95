// SPDX-License-Identifier: Apache-2.0
// Expander expands the words in a script into what its commands would receive, without running any part of
// the script. It removes quotes and expands variables, defaults, arrays and arithmetic. $(command), unset
// variables and ~ are left as written, with a note.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/session/shell/state.h"

namespace lockstep::shell {

class Expander {
  public:
    // All three arguments must outlive the expander.
    Expander(State& state, Notes& notes, Budget& budget) : m_state(state), m_notes(notes), m_budget(budget) {}

    // Expands one word to zero, one or several words. For example, "${array[@]}" may give several.
    std::vector<Text> fields(std::string_view raw, int line);
    // Expands the value of an assignment, without splitting.
    Text single(std::string_view raw, int line);
    // Returns the elements of the array "( ... )" at the start of `raw`.
    std::vector<Text> arrayElements(std::string_view raw, int line);
    // Evaluates the content of $(( )) or (( )). Returns nullopt if the value is unknown.
    std::optional<int64_t> number(std::string_view raw, int line);

  private:
    struct Out {
        std::vector<Text> done;
        Text now;
        bool hasNow = false; // `now` is a word, even if it is empty
        bool isSplit = true;
    };
    using Values = std::optional<std::vector<Text>>;

    void expand(std::string_view raw, bool isQuoted, Out& out);
    size_t expandDollar(std::string_view raw, size_t at, bool isQuoted, Out& out);
    void expandBraces(std::string_view whole, bool isQuoted, Out& out);
    void expandArithmetic(std::string_view whole, bool isQuoted, Out& out);
    // Expands the part after the variable name, such as ":-x". Returns false if the operator is not
    // supported.
    bool expandDefault(std::string_view name, std::string_view op, const Values& values, bool isQuoted,
                       Out& out);
    Text changed(const Text& value, std::string_view op);
    void plain(std::string_view whole, std::string_view name, const Values& values, bool isList,
               bool isQuoted, Out& out);
    Values valuesOf(std::string_view name, std::string_view subscript);
    size_t ansiQuote(std::string_view raw, size_t at, Out& out);

    void put(Out& out, std::string_view text);
    void appendValue(Out& out, const Text& value, bool isQuoted);
    void appendUnknown(Out& out, std::string_view text, const std::string& why, bool isLoss = true);
    void endField(Out& out);

    State& m_state;
    Notes& m_notes;
    Budget& m_budget;
    int m_line = 0;
    int m_depth = 0;
};

} // namespace lockstep::shell
