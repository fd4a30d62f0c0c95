// SPDX-License-Identifier: Apache-2.0
// EventShape: the fields of an event and their order. Writers use the same few shapes for most events, so
// TokenFields remembers them and checks whether the next event has one of them. The check takes a few
// branchless comparisons instead of interpreting each key. Only events whose values are scalars, with args at
// the end, have a shape. One per worker and phase.
#pragma once

#include <array>
#include <cstdint>

#include "core/readers/chrome_json/event_scalars.h"
#include "core/readers/chrome_json/json_tokens.h"

namespace lockstep {

class EventShape {
  public:
    // Learns the shape of the event that starts at token `first` and ends before token `behind`. Stores no
    // shape if a relevant key occurs twice, comes after args, or is not supported.
    void learn(const JsonTokens& tokens, size_t first, size_t behind);

    // Returns true if the event has the same keys, each with a scalar value, and if args is an object when
    // the shape has args. Text after that object is not examined.
    bool fits(const JsonTokens& tokens, size_t first) const;

    // Returns the token of a field's value relative to the event's first token; 0 if the shape does not have
    // the field.
    size_t valueOf(ScalarField field) const { return m_values[static_cast<size_t>(field)]; }
    size_t category() const { return m_category; }
    size_t name() const { return m_name; }
    size_t arguments() const { return m_arguments; }
    // Returns the token after the event, relative to its first token, if there are no args.
    size_t size() const { return 4 * m_count + 1; }

  private:
    static constexpr size_t kMaxFields = 16;

    // The first eight bytes after the opening quote of a key, cut at the next quote. Equal values match the
    // same relevant key if it is shorter than eight letters, or no relevant key.
    struct Key {
        uint64_t text;
        uint64_t mask;
    };

    bool take(const char* key, bool isObject, size_t value);

    std::array<Key, kMaxFields> m_keys = {};
    size_t m_count = 0; // 0 if there is no shape
    std::array<uint8_t, static_cast<size_t>(ScalarField::none)> m_values = {};
    uint8_t m_category = 0;
    uint8_t m_name = 0;
    uint8_t m_arguments = 0;
};

} // namespace lockstep
