// SPDX-License-Identifier: Apache-2.0
// MemoryCard is the right column of the memory panel: it shows the peak of the current device, why an
// allocation failed, and leak suspects. If a block is selected, the card shows that block instead. UI thread.
#pragma once

#include <QScrollArea>

#include "ui/memory/memory_facts.h"
#include "ui/style/theme.h"

class QGridLayout;
class QLabel;
class QVBoxLayout;

namespace lockstep {

class NeighborView;

class MemoryCard : public QScrollArea {
    Q_OBJECT

  public:
    explicit MemoryCard(QWidget* parent = nullptr);

    // Shows the device. facts: the figures of the device, or nullptr while they are being computed.
    void show(const MemorySource& source, const MemoryFacts* facts);
    // Shows a block with its stack instead.
    void showBlock(const MemorySource& source, BlockLifeId life);
    // Sets the allocator state in which the neighbors of the block are shown; nullptr hides the neighbors.
    void setState(const AllocatorState* state);
    void setTheme(const Theme& theme);
    const NeighborView* neighbors() const { return m_neighbors; }
    void clear();
    // Returns all text of the card, one line per item, for screen readers.
    QString text() const { return m_text.join('\n'); }

  signals:
    void stateRequested(MemoryMoment moment);
    void timelineRequested(MemoryMoment moment);
    void lifeRequested(BlockLifeId life); // show the block's lifetime in the timeline

  private:
    void addHeader(const QString& heading, const QString& remark, bool isBad = false);
    void addFact(const QString& name, const QString& value, const QString& remark);
    void addLine(const QString& text, const char* property = "muted");
    void addBlockLinks(const MemorySource& source, BlockLifeId life);
    void addLinks(const MemorySource& source, MemoryMoment moment);
    void addPeak(const MemorySource& source, const MemoryFacts* facts);
    void addReserved(const MemorySource& source, const MemoryLevels& levels, const MemoryFacts* facts);
    void addFailure(const MemorySource& source, const MemoryFacts& facts);
    void addStack(const MemorySource& source, MemoryStackId stack);
    void addNotes(const MemorySource& source);
    void addSuspects(const MemorySource& source, const MemoryFacts& facts);

    QWidget* m_body = nullptr;
    QVBoxLayout* m_lines = nullptr;
    NeighborView* m_neighbors = nullptr; // null while the card shows the device
    const Theme* m_theme = &lightTheme();
    QStringList m_text;
};

} // namespace lockstep
