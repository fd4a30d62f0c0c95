// SPDX-License-Identifier: Apache-2.0
#include "ui/help/help_window.h"

#include <functional>
#include <utility>

#include <QAbstractTextDocumentLayout>
#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QHBoxLayout>
#include <QImage>
#include <QKeyEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QRegularExpression>
#include <QScrollBar>
#include <QTextBlock>
#include <QTextBrowser>
#include <QTextList>
#include <QUrl>
#include <QVBoxLayout>

#include "ui/style/style_sheet.h"

namespace lockstep {

namespace {

// HelpBrowser takes the images of its pages from a function, because QTextBrowser decodes them anew for each
// page.
class HelpBrowser : public QTextBrowser {
  public:
    using Load = std::function<QImage(const QString& name)>;
    HelpBrowser(Load load, QWidget* parent) : QTextBrowser(parent), m_load(std::move(load)) {}

    QVariant loadResource(int type, const QUrl& url) override
    {
        return type == QTextDocument::ImageResource ? m_load(url.path())
                                                    : QTextBrowser::loadResource(type, url);
    }

  private:
    Load m_load;
};

// Sets line heights and margins, because Qt's Markdown import leaves no space between paragraphs. One edit
// block lays the page out once instead of once per paragraph.
void spaceLines(QTextDocument& document)
{
    QTextCursor edit(&document);
    edit.beginEditBlock();
    for (QTextBlock block = document.begin(); block.isValid(); block = block.next()) {
        QTextCursor cursor(block);
        QTextBlockFormat format = block.blockFormat();
        const bool isHeading = format.headingLevel() > 0;
        const bool isLine = block.charFormat().fontFixedPitch() || block.textList() != nullptr;
        const bool isPicture = block.text().contains(QChar::ObjectReplacementCharacter);
        format.setLineHeight(isPicture ? 100 : 125, QTextBlockFormat::ProportionalHeight);
        format.setTopMargin(isHeading && block.blockNumber() > 0 ? scaledPixels(14) : 0);
        format.setBottomMargin(isLine ? scaledPixels(3) : scaledPixels(9));
        cursor.setBlockFormat(format);
    }
    edit.endEditBlock();
}

} // namespace

HelpWindow::HelpWindow(const KeyMap& keys, QWidget* parent)
    : QWidget(parent, Qt::Window), m_library(keys), m_search(new QLineEdit(this)),
      m_list(new QListWidget(this)),
      m_text(new HelpBrowser([this](const QString& name) { return picture(name); }, this)),
      m_back(new QPushButton(tr("Back"), this))
{
    m_back->setObjectName("back");
    setWindowTitle(tr("Help"));
    setAttribute(Qt::WA_DeleteOnClose);
    resizeWithinScreen(*this, {scaledPixels(1040), scaledPixels(680)});
    auto* const line = new QHBoxLayout(this);
    auto* const left = new QVBoxLayout;
    left->addWidget(m_search);
    left->addWidget(m_list, 1);
    left->addWidget(m_back);
    line->addLayout(left);
    line->addWidget(m_text, 1);
    m_search->setPlaceholderText(tr("Search the help"));
    m_search->setAccessibleName(m_search->placeholderText());
    m_search->setClearButtonEnabled(true);
    m_search->setFixedWidth(scaledPixels(230));
    m_list->setFixedWidth(scaledPixels(230));
    m_list->setAccessibleName(tr("Pages"));
    m_list->setSpacing(scaledPixels(3));
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_text->setOpenLinks(false);
    // Watch the viewport, because it is resized after the window.
    m_text->viewport()->installEventFilter(this);
    m_text->setAccessibleName(tr("Help page"));
    m_text->document()->setDocumentMargin(scaledPixels(14));
    m_back->setShortcut(QKeySequence::Back);
    connect(m_search, &QLineEdit::textChanged, this, [this] {
        fillList();
        highlightMatches();
    });
    connect(m_search, &QLineEdit::returnPressed, this, [this] {
        if (m_list->count() > 0) open(m_list->item(0)->data(Qt::UserRole).toString());
    });
    connect(m_list, &QListWidget::currentItemChanged, this, [this](const QListWidgetItem* item) {
        if (item != nullptr && item->data(Qt::UserRole).toString() != page())
            open(item->data(Qt::UserRole).toString());
    });
    connect(m_text, &QTextBrowser::anchorClicked, this, &HelpWindow::follow);
    connect(m_back, &QPushButton::clicked, this, [this] {
        m_history.pop_back();
        showLink(m_history.back());
    });
    fillList();
}

void HelpWindow::setKeys(const KeyMap& keys)
{
    m_library = HelpLibrary(keys);
    const int scrolled = m_text->verticalScrollBar()->value();
    showLink(page());
    m_text->verticalScrollBar()->setValue(scrolled);
}

void HelpWindow::fillList()
{
    const QSignalBlocker blocker(m_list);
    m_list->clear();
    for (const HelpPage* const page : m_library.search(m_search->text())) {
        auto* const item = new QListWidgetItem(page->title, m_list);
        item->setData(Qt::UserRole, page->name);
        if (page->name == this->page()) m_list->setCurrentItem(item);
    }
    if (m_list->count() > 0) return;
    auto* const none = new QListWidgetItem(tr("No page contains all of these words"), m_list);
    none->setFlags(Qt::NoItemFlags);
}

void HelpWindow::open(const QString& link)
{
    const HelpPage* const page = m_library.find(link.section('#', 0, 0));
    const QString section = link.section('#', 1);
    QString target = page == nullptr ? "index" : page->name;
    if (page != nullptr && !section.isEmpty()) target += '#' + section;
    if (m_history.empty() || m_history.back() != target) m_history.push_back(target);
    showLink(target);
}

QString HelpWindow::pictureFolder()
{
    return QDir::cleanPath(QCoreApplication::applicationDirPath() + "/../share/lockstep/help");
}

// Returns the Markdown of a page with missing images removed. The text is complete without images.
QString HelpWindow::textOf(const HelpPage& page)
{
    static const QRegularExpression kPicture("!\\[[^\\]]*\\]\\(([a-z_]+\\.png)\\)\\n*");
    QString text = page.text;
    for (auto found = kPicture.globalMatch(page.text); found.hasNext();) {
        const QRegularExpressionMatch picture = found.next();
        if (!QFile::exists(pictureFolder() + '/' + picture.captured(1))) text.remove(picture.captured(0));
    }
    return text;
}

QImage HelpWindow::picture(const QString& name)
{
    const auto target = m_pictures.constFind(name);
    if (target != m_pictures.constEnd()) return *target;
    return *m_pictures.insert(name, QImage(pictureFolder() + '/' + name));
}

// Scales images down to the width of the page, never up.
void HelpWindow::fitPictures()
{
    const int margin = static_cast<int>(m_text->document()->documentMargin());
    const int maxWidth = std::max(100, m_text->viewport()->width() - 2 * margin - scaledPixels(4));
    for (QTextBlock block = m_text->document()->begin(); block.isValid(); block = block.next()) {
        for (auto at = block.begin(); !at.atEnd(); ++at) {
            const QTextImageFormat format = at.fragment().charFormat().toImageFormat();
            if (!format.isValid()) continue;
            const QImage picture = this->picture(format.name());
            const double ratio = devicePixelRatioF();
            QTextImageFormat fitted = format;
            fitted.setWidth(std::min(maxWidth, picture.width()));
            if (picture.isNull() || fitted == format) continue;
            QImage shown = picture.scaledToWidth(qRound(fitted.width() * ratio), Qt::SmoothTransformation);
            shown.setDevicePixelRatio(ratio);
            m_text->document()->addResource(QTextDocument::ImageResource, format.name(), shown);
            QTextCursor cursor(m_text->document());
            cursor.setPosition(at.fragment().position());
            cursor.setPosition(at.fragment().position() + at.fragment().length(), QTextCursor::KeepAnchor);
            cursor.setCharFormat(fitted);
            break; // stop here, because setCharFormat() replaced the fragments of the block
        }
    }
}

bool HelpWindow::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::Resize) fitPictures();
    return QWidget::eventFilter(watched, event);
}

void HelpWindow::showLink(const QString& link)
{
    m_text->setMarkdown(textOf(*m_library.find(page())));
    if (isVisible()) fitPictures(); // otherwise the viewport is resized when the window is shown
    spaceLines(*m_text->document());
    m_back->setEnabled(m_history.size() > 1);
    fillList();
    highlightMatches();
    showSection(link.section('#', 1));
    show();
}

void HelpWindow::showSection(const QString& section)
{
    for (QTextBlock block = m_text->document()->begin(); block.isValid() && !section.isEmpty();
         block = block.next()) {
        if (block.blockFormat().headingLevel() == 0 ||
            block.text().compare(section, Qt::CaseInsensitive) != 0)
            continue;
        const QRectF rect = m_text->document()->documentLayout()->blockBoundingRect(block);
        m_text->verticalScrollBar()->setValue(static_cast<int>(rect.top()));
        m_text->setTextCursor(QTextCursor(block));
        return;
    }
    m_text->verticalScrollBar()->setValue(0);
}

void HelpWindow::highlightMatches()
{
    QList<QTextEdit::ExtraSelection> marks;
    QTextCharFormat format;
    QColor color = palette().color(QPalette::Highlight);
    color.setAlphaF(0.4F);
    format.setBackground(color);
    for (const QString& word : m_search->text().split(' ', Qt::SkipEmptyParts)) {
        QTextCursor found(m_text->document());
        while (!(found = m_text->document()->find(word, found)).isNull())
            marks.append({found, format});
    }
    m_text->setExtraSelections(marks);
}

// Follows only links to help pages. Does not fetch anything or start other programs.
void HelpWindow::follow(const QUrl& link)
{
    QString page = link.path();
    if (page.endsWith(".md")) page.chop(3);
    if (m_library.find(page) == nullptr) return;
    open(link.hasFragment() ? page + '#' + link.fragment(QUrl::FullyDecoded) : page);
}

void HelpWindow::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Escape) {
        close();
    } else if (event->matches(QKeySequence::Find)) {
        m_search->setFocus();
    } else {
        QWidget::keyPressEvent(event);
    }
}

} // namespace lockstep
