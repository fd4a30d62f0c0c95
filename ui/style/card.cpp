// SPDX-License-Identifier: Apache-2.0
#include "ui/style/card.h"

#include <QLabel>
#include <QVBoxLayout>

#include "ui/style/style_sheet.h"

namespace lockstep {

Card::Card(const QString& heading, QWidget* parent)
    : QFrame(parent), m_lines(new QVBoxLayout(this)), m_header(new QHBoxLayout),
      m_title(new QLabel(heading, this)), m_remark(new QLabel(this))
{
    setProperty("section", true);
    setAccessibleName(heading);
    m_lines->setContentsMargins(scaledPixels(14), scaledPixels(12), scaledPixels(14), scaledPixels(14));
    m_lines->setSpacing(scaledPixels(6));
    m_header->setSpacing(scaledPixels(6));
    m_title->setProperty("strong", true);
    m_title->setTextFormat(Qt::PlainText);
    m_remark->setProperty("muted", true);
    m_remark->setTextFormat(Qt::PlainText);
    // A long remark must not widen the card.
    m_remark->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_header->addWidget(m_title);
    m_header->addWidget(m_remark, 1);
    m_lines->addLayout(m_header);
}

void Card::setHeading(const QString& heading)
{
    m_title->setText(heading);
    setAccessibleName(heading);
}

void Card::setRemark(const QString& remark)
{
    m_remark->setText(remark);
    m_remark->setToolTip(remark);
}

} // namespace lockstep
