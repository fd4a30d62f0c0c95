// SPDX-License-Identifier: Apache-2.0
// The two ways in which the collectives of one process group are put together: by sequence number and by
// pattern. Used by matchCollectives() only.
#pragma once

#include <map>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "core/align/collective_matching.h"
#include "core/align/group_union.h"
#include "core/align/sequence_shift.h"

namespace lockstep {

// What one group yields; parts and collectives are numbered from zero and moved behind each other by the
// caller.
struct GroupMatching {
    MatchedGroup group;
    std::vector<MatchedCollective> collectives;
    std::vector<MatchedPart> parts;
    bool isOfTwo = false;         // two ranks and no others take part
    uint64_t exchangesOfMany = 0; // exchanges that more than two ranks may have had a part in

    // Keeps the parts as one collective when at least two are left; else counts them as unmatched. An
    // exchange of more than two ranks says nothing of who met whom.
    void add(std::span<const MatchedPart> found, Dependency dependency);
};

// The run of collectives of a member's group.
std::span<const Collective> collectivesOfMember(const std::vector<CollectiveRank>& ranks, GroupMember member);
// The same as an index into the rank's collectives.
uint32_t firstOfMember(const std::vector<CollectiveRank>& ranks, GroupMember member);

// How often each signature occurs. Two lists may be of one group where they share this much of the shorter
// one.
using SignatureCounts = std::map<uint32_t, size_t>;
inline constexpr double kLeastLikeness = 0.8;
SignatureCounts countSignatures(std::span<const Collective> list);
double likeness(const SignatureCounts& a, const SignatureCounts& b); // 0 to 1

// A matching of the group that holds nothing yet.
GroupMatching begunMatching(const GroupUnion& group);
// Whether its members are all of a group of two ranks, as the rank list or the stated size says.
bool isGroupOfTwo(const std::vector<CollectiveRank>& ranks, const GroupUnion& group);
// What is known of two ranks' clocks against each other; the lists are left empty.
ShiftInput clocksOf(const CollectiveRank& first, const CollectiveRank& second,
                    const ClockPartition& partition, const MatchOptions& options);

// The process whose collectives these are, as far as files state it: world and rank, or the report's index
// below zero. Two captures of one rank have the same owner. Views into `ranks`.
using RankOwner = std::pair<std::string_view, int64_t>;
RankOwner ownerOf(const std::vector<CollectiveRank>& ranks, uint32_t rank);

// All members state sequence numbers: parts of one number whose signature is the majority's. A number that
// one rank reports twice (its process was restarted and repeated a step) counts where the clocks say that
// only one of the two met the others.
GroupMatching matchBySequence(const std::vector<CollectiveRank>& ranks, const GroupUnion& group,
                              const ClockPartition& partition);
// Sends and receives, one matching per two ranks that name each other (in a group of two nobody needs to),
// then what is left. By sequence number where both state it, else by the pattern of directions and sizes.
std::vector<GroupMatching> matchPointToPoint(const std::vector<CollectiveRank>& ranks,
                                             const GroupUnion& group, const ClockPartition& partition,
                                             const MatchOptions& options);
// Measures a matching's sends and receives (see PairEnds) and says of those that are not used why.
void measurePairEnds(const std::vector<CollectiveRank>& ranks, const ClockPartition& partition,
                     GroupMatching& matching);
// Members of one group, or unnamed work of one world: sets of members whose patterns agree, each around the
// member with the most collectives. Unnamed work yields one matching per set; members that agree with nobody
// are in the last.
// Compares each with each where nothing agrees, which may take minutes: once canceled the rest stays
// unmatched.
std::vector<GroupMatching> matchByPattern(const std::vector<CollectiveRank>& ranks, const GroupUnion& group,
                                          const ClockPartition& partition, const MatchOptions& options,
                                          const Progress& progress);

} // namespace lockstep
