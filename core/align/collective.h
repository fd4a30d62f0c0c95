// SPDX-License-Identifier: Apache-2.0
// Collective: one rank's part in one communication, on its report's clock, with all data needed to match it
// with the parts of other ranks. Created by collectivesOf() (collective_source.h), matched by
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

// Relation between starts and ends of different ranks that follows from the semantics of a collective. Only
// these relations bound the clocks.
enum class Dependency : uint8_t {
    all,      // no rank ends before every rank has started; the ends nearly coincide
    fromRoot, // no rank ends before the root has started; nothing else (broadcast, scatter)
    toRoot,   // the root does not end before any rank has started; nothing else (reduce, gather)
    send,     // the receiver does not end before the sender has started; the ends mostly coincide
    receive,
    // a send, a receive or both between two ranks; the direction is unknown and the ends mostly coincide
    exchange,
    none // no reliable relation (uneven all-to-all, unknown kernels)
};

// Returns the dependency from Kineto's "Collective name", an NVTX string of NCCL ("ncclAllReduce") or the
// name of an NCCL kernel. A SendRecv kernel is treated as an exchange. That is correct only between two
// ranks, because such kernels also implement all-to-alls.
Dependency dependencyOf(std::string_view collective);

struct Collective {
    TraceTime start; // report clock
    TraceTime end;
    SliceId slice;
    uint32_t op = CollectiveOp::kAbsent; // index in Report::collectives of the recorded operation, or kAbsent
    SliceId range; // host range that identified the operation, see LaunchOperation; invalid in most cases
    // Identifies the operation within its group, separately for point-to-point operations: "Seq", otherwise
    // "Comms Id".
    uint64_t sequence = CollectiveOp::kAbsentCount;
    uint32_t group = 0;     // index in CollectiveRank::groups
    uint32_t signature = 0; // hash of the values that are equal on all ranks: name, type, elements
    uint32_t fence = 0;     // number of the training step that contains it, plus one; 0 = unknown
    uint32_t peer = CollectiveOp::kAbsent; // see CollectiveOp::peer
    Dependency dependency = Dependency::none;
    // False if the edge of the capture cut the collective or if it is shorter than 2 us. Its timestamps are
    // then unusable, but its position in the order still counts.
    bool isUsable = true;
    // True for the first or last collective of a report. It may be incomplete if it has no sequence number.
    bool isAtEdge = false;

    // Returns true if the timestamps can be used when collectives are matched by pattern instead of sequence
    // number.
    bool isUsableByPattern() const { return isUsable && !isAtEdge; }
};

// A process group as recorded in one rank's file. A group without a name contains all unnamed NCCL work of
// one stream.
struct CollectiveGroup {
    std::string name;
    std::string ranksText;  // rank list as recorded; may be elided
    std::vector<int> ranks; // complete and ascending, or empty
    uint32_t size = CollectiveOp::kAbsent;
    uint32_t ownRank = CollectiveOp::kAbsent; // position of the process in the group
    uint32_t rankStart = CollectiveOp::kAbsent;
    uint32_t rankStride = CollectiveOp::kAbsent;
    TrackId track;    // track of an unnamed group
    int64_t lane = 0; // stream number of that track
    bool isPointToPoint = false;

    bool isNamed() const { return !name.empty(); }
};

// All collectives of one rank in one report.
struct CollectiveRank {
    ReportKey report;
    ProcessId process;                          // invalid if the whole report is one rank
    int rank = -1;                              // position in the job; -1 = unknown
    uint32_t worldSize = CollectiveOp::kAbsent; // ranks in the job
    std::string run;                            // as recorded; empty if unknown
    std::string role;                           // as recorded; empty if unknown
    std::string world;                          // identifies the job by run or folder, role and world size
    std::vector<CollectiveGroup> groups;
    std::vector<Collective> collectives; // sorted by (group, start)
    // operations that the host recorded but whose GPU kernel was not recorded
    uint64_t missingKernels = 0;
};

// Parses "[0, 1, 2]" to {0, 1, 2}, ascending. Returns an empty list if the text is elided ("...") or
// malformed.
std::vector<int> parseRanks(std::string_view text);

} // namespace lockstep
