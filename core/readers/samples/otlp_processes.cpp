// SPDX-License-Identifier: Apache-2.0
#include "core/readers/samples/otlp_processes.h"

#include <algorithm>
#include <cctype>

#include "core/readers/samples/sample_rows.h"

namespace lockstep {

namespace {

// 8-4-4-4-12 hexadecimal digits
bool isUuid(std::string_view text)
{
    if (text.size() != 36) return false;
    for (size_t i = 0; i < text.size(); ++i) {
        const bool isDash = i == 8 || i == 13 || i == 18 || i == 23;
        if (isDash ? text[i] != '-' : std::isxdigit(static_cast<unsigned char>(text[i])) == 0) return false;
    }
    return true;
}

} // namespace

OtlpProcesses::OtlpProcesses(const OtlpSpans& spans) : m_spans(spans)
{
    std::vector<bool> isKnown(spans.resourceCount());
    for (const OtlpSpan& span : spans.spans()) {
        if (isKnown[span.resource]) continue;
        isKnown[span.resource] = true;
        const Names names = namesOf(span);
        if (!names.instance.empty()) m_random.emplace(names.name, names.pid, names.instance);
    }
}

std::string_view OtlpProcesses::text(const OtlpSpan& span, OtlpKey key) const
{
    const OtlpAttribute* const found = attributeOf(m_spans.resourceOf(span), key);
    return found != nullptr && found->text.isValid() ? m_spans.builder().text(found->text)
                                                     : std::string_view();
}

// vLLM states its process id, and no name.
OtlpProcesses::Names OtlpProcesses::namesOf(const OtlpSpan& span) const
{
    Names names;
    const std::string_view instance = text(span, OtlpKey::serviceInstance);
    if (isUuid(instance)) {
        names.instance = instance;
    } else {
        names.name = instance;
    }
    names.pid = numberOrNone(text(span, OtlpKey::vllmProcess));
    if (names.name.empty()) names.name = text(span, OtlpKey::serviceName);
    if (names.name.empty()) names.name = names.pid != kUnrecorded ? "vLLM" : "unnamed service";
    return names;
}

// Whether other processes have the same name and pid.
bool OtlpProcesses::isShared(const Names& names) const
{
    const auto first = m_random.lower_bound({names.name, names.pid, ""});
    return first != m_random.end() && std::next(first) != m_random.end() &&
           std::get<0>(*std::next(first)) == names.name && std::get<1>(*std::next(first)) == names.pid;
}

ProcessId OtlpProcesses::of(const OtlpSpan& span)
{
    const auto [known, isNew] = m_byResource.try_emplace(span.resource);
    if (!isNew) return known->second;
    const Names names = namesOf(span);
    const std::string key =
        names.name + "\n" + std::to_string(names.pid) + (names.instance.empty() ? "" : "\n" + names.instance);
    ReportBuilder& builder = m_spans.builder();
    known->second = builder.process(std::hash<std::string>()(key), names.pid == kUnrecorded ? -1 : names.pid);
    Process& process = builder.report().processes[known->second.value];
    const std::string_view instance(names.instance);
    const bool isShared = !instance.empty() && this->isShared(names);
    if (!process.name.isValid())
        process.name =
            builder.intern(isShared ? names.name + " " + std::string(instance.substr(0, 8)) : names.name);
    const std::string_view host = text(span, OtlpKey::hostName);
    if (!host.empty()) process.identity.host.learn(std::string(host), "host.name", Confidence::stated);
    return known->second;
}

} // namespace lockstep
