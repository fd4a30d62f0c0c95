// SPDX-License-Identifier: Apache-2.0
// EventShape: which fields an event has and in which order. A writer repeats itself, so TokenFields remembers
// the shapes it met and asks whether the next event has one of them, which is a few comparisons without a
// branch, instead of finding out what each key means. Only events of scalars with args at their end have a
// shape. One per worker and phase.
#pragma once

#include <array>
#include <cstdint>

#include "core/readers/chrome_json/event_scalars.h"
#include "core/readers/chrome_json/json_tokens.h"

namespace lockstep {

class EventShape {
  public:
    // Takes the shape of the event that begins at token `first` and ends before token `behind`; keeps none
    // when a key that matters comes twice, comes behind args, or has no place here.
    void learn(const JsonTokens& tokens, size_t first, size_t behind);

    // True when the event has the same keys, each with a scalar, and args, if the shape has them, with an
    // object. What stands behind that object is not looked at.
    bool fits(const JsonTokens& tokens, size_t first) const;

    // Where the value of a field is, counted in tokens from the event's first; 0 when the shape lacks it.
    size_t valueOf(ScalarField field) const { return m_values[static_cast<size_t>(field)]; }
    size_t category() const { return m_category; }
    size_t name() const { return m_name; }
    size_t arguments() const { return m_arguments; }
    // The token behind the event, counted likewise, when there are no args.
    size_t size() const { return 4 * m_count + 1; }

  private:
    static constexpr size_t kMostFields = 16;

    // The first eight bytes behind a key's quote, up to the next quote. Equal ones are equal to every key
    // that matters and is shorter than eight letters, or to none.
    struct Key {
        uint64_t text;
        uint64_t mask;
    };

    bool take(const char* key, bool isObject, size_t value);

    std::array<Key, kMostFields> m_keys = {};
    size_t m_count = 0; // 0: no shape
    std::array<uint8_t, static_cast<size_t>(ScalarField::none)> m_values = {};
    uint8_t m_category = 0;
    uint8_t m_name = 0;
    uint8_t m_arguments = 0;
};

} // namespace lockstep
