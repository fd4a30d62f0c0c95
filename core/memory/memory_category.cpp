// SPDX-License-Identifier: Apache-2.0
#include "core/memory/memory_category.h"

#include <array>

namespace lockstep {

namespace {

// A frame has a category if its function contains `function` and its file contains `file`. An empty string
// always matches.
struct CategoryRule {
    std::string_view function;
    std::string_view file;
    MemoryCategory category;
};

// The first match is used. The names are from the sources of PyTorch, vLLM, SGLang and Megatron.
constexpr std::array<CategoryRule, 39> kCategoryRules{{
    // Category names used in memory timelines (memory_timeline.cpp), and names of ops in torch.profiler
    // traces.
    {"Parameter (category)", "", MemoryCategory::weights},
    {"Optimizer state (category)", "", MemoryCategory::optimizer},
    {"Gradient (category)", "", MemoryCategory::gradients},
    {"Autograd detail (category)", "", MemoryCategory::gradients},
    {"Activation (category)", "", MemoryCategory::activations},
    {"Optimizer.step#", "", MemoryCategory::optimizer},
    {"Optimizer.zero_grad#", "", MemoryCategory::optimizer},
    {"autograd::engine::evaluate_function", "", MemoryCategory::gradients},
    {"record_param_comms", "", MemoryCategory::communication},
    {"kv_cache", "", MemoryCategory::kvCache},
    {"", "cache_engine.py", MemoryCategory::kvCache},
    {"", "mem_cache/memory_pool.py", MemoryCategory::kvCache},
    {"", "distributed_c10d.py", MemoryCategory::communication},
    {"", "param_and_grad_buffer.py", MemoryCategory::gradients},
    {"ncclCommInitRank", "", MemoryCategory::communication},
    {"ProcessGroupNCCL", "", MemoryCategory::communication},
    {"_init_group", "", MemoryCategory::optimizer},
    {"load_fsdp_optimizer", "", MemoryCategory::optimizer},
    {"", "torch/optim/", MemoryCategory::optimizer},
    {"", "distrib_optimizer.py", MemoryCategory::optimizer},
    {"", "optimizer/optimizer.py", MemoryCategory::optimizer},
    {"AccumulateGrad", "", MemoryCategory::gradients},
    {"autograd::Engine", "", MemoryCategory::gradients},
    {"run_backward", "", MemoryCategory::gradients},
    {"backward", "", MemoryCategory::gradients},
    {"", "torch/autograd/graph.py", MemoryCategory::gradients},
    {"load_state_dict", "", MemoryCategory::weights},
    {"from_pretrained", "", MemoryCategory::weights},
    {"load_weights", "", MemoryCategory::weights},
    {"reset_parameters", "", MemoryCategory::weights},
    {"flatten_tensors", "", MemoryCategory::weights},
    {"", "_flat_param.py", MemoryCategory::weights},
    {"_apply", "nn/modules/module.py", MemoryCategory::weights},
    {"convert", "nn/modules/module.py", MemoryCategory::weights},
    {"__init__", "nn/modules/", MemoryCategory::weights},
    {"__init__", "modeling_", MemoryCategory::weights},
    {"create_weights", "", MemoryCategory::weights},
    {"forward", "", MemoryCategory::activations},
    {"", "nn/functional.py", MemoryCategory::activations},
}};

bool containsText(std::string_view text, std::string_view word)
{
    return text.find(word) != std::string_view::npos;
}

} // namespace

std::string_view memoryCategoryName(MemoryCategory category)
{
    constexpr std::array<std::string_view, static_cast<size_t>(MemoryCategory::count)> kNames{
        "weights", "optimizer", "gradients", "activations", "KV cache", "communication", "other", "no stack"};
    return kNames[static_cast<size_t>(category)];
}

std::vector<MemoryCategory> stackCategories(const MemorySnapshot& snapshot, const StringPool& strings)
{
    std::vector<MemoryCategory> ofFrames(snapshot.frames.size(), MemoryCategory::other);
    for (size_t i = 0; i < ofFrames.size(); ++i) {
        const std::string_view function = strings.at(snapshot.frames[i].function);
        const std::string_view file = strings.at(snapshot.frames[i].file);
        for (const CategoryRule& rule : kCategoryRules) {
            if (!containsText(function, rule.function) || !containsText(file, rule.file)) continue;
            ofFrames[i] = rule.category;
            break;
        }
    }
    std::vector<MemoryCategory> out(snapshot.stackCount(), MemoryCategory::other);
    for (size_t stack = 0; stack < out.size(); ++stack) {
        for (const MemoryFrameId frame : snapshot.stack(MemoryStackId(stack))) {
            if (ofFrames[frame.value] == MemoryCategory::other) continue;
            out[stack] = ofFrames[frame.value];
            break;
        }
    }
    for (const MemoryStackId before : snapshot.subjects.before) {
        if (before.isValid()) out[before.value] = MemoryCategory::noStack; // the stack contains no code
    }
    return out;
}

} // namespace lockstep
