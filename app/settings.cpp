// SPDX-License-Identifier: Apache-2.0
#include "app/settings.h"

#include <algorithm>

#include <QStandardPaths>
#include <QStringList>

#include "core/base/memory_budget.h"
#include "core/base/private_file.h"
#include "core/lanes/lane_state.h"

namespace lockstep {

namespace {

constexpr size_t kMostRecent = 12;
constexpr const char* kPresetWords[] = {"lockstep", "perfetto", "nsight"};
constexpr const char* kRulerWords[] = {"zero", "utc", "report"};
constexpr const char* kThemeWords[] = {"system", "light", "dark"};

QString defaultFile()
{
    return QStandardPaths::writableLocation(QStandardPaths::AppConfigLocation) + "/window.ini";
}

} // namespace

Settings::Settings(const QString& file) : m_store(file.isEmpty() ? defaultFile() : file, QSettings::IniFormat)
{
}

ThemeChoice Settings::themeChoice() const
{
    const QString word = m_store.value("look/theme").toString();
    for (int i = 0; i < 3; ++i) {
        if (word == kThemeWords[i]) return static_cast<ThemeChoice>(i);
    }
    return ThemeChoice::system;
}

void Settings::setThemeChoice(ThemeChoice choice)
{
    m_store.setValue("look/theme", kThemeWords[static_cast<int>(choice)]);
}

GapRule Settings::gapRule() const
{
    GapRule rule;
    rule.isOn = m_store.value("timeline/fold_gaps", true).toBool();
    rule.steps = std::clamp(m_store.value("timeline/gap_steps", rule.steps).toDouble(), 0.0, 1e9);
    const double least_s = std::clamp(m_store.value("timeline/gap_seconds", 60).toDouble(), 10.0, 1e6);
    rule.least = {static_cast<int64_t>(least_s * 1e9)};
    return rule;
}

int Settings::rowHeight() const
{
    const int height = m_store.value("timeline/row_height", kRowHeights[1]).toInt();
    return std::clamp(height, kLeastRowHeight, kMostRowHeight);
}

void Settings::setRowHeight(int height)
{
    m_store.setValue("timeline/row_height", std::clamp(height, kLeastRowHeight, kMostRowHeight));
}

RulerTime Settings::rulerTime() const
{
    const QString word = m_store.value("timeline/ruler", kRulerWords[0]).toString();
    const auto found = std::ranges::find(kRulerWords, word);
    if (found == std::end(kRulerWords)) return {};
    return {static_cast<RulerTime::From>(found - std::begin(kRulerWords))};
}

void Settings::setRulerTime(const RulerTime& time)
{
    m_store.setValue("timeline/ruler", kRulerWords[static_cast<int>(time.from)]);
}

double Settings::fontScale() const
{
    return std::clamp(m_store.value("look/font_scale", 1.0).toDouble(), 0.8, 2.0);
}

void Settings::setFontScale(double scale)
{
    m_store.setValue("look/font_scale", std::clamp(scale, 0.8, 2.0));
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
    m_store.setValue("keys/preset", kPresetWords[static_cast<int>(preset)]);
    m_store.setValue("keys/own", own);
}

std::vector<std::filesystem::path> Settings::paths(const char* list) const
{
    std::vector<std::filesystem::path> kept;
    for (const QString& path : m_store.value(list).toStringList())
        kept.emplace_back(path.toStdString());
    return kept;
}

void Settings::add(const char* list, const std::vector<std::filesystem::path>& added)
{
    std::vector<std::filesystem::path> all;
    for (const auto& path : added) {
        std::error_code failed;
        const auto absolute = std::filesystem::absolute(path, failed);
        all.push_back((failed ? path : absolute).lexically_normal());
    }
    for (const auto& old : paths(list))
        all.push_back(old);
    QStringList kept;
    for (const auto& path : all) {
        const QString text = QString::fromStdString(path.string());
        if (kept.size() < static_cast<qsizetype>(kMostRecent) && !kept.contains(text)) kept << text;
    }
    m_store.setValue(list, kept);
}

void Settings::clearRecent()
{
    m_store.remove("open/recent");
    m_store.remove("open/recent_workspaces");
}

int Settings::memoryPercent() const
{
    return std::clamp(m_store.value("open/memory_percent", 70).toInt(), 10, 95);
}

uint64_t Settings::memoryLimit_bytes() const
{
    return machineMemory_bytes() / 100 * static_cast<uint64_t>(memoryPercent());
}

void Settings::setMemoryPercent(int percent)
{
    m_store.setValue("open/memory_percent", std::clamp(percent, 10, 95));
}

SpillFolder::Options Settings::disk(SpillFolder::Options said) const
{
    const QString folder = m_store.value("cache/folder").toString();
    if (said.folder.empty()) said.folder = folder.toStdString();
    if (said.folder.empty()) said.folder = userCacheFolder() / "columns";
    const qulonglong limit_gib = m_store.value("cache/limit_gib").toULongLong();
    if (!said.most_bytes && m_store.contains("cache/limit_gib")) said.most_bytes = uint64_t(limit_gib) << 30;
    said.comparesContent |= m_store.value("cache/check").toString() == "content";
    return said;
}

void Settings::setWindow(const QByteArray& geometry, const QByteArray& layout)
{
    m_store.setValue("window/geometry", geometry);
    m_store.setValue("window/layout", layout);
}

EndOptions Settings::runEnd() const
{
    const EndOptions usual;
    return {m_store.value("run/fetches", usual.fetchesAll).toBool(),
            m_store.value("run/only_columns", usual.onlyColumns).toBool(),
            m_store.value("run/opens", usual.opens).toBool(),
            m_store.value("run/notifies", usual.notifies).toBool()};
}

void Settings::setRunEnd(const EndOptions& options)
{
    m_store.setValue("run/fetches", options.fetchesAll);
    m_store.setValue("run/only_columns", options.onlyColumns);
    m_store.setValue("run/opens", options.opens);
    m_store.setValue("run/notifies", options.notifies);
}

} // namespace lockstep
