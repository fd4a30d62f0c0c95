// SPDX-License-Identifier: Apache-2.0
// Identity: the run, host, role, rank and step of a report. Each part has a source, because names and files
// can contradict each other; an absent part means unknown, never zero.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/result.h"

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

// Access to the parts of an Identity by name, for everything that users read and write: `--identity` files,
// the grid in the window, the inventory. User edits are themselves an Identity that contains only the edited
// parts, each confirmed and with its source.

// Returns the parts that a user can edit, in column order of the grid: run, host, role, rank, local_rank,
// step, stage.
std::span<const std::string_view> editableParts();

// Sets one part of `stated` from text; empty text removes it. `source` describes where the user entered it:
// "ranks.csv line 3", "edited". Returns invalid and changes nothing if the part does not exist, or if the
// text is not a number although the part requires one.
Status editPart(Identity& stated, std::string_view part, std::string_view text, std::string source);

// Returns the value of a part as a string, or "" if the value is unknown or the part does not exist.
std::string partText(const Identity& identity, std::string_view part);
// Returns the source of the value, or "" if unknown.
std::string_view partSource(const Identity& identity, std::string_view part);
Confidence partConfidence(const Identity& identity, std::string_view part);
// Returns the name of a confidence, such as "stated", for tables and tooltips.
std::string_view confidenceName(Confidence confidence);

// Replaces every part of `identity` that `stated` contains.
void overlayParts(Identity& identity, const Identity& stated);
// Copies every part that `from` knows with a higher confidence than `identity` does.
void learnParts(Identity& identity, const Identity& from);
// Fills every part that is unknown in `identity` and known in `from`, except the pid.
void inheritParts(Identity& identity, const Identity& from);

} // namespace lockstep
