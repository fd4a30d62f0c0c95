// SPDX-License-Identifier: Apache-2.0
// Setting: one line of the table of settings: under which keys of the settings file it is kept, what it means
// to a person, which values make sense and which holds at first. Made once by the program's table; the file
// is read and the Settings page is made by it. A value; any thread.
#pragma once

#include <optional>
#include <vector>

#include <QStringList>
#include <QVariant>

namespace lockstep {

struct Setting {
    enum class Kind : uint8_t {
        choice,     // one of the words
        toggle,     // true, false
        number,     // least .. most
        text,       // a line, judged by refusal
        keys,       // edited by the table of keys
        remembered, // kept by the window itself; can only be forgotten
        fact        // not of the file: a sentence
    };
    struct Choice {
        QString word; // in the file
        QString text; // for people
    };

    QStringList keys; // the first is the setting's name; "columns" stands for all below it
    Kind kind = Kind::text;
    QString group, label, meaning; // for people
    QVariant usual = {};           // holds where the file says nothing
    std::vector<Choice> choices = {};
    double least = 0, most = 0;
    double shown = 1; // a person types the file's number times this
    QString unit = {};
    QString empty = {};                           // stands in an empty field
    QString (*refusal)(const QString&) = nullptr; // of a text: a sentence, empty where it is fine
    bool isOfNextStart = false;                   // a change counts for the next start

    const QString& name() const { return keys.front(); }
};

// What stands in the file, or was typed in the file's units, as the setting's type; empty: it makes no sense.
std::optional<QVariant> settingValue(const Setting& setting, const QVariant& stored);
// Why it makes none, and what would: "from 10 to 95 % are possible".
QString settingRefusal(const Setting& setting, const QVariant& stored);
// A number as a person reads it, without the unit.
QString shownNumber(const Setting& setting, double value);

} // namespace lockstep
