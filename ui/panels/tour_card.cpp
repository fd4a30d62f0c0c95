// SPDX-License-Identifier: Apache-2.0
#include "ui/panels/tour_card.h"

#include <algorithm>
#include <array>

#include <QEvent>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QPushButton>

#include "ui/style/style_sheet.h"

namespace lockstep {

TourCard::TourCard(QWidget* window)
    : QFrame(window), m_frame(new QFrame(window)), m_count(new QLabel(this)), m_title(new QLabel(this)),
      m_text(new QLabel(this)), m_skip(new QPushButton(tr("End tour"), this)),
      m_back(new QPushButton(tr("Back"), this)), m_next(new QPushButton(this))
{
    m_back->setObjectName("back");
    m_skip->setObjectName("skip");
    m_next->setObjectName("next");
    setObjectName("tourCard");
    m_frame->setObjectName("tourFrame");
    m_frame->setAttribute(Qt::WA_TransparentForMouseEvents);
    setFixedWidth(scaledPixels(350));
    auto* const column = new QVBoxLayout(this);
    column->setContentsMargins(scaledPixels(16), scaledPixels(12), scaledPixels(16), scaledPixels(12));
    column->setSpacing(scaledPixels(6));
    auto* const header = new QHBoxLayout;
    m_title->setProperty("strong", true);
    m_count->setProperty("muted", true);
    header->addWidget(m_title, 1);
    header->addWidget(m_count);
    column->addLayout(header);
    for (QLabel* const label : {m_title, m_text}) {
        label->setTextFormat(Qt::PlainText);
        label->setWordWrap(true);
    }
    column->addWidget(m_text);
    auto* const buttons = new QHBoxLayout;
    m_skip->setProperty("flat", true);
    m_next->setProperty("primary", true);
    buttons->addWidget(m_skip);
    buttons->addStretch(1);
    buttons->addWidget(m_back);
    buttons->addWidget(m_next);
    column->addSpacing(scaledPixels(4));
    column->addLayout(buttons);
    setTabOrder(m_next, m_back);
    setTabOrder(m_back, m_skip);
    window->installEventFilter(this);
    for (QPushButton* const button : {m_next, m_back, m_skip})
        button->installEventFilter(this);
    connect(m_next, &QPushButton::clicked, this, &TourCard::nextRequested);
    connect(m_back, &QPushButton::clicked, this, &TourCard::backRequested);
    connect(m_skip, &QPushButton::clicked, this, &TourCard::dismissed);
}

TourCard::~TourCard()
{
    delete m_frame.data();
}

QString TourCard::title() const
{
    return m_title->text();
}

QString TourCard::text() const
{
    return m_text->text();
}

void TourCard::show(const TourStop& stop, int number, int count)
{
    watchAnchor(stop.anchor);
    m_stop = stop;
    m_title->setText(stop.title);
    m_text->setText(stop.text);
    m_count->setText(tr("%1 of %2").arg(number).arg(count));
    m_back->setEnabled(number > 1);
    m_next->setText(number < count ? tr("Next") : tr("Done"));
    setAccessibleName(tr("Tour, %1 of %2: %3").arg(number).arg(count).arg(stop.title));
    setAccessibleDescription(stop.text);
    QFrame::show();
    place();
    m_next->setFocus(Qt::OtherFocusReason);
}

// Watches the anchor, which may move while the stop is shown: docks are dragged, panels grow.
void TourCard::watchAnchor(QWidget* anchor)
{
    if (m_stop.anchor != nullptr && m_stop.anchor != parentWidget()) m_stop.anchor->removeEventFilter(this);
    if (anchor != nullptr) anchor->installEventFilter(this);
}

void TourCard::place()
{
    const QWidget& window = *parentWidget();
    resize(width(), layout()->totalHeightForWidth(width())); // adjustSize() ignores wrapped text
    const int gap = scaledPixels(8);
    const int tabs = scaledPixels(34); // height of the tabs above panels, which stay visible
    const QRect room = window.rect().adjusted(gap, gap, -gap, -gap);
    const bool isShown = m_stop.anchor != nullptr && m_stop.anchor->isVisible();
    QRect part;
    if (isShown) {
        part = m_stop.part.isEmpty() ? m_stop.anchor->rect() : m_stop.part;
        part.moveTopLeft(m_stop.anchor->mapTo(&window, part.topLeft()));
    }
    m_frame->setVisible(isShown);
    m_frame->setGeometry(part.adjusted(-1, -1, 1, 1));
    const int middle = part.center().x() - width() / 2;
    const std::array<QPoint, 4> beside{{{part.left(), part.top() - height() - gap - tabs},
                                        {middle, part.bottom() + gap},
                                        {part.left() - width() - gap, part.top()},
                                        {part.right() + gap, part.top()}}};
    // No room outside: place the card inside the part.
    QPoint at = part.bottomRight() - QPoint(width() + 2 * gap, height() + 2 * gap);
    const auto fits = std::ranges::find_if(beside, [&](QPoint corner) {
        const int left = std::clamp(corner.x(), room.left(), std::max(room.left(), room.right() - width()));
        const QRect card(QPoint(left, corner.y()), size());
        return room.contains(card) && !card.intersects(part);
    });
    if (!isShown) {
        at = room.bottomRight() - QPoint(width() + gap, height() + 4 * gap);
    } else if (fits != beside.end()) {
        at = *fits;
    }
    move(std::clamp(at.x(), room.left(), std::max(room.left(), room.right() - width())),
         std::clamp(at.y(), room.top(), std::max(room.top(), room.bottom() - height())));
    m_frame->raise();
    raise();
}

bool TourCard::eventFilter(QObject* watched, QEvent* event)
{
    auto* const button = qobject_cast<QPushButton*>(watched);
    if (button != nullptr && event->type() == QEvent::KeyPress)
        return pressKey(*button, static_cast<QKeyEvent*>(event)->key());
    const bool moves = event->type() == QEvent::Resize || event->type() == QEvent::Move ||
                       event->type() == QEvent::Show || event->type() == QEvent::Hide;
    if (moves && isVisible()) place();
    return QFrame::eventFilter(watched, event);
}

// Moves between the stops with arrow keys and clicks with Enter. By default, a button would move the focus on
// arrow keys and ignore Enter.
bool TourCard::pressKey(QPushButton& button, int key)
{
    if (key == Qt::Key_Right) {
        emit nextRequested();
    } else if (key == Qt::Key_Left) {
        m_back->click(); // does nothing if disabled
    } else if (key == Qt::Key_Return || key == Qt::Key_Enter) {
        button.click();
    } else {
        return false;
    }
    return true;
}

void TourCard::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Escape) return emit dismissed();
    QFrame::keyPressEvent(event);
}

} // namespace lockstep
