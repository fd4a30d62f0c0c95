// SPDX-License-Identifier: Apache-2.0
// NodeHistory counts how the tasks of a batch ended on each node, and chooses the nodes to exclude from the
// next try. It excludes a node on which two tasks failed and none succeeded, and a node that Slurm reported
// as failed. A single failure excludes no node, because a report can crash any task. Not all known nodes are
// excluded, because the tasks of the next try would then wait forever. Value type; pure.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace lockstep {

class NodeHistory {
  public:
    enum class Outcome : uint8_t { succeeded, failed, nodeFailed };

    // Ignores a task whose node is unknown ("").
    void add(const std::string& node, Outcome outcome);
    // Updates the excluded nodes. Returns a sentence for each node that was not excluded before.
    std::vector<std::string> exclude();
    // Returns the excluded nodes, sorted.
    const std::vector<std::string>& excluded() const { return m_excluded; }
    // Clears everything. Used when Slurm rejects the tasks with these nodes excluded.
    void allowAll();

  private:
    struct Counts {
        size_t succeeded = 0, failed = 0, nodeFailed = 0;

        bool isBad() const { return nodeFailed > 0 || (failed >= 2 && succeeded == 0); }
    };
    std::map<std::string, Counts> m_nodes;
    std::vector<std::string> m_excluded;
};

} // namespace lockstep
