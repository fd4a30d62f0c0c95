// SPDX-License-Identifier: Apache-2.0
#include "core/base/flame_layout.h"

#include <algorithm>
#include <tuple>

namespace lockstep {

namespace {

// The space for the children of a node.
struct FlameSpan {
    int32_t left = 0, right = 0; // if empty, nothing is drawn below the node
    int64_t weight = 0;          // weight of all children plus the node's own part
    int64_t used = 0;            // weight of the children placed so far
};

class FlameArranger {
  public:
    FlameArranger(std::span<const FlameFrame> frames, const FlameLayoutRequest& request)
        : m_frames(frames), m_request(request), m_spans(frames.size())
    {
    }

    FlameLayout place()
    {
        uint32_t first = placeFocus();
        while (first < m_frames.size()) { // handles one group of siblings at a time
            uint32_t end = first;
            while (end < m_frames.size() && m_frames[end].parent == m_frames[first].parent)
                ++end;
            const FlameSpan& span = m_spans[m_frames[first].parent];
            if (span.left < span.right) placeSiblings(first, end);
            first = end;
        }
        std::ranges::sort(m_out.boxes, {}, [](const FlameBox& box) { return std::pair(box.row, box.left); });
        for (const FlameBox& box : m_out.boxes)
            m_out.rows = std::max(m_out.rows, box.row + 1);
        return std::move(m_out);
    }

  private:
    int64_t weightOf(uint32_t node) const
    {
        return m_request.isByCount ? static_cast<int64_t>(m_frames[node].count) : m_frames[node].size;
    }

    // Places the focus and its ancestors at full width. Returns the first node that may be below the focus.
    uint32_t placeFocus()
    {
        const uint32_t focus = m_request.focus < m_frames.size() ? m_request.focus : 0;
        m_spans[focus] = {0, m_request.width, std::max<int64_t>(1, weightOf(focus)), 0};
        for (uint32_t node = focus;; node = m_frames[node].parent) {
            addBox(node, 0, 0, m_request.width, m_frames[node].size, m_frames[node].count);
            if (node == 0) break;
        }
        return focus + 1;
    }

    void placeSiblings(uint32_t first, uint32_t end)
    {
        FlameSpan& span = m_spans[m_frames[first].parent];
        const auto width = static_cast<double>(span.right - span.left);
        const auto edgeOf = [&](int64_t weight) {
            const double share = static_cast<double>(weight) / static_cast<double>(span.weight);
            return span.left + static_cast<int32_t>(std::clamp(share, 0.0, 1.0) * width);
        };
        for (uint32_t node = first; node < end;) {
            const int32_t left = edgeOf(span.used);
            int32_t right = edgeOf(span.used += weightOf(node));
            if (right - left >= m_request.narrowest) {
                m_spans[node] = {left, right, std::max<int64_t>(1, weightOf(node)), 0};
                addBox(node, 0, left, right, m_frames[node].size, m_frames[node].count);
                ++node;
                continue;
            }
            const uint32_t narrow = node;
            int64_t size = 0;
            uint64_t count = 0;
            for (int32_t begin = left;;) {
                size += m_frames[node].size;
                count += m_frames[node].count;
                if (++node == end) break;
                begin = right;
                const int32_t next = edgeOf(span.used + weightOf(node));
                if (next - begin >= m_request.narrowest) break;
                span.used += weightOf(node);
                right = next;
            }
            if (right > left) {
                addBox(narrow, node - narrow, left, right, size, count);
            } else {
                m_out.unseen += node - narrow;
            }
        }
    }

    void addBox(uint32_t node, uint32_t merged, int32_t left, int32_t right, int64_t size, uint64_t count)
    {
        m_out.boxes.push_back({node, merged, m_frames[node].depth, left, right, size, count});
    }

    std::span<const FlameFrame> m_frames;
    const FlameLayoutRequest& m_request;
    std::vector<FlameSpan> m_spans; // by node
    FlameLayout m_out;
};

} // namespace

std::optional<size_t> FlameLayout::boxAt(uint32_t row, int32_t x) const
{
    const auto after = std::ranges::upper_bound(
        boxes, std::pair(row, x), {}, [](const FlameBox& box) { return std::pair(box.row, box.left); });
    if (after == boxes.begin()) return std::nullopt;
    const FlameBox& box = *std::prev(after);
    if (box.row != row || x >= box.right) return std::nullopt;
    return static_cast<size_t>(std::prev(after) - boxes.begin());
}

FlameLayout layOutFlame(std::span<const FlameFrame> frames, const FlameLayoutRequest& request)
{
    if (frames.empty() || request.width <= 0) return {};
    return FlameArranger(frames, request).place();
}

} // namespace lockstep
