// SPDX-License-Identifier: Apache-2.0
#include "ui/compare/pair_card.h"

#include <cstdlib>

#include <QCoreApplication>

#include "core/base/text.h"

namespace lockstep {

namespace {

QString cardWords(const char* text)
{
    return QCoreApplication::translate("lockstep::PairCard", text);
}

QString sinceText(Duration d)
{
    return (d.ns < 0 ? QString(QChar(0x2212)) : QString("+")) +
           QString::fromStdString(durationText({std::abs(d.ns)}, 6));
}

PairOverlay::Cell changeCell(Duration by, const QString& more, const QString& less)
{
    if (by.ns == 0) return {cardWords(QT_TRANSLATE_NOOP("lockstep::PairCard", "no change")), 0};
    return {(by.ns > 0 ? more : less).arg(QString::fromStdString(durationText({std::abs(by.ns)}, 6))),
            by.ns > 0 ? 1 : -1};
}

} // namespace

PairOverlay::Card pairCard(const ComparedSides& halves, const SlicePair& pair)
{
    PairOverlay::Card card;
    std::array<PairOverlay::Cell, 4> start{
        {{cardWords(QT_TRANSLATE_NOOP("lockstep::PairCard", "start")), 0}}};
    std::array<PairOverlay::Cell, 4> length{
        {{cardWords(QT_TRANSLATE_NOOP("lockstep::PairCard", "duration")), 0}}};
    const CouplingKnot zero = halves.zeroOf(pair);
    for (size_t i = 0; i < 2; ++i) {
        const SliceRef slice = i == 0 ? pair.a : pair.b;
        const Scene& scene = *halves.sides[i].scene;
        start[i + 1].text = length[i + 1].text = QString(QChar(0x2014));
        if (!scene.holds(slice)) continue;
        const Report& report = scene.shown.report(slice.report);
        if (card.name.isEmpty()) card.name = QString::fromStdString(std::string(report.nameOf(slice.slice)));
        const TraceTime begin =
            scene.alignment.map(slice.report).alignedFromTrace(report.slices.start(slice.slice));
        start[i + 1].text = sinceText(begin - (i == 0 ? zero.a : zero.b));
        length[i + 1].text = QString::fromStdString(durationText(report.slices.duration(slice.slice), 6));
    }
    if (pair.isBoth()) {
        start[3] = changeCell(pair.later, cardWords(QT_TRANSLATE_NOOP("lockstep::PairCard", "%1 later")),
                              cardWords(QT_TRANSLATE_NOOP("lockstep::PairCard", "%1 earlier")));
        length[3] = changeCell(pair.longer, cardWords(QT_TRANSLATE_NOOP("lockstep::PairCard", "%1 longer")),
                               cardWords(QT_TRANSLATE_NOOP("lockstep::PairCard", "%1 shorter")));
        card.footer = cardWords(QT_TRANSLATE_NOOP("lockstep::PairCard", "matched %1"))
                          .arg(QString::fromStdString(pairRuleText(pair)));
    } else {
        start[3] = {QString::fromStdString(changeText(pair)), 0};
    }
    card.rows.push_back(
        {{{}, {"A", 0}, {"B", 0}, {cardWords(QT_TRANSLATE_NOOP("lockstep::PairCard", "change")), 0}}});
    card.rows.push_back(std::move(start));
    card.rows.push_back(std::move(length));
    return card;
}

} // namespace lockstep
