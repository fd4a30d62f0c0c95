// SPDX-License-Identifier: Apache-2.0
// Collective: one rank's part in one communication, on its report's clock, with everything that tells which
// parts of other ranks belong to it. Made by collectivesOf() (collective_source.h), joined by
// matchCollectives().
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/ids.h"
#include "core/base/time.h"
#include "core/trace/collective_op.h"

namespace lockstep {

// What a collective's semantics say about starts and ends of different ranks. Clocks are bounded by nothing
// else.
enum class Dependency : uint8_t {
    all,      // no rank ends before every rank has started; ends nearly coincide
    fromRoot, // only: a rank does not end before the root started (broadcast, scatter)
    toRoot,   // only: the root does not end before a rank started (reduce, gather)
    send,     // the receiver does not end before the sender started; ends mostly coincide
    receive,
    exchange, // a send, a receive or both of two ranks, not stated which: ends mostly coincide
    none      // nothing that can be relied on (uneven all-to-all, unknown kernels)
};

// From Kineto's "Collective name", NCCL's NVTX texts ("ncclAllReduce") or an NCCL kernel's name. A SendRecv
// kernel is an exchange, which it is between two ranks only: it also carries all-to-alls.
Dependency dependencyOf(std::string_view collective);
std::string_view dependencyName(Dependency dependency);

struct Collective {
    TraceTime start; // report clock
    TraceTime end;
    SliceId slice;
    uint32_t op = CollectiveOp::kAbsent; // index in Report::collectives of what the file states; or kAbsent
    SliceId range; // host range that identified the operation, see LaunchOperation; usually invalid
    // Names the operation within (group, point-to-point or not): "Seq", else "Comms Id".
    uint64_t sequence = CollectiveOp::kAbsentCount;
    uint32_t group = 0;                    // index in CollectiveRank::groups
    uint32_t signature = 0;                // hash of what must be equal on all ranks: name, type, elements
    uint32_t fence = 0;                    // training step it lies in, plus one; 0 = unknown
    uint32_t peer = CollectiveOp::kAbsent; // see CollectiveOp::peer
    Dependency dependency = Dependency::none;
    // False: its stamps are cut by the capture's edge, or it is shorter than 2 us; it still counts in the
    // order.
    bool isUsable = true;
    // First or last of its report. Without a sequence number such a collective may lack parts of itself.
    bool isAtEdge = false;

    // Whether its stamps can be used where parts were matched by pattern, not by number.
    bool isUsableByPattern() const { return isUsable && !isAtEdge; }
};

// A process group as one rank's file describes it. Without a name it is all unnamed NCCL work of one stream.
struct CollectiveGroup {
    std::string name;
    std::string ranksText;  // as stated; may be elided
    std::vector<int> ranks; // complete and ascending, or empty
    uint32_t size = CollectiveOp::kAbsent;
    uint32_t ownRank = CollectiveOp::kAbsent; // the reporting process' position in the group
    uint32_t rankStart = CollectiveOp::kAbsent;
    uint32_t rankStride = CollectiveOp::kAbsent;
    TrackId track;    // of an unnamed group
    int64_t lane = 0; // its stream number
    bool isPointToPoint = false;

    bool isNamed() const { return !name.empty(); }
};

// All collectives of one rank in one report.
struct CollectiveRank {
    ReportKey report;
    ProcessId process;                          // invalid: the whole report is one rank
    int rank = -1;                              // position in the job; -1 = unknown
    uint32_t worldSize = CollectiveOp::kAbsent; // ranks in the job
    std::string run;                            // as stated; empty where nothing states it
    std::string role;                           // likewise
    std::string world; // which job's process groups these are: run or folder, role, world size
    std::vector<CollectiveGroup> groups;
    std::vector<Collective> collectives; // sorted by (group, start)
    uint64_t withoutKernel = 0;          // operations that the host states and no recorded kernel carried out
};

// "[0, 1, 2]" to {0, 1, 2}, ascending; empty when elided ("...") or malformed.
std::vector<int> parseRanks(std::string_view text);

} // namespace lockstep
