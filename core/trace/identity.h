// SPDX-License-Identifier: Apache-2.0
// Identity: whose report this is. Each part carries where it was learnt, because names and files contradict
// each other; an absent part means unknown, never zero.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace lockstep {

enum class Confidence : uint8_t { none, guessed, stated, confirmed };

// A value with its source, e.g. {3, "distributedInfo.rank", stated}.
template<class T>
struct Sourced {
    std::optional<T> value;
    std::string source;
    Confidence confidence = Confidence::none;

    bool isKnown() const { return value.has_value(); }
    // Takes the new value unless one of at least the same confidence is held.
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
    Sourced<std::string> role; // actor, rollout, ref, critic, reward, controller, or the file's own word
    Sourced<int> rank;         // position in the job, 0-based
    Sourced<int> localRank;    // position on the host
    Sourced<int> worldSize;
    Sourced<int> step;          // training step number as the framework counts it
    Sourced<std::string> stage; // part of a step: "generate", "update_actor", or the file's own word
    Sourced<std::string> tool;  // what recorded: "nsys", "torch", "torch_memory", "torch_npu", "ray"
    Sourced<int> captureIndex;  // n-th capture range of the process, 1-based: N of "x.N.nsys-rep". Not a step
    Sourced<int> replica;       // rollout engine replica, 0-based
    Sourced<int> replicaRank;   // position inside the replica (tensor-parallel rank), 0-based
    Sourced<int64_t> pid;       // of the profiled process, as its host numbers it

    friend bool operator==(const Identity&, const Identity&) = default;
};

// Calls visit(word, part ...) for every part, in the order in which they are shown, with the same part of all
// given identities. The words are those of `--identity` files and of the inventory: "run", "local_rank" ...
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
