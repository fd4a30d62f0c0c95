// SPDX-License-Identifier: Apache-2.0
// LinkTable: cause -> effect links between slices of one report, e.g. from the API call that launched a
// kernel. Sorted by cause, with an index by effect. Created by ReportBuilder; immutable. Takes 13 bytes per
// link, plus 4 bytes for the index.
#pragma once

#include <cstdint>
#include <span>

#include "core/base/column_place.h"
#include "core/base/ids.h"
#include "core/trace/row_chunks.h"

namespace lockstep {

enum class LinkKind : uint8_t {
    launch,    // CUDA API call -> GPU work, by correlation ID within one process
    flow,      // a flow recorded in the file (fwdbwd, generic Chrome flows)
    recordWait // CUDA event record -> wait for that event
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
    // Builds the table from links in any order; duplicates are dropped. The table is empty if the disk of
    // `place` is full.
    explicit LinkTable(RowChunks<Link> links, const ColumnPlace& place = {});

    size_t size() const { return m_links.size(); }
    std::span<const Link> all() const { return {m_links.data(), m_links.size()}; }
    // Returns the links whose cause is `slice`, as a contiguous part of all(). O(log n).
    std::span<const Link> from(SliceId slice) const;
    // Returns the n-th (zero-based) link whose effect is `slice`, or nullptr. O(log n).
    const Link* to(SliceId slice, size_t n = 0) const;
    // Returns true if the table is sorted and the index is complete, as from() and to() require. O(n).
    bool isInOrder() const;

  private:
    friend struct ReportColumns;

    Column<Link> m_links;
    Column<uint32_t> m_byEffect; // rows of m_links, sorted by effect
};

} // namespace lockstep
