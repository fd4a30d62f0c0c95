// SPDX-License-Identifier: Apache-2.0
// CollectiveMatches: the parts of different ranks that belong to the same collective. Created by
// matchCollectives() and used by the clock fit and the straggler tables. Parts are matched by group and
// sequence number if both are recorded, otherwise by the pattern of signatures with an estimated offset;
// never by position alone.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "core/align/clock_partition.h"
#include "core/align/collective.h"
#include "core/base/progress.h"

namespace lockstep {

// PairEnds: how closely the sends and receives of two ranks end together, measured from the ends themselves.
// The NCCL sender copies until the receiver has accepted what does not fit the buffers, so both kernels of a
// pair end within the time of the last blocks, unless the message fits the buffers and the sender leaves
// early. Files do not record which case applies; the scatter of the ends shows it. Created by
// measurePairEnds() for one matched group.

struct PairEnds {
    uint32_t pairCount = 0; // pairs that were matched and are long enough to use
    // pairs within kPairOutlier scatters of the other pairs, i.e. pairs that end together
    uint32_t usedCount = 0;
    double separation_ns = 0; // median |difference of the two ends| according to the recorded clocks
    double scatter_ns = 0;    // median |residual| of the differences about a line
    // Assumed bound on the difference between the ends of a pair without a recorded direction: neither end is
    // earlier than the other part's start minus this value. Infinity means that the ends give no bounds. This
    // is the case if the direction is recorded (then only the receiver is bounded, exactly), or if ranks
    // without an open report may be involved.
    double slack_ns = std::numeric_limits<double>::infinity();

    bool isUsed() const { return usedCount > 0; }
};

inline constexpr double kPairOutlier = 6; // a pair further off than this many scatters did not end together
// scatters by which the ends of a pair may differ, used for bounds
inline constexpr double kPairSlack = 8;
// scatters by which all pairs together may be off, used for the estimate
inline constexpr double kPairUncertainty = 3;
// Lower bound, because the delay of a one-way path is indistinguishable from a clock offset.
inline constexpr double kPairFloor_ns = 50'000;

// Returns "33 send/receive pairs whose end times are 22 us apart in the median" for such pairs.
std::string pairEndsText(const PairEnds& ends);

struct MatchedPart {
    uint32_t rank = 0;       // index in CollectiveMatches::ranks
    uint32_t collective = 0; // index in that rank's collectives
};

struct MatchedCollective {
    uint32_t group = 0; // index in CollectiveMatches::groups
    uint32_t firstPart = 0;
    // at least two, of different ranks, ascending; for a point-to-point pair the sender comes first
    uint32_t partCount = 0;
    Dependency dependency = Dependency::none;
    // for a point-to-point pair: its ends differ by as much as those of the other pairs in the group
    bool endsTogether = false;
};

// Returns true if the durations show which rank arrived last, i.e. if all ranks of the collective wait for
// each other.
inline bool isTimed(const MatchedCollective& collective)
{
    return collective.dependency == Dependency::all || collective.endsTogether;
}

struct MatchedGroup {
    std::string world;
    std::string name;       // "stream 20" for work matched only by pattern
    std::vector<int> ranks; // as listed in the files, or the two ranks for sends and receives; may be empty
    std::vector<int> communicatorRanks; // ranks of the whole process group; may be empty
    uint32_t memberCount = 0;           // number of members of the group in the open reports
    std::vector<uint32_t> members;      // indices in CollectiveMatches::ranks
    uint64_t matched = 0;               // matched parts
    uint64_t unmatched = 0;             // parts without a partner
    // Parts that are not used because the edge of the capture cut them or may have cut them, or because they
    // are shorter than 2 us.
    uint64_t unusable = 0;
    // parts omitted because a restarted process recorded the same number again at another time
    uint64_t repeated = 0;
    // Parts dropped because their number belongs to a different operation, or is a duplicate within one rank.
    uint64_t mismatched = 0;
    bool isByPattern = false;
    // false if communication between these ranks is inferred, not recorded
    bool isNamed = true;
    std::string refusal;              // reason for omitting the group or a part of it; empty = none
    std::vector<std::string> remarks; // notes on unusual matches and missing operations
    PairEnds pairs;                   // end times of the sends and receives between two ranks
};

struct CollectiveMatches {
    std::vector<CollectiveRank> ranks; // in the order of reports
    std::vector<MatchedGroup> groups;
    std::vector<MatchedCollective> collectives; // by group, then time
    std::vector<MatchedPart> parts;

    const Collective& at(MatchedPart part) const { return ranks[part.rank].collectives[part.collective]; }
};

struct MatchOptions {
    // Assumed bound on the difference between the wall clocks of two hosts, for pattern matching.
    int64_t clockTrust_ns = 2'000'000'000;
    // Limit on the number of pairs of collectives that are compared to find which ranks' unnamed work belongs
    // together. The rest stays unmatched, with a note. A comparison takes about 0.3 ns.
    uint64_t maxPatternWork = 30'000'000'000;

    friend bool operator==(const MatchOptions&, const MatchOptions&) = default;
};

// Matches collectives. Pure. About 1 us per collective with sequence numbers. After a stop request it returns
// quickly, and the result must be discarded.
CollectiveMatches matchCollectives(const Workspace& workspace, const ClockPartition& partition,
                                   const MatchOptions& options, const Progress& progress);

} // namespace lockstep
