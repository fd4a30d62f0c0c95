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
                                          "Nothing to list: no individual allocations in %1, only "
                                          "totals over time."))
            .arg(from);
    }
    if (need == MemoryNeed::segments && !recording.hasSegments) {
        return needText(
                   QT_TRANSLATE_NOOP("lockstep::MemoryNeed",
                                     "Nothing to show: no allocator segments in %1. Open a torch.cuda.memory "
                                     "snapshot instead."))
            .arg(from);
    }
    if (need == MemoryNeed::settings && !source.snapshot().isOfAllocator()) {
        return needText(QT_TRANSLATE_NOOP("lockstep::MemoryNeed",
                                          "Nothing to list: no allocator settings in %1. Open a "
                                          "torch.cuda.memory snapshot instead."))
            .arg(from);
    }
    return {};
}

} // namespace lockstep
