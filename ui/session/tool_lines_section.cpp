// SPDX-License-Identifier: Apache-2.0
#include <QVBoxLayout>

#include "ui/session/field_editors.h"
#include "ui/session/field_message.h"
#include "ui/session/session_draft.h"
#include "ui/session/session_sections.h"

namespace lockstep {

namespace {

std::vector<FieldChoice> discreteChoices()
{
    return {{"", {}},
            {"true", ToolLinesSection::tr("on, a report per stage")},
            {"false", ToolLinesSection::tr("off, whole steps")}};
}

} // namespace

ToolLinesSection::ToolLinesSection(SessionDraft& draft, const QString& heading, QWidget* parent)
    : FormSection(draft, heading, parent)
{
}

void ToolLinesSection::addToolLines(const LineScope& scope)
{
    const auto is = [tool = scope.tool](Tool expected) {
        return [tool, expected](const SessionConfig& config) { return tool(config) == expected; };
    };
    addTorchLines(scope);
    const std::string memory = scope.prefix + "torch_memory.";
    addText(memory + "max_entries", tr("Entries"), FieldText::whole, is(Tool::torchMemory));
    addText(memory + "stack_depth", tr("Stack depth"), FieldText::whole, is(Tool::torchMemory));
    addNpuLines(scope);
    const std::string precision = scope.prefix + "precision_debugger.";
    addText(precision + "config_path", tr("msprobe file"), FieldText::text, is(Tool::precisionDebugger),
            BrowseFor::file);
    addText(precision + "stages", tr("Stages"), FieldText::list, is(Tool::precisionDebugger));
    addButtons(precision + "strict", tr("Strict"), switchChoices(), is(Tool::precisionDebugger));
}

// Shows the settings that the framework has in this version. Programs without a recipe configure
// torch.profiler themselves.
void ToolLinesSection::addTorchLines(const LineScope& scope)
{
    const std::string torch = scope.prefix + "torch.";
    const auto has = [this, tool = scope.tool, torch](const char* name) {
        return [this, tool, path = torch + name](const SessionConfig& config) {
            return tool(config) == Tool::torch && hasRoles(config) &&
                   hasRecipeField(config, eraOf(draft()), path);
        };
    };
    addText(torch + "contents", tr("Contents"), FieldText::list, has("contents"));
    addButtons(torch + "discrete", tr("Discrete"), discreteChoices(), has("discrete"));
    addText(torch + "step_start", tr("First batch"), FieldText::whole, has("step_start"));
    addText(torch + "step_end", tr("End batch"), FieldText::whole, has("step_end"));
    addText(torch + "profile_token_start", tr("First token"), FieldText::whole, has("profile_token_start"));
    addText(torch + "profile_token_end", tr("End token"), FieldText::whole, has("profile_token_end"));
    addText(torch + "schedule.skip_first", tr("Skip first"), FieldText::whole, has("schedule.skip_first"));
    addText(torch + "schedule.wait", tr("Wait"), FieldText::whole, has("schedule.wait"));
    addText(torch + "schedule.warmup", tr("Warm-up"), FieldText::whole, has("schedule.warmup"));
    addText(torch + "schedule.active", tr("Active"), FieldText::whole, has("schedule.active"));
    addText(torch + "schedule.repeat", tr("Repeat"), FieldText::whole, has("schedule.repeat"));
}

void ToolLinesSection::addNpuLines(const LineScope& scope)
{
    const std::string npu = scope.prefix + "npu.";
    const auto isNpu = [tool = scope.tool](const SessionConfig& config) { return tool(config) == Tool::npu; };
    const auto hasTokens = [this, isNpu](const SessionConfig& config) {
        return isNpu(config) && hasRecipeField(config, eraOf(draft()), "npu.profile_token_start");
    };
    addText(npu + "contents", tr("Contents"), FieldText::list, isNpu);
    addButtons(npu + "level", tr("Level"),
               {{"", {}},
                {"level_none", tr("none")},
                {"level0", "level0"},
                {"level1", "level1"},
                {"level2", "level2"}},
               isNpu);
    addButtons(npu + "analysis", tr("Analysis"), switchChoices(), isNpu);
    addButtons(npu + "discrete", tr("Discrete"), discreteChoices(), isNpu);
    addText(npu + "profile_token_start", tr("First token"), FieldText::whole, hasTokens);
    addText(npu + "profile_token_end", tr("End token"), FieldText::whole, hasTokens);
}

void ToolLinesSection::addHookLines(const LineScope& scope)
{
    const std::string hooks = scope.prefix + "hooks.";
    addText(hooks + "command", tr("After profiling"), FieldText::text, scope.hasHooks);
    addButtons(hooks + "all_ranks", tr("Run on"),
               {{"", {}}, {"true", tr("all ranks")}, {"false", tr("selected ranks")}}, scope.hasHooks);
    addText(hooks + "ranks", tr("Hook ranks"), FieldText::numbers, scope.hasHooks);
    addButtons(hooks + "relocate_results", tr("Move files"),
               {{"", {}}, {"true", tr("to the save path")}, {"false", tr("no")}}, scope.hasHooks);
}

} // namespace lockstep
