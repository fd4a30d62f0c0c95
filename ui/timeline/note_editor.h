// SPDX-License-Identifier: Apache-2.0
// NoteEditor is a text box for the note of a marker. It is placed over the lanes, at the position of the
// marker. Enter saves the note, Esc discards it, Shift+Enter starts a new line. UI thread.
#pragma once

#include <functional>

#include <QPlainTextEdit>

namespace lockstep {

class NoteEditor : public QPlainTextEdit {
    Q_OBJECT

  public:
    explicit NoteEditor(QWidget* parent);

    using Save = std::function<void(const QString& text)>;
    // Opens at `at` (in pixels of the parent), or elsewhere if there is not enough room there. An edit in
    // progress is discarded. `save` is called once with the text if the user saves the note or moves the
    // focus elsewhere.
    void open(QPoint at, const QString& text, Save save);
    bool isOpen() const { return !isHidden(); }

  signals:
    void closed(); // emitted after the note was saved or discarded, so that the timeline takes the focus back

  protected:
    void keyPressEvent(QKeyEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

  private:
    void close(bool isSaved);

    Save m_onSave;
};

} // namespace lockstep
