// The two ways in which the collectives of one process group are put together: by sequence number and by
// pattern. Used by matchCollectives() only.
#pragma once

#include <span>
#include <vector>

#include "core/align/collective_matching.h"
#include "core/align/group_union.h"

namespace lockstep {

// What one group yields; parts and collectives are numbered from zero and moved behind each other by the
// caller.
struct GroupMatching {
    MatchedGroup group;
    std::vector<MatchedCollective> collectives;
    std::vector<MatchedPart> parts;

    // Keeps the parts as one collective when at least two are left; else counts them as unmatched.
    void add(std::span<const MatchedPart> found, Dependency dependency);
};

// The run of collectives of a member's group.
std::span<const Collective> collectivesOfMember(const std::vector<CollectiveRank>& ranks, GroupMember member);
// The same as an index into the rank's collectives.
uint32_t firstOfMember(const std::vector<CollectiveRank>& ranks, GroupMember member);

// All members state sequence numbers: parts of one number whose signature is the majority's.
GroupMatching matchBySequence(const std::vector<CollectiveRank>& ranks, const GroupUnion& group);
// Sends and receives of one number that name each other.
GroupMatching matchPointToPoint(const std::vector<CollectiveRank>& ranks, const GroupUnion& group);
// Members of one group, or unnamed work of one world: sets of members whose patterns agree, each around the
// member with the most collectives. Unnamed work yields one matching per set; members that agree with nobody
// are in the last.
std::vector<GroupMatching> matchByPattern(const std::vector<CollectiveRank>& ranks, const GroupUnion& group,
                                          const ClockPartition& partition, const MatchOptions& options);

} // namespace lockstep
