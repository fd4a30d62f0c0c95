// SPDX-License-Identifier: Apache-2.0
// A pickle as plain data: protocols 0 to 5, the opcodes that numbers, texts, lists, tuples and dictionaries
// need, and nothing else. There is no name lookup and no call in here, so a pickle that asks for one is
// refused, never obeyed. Work and memory are bounded by the number of bytes given.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/readers/memory_snapshot/value_tree.h"

namespace lockstep {

struct PickleLimits {
    size_t depth = 1000;                   // open marks; real snapshots use about eight
    size_t values_bytes = size_t(6) << 30; // memory that the values may take
    size_t text_bytes = size_t(64) << 20;  // one text
};

struct Pickle {
    ValueTree values;
    ValueId root;
    int protocol = 0;
    // Set when the bytes end before STOP: containers that were still open hold what came before the cut.
    bool isCut = false;
    size_t end_bytes = 0; // where reading stopped
};

// Takes rows of a root that is {key: [[row, ...], ...], ...} as soon as each is whole, so that a history of
// millions of entries is never a tree. Called by readPickle() on its thread.
class PickleRows {
  public:
    virtual ~PickleRows() = default;
    // Whether the rows below this key are taken one by one; else they stay in the tree.
    virtual bool takes(std::string_view key) = 0;
    // row: the next item of the list at `place` of the list of lists. before: the root's entries that are
    // whole, keys and values alternately; they have not changed since the last call but for new ones. The
    // row is dropped behind the call where nothing else can name it.
    virtual void take(ValueId root, std::span<const ValueId> before, size_t place, ValueId row) = 0;
};

// Texts are views of `bytes`, those with escapes of what the values keep. Errors name opcode and byte:
// unsupported for code, names, persistent ids, extension registry, out-of-band buffers, protocols above 5 and
// broken limits; corrupt for bytes that are no pickle; canceled.
Result<Pickle> readPickle(std::string_view bytes, const PickleLimits& limits, const Progress& progress);
// The same into a pickle that stands where it is, so that `rows` can read its values while they come.
Status readPickleRows(std::string_view bytes, const PickleLimits& limits, const Progress& progress,
                      Pickle& into, PickleRows& rows);

} // namespace lockstep
