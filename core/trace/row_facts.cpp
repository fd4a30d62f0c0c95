// SPDX-License-Identifier: Apache-2.0
#include "core/trace/row_facts.h"

#include <limits>

namespace lockstep {

namespace {

constexpr int64_t kNoFact = std::numeric_limits<int64_t>::min();

} // namespace

void RowFacts::reset(size_t rows)
{
    for (size_t fact = 0; fact < m_values.size(); ++fact) {
        if (holds(m_wanted, static_cast<RowFact>(fact))) m_values[fact].assign(rows, kNoFact);
    }
    m_texts = {};
}

void RowFacts::set(size_t row, RowFact fact, int64_t value)
{
    if (holds(m_wanted, fact)) m_values[static_cast<size_t>(fact)][row] = value;
}

void RowFacts::setText(size_t row, RowFact fact, std::string_view text)
{
    if (holds(m_wanted, fact) && !text.empty()) set(row, fact, m_texts.intern(text).value);
}

std::optional<int64_t> RowFacts::number(size_t row, RowFact fact) const
{
    const std::vector<int64_t>& values = m_values[static_cast<size_t>(fact)];
    if (row >= values.size() || values[row] == kNoFact) return std::nullopt;
    return values[row];
}

std::string_view RowFacts::text(size_t row, RowFact fact) const
{
    const std::optional<int64_t> id = number(row, fact);
    return id ? m_texts.at(StringId(static_cast<uint32_t>(*id))) : std::string_view();
}

Result<std::unique_ptr<RowFactReader>> openRowFacts(const Report& report)
{
    if (report.openFacts == nullptr)
        return makeError(ErrorKind::unsupported,
                         "a " + report.provenance.kind + " file contains no further details of its rows");
    return report.openFacts(report);
}

} // namespace lockstep
