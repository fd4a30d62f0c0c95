// SPDX-License-Identifier: Apache-2.0
// Meeting: the link of the demo's ranks, over which their collectives go: each really waits for all others,
// as with NCCL. Rank 0 has a Hub in a thread of its own, and each rank a Meeting with it: a socket in the
// abstract name space, of this user alone. What a rank says is whole or it is gone; nothing here throws.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <thread>
#include <vector>

namespace lockstep::demo {

enum class Operation : uint32_t { allReduce, allGather, broadcast };

// As NCCL and PyTorch call them: "AllReduce".
const char* nameOf(Operation operation);

// Answers all ranks once each has come. Made before any rank asks; its thread ends when all ranks have left,
// or one has without saying so: then the others are told which, and that is the end.
class Hub {
  public:
    // name: of the socket. Not listening when it is taken or sockets are forbidden, see problem().
    Hub(const std::string& name, uint32_t ranks);
    ~Hub();
    Hub(const Hub&) = delete;
    Hub& operator=(const Hub&) = delete;
    const std::string& problem() const { return m_problem; }

  private:
    void serve();
    bool takeRanks();
    bool answerOnce();
    void tellGone(uint32_t rank);

    const uint32_t m_ranks;
    int m_listener = -1;
    std::vector<int> m_links; // by rank
    std::string m_problem;
    std::thread m_thread;
};

class Meeting {
  public:
    // Tries for 20 s: rank 0 may come later. problem() where it was in vain.
    Meeting(const std::string& name, uint32_t rank);
    ~Meeting();
    Meeting(const Meeting&) = delete;
    Meeting& operator=(const Meeting&) = delete;

    // Waits for all ranks; values are their sum, all of theirs one after the other by rank, or those of rank
    // 0. False, with problem(), when a rank has left; nothing goes on then.
    bool take(Operation operation, std::vector<float>& values);
    // How many there were.
    uint64_t operations() const { return m_sequence; }
    const std::string& problem() const { return m_problem; }

  private:
    const uint32_t m_rank;
    int m_link = -1;
    uint64_t m_sequence = 0;
    std::string m_problem;
};

} // namespace lockstep::demo
