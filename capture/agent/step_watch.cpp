// SPDX-License-Identifier: Apache-2.0
#include "capture/agent/step_watch.h"

#include "capture/agent/report_watch.h"

namespace lockstep::agent {

void StepWatch::follow(const std::set<std::filesystem::path>& captures)
{
    std::erase_if(m_captures, [&](const auto& one) { return !captures.contains(one.first); });
    for (const std::filesystem::path& path : captures) {
        if (m_captures.size() == kMaxCaptures) return;
        m_captures.try_emplace(path, Capture{SpoolTail(path), {}, {}, {}});
    }
}

void StepWatch::read(Capture& capture)
{
    SpoolTail& tail = capture.tail;
    tail.look();
    std::string bytes;
    while (!tail.pending().empty()) {
        const TailBlock& block = tail.pending().front();
        const int64_t step = int64_t(block.head.step) - 1;
        if (step > capture.step.value_or(-1)) {
            const SpoolTail::Reading reading = tail.read(block, bytes);
            if (reading == SpoolTail::Reading::notYet) return;
            if (reading == SpoolTail::Reading::whole) capture.step = step;
        }
        tail.pending().pop_front();
    }
}

void StepWatch::tell()
{
    const auto now = std::chrono::steady_clock::now();
    for (auto& [path, capture] : m_captures) {
        read(capture);
        if (!capture.step || capture.step == capture.told || m_log.isBlocked()) continue;
        const bool isGreatest = *capture.step > m_greatest.value_or(-1);
        if (!isGreatest && capture.told && now - capture.told_at < kPause) continue;
        capture.told = capture.step;
        capture.told_at = now;
        if (isGreatest) m_greatest = capture.step;
        Json fields{{"step", *capture.step}};
        addPath(fields, path);
        m_log.add("step", std::move(fields));
    }
}

} // namespace lockstep::agent
