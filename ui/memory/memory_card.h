// SPDX-License-Identifier: Apache-2.0
// MemoryCard: what stands at the right of the memory panel: the peak of the device that is looked at, why an
// allocation failed, and who is suspected of leaking. UI thread.
#pragma once

#include <QScrollArea>

#include "ui/memory/memory_facts.h"
#include "ui/style/theme.h"

class QGridLayout;
class QLabel;
class QVBoxLayout;

namespace lockstep {

class NeighbourView;

class MemoryCard : public QScrollArea {
    Q_OBJECT

  public:
    explicit MemoryCard(QWidget* parent = nullptr);

    // facts: nullptr while they are worked out.
    void show(const MemorySource& source, const MemoryFacts* facts);
    // A block instead, with its stack.
    void showBlock(const MemorySource& source, BlockLifeId life);
    // Of the block's neighbours; nullptr: no state is seen beside the card.
    void setState(const AllocatorState* state);
    void setTheme(const Theme& theme);
    const NeighbourView* neighbours() const { return m_neighbours; }
    void clear();
    // All that is written, a line each, for a screen reader.
    QString text() const { return m_text.join('\n'); }

  signals:
    void stateRequested(MemoryMoment moment);
    void timelineRequested(MemoryMoment moment);
    void lifeRequested(BlockLifeId life); // in the timeline

  private:
    void addHead(const QString& heading, const QString& remark, bool isBad = false);
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
    NeighbourView* m_neighbours = nullptr; // of a block
    const Theme* m_theme = &lightTheme();
    QStringList m_text;
};

} // namespace lockstep
