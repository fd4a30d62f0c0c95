// SPDX-License-Identifier: Apache-2.0
// MomentPicker: chooses a snapshot and a moment of it: the beginning, the end of a step that its annotations
// name, the peak, the end of the history. Made by a pane that compares two of them. UI thread.
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
    // Goes to a moment of one of them. Says nothing.
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
    QComboBox* m_moments; // data: the moment
};

} // namespace lockstep
