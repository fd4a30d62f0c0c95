// SPDX-License-Identifier: Apache-2.0
// NoteEditor: a few lines over the lanes in which the words of a note are written where it will stand. Enter
// keeps them, Escape drops them, Shift+Enter begins a new line. GUI thread.
#pragma once

#include <functional>

#include <QPlainTextEdit>

namespace lockstep {

class NoteEditor : public QPlainTextEdit {
    Q_OBJECT

  public:
    explicit NoteEditor(QWidget* parent);

    using Keep = std::function<void(const QString& text)>;
    // Opens at `at` (parent's pixels), or where there is room; what was open before is dropped. `keep` is
    // called once, with what was written, unless it is dropped.
    void open(QPoint at, const QString& text, Keep keep);
    bool isOpen() const { return !isHidden(); }

  signals:
    void closed(); // kept or dropped: the keyboard belongs to the timeline again

  protected:
    void keyPressEvent(QKeyEvent* event) override;

  private:
    void close(bool isKept);

    Keep m_keep;
};

} // namespace lockstep
