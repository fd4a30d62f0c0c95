// SPDX-License-Identifier: Apache-2.0
// RandomEvents generates the text of trace events as writers with repeating habits produce them, with unusual
// keys and values among them, and damages text.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace lockstep::test {

class RandomEvents {
  public:
    explicit RandomEvents(uint64_t seed) : m_random(seed) {}

    // Returns up to 39 events of up to three writers. Some events violate the JSON grammar.
    std::vector<std::string> events();
    // Returns the separator between events and tokens of the last events(), including the comma.
    std::string separator() const { return "," + m_blank; }
    // Removes, replaces or inserts bytes in one to four places.
    void damage(std::string& text);

    size_t below(size_t count) { return std::uniform_int_distribution<size_t>(0, count - 1)(m_random); }

  private:
    using Words = std::vector<std::string>;

    const std::string& pick(const Words& words) { return words[below(words.size())]; }
    Words writer();
    std::string event(Words keys);
    std::string valueOf(const std::string& key);
    std::string arguments();

    std::mt19937_64 m_random;
    std::string m_blank;
};

} // namespace lockstep::test
