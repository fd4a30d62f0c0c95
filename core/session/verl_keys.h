// verl's profiler settings, key by key: one table per layout that both the plan and the imports use, so that what is
// imported is what is planned. Keys and types from verl's own YAML files of each release. Immutable; any thread.
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
    // invalid when the value's type does not fit; the config is then unchanged.
    std::function<Result<bool>(SessionConfig&, const ConfigValue&)> read;
    // Empty while the session says nothing about it.
    std::function<std::optional<ConfigValue>(const SessionConfig&)> write;
};

// In the order of a planned command line. framework is verl or verlOmni.
std::span<const VerlKey> verlKeys(Framework framework, VerlSchema schema);
const VerlKey* findVerlKey(Framework framework, VerlSchema schema, std::string_view key);

// "global_profiler.global_tool_config.nsys.worker_nsight_options." or its old form.
std::string_view workerOptionsPrefix(VerlSchema schema);
std::string_view controllerOptionsPrefix(VerlSchema schema);

// Key of a role's block, e.g. "actor_rollout_ref.actor.profiler"; "" where the layout has none.
std::string_view roleBlockKey(Framework framework, VerlSchema schema, Role role);
// The key says something about profiling, whether this program knows it or not.
bool isProfilerKey(std::string_view key);

// The torch settings in force for a role: its own, else the session's if the role is on.
const TorchOptions& torchOf(const SessionConfig& config, VerlSchema schema, Role role);

} // namespace lockstep
