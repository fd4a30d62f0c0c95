// SPDX-License-Identifier: Apache-2.0
#include "app/window/settings.h"

#include <algorithm>
#include <utility>

#include <QCoreApplication>
#include <QFile>
#include <QStandardPaths>
#include <QStringList>

#include "app/window/setting_table.h"
#include "core/base/memory_budget.h"
#include "core/base/private_file.h"

namespace lockstep {

namespace {

constexpr const char* kPresetWords[] = {"lockstep", "perfetto", "nsight"};
constexpr const char* kRulerWords[] = {"zero", "utc", "report"};
constexpr const char* kThemeWords[] = {"system", "light", "dark"};

QString defaultFile()
{
    return QStandardPaths::writableLocation(QStandardPaths::AppConfigLocation) + "/window.ini";
}

QString sentence(const char* text)
{
    return QCoreApplication::translate("lockstep::Settings", text);
}

// Aborts if the table lacks the key, which is a programming error.
const Setting& settingOf(const QString& key)
{
    const Setting* const found = findSetting(key);
    if (found == nullptr) qFatal("%s is not a setting", qPrintable(key));
    return *found;
}

} // namespace

Settings::Settings(const QString& file)
    : m_store(file.isEmpty() ? defaultFile() : file, QSettings::IniFormat),
      m_isNew(m_store.allKeys().isEmpty())
{
    if (m_store.status() != QSettings::FormatError) return;
    const QString copy = m_store.fileName() + ".damaged";
    QFile::remove(copy);
    const bool isCopied = QFile::copy(m_store.fileName(), copy);
    m_isNew = false;
    m_damage =
        (isCopied ? sentence(QT_TRANSLATE_NOOP("lockstep::Settings",
                                               "%1 is corrupt: the readable settings are used, and the next "
                                               "change rewrites the file. A copy was saved as %2"))
                  : sentence(QT_TRANSLATE_NOOP(
                        "lockstep::Settings",
                        "%1 is corrupt: the readable settings are used. Could not save a copy as %2")))
            .arg(m_store.fileName(), copy);
}

QVariant Settings::value(const QString& key) const
{
    const Setting& setting = settingOf(key);
    if (!m_store.contains(key)) return setting.defaultValue;
    return settingValue(setting, m_store.value(key)).value_or(setting.defaultValue);
}

bool Settings::isChanged(const QString& key) const
{
    const Setting& setting = settingOf(key);
    const auto isSet = [&](const QString& one) {
        if (!m_store.contains(one) && !m_store.childGroups().contains(one)) return false;
        if (setting.kind == Setting::Kind::keys)
            return m_store.value(one).toStringList() != QStringList() &&
                   m_store.value(one).toString() != kPresetWords[0];
        return setting.kind == Setting::Kind::remembered || value(one) != setting.defaultValue;
    };
    return std::ranges::any_of(setting.keys, isSet);
}

void Settings::remember(const QString& key, const QVariant& value)
{
    const Setting& setting = settingOf(key);
    const bool isNumber = setting.kind == Setting::Kind::number && value.canConvert<double>();
    m_store.setValue(key, isNumber ? QVariant(std::clamp(value.toDouble(), setting.minimum, setting.maximum))
                                   : value);
}

void Settings::bind(const QString& prefix, QObject* context, std::function<void()> read)
{
    connect(this, &Settings::changed, context, [prefix, read = std::move(read)](const QString& name) {
        if (name.startsWith(prefix)) read();
    });
}

void Settings::set(const QString& key, const QVariant& value)
{
    remember(key, value);
    m_store.sync();
    emit changed(settingOf(key).name());
}

void Settings::reset(const QString& key)
{
    const Setting& setting = settingOf(key);
    const bool isNew = isChanged(key);
    for (const QString& one : setting.keys)
        m_store.remove(one);
    m_store.sync();
    if (isNew) emit changed(setting.name());
}

void Settings::resetAll()
{
    for (const Setting& setting : settingTable()) {
        if (setting.kind != Setting::Kind::remembered && setting.kind != Setting::Kind::fact)
            reset(setting.name());
    }
}

QString Settings::writeError() const
{
    if (m_store.isWritable() && m_store.status() != QSettings::AccessError) return {};
    return sentence(
               QT_TRANSLATE_NOOP("lockstep::Settings",
                                 "Cannot write %1: changes to the settings are lost when this window closes"))
        .arg(m_store.fileName());
}

QStringList Settings::defects() const
{
    QStringList sentences, unknown;
    if (!m_damage.isEmpty()) sentences << m_damage;
    if (const QString why = writeError(); !why.isEmpty()) sentences << why;
    for (const QString& key : m_store.allKeys()) {
        const Setting* const setting = findSetting(key);
        if (setting == nullptr) unknown << key;
        const QVariant stored = m_store.value(key);
        if (setting == nullptr || settingValue(*setting, stored)) continue;
        sentences << sentence(QT_TRANSLATE_NOOP("lockstep::Settings", "Invalid setting %1=%2 (%3). Using %4"))
                         .arg(key, stored.toString(), settingError(*setting, stored),
                              setting->defaultValue.isValid() ? setting->defaultValue.toString()
                                                              : setting->placeholder);
    }
    if (!unknown.isEmpty())
        sentences << sentence(
                         QT_TRANSLATE_NOOP("lockstep::Settings", "Unknown settings were left unchanged: %1"))
                         .arg(unknown.join(", "));
    return sentences;
}

ThemeChoice Settings::themeChoice() const
{
    const QString word = value("look/theme").toString();
    return static_cast<ThemeChoice>(std::ranges::find(kThemeWords, word) - std::begin(kThemeWords));
}

void Settings::setThemeChoice(ThemeChoice choice)
{
    remember("look/theme", kThemeWords[static_cast<int>(choice)]);
}

GapRule Settings::gapRule() const
{
    GapRule rule;
    rule.isOn = value("timeline/fold_gaps").toBool();
    rule.steps = value("timeline/gap_steps").toDouble();
    rule.least = {static_cast<int64_t>(value("timeline/gap_seconds").toDouble() * 1e9)};
    return rule;
}

int Settings::rowHeight() const
{
    return static_cast<int>(value("timeline/row_height").toDouble());
}

RulerTime Settings::rulerTime() const
{
    const QString word = value("timeline/ruler").toString();
    return {static_cast<RulerTime::From>(std::ranges::find(kRulerWords, word) - std::begin(kRulerWords))};
}

void Settings::setRulerTime(const RulerTime& time)
{
    remember("timeline/ruler", kRulerWords[static_cast<int>(time.from)]);
}

std::optional<KeyPreset> Settings::keyPreset() const
{
    const QString word = m_store.value("keys/preset", kPresetWords[0]).toString();
    const auto found = std::ranges::find(kPresetWords, word);
    if (found == std::end(kPresetWords)) return std::nullopt;
    return static_cast<KeyPreset>(found - std::begin(kPresetWords));
}

void Settings::setKeys(KeyPreset preset, const QStringList& own)
{
    remember("keys/preset", kPresetWords[static_cast<int>(preset)]);
    remember("keys/own", own);
}

uint64_t memoryLimit_bytes(const Settings& settings)
{
    return machineMemory_bytes() / 100 * settings.value("open/memory_percent").toUInt();
}

SpillFolder::Options Settings::disk(SpillFolder::Options options) const
{
    if (options.folder.empty()) options.folder = value("cache/folder").toString().toStdString();
    if (options.folder.empty()) options.folder = userCacheFolder() / "columns";
    const QVariant limit_gib = value("cache/limit_gib");
    if (!options.max_bytes && limit_gib.isValid())
        options.max_bytes = static_cast<uint64_t>(limit_gib.toDouble() * static_cast<double>(1ull << 30));
    options.comparesContent |= value("cache/check").toString() == "content";
    return options;
}

EndOptions Settings::runEnd() const
{
    return {value("run/fetches").toBool(), value("run/only_columns").toBool(), value("run/opens").toBool(),
            value("run/notifies").toBool()};
}

void Settings::setRunEnd(const EndOptions& options)
{
    remember("run/fetches", options.fetchesAll);
    remember("run/only_columns", options.onlyColumns);
    remember("run/opens", options.opens);
    remember("run/notifies", options.notifies);
}

} // namespace lockstep
