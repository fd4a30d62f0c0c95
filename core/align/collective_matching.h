// SPDX-License-Identifier: Apache-2.0
// CollectiveMatches: which parts of different ranks are one and the same collective. Made by
// matchCollectives(), read by the clock fit and the straggler tables. Matched by group and sequence number
// where both are stated, else by the pattern of signatures with a searched displacement; never by position
// alone.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/align/clock_partition.h"
#include "core/align/collective.h"
#include "core/align/pair_ends.h"
#include "core/base/progress.h"

namespace lockstep {

struct MatchedPart {
    uint32_t rank = 0;       // index in CollectiveMatches::ranks
    uint32_t collective = 0; // index in that rank's collectives
};

struct MatchedCollective {
    uint32_t group = 0; // index in CollectiveMatches::groups
    uint32_t firstPart = 0;
    uint32_t partCount =
        0; // >= 2, of different ranks, ascending; of a point-to-point pair the sender comes first
    Dependency dependency = Dependency::none;
    bool endsTogether = false; // of a point-to-point pair: its ends differ as the others' of the group do
};

// Whether the collective's durations say who came last: all its ranks wait for each other.
inline bool isTimed(const MatchedCollective& collective)
{
    return collective.dependency == Dependency::all || collective.endsTogether;
}

struct MatchedGroup {
    std::string world;
    std::string name;                   // "stream 20" for work matched by pattern alone
    std::vector<int> ranks;             // as the files list them; may be empty; of sends and receives the two
    std::vector<int> communicatorRanks; // of the whole process group; may be empty
    uint32_t memberCount = 0;           // ranks of it that are open
    std::vector<uint32_t> members;      // which: indices in CollectiveMatches::ranks
    uint64_t matched = 0;               // parts that found their collective
    uint64_t unmatched = 0;             // parts without a partner
    uint64_t unusable = 0;   // parts that the capture's edge cuts, or may, or shorter than 2 us: not used
    uint64_t repeated = 0;   // parts left out: a restarted process reported the number again, at another time
    uint64_t mismatched = 0; // parts dropped: same number, other operation, or a number twice in one rank
    bool isByPattern = false;
    bool isNamed = true; // false: that these ranks communicate with each other is inferred, not stated
    std::string refusal; // why the group, or some of it, was left out; empty = all went well
    std::vector<std::string> remarks; // how ranks were matched where that was not plain, what one lacks
    PairEnds pairs;                   // of the sends and receives of two ranks
};

struct CollectiveMatches {
    std::vector<CollectiveRank> ranks; // in the order of reports
    std::vector<MatchedGroup> groups;
    std::vector<MatchedCollective> collectives; // by group, then time
    std::vector<MatchedPart> parts;

    const Collective& at(MatchedPart part) const { return ranks[part.rank].collectives[part.collective]; }
};

struct MatchOptions {
    int64_t clockTrust_ns =
        2'000'000'000; // how far stated wall clocks of two hosts may differ, for pattern matching
    // Pairs of collectives that are compared to find which ranks' unnamed work belongs together; what is left
    // when they are used up stays unmatched, and is said to be. About 0.3 ns each.
    uint64_t mostPatternWork = 30'000'000'000;

    friend bool operator==(const MatchOptions&, const MatchOptions&) = default;
};

// Pure. About 1 us a collective with sequence numbers. Once canceled it hurries to an end
// that says nothing.
CollectiveMatches matchCollectives(const Workspace& workspace, const ClockPartition& partition,
                                   const MatchOptions& options, const Progress& progress);

} // namespace lockstep
