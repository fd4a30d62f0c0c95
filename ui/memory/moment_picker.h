// SPDX-License-Identifier: Apache-2.0
// MomentPicker lets the user select a snapshot and a point in time in it: the start, the end of an annotated
// step, the peak, or the end of the history. The Compare view uses two of them. UI thread.
#pragma once

#include <QWidget>

#include "ui/memory/memory_pane.h"

class QComboBox;

namespace lockstep {

class MomentPicker : public QWidget {
    Q_OBJECT

  public:
    MomentPicker(const QString& label, QWidget* parent);

    enum class Preset : uint8_t { begin, peak };
    // Sets the sources and selects a preset point in time. Emits no signal.
    void setSources(MemorySources sources, size_t current, Preset preset);
    MemorySource source() const;
    MemoryMoment moment() const;

    QComboBox* snapshots() const { return m_snapshots; }
    QComboBox* moments() const { return m_moments; }

  signals:
    void picked();

  private:
    void fillMoments();

    MemorySources m_sources;
    QComboBox* m_snapshots;
    QComboBox* m_moments; // the item data is the MemoryMoment
};

} // namespace lockstep
