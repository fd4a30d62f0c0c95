#include "core/lanes/report_lod.h"

namespace lockstep {

namespace {

uint32_t fnv1a(std::string_view text)
{
    uint32_t hash = 2166136261u;
    for (const char c : text)
        hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
    return hash;
}

} // namespace

ReportLod::ReportLod(const Report& report, const Workers& workers)
    : m_slices(report, workers), m_counters(report), m_busyRows(findBusyRows(report, m_slices))
{
    m_nameHashes.reserve(report.strings.size());
    for (size_t i = 0; i < report.strings.size(); ++i)
        m_nameHashes.push_back(fnv1a(report.strings.at(StringId(i))));
}

size_t ReportLod::residentBytes() const
{
    size_t bytes =
        m_slices.residentBytes() + m_counters.residentBytes() + m_nameHashes.capacity() * sizeof(uint32_t);
    for (const BusyRow& row : m_busyRows)
        bytes += row.residentBytes();
    return bytes;
}

std::shared_ptr<const ReportLod> buildLod(const Report& report, const Workers& workers)
{
    return std::make_shared<const ReportLod>(report, workers);
}

} // namespace lockstep
