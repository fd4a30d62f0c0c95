// SPDX-License-Identifier: Apache-2.0
// verl's profiler settings, key by key: one table per layout that both the plan and the imports use, so that
// what is imported is what is planned. Keys and types from verl's own YAML files of each release. Immutable;
// any thread.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/session/session_config.h"

namespace lockstep {

struct VerlKey {
    std::string key;
    std::string field; // the SessionConfig field it stands for, as in session_fields.h
    // Where verl's YAML has an interpolation, or nothing, in place of the map that the key lies in: that map.
    // Hydra would put an empty map without _target_ there, so it is written whole; see verl_tool_blocks.h.
    std::string wholeNode;
    // invalid when the value's type does not fit; the config is then unchanged.
    std::function<Status(SessionConfig&, const ConfigValue&)> read;
    // Empty while the session says nothing about it.
    std::function<std::optional<ConfigValue>(const SessionConfig&)> write;
};

// In the order of a planned command line: what this layout has, and nothing else.
std::span<const VerlKey> verlKeys(VerlTrainer trainer, VerlSchema schema);
const VerlKey* findVerlKey(VerlTrainer trainer, VerlSchema schema, std::string_view key);

// "global_profiler.global_tool_config.nsys.worker_nsight_options." or its old form.
std::string_view workerOptionsPrefix(VerlSchema schema);
std::string_view controllerOptionsPrefix(VerlSchema schema);
// verl's own YAML of that layout has this nsys option, so a plain `key=` finds it; others need a plus.
bool isOwnNsysOption(std::string_view option, bool isWorker);

// Key of a role's block, e.g. "actor_rollout_ref.actor.profiler"; "" where the layout has none.
std::string_view roleBlockKey(VerlTrainer trainer, VerlSchema schema, Role role);
// The key says something about profiling, whether this program knows it or not.
bool isProfilerKey(std::string_view key);

// The torch or npu settings in force for a role: its own, else the session's if the role is on by its own
// word.
const TorchOptions& torchOf(const SessionConfig& config, VerlSchema schema, Role role);
const NpuOptions& npuOf(const SessionConfig& config, VerlSchema schema, Role role);

} // namespace lockstep
