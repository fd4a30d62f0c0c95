// SPDX-License-Identifier: Apache-2.0
#include "core/batch/node_history.h"

#include <algorithm>

namespace lockstep {

void NodeHistory::add(const std::string& node, Outcome outcome)
{
    if (node.empty()) return;
    Counts& counts = m_nodes[node];
    counts.succeeded += outcome == Outcome::succeeded ? 1 : 0;
    counts.failed += outcome == Outcome::failed ? 1 : 0;
    counts.nodeFailed += outcome == Outcome::nodeFailed ? 1 : 0;
}

std::vector<std::string> NodeHistory::exclude()
{
    std::vector<std::string> bad, sentences;
    for (const auto& [node, counts] : m_nodes) {
        if (counts.isBad()) bad.push_back(node);
    }
    if (bad.size() == m_nodes.size()) bad.clear();
    for (const std::string& node : bad) {
        if (std::ranges::binary_search(m_excluded, node)) continue;
        const Counts& counts = m_nodes[node];
        sentences.push_back(node + " is excluded from the next try: " +
                            (counts.nodeFailed > 0 ? "Slurm reported that it failed (NODE_FAIL)"
                                                   : std::to_string(counts.failed) +
                                                         " tasks failed on it, and none succeeded"));
    }
    m_excluded = std::move(bad);
    return sentences;
}

void NodeHistory::allowAll()
{
    m_nodes.clear();
    m_excluded.clear();
}

} // namespace lockstep
