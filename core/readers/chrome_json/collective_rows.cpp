// SPDX-License-Identifier: Apache-2.0
#include "core/readers/chrome_json/collective_rows.h"

#include <unordered_map>

#include "core/readers/chrome_json/group_ranks.h"
#include "core/readers/collective_arguments.h"

namespace lockstep {

namespace {

bool statesAny(const CollectiveOp& op)
{
    return op != CollectiveOp();
}

class CollectiveJoin {
  public:
    CollectiveJoin(const std::map<std::string, std::string, std::less<>>& groups, StringPool& strings)
        : m_groups(groups), m_strings(strings)
    {
    }

    void add(const CollectiveRow& row, const std::vector<StringId>& names)
    {
        CollectiveRow own = row;
        for (StringId* name : {&own.op.collective, &own.op.group, &own.op.groupRanks, &own.op.dataType}) {
            if (name->isValid()) *name = names[name->value];
        }
        (row.isRecord ? m_records : m_kernels).push_back(own);
    }

    std::vector<std::pair<SourceRow, CollectiveOp>> run()
    {
        for (size_t i = 0; i < m_records.size(); ++i) {
            if (m_records[i].externalId != 0) m_recordOfId.try_emplace(m_records[i].externalId, i);
        }
        std::vector<bool> isJoined(m_records.size());
        for (CollectiveRow& kernel : m_kernels) {
            const auto record = m_recordOfId.find(kernel.externalId);
            if (kernel.externalId != 0 && record != m_recordOfId.end()) {
                fillAbsent(kernel.op, m_records[record->second].op);
                isJoined[record->second] = true;
            }
            add(kernel);
        }
        for (size_t i = 0; i < m_records.size(); ++i) {
            if (!isJoined[i]) add(m_records[i]);
        }
        return std::move(m_out);
    }

  private:
    void add(CollectiveRow& row)
    {
        if (!statesAny(row.op)) return;
        if (row.isRecord && m_strings.at(row.op.collective) == "wait")
            return; // the operation itself was recorded
        const auto whole = m_groups.find(m_strings.at(row.op.group));
        if (whole != m_groups.end() && !isListBetter(row.op, whole->second))
            row.op.groupRanks = m_strings.intern(whole->second);
        m_out.emplace_back(row.source, row.op);
    }

    // The lists in kernel rows are cut, with or without an ellipsis; the list in the header is complete.
    bool isListBetter(const CollectiveOp& op, std::string_view whole) const
    {
        return listedRanks(m_strings.at(op.groupRanks)) == op.groupSize && listedRanks(whole) != op.groupSize;
    }

    const std::map<std::string, std::string, std::less<>>& m_groups;
    StringPool& m_strings;
    std::vector<CollectiveRow> m_kernels;
    std::vector<CollectiveRow> m_records;
    std::unordered_map<uint64_t, size_t> m_recordOfId;
    std::vector<std::pair<SourceRow, CollectiveOp>> m_out;
};

} // namespace

std::vector<std::pair<SourceRow, CollectiveOp>>
joinCollectives(std::span<const EventRows> workers, const std::vector<std::vector<StringId>>& names,
                const std::map<std::string, std::string, std::less<>>& groups, StringPool& strings)
{
    CollectiveJoin join(groups, strings);
    for (size_t worker = 0; worker < workers.size(); ++worker) {
        for (const CollectiveRow& row : workers[worker].collectives)
            join.add(row, names[worker]);
    }
    return join.run();
}

} // namespace lockstep
