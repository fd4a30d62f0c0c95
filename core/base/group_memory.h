// SPDX-License-Identifier: Apache-2.0
// The memory that control groups (a container, a job of Slurm) leave to this process. Any thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

namespace lockstep {

// The least limit of a control group (version 2) and of those above it; 0 where none has one. root: where the
// hierarchy is mounted, "/sys/fs/cgroup". groups: the content of /proc/self/cgroup.
uint64_t groupMemory_bytes(const std::filesystem::path& root, std::string_view groups);

} // namespace lockstep
