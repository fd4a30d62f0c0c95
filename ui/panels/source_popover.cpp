// SPDX-License-Identifier: Apache-2.0
#include "ui/panels/source_popover.h"

#include <algorithm>

#include <QApplication>
#include <QClipboard>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QMouseEvent>
#include <QPainter>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

#include "core/base/sha256.h"
#include "ui/style/style_sheet.h"

namespace lockstep {

namespace {

constexpr size_t kMaxFiles = 6; // listed with their digests; the command line can list all

QLabel* sourceLabel(QWidget* parent, const QString& text, bool isMuted)
{
    auto* const label = new QLabel(text, parent);
    label->setTextFormat(Qt::PlainText);
    label->setProperty("muted", isMuted);
    label->setWordWrap(true);
    label->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    return label;
}

QString ofSource(const std::string& text)
{
    return QString::fromStdString(text);
}

// Returns the current size and modification time of a file, or nullopt if it is not accessible.
std::optional<std::pair<uintmax_t, std::filesystem::file_time_type>> stateOf(const std::string& path)
{
    std::error_code failed;
    const uintmax_t size_bytes = std::filesystem::file_size(path, failed);
    if (failed) return std::nullopt;
    const auto changed = std::filesystem::last_write_time(path, failed);
    if (failed) return std::nullopt;
    return std::pair(size_bytes, changed);
}

} // namespace

SourcePopover::SourcePopover(QWidget* window)
    : QFrame(window), m_value(new QLabel(this)), m_of(new QLabel(this)), m_area(new QScrollArea(this)),
      m_job([this](Result<std::shared_ptr<const Digests>> outcome) { applyDigests(std::move(outcome)); })
{
    setAccessibleName(tr("Source of this number"));
    setFocusPolicy(Qt::StrongFocus);
    hide();
    auto* const column = new QVBoxLayout(this);
    column->setContentsMargins(scaledPixels(14), scaledPixels(10), scaledPixels(14), scaledPixels(8));
    column->setSpacing(scaledPixels(6));
    auto* const header = new QHBoxLayout;
    header->setSpacing(scaledPixels(10));
    QFont bold = m_value->font();
    bold.setWeight(QFont::DemiBold);
    m_value->setFont(bold);
    m_value->setTextFormat(Qt::PlainText);
    m_of->setTextFormat(Qt::PlainText);
    m_of->setProperty("muted", true);
    m_of->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    header->addWidget(m_value);
    header->addWidget(m_of, 1);
    column->addLayout(header);
    m_area->setFrameShape(QFrame::NoFrame);
    m_area->setWidgetResizable(true);
    m_area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_area->viewport()->setAutoFillBackground(false);
    column->addWidget(m_area, 1);
    column->addWidget(makeFooter());
}

QWidget* SourcePopover::makeFooter()
{
    auto* const footer = new QWidget(this);
    auto* const line = new QHBoxLayout(footer);
    line->setContentsMargins(0, 0, 0, 0);
    m_show = new QPushButton(tr("Show instances"), footer);
    m_show->setObjectName("show");
    m_show->setToolTip(tr("Go to the longest instance of this row"));
    m_sql = new QPushButton(tr("Open as SQL"), footer);
    m_sql->setObjectName("sql");
    m_sql->setToolTip(tr("Open an equivalent query in the SQL panel"));
    m_copy = new QPushButton(tr("Copy"), footer);
    m_copy->setToolTip(tr("Copy everything as text"));
    line->addWidget(m_show);
    line->addWidget(m_sql);
    line->addStretch(1);
    line->addWidget(m_copy);
    connect(m_show, &QPushButton::clicked, this, [this] {
        hide();
        emit showRequested();
    });
    connect(m_sql, &QPushButton::clicked, this, [this] {
        hide();
        emit sqlRequested(m_query);
    });
    connect(m_copy, &QPushButton::clicked, this, [this] { QApplication::clipboard()->setText(text()); });
    return footer;
}

void SourcePopover::clear()
{
    m_job.cancel();
    m_files.clear();
    m_body = new QWidget;
    m_body->setAutoFillBackground(false);
    m_lines = new QGridLayout(m_body);
    m_lines->setContentsMargins(0, 0, 0, 0);
    m_lines->setHorizontalSpacing(scaledPixels(14));
    m_lines->setVerticalSpacing(scaledPixels(5));
    m_lines->setColumnStretch(1, 1);
    m_area->setWidget(m_body); // deletes the previous widget
}

void SourcePopover::addLine(const QString& heading, const QString& line)
{
    const int row = m_lines->rowCount();
    m_lines->addWidget(sourceLabel(m_body, heading, true), row, 0);
    m_lines->addWidget(sourceLabel(m_body, line, false), row, 1);
}

void SourcePopover::addInputs(const CellSource& source, const Scene& scene)
{
    for (const ReportKey key : source.inputs) {
        if (m_files.size() == kMaxFiles) break;
        const std::string path = scene.shown.report(key).provenance.path.string();
        const int row = m_lines->rowCount();
        const bool isFirst = m_files.empty();
        m_lines->addWidget(sourceLabel(m_body, isFirst ? tr("inputs") : QString(), true), row, 0);
        auto* const cell = new QWidget(m_body);
        auto* const line = new QVBoxLayout(cell);
        line->setContentsMargins(0, 0, 0, 0);
        line->setSpacing(0);
        auto* const name = sourceLabel(cell, ofSource(path), false);
        auto* const digest = sourceLabel(cell, tr("sha256 ..."), true);
        digest->setWordWrap(false);
        digest->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
        line->addWidget(name);
        line->addWidget(digest);
        m_lines->addWidget(cell, row, 1);
        m_files.push_back({path, digest});
    }
    if (source.inputs.size() > m_files.size())
        addLine({}, tr("and %1 more; use --provenance on the command line to list every sha256")
                        .arg(source.inputs.size() - m_files.size()));
}

void SourcePopover::showSource(const CellSource& source, const ScenePtr& scene, const QRect& cell,
                               const QString& sql, bool hasInstances)
{
    clear();
    m_value->setText(ofSource(source.value));
    m_of->setText(ofSource(source.of));
    m_of->setToolTip(ofSource(source.of));
    addLine(tr("definition"), ofSource(source.definition));
    addInputs(source, *scene);
    addLine(tr("rows used"), ofSource(source.rows));
    for (size_t i = 0; i < source.rules.size(); ++i)
        addLine(i == 0 ? tr("rules") : QString(), ofSource(source.rules[i]));
    addLine(tr("filter"), ofSource(source.filter));
    addLine(tr("alignment"), ofSource(source.alignment));
    addLine(tr("error bound"), ofSource(source.bound));
    m_lines->setRowStretch(m_lines->rowCount(), 1);
    m_query = sql;
    m_sql->setVisible(!sql.isEmpty());
    m_show->setVisible(hasInstances);
    place(cell);
    if (!hasFocus()) m_before = QApplication::focusWidget();
    show();
    raise();
    setFocus();
    fetchDigests();
}

// Places the card below the cell, or above if it does not fit below; it always stays within the window.
void SourcePopover::place(const QRect& cell)
{
    const QWidget& around = *parentWidget();
    resize(std::min(scaledPixels(548), around.width()), std::min(scaledPixels(276), around.height()));
    const int gap = scaledPixels(4);
    const bool fitsBelow = cell.bottom() + gap + height() <= around.height();
    const int y = fitsBelow ? cell.bottom() + gap : cell.top() - gap - height();
    const int x = cell.center().x() - width() / 2;
    move(std::clamp(x, 0, std::max(0, around.width() - width())),
         std::clamp(y, 0, std::max(0, around.height() - height())));
}

void SourcePopover::fetchDigests()
{
    m_job.start([files = m_files,
                 cache = m_digests](const Progress& progress) -> Result<std::shared_ptr<const Digests>> {
        auto found = std::make_shared<Digests>();
        for (const File& file : files) {
            const auto now = stateOf(file.path);
            if (!now) continue;
            const auto cached = cache.find(file.path);
            if (cached != cache.end() && cached->second.size_bytes == now->first &&
                cached->second.changed == now->second) {
                (*found)[file.path] = cached->second;
                continue;
            }
            Result<std::string> sha256 = sha256OfFile(file.path, progress);
            if (!sha256 && sha256.error().kind == ErrorKind::canceled)
                return tl::make_unexpected(sha256.error());
            if (sha256) (*found)[file.path] = {now->first, now->second, *sha256};
        }
        return found;
    });
}

void SourcePopover::applyDigests(Result<std::shared_ptr<const Digests>> outcome)
{
    for (const File& file : m_files) {
        const bool isThere = outcome && (*outcome)->contains(file.path);
        if (isThere) m_digests[file.path] = (*outcome)->at(file.path);
        file.digest->setText(isThere ? tr("sha256 %1").arg(ofSource(m_digests[file.path].sha256))
                                     : tr("sha256 unknown: the file can no longer be read"));
    }
}

QString SourcePopover::text() const
{
    QStringList lines{m_value->text() + "  " + m_of->text()};
    for (int row = 0; m_lines != nullptr && row < m_lines->rowCount(); ++row) {
        QStringList words;
        for (int column = 0; column < 2; ++column) {
            const QLayoutItem* const item = m_lines->itemAtPosition(row, column);
            if (item == nullptr || item->widget() == nullptr) continue;
            if (const auto* const label = qobject_cast<QLabel*>(item->widget())) {
                words << label->text();
            } else {
                for (const QLabel* const part : item->widget()->findChildren<QLabel*>())
                    words << part->text();
            }
        }
        if (!words.isEmpty()) lines << words.join("  ").trimmed();
    }
    return lines.join('\n');
}

void SourcePopover::keyPressEvent(QKeyEvent* event)
{
    if (event->key() != Qt::Key_Escape) return QFrame::keyPressEvent(event);
    hide();
}

void SourcePopover::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(palette().color(QPalette::Mid));
    painter.setBrush(palette().color(QPalette::Base));
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6);
}

void SourcePopover::showEvent(QShowEvent* event)
{
    QFrame::showEvent(event);
    qApp->installEventFilter(this);
}

void SourcePopover::hideEvent(QHideEvent* event)
{
    QFrame::hideEvent(event);
    qApp->removeEventFilter(this);
    m_job.cancel();
    if (m_before && (hasFocus() || isAncestorOf(QApplication::focusWidget()))) m_before->setFocus();
}

// Closes the card on a mouse press elsewhere, without consuming the press.
bool SourcePopover::eventFilter(QObject* watched, QEvent* event)
{
    const auto* const widget = qobject_cast<QWidget*>(watched);
    if (event->type() == QEvent::MouseButtonPress && widget != nullptr && widget != this &&
        !isAncestorOf(widget))
        hide();
    return QFrame::eventFilter(watched, event);
}

} // namespace lockstep
