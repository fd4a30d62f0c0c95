// SPDX-License-Identifier: Apache-2.0
#include <QVBoxLayout>

#include "core/session/verl_schema.h"
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

// Up to 0.7.0, verl's torch tool takes a range of mini-batches; later releases take contents and related
// settings. Other programs configure torch.profiler themselves.
void ToolLinesSection::addTorchLines(const LineScope& scope)
{
    const std::string torch = scope.prefix + "torch.";
    const auto isTorch = [tool = scope.tool](const SessionConfig& config) {
        return tool(config) == Tool::torch && isVerlFamily(config.framework);
    };
    const auto isOf = [this, isTorch](VerlSchema first) {
        return [this, isTorch, first](const SessionConfig& config) {
            return isTorch(config) && schemaOf(draft()) >= first;
        };
    };
    const auto takesBatches = [this, isTorch](const SessionConfig& config) {
        return isTorch(config) && !hasTorchContents(schemaOf(draft()));
    };
    const auto contents = isOf(VerlSchema::v0_7_1), windows = isOf(VerlSchema::v0_9_0);
    addText(torch + "contents", tr("Contents"), FieldText::list, contents);
    addButtons(torch + "discrete", tr("Discrete"), discreteChoices(), contents);
    addText(torch + "step_start", tr("First batch"), FieldText::whole, takesBatches);
    addText(torch + "step_end", tr("End batch"), FieldText::whole, takesBatches);
    addText(torch + "profile_token_start", tr("First token"), FieldText::whole, windows);
    addText(torch + "profile_token_end", tr("End token"), FieldText::whole, windows);
    addText(torch + "schedule.skip_first", tr("Skip first"), FieldText::whole, windows);
    addText(torch + "schedule.wait", tr("Wait"), FieldText::whole, windows);
    addText(torch + "schedule.warmup", tr("Warm-up"), FieldText::whole, windows);
    addText(torch + "schedule.active", tr("Active"), FieldText::whole, windows);
    addText(torch + "schedule.repeat", tr("Repeat"), FieldText::whole, windows);
}

void ToolLinesSection::addNpuLines(const LineScope& scope)
{
    const std::string npu = scope.prefix + "npu.";
    const auto isNpu = [tool = scope.tool](const SessionConfig& config) { return tool(config) == Tool::npu; };
    const auto hasTokens = [this, isNpu](const SessionConfig& config) {
        return isNpu(config) && schemaOf(draft()) >= VerlSchema::v0_9_0;
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
