// SPDX-License-Identifier: Apache-2.0
// Reads the pickle of a file of torch.save: a zip archive whose first entry is NAME/data.pkl, not compressed
// (torch/serialization.py, caffe2/serialize/inline_container.cc). The tensors that follow are not read, so
// that a file whose end is missing can be read too.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/readers/pickle/pickle.h"

namespace lockstep {

struct TorchArchive {
    std::string_view pickle;            // data.pkl; other entries may follow if its size is not stated
    std::optional<uint64_t> size_bytes; // of data.pkl; not stated in files that torch.save writes
    std::optional<uint32_t> checksum;   // CRC-32 of data.pkl; stated behind it if the size is not stated
};

// Returns true if the first bytes of a file are those of such an archive, compressed or not.
bool isTorchArchive(std::string_view head);
// Finds data.pkl. `bytes` may be the first bytes of a file. Errors: unsupported for compressed or encrypted
// entries, corrupt.
Result<TorchArchive> torchArchive(std::string_view bytes);

enum class TorchDamage : uint8_t { none, cut, altered };

// Returns whether the pickle that was read is the one that was written. Reads all of its bytes.
TorchDamage damageOf(const TorchArchive& archive, const Pickle& pickle);

} // namespace lockstep
