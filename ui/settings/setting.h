// SPDX-License-Identifier: Apache-2.0
// Setting: one entry of the table of settings: it specifies the keys in the settings file, the label and
// description, the valid values and the default. The program's table is created once; it is used to read the
// file and to build the Settings page. A value; any thread.
#pragma once

#include <optional>
#include <vector>

#include <QStringList>
#include <QVariant>

namespace lockstep {

struct Setting {
    enum class Kind : uint8_t {
        choice,     // one of `choices`
        toggle,     // true, false
        number,     // minimum .. maximum
        text,       // a line of text, checked by validate()
        keys,       // edited in the key table
        remembered, // stored by the window; the user can only clear the stored value
        fact        // a sentence to display; not stored in the file
    };
    struct Choice {
        QString word; // value in the file
        QString text; // label
    };

    QStringList keys; // the first key is the name of the setting; "columns" includes all keys below "columns"
    Kind kind = Kind::text;
    QString group, label, description; // shown to the user
    QVariant defaultValue = {};
    std::vector<Choice> choices = {};
    double minimum = 0, maximum = 0;
    double shown = 1; // displayed number = number in the file * shown
    QString unit = {};
    QString placeholder = {}; // shown in the empty field
    // For kind text only; may be null. Returns an error message, or "" if the text is valid.
    QString (*validate)(const QString&) = nullptr;
    bool needsRestart = false; // true if a change takes effect at the next start

    const QString& name() const { return keys.front(); }
};

// Converts a value from the file (or a typed value in the file's units) to the setting's type; nullopt if
// invalid.
std::optional<QVariant> settingValue(const Setting& setting, const QVariant& stored);
// Returns "" if `stored` is valid, otherwise a message that states which values are valid, e.g. "expected a
// number from 10 to 95 %".
QString settingError(const Setting& setting, const QVariant& stored);
// Formats a number in the displayed unit, without the name of the unit.
QString shownNumber(const Setting& setting, double value);

} // namespace lockstep
