// SPDX-License-Identifier: Apache-2.0
// Communicator is the link between the demo's ranks, over which their collectives run: each rank really waits
// for all others, as with NCCL. Rank 0 runs a Hub in its own thread, and each rank has a Communicator
// connected to it through a socket in the abstract namespace, restricted to this user. If a message of a rank
// does not arrive completely, the rank counts as exited. No function here throws.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <thread>
#include <vector>

namespace lockstep::demo {

enum class Operation : uint32_t { allReduce, allGather, broadcast };

// Returns the name that NCCL and PyTorch use, such as "AllReduce".
const char* nameOf(Operation operation);

// Hub replies to all ranks once each has called. Create it before any rank connects. Its thread ends when all
// ranks have left. If a rank disappears without notice, the other ranks receive its number, and the thread
// ends.
class Hub {
  public:
    // name: the name of the socket. The Hub does not listen if the name is taken or sockets are forbidden;
    // see problem().
    Hub(const std::string& name, uint32_t ranks);
    ~Hub();
    Hub(const Hub&) = delete;
    Hub& operator=(const Hub&) = delete;
    const std::string& problem() const { return m_problem; }

  private:
    void serve();
    bool acceptRanks();
    bool replyOnce();
    void notifyExit(uint32_t rank);

    const uint32_t m_ranks;
    int m_listener = -1;
    std::vector<int> m_links; // indexed by rank
    std::string m_problem;
    std::thread m_thread;
};

class Communicator {
  public:
    // Tries to connect for 20 s, because rank 0 may start later. problem() is set on failure.
    Communicator(const std::string& name, uint32_t rank);
    ~Communicator();
    Communicator(const Communicator&) = delete;
    Communicator& operator=(const Communicator&) = delete;

    // Waits for all ranks. `values` then contains their sum, the values of all ranks in order, or those of
    // rank 0. Returns false, with problem() set, if a rank has exited. No further call succeeds then.
    bool execute(Operation operation, std::vector<float>& values);
    // Returns the number of completed collectives.
    uint64_t operations() const { return m_sequence; }
    const std::string& problem() const { return m_problem; }

  private:
    const uint32_t m_rank;
    int m_link = -1;
    uint64_t m_sequence = 0;
    std::string m_problem;
};

} // namespace lockstep::demo
