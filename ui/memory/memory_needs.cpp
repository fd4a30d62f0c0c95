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
        return needText(QT_TRANSLATE_NOOP("lockstep::MemoryNeed",
                                          "Nothing to list: there are totals over time, and no single "
                                          "allocation, in %1."))
            .arg(from);
    }
    if (need == MemoryNeed::segments && !recording.hasSegments) {
        return needText(QT_TRANSLATE_NOOP(
                            "lockstep::MemoryNeed",
                            "Nothing to show: in which segments the allocator's blocks lie is not in %1. "
                            "A snapshot of torch.cuda.memory tells it."))
            .arg(from);
    }
    if (need == MemoryNeed::settings && !source.snapshot().isOfAllocator()) {
        return needText(
                   QT_TRANSLATE_NOOP("lockstep::MemoryNeed",
                                     "Nothing to list: the allocator's settings are not in %1. A snapshot of "
                                     "torch.cuda.memory has them."))
            .arg(from);
    }
    return {};
}

} // namespace lockstep
