// SPDX-License-Identifier: Apache-2.0
// LogPrefix: the process that printed a line, as far as launchers state it at the beginning of the line.
// torch.distributed prints "[rank3]: ", torchrun with --tee or --redirects "[default3]:" (a rank within the
// host), and Ray "(WorkerDict pid=41613, ip=10.0.0.2) ". Pure; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace lockstep {

struct LogPrefix {
    // Text that is the same for all lines of the process, such as "WorkerDict pid=41613, ip=10.0.0.2"; empty
    // if the line has no prefix.
    std::string_view process;
    std::optional<int64_t> rank;      // rank in the run
    std::optional<int64_t> localRank; // rank within the host
    std::optional<int64_t> pid;
    std::string_view ip;     // Ray: address of the process's host; empty on the host of the program
    size_t length_bytes = 0; // Ray: length of the prefix with the blank after it
};

// Parses the beginning of a line without escape sequences. The result refers to `line`.
LogPrefix logPrefix(std::string_view line);

} // namespace lockstep
