// SPDX-License-Identifier: Apache-2.0
#include "ui/timeline/slice_palette.h"

#include <algorithm>
#include <cmath>

namespace lockstep {

SlicePalette::SlicePalette(const Theme& theme, double scale)
    : m_theme(&theme), m_unit(std::max(1, static_cast<int>(std::lround(scale))))
{
    for (size_t category = 0; category < m_pairs.size(); ++category) {
        for (int shade = 0; shade < Theme::kShades; ++shade) {
            const QColor fill = theme.shadeColor(static_cast<SliceCategory>(category), shade);
            m_pairs[category][static_cast<size_t>(shade)] = {fill.rgb(), textColorOn(fill).rgb()};
        }
    }
    const QRgb lane = theme.lane.rgb(), idle = theme.idle.rgb();
    for (size_t category = 0; category < m_busy.size(); ++category) {
        const QRgb color = theme.category(static_cast<SliceCategory>(category)).rgb();
        m_busy[category] = blended(color, lane, 205);
        for (uint32_t part = 0; part < m_heat[category].size(); ++part)
            m_heat[category][part] = blended(color, idle, part);
    }
    m_window = theme.window.rgb();
    // Weight of the category color, of 255; the rest is the window color.
    const uint32_t ofCategory = theme.isDark ? 209 : 219;
    for (size_t category = 0; category < m_memory.size(); ++category) {
        for (int shade = 0; shade < Theme::kShades; ++shade)
            m_memory[category][static_cast<size_t>(shade)] =
                blended(m_pairs[category][static_cast<size_t>(shade)].fill, m_window, ofCategory);
        m_memory[category][kPlainName] =
            blended(theme.category(static_cast<SliceCategory>(category)).rgb(), m_window, ofCategory);
    }
    m_outline = theme.text.rgb();
    m_grid = theme.line.rgb();
    m_moment = theme.mutedText.rgb();
    m_alarm = theme.bad.rgb();
    m_hit = theme.accent.rgb();
    m_lane = lane;
    m_missing = theme.mutedText.rgb();
    m_value = theme.category(SliceCategory::cudaApi).rgb();
    m_loss = blended(theme.bad.rgb(), lane, 120);
    for (size_t phase = 0; phase < kRlPhases; ++phase)
        m_phases[phase] = theme.roleColor(rlPhaseRole(static_cast<RlPhase>(phase))).rgb();
    // The colors of the roles are distinct for all kinds of color vision.
    const auto setPart = [&](SamplePart part, QColor color) {
        m_sampleParts[static_cast<size_t>(part)] = color.rgb();
    };
    setPart(SamplePart::tool, theme.roleColor("controller"));
    setPart(SamplePart::reward, theme.roleColor("reward"));
    setPart(SamplePart::prefill, theme.roleColor("actor"));
    setPart(SamplePart::generate, theme.roleColor("rollout"));
    setPart(SamplePart::decode, theme.roleColor("rollout"));
    setPart(SamplePart::transfer, theme.roleColor("ref"));
    setPart(SamplePart::queue, theme.roleColor("critic"));
    m_sampleParts[static_cast<size_t>(SamplePart::other)] = blended(theme.mutedText.rgb(), lane, 90);
    m_bubble = theme.mutedText.rgb();
    m_text = theme.text.rgb();
}

QRgb SlicePalette::specialColor(const Ink& ink) const
{
    switch (ink.kind) {
    case Ink::Kind::own:
        return m_theme->ownColor(ink.value & 0xFFFFFFu).rgb();
    case Ink::Kind::busy:
        return m_busy[static_cast<size_t>(ink.category)];
    case Ink::Kind::value:
    case Ink::Kind::area:
        return m_value;
    case Ink::Kind::loss:
        return m_loss;
    case Ink::Kind::phase:
        return m_phases[ink.value % kRlPhases];
    case Ink::Kind::samplePart:
        return m_sampleParts[ink.value % kSampleParts];
    case Ink::Kind::update:
    case Ink::Kind::bubble:
        return m_bubble;
    case Ink::Kind::memory:
        return m_memory[static_cast<size_t>(ink.category)][ink.value % Theme::kShades];
    case Ink::Kind::outline:
        return m_outline;
    case Ink::Kind::grid:
        return m_grid;
    case Ink::Kind::moment:
        return m_moment;
    case Ink::Kind::alarm:
        return m_alarm;
    case Ink::Kind::hit:
        return m_hit;
    case Ink::Kind::slice:
        break;
    }
    return at(ink.category, ink.value).fill;
}

SlicePalette::Pattern SlicePalette::pattern(const Ink& ink) const
{
    if (ink.kind != Ink::Kind::slice && ink.kind != Ink::Kind::busy) return Pattern::none;
    switch (ink.category) {
    case SliceCategory::communication:
        return m_theme->isColorBlind ? Pattern::diagonal : Pattern::none;
    case SliceCategory::synchronization:
        return Pattern::dots;
    case SliceCategory::overhead:
        return Pattern::cross;
    default:
        return Pattern::none;
    }
}

QRgb SlicePalette::mark(const Ink& ink) const
{
    const QRgb fill = color(ink);
    const bool isTextDark = qGray(textOn(ink)) < 128;
    return blended(isTextDark ? qRgb(255, 255, 255) : qRgb(0, 0, 0), fill, 120);
}

QRgb SlicePalette::textOn(const Ink& ink) const
{
    if (ink.kind == Ink::Kind::bubble) return m_text; // the lane is visible between the lines
    // A part that a search does not find is dimmed.
    const QRgb fill = ink.kind == Ink::Kind::samplePart ? blended(color(ink), m_lane, ink.part) : color(ink);
    return textColorOn(QColor(fill)).rgb();
}

QRgb SlicePalette::text(const SliceBox& box) const
{
    if (box.isDimmed) return m_theme->mutedText.rgb();
    if (box.ownColor == 0) return at(box.category, box.nameHash).text;
    return textColorOn(QColor(m_theme->ownColor(box.ownColor & 0xFFFFFFu))).rgb();
}

} // namespace lockstep
