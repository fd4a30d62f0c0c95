// SPDX-License-Identifier: Apache-2.0
#include "core/base/path_labels.h"

#include <algorithm>
#include <unordered_map>

namespace lockstep {

namespace {

std::filesystem::path commonFolder(const std::vector<std::filesystem::path>& paths)
{
    std::filesystem::path common = paths.front().parent_path();
    for (const std::filesystem::path& path : paths) {
        const auto end = std::mismatch(common.begin(), common.end(), path.begin(), path.end()).first;
        if (end == common.end()) continue;
        std::filesystem::path shorter;
        for (auto part = common.begin(); part != end; ++part)
            shorter /= *part;
        common = std::move(shorter);
    }
    return common;
}

} // namespace

std::vector<std::string> pathLabels(const std::vector<std::filesystem::path>& paths)
{
    std::vector<std::string> labels;
    if (paths.empty()) return labels;
    std::unordered_map<std::string, size_t> named;
    for (const std::filesystem::path& path : paths) {
        labels.push_back(path.filename().string());
        ++named[labels.back()];
    }
    const std::filesystem::path common = commonFolder(paths);
    for (size_t i = 0; i < paths.size(); ++i) {
        if (named[labels[i]] > 1)
            labels[i] = (common.empty() ? paths[i] : paths[i].lexically_relative(common)).string();
    }
    return labels;
}

} // namespace lockstep
