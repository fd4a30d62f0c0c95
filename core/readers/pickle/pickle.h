// SPDX-License-Identifier: Apache-2.0
// Reads a pickle as plain data: protocols 0 to 5, numbers, strings, lists, tuples and dictionaries. Names are
// never looked up and nothing is called: a pickle that requests a lookup or a call is rejected, or, in files
// of torch.save, gets a placeholder. Work and memory are bounded by the size of the input.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/readers/pickle/value_tree.h"

namespace lockstep {

struct PickleLimits {
    size_t depth = 1000;                   // maximum number of open marks; real snapshots need about eight
    size_t values_bytes = size_t(6) << 30; // limit on the memory of all values
    size_t text_bytes = size_t(64) << 20;  // limit on one string
};

struct Pickle {
    ValueTree values;
    ValueId root;
    int protocol = 0;
    // True if the bytes end before STOP. Open containers then contain the values before the cut.
    bool isCut = false;
    size_t end_bytes = 0; // position at which reading stopped
};

// Receives the rows of a root {key: [[row, ...], ...], ...} as soon as each row is complete, so that a
// history of millions of entries is never stored as a tree. readPickleRows() calls it on the calling thread.
class PickleRows {
  public:
    virtual ~PickleRows() = default;
    // Returns true if the rows under this key are to be passed to take() individually; otherwise the rows
    // remain in the tree.
    virtual bool takes(std::string_view key) = 0;
    // `row` is the next item of the list at `place` of the list of lists. `before` contains the complete
    // entries of the root, keys and values alternately; since the last call, entries were only added. The row
    // is dropped after the call if nothing else can refer to the row.
    virtual void take(ValueId root, std::span<const ValueId> before, size_t place, ValueId row) = 0;
};

// Reads a pickle. Strings are views of `bytes`; strings with escape sequences are views of storage owned by
// the values. Errors contain the opcode and the byte position. unsupported: code, names, persistent IDs,
// extension registry, out-of-band buffers, protocols above 5, and exceeded limits. corrupt: bytes that are
// not a pickle. canceled.
Result<Pickle> readPickle(std::string_view bytes, const PickleLimits& limits, const Progress& progress);
// Reads the data.pkl of a file of torch.save, which may refer to tensors and to classes of any program. Such
// values, sets, and integers of more than 64 bits have the kind `object`, and their contents are dropped. So
// are numbers in lists and tuples, such as the tokens of a sample, which would need most of the memory.
// Dictionaries may have any keys. Errors are the same otherwise.
Result<Pickle> readTorchPickle(std::string_view bytes, const PickleLimits& limits, const Progress& progress);
// Reads into `into`, so that `rows` can access the values during reading.
Status readPickleRows(std::string_view bytes, const PickleLimits& limits, const Progress& progress,
                      Pickle& into, PickleRows& rows);

} // namespace lockstep
