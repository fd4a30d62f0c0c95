// SPDX-License-Identifier: Apache-2.0
// LocalNames: names found by one worker, with local IDs that are assigned without a lock. The local IDs go
// into the worker's SliceBatch and become report IDs when the batch is adopted. One thread.
#pragma once

#include <string_view>
#include <vector>

#include "core/base/string_pool.h"
#include "core/trace/report_builder.h"

namespace lockstep {

class LocalNames {
  public:
    // Returns the local ID of a string that the report already has.
    StringId ofReport(StringId reportId)
    {
        if (reportId.value >= m_ofReport.size()) m_ofReport.resize(reportId.value + size_t(1));
        StringId& local = m_ofReport[reportId.value];
        if (!local.isValid()) local = add({reportId, {}});
        return local;
    }
    StringId ofText(std::string_view text)
    {
        const StringId own = m_texts.intern(text);
        if (own.value >= m_ofText.size()) m_ofText.resize(own.value + size_t(1));
        StringId& local = m_ofText[own.value];
        if (!local.isValid()) local = add({{}, own});
        return local;
    }
    // Returns the map from local ID to report ID for ReportBuilder::adopt(). Interns new strings. The map is
    // empty if no name was used.
    std::vector<StringId> reportIds(ReportBuilder& builder) const
    {
        std::vector<StringId> ids;
        ids.reserve(m_names.size());
        for (const Name& name : m_names) {
            ids.push_back(name.report.isValid() ? name.report : builder.intern(m_texts.at(name.text)));
        }
        return ids;
    }

  private:
    struct Name {
        StringId report; // ID in the report, if known
        StringId text;   // otherwise, ID in m_texts
    };
    StringId add(const Name& name)
    {
        m_names.push_back(name);
        return StringId(m_names.size() - 1);
    }

    StringPool m_texts;
    std::vector<Name> m_names;
    std::vector<StringId> m_ofReport;
    std::vector<StringId> m_ofText;
};

} // namespace lockstep
