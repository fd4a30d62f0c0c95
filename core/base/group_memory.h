// SPDX-License-Identifier: Apache-2.0
// Memory limits that control groups (a container, a Slurm job) set for this process. Any thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

namespace lockstep {

// Returns the smallest memory limit of a version 2 control group and its ancestors, or 0 if none has a limit.
// `root` is the mount point of the hierarchy, "/sys/fs/cgroup"; `groups` is the content of /proc/self/cgroup.
uint64_t cgroupMemoryLimit_bytes(const std::filesystem::path& root, std::string_view groups);

} // namespace lockstep
