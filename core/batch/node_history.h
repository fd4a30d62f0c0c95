// SPDX-License-Identifier: Apache-2.0
// NodeHistory counts how the tasks of a batch ended on each node, and chooses the nodes that the next try
// does without: a node on which two tasks failed and none succeeded, and a node that Slurm reported as
// failed. A single failure excludes no node, because a report can end any task. Never chooses all nodes seen,
// because the tasks of the next try would then wait for ever. A value; pure.
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
    // Chooses the nodes again. Returns a sentence for each node that was not excluded before.
    std::vector<std::string> exclude();
    // Sorted.
    const std::vector<std::string>& excluded() const { return m_excluded; }
    // Forgets everything: Slurm refused the tasks without these nodes.
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
