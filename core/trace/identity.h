// SPDX-License-Identifier: Apache-2.0
// Identity: the run, host, role, rank and step of a report. Each part has a source, because names and files
// can contradict each other; an absent part means unknown, never zero.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace lockstep {

enum class Confidence : uint8_t { none, guessed, stated, confirmed };

// A value with its source, for example {3, "distributedInfo.rank", stated}.
template<class T>
struct Sourced {
    std::optional<T> value;
    std::string source;
    Confidence confidence = Confidence::none;

    bool isKnown() const { return value.has_value(); }
    // Takes the new value, unless the current value has the same or a higher confidence.
    void learn(T newValue, std::string newSource, Confidence newConfidence)
    {
        if (newConfidence <= confidence) return;
        value = std::move(newValue);
        source = std::move(newSource);
        confidence = newConfidence;
    }
    friend bool operator==(const Sourced&, const Sourced&) = default;
};

struct Identity {
    Sourced<std::string> run;
    Sourced<std::string> host;
    // actor, rollout, ref, critic, reward, controller, or the role name in the file
    Sourced<std::string> role;
    Sourced<int> rank;      // position in the job, zero-based
    Sourced<int> localRank; // position on the host
    Sourced<int> worldSize;
    Sourced<int> step;          // training step number as the framework counts it
    Sourced<std::string> stage; // part of a step: "generate", "update_actor", or the stage name in the file
    Sourced<std::string> tool;  // recording tool: "nsys", "torch", "torch_memory", "torch_npu", "ray"
    // one-based index of the capture range of the process: N of "x.N.nsys-rep". Not a step
    Sourced<int> captureIndex;
    Sourced<int> replica;     // rollout engine replica, zero-based
    Sourced<int> replicaRank; // position inside the replica (tensor-parallel rank), zero-based
    Sourced<int64_t> pid;     // pid of the profiled process on its host

    friend bool operator==(const Identity&, const Identity&) = default;
};

// Calls visit(name, part ...) for every part in display order, passing the same part of all given identities.
// The names are those of `--identity` files and of the inventory: "run", "local_rank", ...
template<class Visit, class... Identities>
void visitParts(const Visit& visit, Identities&&... of)
{
    visit("run", of.run...);
    visit("host", of.host...);
    visit("role", of.role...);
    visit("rank", of.rank...);
    visit("local_rank", of.localRank...);
    visit("world_size", of.worldSize...);
    visit("step", of.step...);
    visit("stage", of.stage...);
    visit("tool", of.tool...);
    visit("capture_index", of.captureIndex...);
    visit("replica", of.replica...);
    visit("replica_rank", of.replicaRank...);
    visit("pid", of.pid...);
}

} // namespace lockstep
