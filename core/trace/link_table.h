// SPDX-License-Identifier: Apache-2.0
// LinkTable: cause -> effect between two slices of one report, e.g. the API call that launched a kernel.
// Sorted by cause, with an index by effect. Made by ReportBuilder; immutable. 13 bytes a link and 4 for the
// index.
#pragma once

#include <cstdint>
#include <span>

#include "core/base/column_place.h"
#include "core/base/ids.h"
#include "core/trace/row_chunks.h"

namespace lockstep {

enum class LinkKind : uint8_t {
    launch,    // CUDA API call -> GPU work, by correlation id within one process
    flow,      // a flow the file states (fwdbwd, generic Chrome flows)
    recordWait // CUDA event record -> the wait on it
};

struct Link {
    SliceId cause;
    SliceId effect;
    LinkKind kind = LinkKind::launch;

    friend auto operator<=>(const Link&, const Link&) = default;
};

class LinkTable {
  public:
    LinkTable() = default;
    // Takes links in any order; equal ones are kept once. No links at all where the place's disk is full.
    explicit LinkTable(RowChunks<Link> links, const ColumnPlace& place = {});

    size_t size() const { return m_links.size(); }
    std::span<const Link> all() const { return {m_links.data(), m_links.size()}; }
    // Links whose cause is `slice`: a contiguous part of all(). O(log n).
    std::span<const Link> from(SliceId slice) const;
    // The n-th (0-based) link whose effect is `slice`, or nullptr. O(log n).
    const Link* to(SliceId slice, size_t n = 0) const;
    // Sorted, and the index complete: what from() and to() rely on. O(n).
    bool isInOrder() const;

  private:
    friend struct ReportColumns;

    Column<Link> m_links;
    Column<uint32_t> m_byEffect; // rows of m_links, sorted by effect
};

} // namespace lockstep
