// SPDX-License-Identifier: Apache-2.0
#include <QVBoxLayout>

#include "core/session/verl_schema.h"
#include "ui/session/field_editors.h"
#include "ui/session/field_message.h"
#include "ui/session/session_draft.h"
#include "ui/session/session_sections.h"

namespace lockstep {

namespace {

std::vector<FieldChoice> stageChoices()
{
    return {{"", ToolLinesSection::tr("default")},
            {"true", ToolLinesSection::tr("one report each")},
            {"false", ToolLinesSection::tr("together")}};
}

} // namespace

ToolLinesSection::ToolLinesSection(SessionDraft& draft, const QString& heading, QWidget* parent)
    : SessionSection(draft, heading, parent)
{
}

void ToolLinesSection::addConditional(QWidget* line, ConditionalLines::Condition condition)
{
    m_conditional.add(line, std::move(condition));
}

SectionLine* ToolLinesSection::addText(const std::string& path, const QString& caption, FieldText kind,
                                       const QString& hint, ConditionalLines::Condition condition)
{
    auto* const edit = new FieldEdit(draft(), path, kind, hint);
    SectionLine* const line = addLine(path, caption, edit);
    connect(edit, &FieldEdit::problemChanged, line->message(), &FieldMessage::setProblem);
    addConditional(line, std::move(condition));
    return line;
}

void ToolLinesSection::addToolLines(const LineScope& scope)
{
    const auto is = [tool = scope.tool](Tool expected) {
        return [tool, expected](const SessionConfig& config) { return tool(config) == expected; };
    };
    addTorchLines(scope);
    const std::string memory = scope.prefix + "torch_memory.";
    addText(memory + "max_entries", tr("Entries"), FieldText::whole,
            tr("number of allocator events kept, e.g. 100000"), is(Tool::torchMemory));
    addText(memory + "stack_depth", tr("Stack depth"), FieldText::whole, tr("frames per event, e.g. 32"),
            is(Tool::torchMemory));
    addNpuLines(scope);
    const std::string precision = scope.prefix + "precision_debugger.";
    addText(precision + "config_path", tr("msprobe file"), FieldText::text,
            tr("path of its JSON file on the hosts"), is(Tool::precisionDebugger));
    addText(precision + "stages", tr("Stages"), FieldText::list,
            tr("any of actor_update, actor_compute_log_prob, ..."), is(Tool::precisionDebugger));
    addConditional(addLine(precision + "strict", tr("Strict"),
                           new FieldButtons(draft(), precision + "strict", switchChoices())),
                   is(Tool::precisionDebugger));
}

// Up to 0.7.0, verl's torch tool takes a range of mini-batches; later releases take contents and related
// settings. Settings that are set but do not apply stay visible.
void ToolLinesSection::addTorchLines(const LineScope& scope)
{
    const std::string torch = scope.prefix + "torch.";
    const auto isTorch = [tool = scope.tool](const SessionConfig& config) {
        return tool(config) == Tool::torch;
    };
    const auto isOf = [this, isTorch](VerlSchema first) {
        return [this, isTorch, first](const SessionConfig& config) {
            return isTorch(config) && (!isVerlFamily(config.framework) || draft().schema() >= first);
        };
    };
    const auto takesBatches = [this, isTorch](const SessionConfig& config) {
        return isTorch(config) && isVerlFamily(config.framework) && !hasTorchContents(draft().schema());
    };
    const auto contents = isOf(VerlSchema::v0_7_1), windows = isOf(VerlSchema::v0_9_0);
    addText(torch + "contents", tr("Contents"), FieldText::list,
            tr("any of cuda, cpu, memory, shapes, stack"), contents);
    addConditional(addLine(torch + "discrete", tr("Stages"),
                           new FieldButtons(draft(), torch + "discrete", stageChoices())),
                   contents);
    addText(torch + "step_start", tr("First batch"), FieldText::whole,
            tr("first mini-batch of the update; 0 is the first"), takesBatches);
    addText(torch + "step_end", tr("End batch"), FieldText::whole, tr("first mini-batch after the recording"),
            takesBatches);
    addText(torch + "profile_token_start", tr("First token"), FieldText::whole,
            tr("first decoded token (rollout engines)"), windows);
    addText(torch + "profile_token_end", tr("End token"), FieldText::whole,
            tr("first token after the recording"), windows);
    addText(torch + "schedule.skip_first", tr("Skip first"), FieldText::whole,
            tr("mini-batches skipped at the start"), windows);
    addText(torch + "schedule.wait", tr("Wait"), FieldText::whole, tr("mini-batches idle per cycle"),
            windows);
    addText(torch + "schedule.warmup", tr("Warm-up"), FieldText::whole,
            tr("mini-batches traced and discarded per cycle"), windows);
    addText(torch + "schedule.active", tr("Active"), FieldText::whole,
            tr("mini-batches recorded per cycle; 0 = no schedule"), windows);
    addText(torch + "schedule.repeat", tr("Repeat"), FieldText::whole, tr("number of cycles"), windows);
}

void ToolLinesSection::addNpuLines(const LineScope& scope)
{
    const std::string npu = scope.prefix + "npu.";
    const auto isNpu = [tool = scope.tool](const SessionConfig& config) { return tool(config) == Tool::npu; };
    const auto hasTokens = [this, isNpu](const SessionConfig& config) {
        return isNpu(config) && draft().schema() >= VerlSchema::v0_9_0;
    };
    addText(npu + "contents", tr("Contents"), FieldText::list,
            tr("any of npu, cpu, memory, shapes, module, stack"), isNpu);
    addConditional(addLine(npu + "level", tr("Level"),
                           new FieldButtons(draft(), npu + "level",
                                            {{"", tr("default")},
                                             {"level_none", tr("none")},
                                             {"level0", "0"},
                                             {"level1", "1"},
                                             {"level2", "2"}})),
                   isNpu);
    addConditional(
        addLine(npu + "analysis", tr("Parse"), new FieldButtons(draft(), npu + "analysis", switchChoices())),
        isNpu);
    addConditional(
        addLine(npu + "discrete", tr("Stages"), new FieldButtons(draft(), npu + "discrete", stageChoices())),
        isNpu);
    addText(npu + "profile_token_start", tr("First token"), FieldText::whole,
            tr("first decoded token (rollout engines)"), hasTokens);
    addText(npu + "profile_token_end", tr("End token"), FieldText::whole,
            tr("first token after the recording"), hasTokens);
}

void ToolLinesSection::addHookLines(const LineScope& scope)
{
    const std::string hooks = scope.prefix + "hooks.";
    addText(hooks + "command", tr("After profiling"), FieldText::text,
            tr("shell command on the nodes after the last profiled step (verl newer than 0.9.0)"),
            scope.hasHooks);
    addConditional(
        addLine(hooks + "all_ranks", tr("Run on"),
                new FieldButtons(
                    draft(), hooks + "all_ranks",
                    {{"", tr("default")}, {"true", tr("all ranks")}, {"false", tr("selected ranks")}})),
        scope.hasHooks);
    addText(hooks + "ranks", tr("Hook ranks"), FieldText::numbers, tr("0, 8; empty = the recorded ranks"),
            scope.hasHooks);
    addConditional(addLine(hooks + "relocate_results", tr("Move files"),
                           new FieldButtons(
                               draft(), hooks + "relocate_results",
                               {{"", tr("default")}, {"true", tr("to the save path")}, {"false", tr("no")}})),
                   scope.hasHooks);
}

void ToolLinesSection::refreshLines()
{
    m_conditional.refresh(draft().config());
}

} // namespace lockstep
