// SPDX-License-Identifier: Apache-2.0
// LocalNames: names met by one worker, numbered without a lock. The numbers go into the worker's SliceBatch
// and become the report's ids when the batch is adopted. Used by one thread.
#pragma once

#include <string_view>
#include <vector>

#include "core/base/string_pool.h"
#include "core/trace/report_builder.h"

namespace lockstep {

class LocalNames {
  public:
    // The local number of a text that the report knows already.
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
    // Local number -> report id, for ReportBuilder::adopt(). Interns what is new; empty when no name was
    // asked for.
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
        StringId report; // known to the report
        StringId text;   // else: of m_texts
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
