// SPDX-License-Identifier: Apache-2.0
#include "app/window/hover_text.h"

#include <QStringList>

#include "core/readers/argument_meaning.h"

namespace lockstep {

HoverText::HoverText(QObject* parent)
    : QObject(parent), m_job([this](const Result<SliceDetails>& outcome) { take(outcome); })
{
    m_rest.setSingleShot(true);
    m_rest.setInterval(150);
    connect(&m_rest, &QTimer::timeout, this, &HoverText::fetch);
}

void HoverText::setScene(const ScenePtr& scene)
{
    m_scene = scene;
    m_slice = {};
}

void HoverText::setSlice(SliceRef slice)
{
    if (slice == m_slice) return;
    m_slice = slice;
    m_job.cancel();
    if (slice.isValid()) m_rest.start();
}

void HoverText::fetch()
{
    if (!m_scene->holds(m_slice)) return;
    m_job.start([report = m_scene->shown.shared(m_slice.report), slice = m_slice.slice](const Progress&) {
        return readSliceDetails(*report, slice);
    });
}

void HoverText::take(const Result<SliceDetails>& outcome)
{
    if (!outcome || !m_slice.isValid()) return;
    constexpr qsizetype kMaxLines = 8, kMaxValueLength = 60;
    const InterpretedArguments arguments = interpretArguments(outcome->arguments);
    QStringList lines;
    for (const SliceArguments* const part : {&arguments.meaning, &arguments.rest}) {
        for (const auto& [name, value] : *part) {
            if (lines.size() == kMaxLines) break;
            const QString text = QString::fromStdString(value);
            lines << QString::fromStdString(name) + "  " + text.left(kMaxValueLength) +
                         (text.size() > kMaxValueLength ? QString("\u2026") : QString());
        }
    }
    const auto left = static_cast<qsizetype>(arguments.meaning.size() + arguments.rest.size()) - lines.size();
    if (left > 0) lines << tr("and %1 more in Details").arg(left);
    emit found(m_slice, lines.join('\n'));
}

} // namespace lockstep
