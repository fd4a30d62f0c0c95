// SPDX-License-Identifier: Apache-2.0
#include "ui/settings/setting.h"

#include <algorithm>

#include <QCoreApplication>

namespace lockstep {

namespace {

QString settingWords(const char* text)
{
    return QCoreApplication::translate("lockstep::Setting", text);
}

} // namespace

std::optional<QVariant> settingValue(const Setting& setting, const QVariant& stored)
{
    const QString text = stored.toString().trimmed();
    switch (setting.kind) {
    case Setting::Kind::choice:
        if (std::ranges::find(setting.choices, text, &Setting::Choice::word) == setting.choices.end())
            return std::nullopt;
        return text;
    case Setting::Kind::toggle:
        if (text != "true" && text != "false" && text != "1" && text != "0") return std::nullopt;
        return text == "true" || text == "1";
    case Setting::Kind::number: {
        bool isNumber = false;
        const double value = text.toDouble(&isNumber);
        constexpr double kRounding = 1e-9;
        const bool isWithin = value >= setting.minimum - kRounding && value <= setting.maximum + kRounding;
        if (!isNumber || !isWithin) return std::nullopt;
        return std::clamp(value, setting.minimum, setting.maximum);
    }
    case Setting::Kind::text:
        if (setting.validate != nullptr && !setting.validate(text).isEmpty()) return std::nullopt;
        return text;
    default:
        return stored;
    }
}

QString settingError(const Setting& setting, const QVariant& stored)
{
    if (settingValue(setting, stored)) return {};
    switch (setting.kind) {
    case Setting::Kind::choice: {
        QStringList words;
        for (const Setting::Choice& choice : setting.choices)
            words << choice.word;
        return settingWords(QT_TRANSLATE_NOOP("lockstep::Setting", "expected one of: %1"))
            .arg(words.join(", "));
    }
    case Setting::Kind::toggle:
        return settingWords(QT_TRANSLATE_NOOP("lockstep::Setting", "expected true or false"));
    case Setting::Kind::number:
        return settingWords(QT_TRANSLATE_NOOP("lockstep::Setting", "expected a number from %1 to %2 %3"))
            .arg(shownNumber(setting, setting.minimum), shownNumber(setting, setting.maximum), setting.unit)
            .simplified();
    default:
        return setting.validate(stored.toString().trimmed());
    }
}

QString shownNumber(const Setting& setting, double value)
{
    return QString::number(value * setting.shown, 'g', 10);
}

} // namespace lockstep
