// SPDX-License-Identifier: Apache-2.0
#include "ui/memory/memory_needs.h"

#include <QCoreApplication>

namespace lockstep {

namespace {

QString needText(const char* text)
{
    return QCoreApplication::translate("lockstep::MemoryNeed", text);
}

} // namespace

QString missingText(const MemorySource& source, MemoryNeed need)
{
    const MemoryRecording& recording = source.recording();
    const QString from = shownText(recording.name);
    if (need == MemoryNeed::blocks && !recording.hasBlocks) {
        return needText(
                   QT_TRANSLATE_NOOP("lockstep::MemoryNeed",
                                     "Nothing to list: %1 tells totals over time, and no single allocation."))
            .arg(from);
    }
    if (need == MemoryNeed::segments && !recording.hasSegments) {
        return needText(
                   QT_TRANSLATE_NOOP("lockstep::MemoryNeed",
                                     "Nothing to show: %1 does not tell in which segments the allocator's "
                                     "blocks lie. A snapshot of torch.cuda.memory does."))
            .arg(from);
    }
    if (need == MemoryNeed::settings && !source.snapshot().isOfAllocator()) {
        return needText(QT_TRANSLATE_NOOP("lockstep::MemoryNeed",
                                          "Nothing to list: %1 does not tell the allocator's settings. A "
                                          "snapshot of torch.cuda.memory does."))
            .arg(from);
    }
    return {};
}

} // namespace lockstep
