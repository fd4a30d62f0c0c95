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
    return {{"", "default"}, {"true", "one report each"}, {"false", "together"}};
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

void ToolLinesSection::addToolLines(const Place& place)
{
    const auto is = [tool = place.tool](Tool wanted) {
        return [tool, wanted](const SessionConfig& config) { return tool(config) == wanted; };
    };
    addTorchLines(place);
    const std::string memory = place.prefix + "torch_memory.";
    addText(memory + "max_entries", "Entries", FieldText::whole, "allocator events kept, e.g. 100000",
            is(Tool::torchMemory));
    addText(memory + "stack_depth", "Stack depth", FieldText::whole, "frames per event, e.g. 32",
            is(Tool::torchMemory));
    addNpuLines(place);
    const std::string precision = place.prefix + "precision_debugger.";
    addText(precision + "config_path", "msprobe file", FieldText::text, "its JSON, as on the hosts",
            is(Tool::precisionDebugger));
    addText(precision + "stages", "Stages", FieldText::list, "of actor_update, actor_compute_log_prob, ...",
            is(Tool::precisionDebugger));
    addConditional(addLine(precision + "strict", "Strict",
                           new FieldButtons(draft(), precision + "strict", switchChoices())),
                   is(Tool::precisionDebugger));
}

// Up to 0.7.0 verl's torch tool takes a range of mini-batches, later the contents and their kin; what is set
// and does not fit stays in sight.
void ToolLinesSection::addTorchLines(const Place& place)
{
    const std::string torch = place.prefix + "torch.";
    const auto isTorch = [tool = place.tool](const SessionConfig& config) {
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
    addText(torch + "contents", "Contents", FieldText::list, "of cuda, cpu, memory, shapes, stack", contents);
    addConditional(
        addLine(torch + "discrete", "Stages", new FieldButtons(draft(), torch + "discrete", stageChoices())),
        contents);
    addText(torch + "step_start", "First batch", FieldText::whole, "mini-batch of the update, from 0",
            takesBatches);
    addText(torch + "step_end", "End batch", FieldText::whole, "first mini-batch no longer recorded",
            takesBatches);
    addText(torch + "profile_token_start", "First token", FieldText::whole, "decoded token (rollout engines)",
            windows);
    addText(torch + "profile_token_end", "End token", FieldText::whole, "first token no longer recorded",
            windows);
    addText(torch + "schedule.skip_first", "Skip first", FieldText::whole, "mini-batches left out once",
            windows);
    addText(torch + "schedule.wait", "Wait", FieldText::whole, "mini-batches idle per cycle", windows);
    addText(torch + "schedule.warmup", "Warm-up", FieldText::whole, "mini-batches traced and dropped",
            windows);
    addText(torch + "schedule.active", "Active", FieldText::whole,
            "mini-batches recorded per cycle; 0 = no schedule", windows);
    addText(torch + "schedule.repeat", "Repeat", FieldText::whole, "cycles", windows);
}

void ToolLinesSection::addNpuLines(const Place& place)
{
    const std::string npu = place.prefix + "npu.";
    const auto isNpu = [tool = place.tool](const SessionConfig& config) { return tool(config) == Tool::npu; };
    const auto hasTokens = [this, isNpu](const SessionConfig& config) {
        return isNpu(config) && draft().schema() >= VerlSchema::v0_9_0;
    };
    addText(npu + "contents", "Contents", FieldText::list, "of npu, cpu, memory, shapes, module, stack",
            isNpu);
    addConditional(addLine(npu + "level", "Level",
                           new FieldButtons(draft(), npu + "level",
                                            {{"", "default"},
                                             {"level_none", "none"},
                                             {"level0", "0"},
                                             {"level1", "1"},
                                             {"level2", "2"}})),
                   isNpu);
    addConditional(
        addLine(npu + "analysis", "Parse", new FieldButtons(draft(), npu + "analysis", switchChoices())),
        isNpu);
    addConditional(
        addLine(npu + "discrete", "Stages", new FieldButtons(draft(), npu + "discrete", stageChoices())),
        isNpu);
    addText(npu + "profile_token_start", "First token", FieldText::whole, "decoded token (rollout engines)",
            hasTokens);
    addText(npu + "profile_token_end", "End token", FieldText::whole, "first token no longer recorded",
            hasTokens);
}

void ToolLinesSection::addHookLines(const Place& place)
{
    const std::string hooks = place.prefix + "hooks.";
    addText(hooks + "command", "After the run", FieldText::text,
            "shell command on the nodes after the last profiled step (verl newer than 0.9.0)",
            place.hasHooks);
    addConditional(addLine(hooks + "all_ranks", "Run it on",
                           new FieldButtons(draft(), hooks + "all_ranks",
                                            {{"", "default"}, {"true", "all ranks"}, {"false", "some"}})),
                   place.hasHooks);
    addText(hooks + "ranks", "Its ranks", FieldText::numbers, "0, 8; empty = those that record",
            place.hasHooks);
    addConditional(
        addLine(hooks + "relocate_results", "Move files",
                new FieldButtons(draft(), hooks + "relocate_results",
                                 {{"", "default"}, {"true", "to the save path"}, {"false", "no"}})),
        place.hasHooks);
}

void ToolLinesSection::refreshLines()
{
    m_conditional.refresh(draft().config());
}

} // namespace lockstep
