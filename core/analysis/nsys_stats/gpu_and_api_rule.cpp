// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/nsys_stats/gpu_and_api_rule.h"

namespace lockstep {

namespace {

enum class Category : uint8_t { kernel, memory, api };

constexpr unsigned kCategoryShift = 32; // the bits below hold the name's StringId, or the copy kind

} // namespace

SummaryRule categorizedRule(RowKinds kinds, KernelNames names)
{
    SummaryRule rule;
    const auto keyOf = [names](const Report& report, SliceId slice) {
        const RowKind kind = report.slices.kind[slice.value];
        if (kind == RowKind::kernel) return names.key(report, slice);
        if (holds(kCudaApiKinds, kind)) {
            return uint64_t(Category::api) << kCategoryShift | report.slices.name[slice.value].value;
        }
        return uint64_t(Category::memory) << kCategoryShift | uint64_t(copyKindOf(report, slice));
    };
    rule.pick = pickSlices(kinds, keyOf, ApiCallOrNoSpan());
    rule.labels = [](const Report& report, const Track&, uint64_t key) -> std::vector<std::string> {
        const auto below = static_cast<uint32_t>(key);
        switch (static_cast<Category>(key >> kCategoryShift & 3)) {
        case Category::kernel:
            return {"CUDA_KERNEL", std::string(report.strings.at(StringId(below)))};
        case Category::memory:
            return {"MEMORY_OPER", std::string(copyKindName(static_cast<CopyKind>(below)))};
        case Category::api:
            break;
        }
        return {"CUDA_API", std::string(apiNameWithoutVersion(report.strings.at(StringId(below))))};
    };
    return rule;
}

std::vector<TableColumn> categoryColumns()
{
    return {{"Category", "", ColumnType::text, 0, "CUDA_KERNEL, MEMORY_OPER or CUDA_API"},
            {"Operation", "", ColumnType::text, 0,
             "name of the kernel, direction of the copy, or name of the call"}};
}

} // namespace lockstep
