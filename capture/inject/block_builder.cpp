// SPDX-License-Identifier: Apache-2.0
#include "capture/inject/block_builder.h"

#include <algorithm>

#include "capture/inject/capture_gate.h"

namespace lockstep::capture {

namespace {

void appendNumber(std::string& out, uint64_t value)
{
    while (value >= 0x80) {
        out.push_back(static_cast<char>(value | 0x80));
        value >>= 7;
    }
    out.push_back(static_cast<char>(value));
}

} // namespace

unsigned fieldCount(unsigned kind)
{
    switch (kind) {
#define LOCKSTEP_FIELDS(name, number, fields)                                                                \
    case number:                                                                                             \
        return fields;
        LOCKSTEP_SPOOL_KINDS(LOCKSTEP_FIELDS)
#undef LOCKSTEP_FIELDS
    default:
        return 0;
    }
}

void BlockBuilder::clear()
{
    m_records.clear();
    m_texts.clear();
    m_numbers.clear();
    m_newest = {};
    m_step = 0;
    m_isUsed = {};
    ++m_generation;
    m_count = 0;
    m_last_ns = m_first_ns = m_latest_ns = 0;
    m_thread = -1;
    m_domain = ~0u;
}

uint32_t BlockBuilder::text(std::string_view text)
{
    if (text.empty()) return 0;
    const auto [entry, isNew] =
        m_numbers.try_emplace(std::string(text), static_cast<uint32_t>(m_numbers.size() + 1));
    if (isNew) {
        appendNumber(m_texts, text.size());
        m_texts.append(text);
        m_newest = entry->first;
    }
    return entry->second;
}

void BlockBuilder::noteNewRangeName()
{
    const std::optional<int64_t> step = CaptureGate::stepOfName(m_newest);
    if (step && *step < UINT32_MAX) m_step = std::max(m_step, static_cast<uint32_t>(*step) + 1);
}

BlockBuilder& BlockBuilder::begin(LockstepSpoolKind kind)
{
    m_records.push_back(static_cast<char>(kind));
    m_isUsed[kind] = true;
    ++m_count;
    return *this;
}

BlockBuilder& BlockBuilder::timestamp(int64_t time_ns)
{
    signedNumber(time_ns - m_last_ns);
    m_last_ns = time_ns;
    if (time_ns != 0) {
        if (m_first_ns == 0 || time_ns < m_first_ns) m_first_ns = time_ns;
        if (time_ns > m_latest_ns) m_latest_ns = time_ns;
    }
    return *this;
}

BlockBuilder& BlockBuilder::number(uint64_t value)
{
    appendNumber(m_records, value);
    return *this;
}

void BlockBuilder::setThread(int64_t tid)
{
    if (tid == m_thread) return;
    m_thread = tid;
    begin(LOCKSTEP_KIND_THREAD).number(static_cast<uint64_t>(tid));
}

void BlockBuilder::setDomain(uint32_t domain)
{
    if (domain == m_domain) return;
    m_domain = domain;
    begin(LOCKSTEP_KIND_DOMAIN).number(domain);
}

void BlockBuilder::payload(std::string& out) const
{
    out.clear();
    out.reserve(m_texts.size() + m_records.size() + 256);
    uint64_t kinds = 0;
    for (const bool isUsed : m_isUsed)
        kinds += isUsed ? 1 : 0;
    appendNumber(out, kinds);
    for (unsigned kind = 0; kind < m_isUsed.size(); ++kind) {
        if (!m_isUsed[kind]) continue;
        appendNumber(out, kind);
        appendNumber(out, fieldCount(kind));
    }
    appendNumber(out, m_numbers.size());
    out += m_texts;
    out += m_records;
}

} // namespace lockstep::capture
