<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en_US" sourcelanguage="en_US">
<context>
    <name>lockstep::AlignmentPanel</name>
    <message numerus="yes">
        <source>move %n report(s)</source>
        <translation>
            <numerusform>move %n report</numerusform>
            <numerusform>move %n reports</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>accept %n report(s)</source>
        <translation>
            <numerusform>accept %n report</numerusform>
            <numerusform>accept %n reports</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>lock %n report(s)</source>
        <translation>
            <numerusform>lock %n report</numerusform>
            <numerusform>lock %n reports</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>unlock %n report(s)</source>
        <translation>
            <numerusform>unlock %n report</numerusform>
            <numerusform>unlock %n reports</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>reset %n report(s)</source>
        <translation>
            <numerusform>reset %n report</numerusform>
            <numerusform>reset %n reports</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockstep::AnalysisPanel</name>
    <message numerus="yes">
        <source>%n row(s), %1 s</source>
        <translation>
            <numerusform>%n row, %1 s</numerusform>
            <numerusform>%n rows, %1 s</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockstep::ChartedTable</name>
    <message numerus="yes">
        <source>Show %n empty column(s)</source>
        <translation>
            <numerusform>Show %n empty column</numerusform>
            <numerusform>Show %n empty columns</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockstep::CompareBar</name>
    <message numerus="yes">
        <source>%n note(s)</source>
        <translation>
            <numerusform>%n note</numerusform>
            <numerusform>%n notes</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockstep::CompareController</name>
    <message numerus="yes">
        <source>%n report(s) to compare with could not be opened: %1</source>
        <translation>
            <numerusform>%n report to compare with could not be opened: %1</numerusform>
            <numerusform>%n reports to compare with could not be opened: %1</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockstep::CompareDialog</name>
    <message numerus="yes">
        <source>%n selected report(s)</source>
        <translation>
            <numerusform>%n selected report</numerusform>
            <numerusform>%n selected reports</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>all %n open report(s)</source>
        <translation>
            <numerusform>the open report</numerusform>
            <numerusform>all %n open reports</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockstep::DetailsPanel</name>
    <message numerus="yes">
        <source>%1, starts %2 after the range, work of %n call(s)</source>
        <translation>
            <numerusform>%1, starts %2 after the range, work of %n call</numerusform>
            <numerusform>%1, starts %2 after the range, work of %n calls</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockstep::DistantReportBar</name>
    <message numerus="yes">
        <source>%1 (and %n more distant report(s))</source>
        <translation>
            <numerusform>%1 (and %n more distant report)</numerusform>
            <numerusform>%1 (and %n more distant reports)</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockstep::FindingsList</name>
    <message numerus="yes">
        <source>%1, %n report(s)</source>
        <translation>
            <numerusform>%1, %n report</numerusform>
            <numerusform>%1, %n reports</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockstep::FindingsPanel</name>
    <message numerus="yes">
        <source>No findings in %n report(s). Rules checked: %1</source>
        <translation>
            <numerusform>No findings in %n report. Rules checked: %1</numerusform>
            <numerusform>No findings in %n reports. Rules checked: %1</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 of %n finding(s) shown</source>
        <translation>
            <numerusform>%1 of %n finding shown</numerusform>
            <numerusform>%1 of %n findings shown</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n finding(s)</source>
        <translation>
            <numerusform>%n finding</numerusform>
            <numerusform>%n findings</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>not included: %n finding(s) without a time range</source>
        <translation>
            <numerusform>not included: %n finding without a time range</numerusform>
            <numerusform>not included: %n findings without a time range</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockstep::FlameView</name>
    <message numerus="yes">
        <source>%n frame(s)</source>
        <translation>
            <numerusform>%n frame</numerusform>
            <numerusform>%n frames</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockstep::HiddenNamesNote</name>
    <message numerus="yes">
        <source>%n name(s) hidden in lanes but counted here</source>
        <translation>
            <numerusform>%n name hidden in lanes but counted here</numerusform>
            <numerusform>%n names hidden in lanes but counted here</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockstep::IdentityPanel</name>
    <message numerus="yes">
        <source>%n report(s)</source>
        <translation>
            <numerusform>%n report</numerusform>
            <numerusform>%n reports</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockstep::KernelPanel</name>
    <message numerus="yes">
        <source>%n slice(s) extend beyond the visible range; the part inside is counted</source>
        <translation>
            <numerusform>%n slice extends beyond the visible range; the part inside is counted</numerusform>
            <numerusform>%n slices extend beyond the visible range; the part inside is counted</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n slice(s) extend beyond the visible range: counted in Total Time, not in Min, Avg, Med, Max, StdDev</source>
        <translation>
            <numerusform>%n slice extends beyond the visible range: counted in Total Time, not in Min, Avg, Med, Max, StdDev</numerusform>
            <numerusform>%n slices extend beyond the visible range: counted in Total Time, not in Min, Avg, Med, Max, StdDev</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n slice(s) extend beyond the selected range; the part inside is counted</source>
        <translation>
            <numerusform>%n slice extends beyond the selected range; the part inside is counted</numerusform>
            <numerusform>%n slices extend beyond the selected range; the part inside is counted</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n slice(s) extend beyond the selected range: counted in Total Time, not in Min, Avg, Med, Max, StdDev</source>
        <translation>
            <numerusform>%n slice extends beyond the selected range: counted in Total Time, not in Min, Avg, Med, Max, StdDev</numerusform>
            <numerusform>%n slices extend beyond the selected range: counted in Total Time, not in Min, Avg, Med, Max, StdDev</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockstep::LaneSetsController</name>
    <message numerus="yes">
        <source>Lane layout "%1"; %n lane(s) not open</source>
        <translation>
            <numerusform>Lane layout "%1"; %n lane not open</numerusform>
            <numerusform>Lane layout "%1"; %n lanes not open</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockstep::LedgerCard</name>
    <message numerus="yes">
        <source>Fetching: %1 of %n report(s), %2 of %3</source>
        <translation>
            <numerusform>Fetching: %1 of %n report, %2 of %3</numerusform>
            <numerusform>Fetching: %1 of %n reports, %2 of %3</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockstep::LengthView</name>
    <message numerus="yes">
        <source>Length of %n step(s), B − A</source>
        <translation>
            <numerusform>Length of %n step, B − A</numerusform>
            <numerusform>Length of %n steps, B − A</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockstep::LiveController</name>
    <message numerus="yes">
        <source>%n capture(s) watched</source>
        <translation>
            <numerusform>%n capture watched</numerusform>
            <numerusform>%n captures watched</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n file(s) with sample records watched</source>
        <translation>
            <numerusform>%n file with sample records watched</numerusform>
            <numerusform>%n files with sample records watched</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n block(s) skipped; the collected reports will include them</source>
        <translation>
            <numerusform>%n block skipped; the collected reports will include them</numerusform>
            <numerusform>%n blocks skipped; the collected reports will include them</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockstep::MarkStore</name>
    <message numerus="yes">
        <source>remove %n marker(s)</source>
        <translation>
            <numerusform>remove %n marker</numerusform>
            <numerusform>remove %n markers</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockstep::MarksBar</name>
    <message numerus="yes">
        <source>%n more marker(s); zoom in to see each</source>
        <translation>
            <numerusform>%n more marker; zoom in to see each</numerusform>
            <numerusform>%n more markers; zoom in to see each</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockstep::MemoryDetails</name>
    <message numerus="yes">
        <source>%1   in %n block(s)</source>
        <translation>
            <numerusform>%1   in %n block</numerusform>
            <numerusform>%1   in %n blocks</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockstep::MemoryPanel</name>
    <message numerus="yes">
        <source>%n failed allocation(s)</source>
        <translation>
            <numerusform>%n failed allocation</numerusform>
            <numerusform>%n failed allocations</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n stack(s) with memory growth from step to step</source>
        <translation>
            <numerusform>%n stack with memory growth from step to step</numerusform>
            <numerusform>%n stacks with memory growth from step to step</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockstep::OpenController</name>
    <message numerus="yes">
        <source>Searching %n file(s)</source>
        <translation>
            <numerusform>Searching %n file</numerusform>
            <numerusform>Searching %n files</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockstep::PlanSection</name>
    <message numerus="yes">
        <source>%n host(s)</source>
        <translation>
            <numerusform>%n host</numerusform>
            <numerusform>%n hosts</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Copied the plan for %1 (%n line(s))</source>
        <translation>
            <numerusform>Copied the plan for %1 (%n line)</numerusform>
            <numerusform>Copied the plan for %1 (%n lines)</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockstep::RecoveryController</name>
    <message numerus="yes">
        <source>%n marker(s)</source>
        <translation>
            <numerusform>%n marker</numerusform>
            <numerusform>%n markers</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n corrected report(s)</source>
        <translation>
            <numerusform>%n corrected report</numerusform>
            <numerusform>%n corrected reports</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>the view of %n report(s)</source>
        <translation>
            <numerusform>the view of %n report</numerusform>
            <numerusform>the view of %n reports</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockstep::ReportChoiceModel</name>
    <message numerus="yes">
        <source>%n file(s)</source>
        <translation>
            <numerusform>%n file</numerusform>
            <numerusform>%n files</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 of %n file(s)</source>
        <translation>
            <numerusform>%1 of %n file</numerusform>
            <numerusform>%1 of %n files</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockstep::ReportChoicePage</name>
    <message numerus="yes">
        <source>%n file(s)</source>
        <translation>
            <numerusform>%n file</numerusform>
            <numerusform>%n files</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n report(s) found.</source>
        <translation>
            <numerusform>%n report found.</numerusform>
            <numerusform>%n reports found.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n other file(s) skipped; see Import notes.</source>
        <translation>
            <numerusform>%n other file skipped; see Import notes.</numerusform>
            <numerusform>%n other files skipped; see Import notes.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Load %n report(s)</source>
        <translation>
            <numerusform>Load %n report</numerusform>
            <numerusform>Load %n reports</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Open %n report(s)?</source>
        <translation>
            <numerusform>Open %n report?</numerusform>
            <numerusform>Open %n reports?</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockstep::RunController</name>
    <message numerus="yes">
        <source>Querying %n host(s)…</source>
        <translation>
            <numerusform>Querying %n host…</numerusform>
            <numerusform>Querying %n hosts…</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n report(s) could not be opened: %1</source>
        <translation>
            <numerusform>%n report could not be opened: %1</numerusform>
            <numerusform>%n reports could not be opened: %1</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockstep::RunHead</name>
    <message numerus="yes">
        <source>%1 of %n host(s) reached</source>
        <translation>
            <numerusform>%1 of %n host reached</numerusform>
            <numerusform>%1 of %n hosts reached</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 of %n report(s)</source>
        <translation>
            <numerusform>%1 of %n report</numerusform>
            <numerusform>%1 of %n reports</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n report(s)</source>
        <translation>
            <numerusform>%n report</numerusform>
            <numerusform>%n reports</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockstep::RunHostsModel</name>
    <message numerus="yes">
        <source>%n reconnection(s)</source>
        <translation>
            <numerusform>%n reconnection</numerusform>
            <numerusform>%n reconnections</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockstep::RunPage</name>
    <message numerus="yes">
        <source>ended on %n host(s)</source>
        <translation>
            <numerusform>ended on %n host</numerusform>
            <numerusform>ended on %n hosts</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 of %n host(s) linked</source>
        <translation>
            <numerusform>%1 of %n host linked</numerusform>
            <numerusform>%1 of %n hosts linked</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockstep::RunPageController</name>
    <message numerus="yes">
        <source>Run %1 on %n host(s) without the training?</source>
        <translation>
            <numerusform>Run %1 on %n host without the training?</numerusform>
            <numerusform>Run %1 on %n hosts without the training?</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 ended. %n report(s) collected.</source>
        <translation>
            <numerusform>%1 ended. %n report collected.</numerusform>
            <numerusform>%1 ended. %n reports collected.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1, started %2 UTC, was running on %n host(s) when last seen at %3 UTC.</source>
        <translation>
            <numerusform>%1, started %2 UTC, was running on %n host when last seen at %3 UTC.</numerusform>
            <numerusform>%1, started %2 UTC, was running on %n hosts when last seen at %3 UTC.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockstep::SaveController</name>
    <message numerus="yes">
        <source>%n marker(s) did not fit</source>
        <translation>
            <numerusform>%n marker did not fit</numerusform>
            <numerusform>%n markers did not fit</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockstep::SearchPanel</name>
    <message numerus="yes">
        <source>on %n rank(s)</source>
        <translation>
            <numerusform>on %n rank</numerusform>
            <numerusform>on %n ranks</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n matching lane(s)</source>
        <translation>
            <numerusform>%n matching lane</numerusform>
            <numerusform>%n matching lanes</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockstep::SelectionPanel</name>
    <message numerus="yes">
        <source>%n lane(s)</source>
        <translation>
            <numerusform>%n lane</numerusform>
            <numerusform>%n lanes</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockstep::SelectionTotals</name>
    <message numerus="yes">
        <source>%n area(s)</source>
        <translation>
            <numerusform>%n area</numerusform>
            <numerusform>%n areas</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n lane(s)</source>
        <translation>
            <numerusform>%n lane</numerusform>
            <numerusform>%n lanes</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockstep::SessionPage</name>
    <message numerus="yes">
        <source>Launch on %n host(s)</source>
        <translation>
            <numerusform>Launch on %n host</numerusform>
            <numerusform>Launch on %n hosts</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>checked against information from %n host(s)</source>
        <translation>
            <numerusform>checked against information from %n host</numerusform>
            <numerusform>checked against information from %n hosts</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockstep::SettingsPageController</name>
    <message numerus="yes">
        <source>No nsys found in %n folder(s). Without nsys, open the SQLite export of a .nsys-rep instead.</source>
        <translation>
            <numerusform>No nsys found in %n folder. Without nsys, open the SQLite export of a .nsys-rep instead.</numerusform>
            <numerusform>No nsys found in %n folders. Without nsys, open the SQLite export of a .nsys-rep instead.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockstep::SliceCommands</name>
    <message numerus="yes">
        <source>Launch chain: %1; %n slice(s) in collapsed or hidden lanes. Press Esc to clear.</source>
        <translation>
            <numerusform>Launch chain: %1; %n slice in collapsed or hidden lanes. Press Esc to clear.</numerusform>
            <numerusform>Launch chain: %1; %n slices in collapsed or hidden lanes. Press Esc to clear.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockstep::SliceMenu</name>
    <message numerus="yes">
        <source>Show hidden slices (%n name(s))</source>
        <translation>
            <numerusform>Show hidden slices (%n name)</numerusform>
            <numerusform>Show hidden slices (%n names)</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockstep::StatusLine</name>
    <message numerus="yes">
        <source>%1 of %n report(s)</source>
        <translation>
            <numerusform>%1 of %n report</numerusform>
            <numerusform>%1 of %n reports</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockstep::TableView</name>
    <message numerus="yes">
        <source>%n cell(s)</source>
        <translation>
            <numerusform>%n cell</numerusform>
            <numerusform>%n cells</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockstep::TimelineAccessible</name>
    <message numerus="yes">
        <source>%n slice(s) wide enough to be listed</source>
        <translation>
            <numerusform>%n slice wide enough to be listed</numerusform>
            <numerusform>%n slices wide enough to be listed</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n lane(s) on screen, %1 to %2</source>
        <translation>
            <numerusform>%n lane on screen, %1 to %2</numerusform>
            <numerusform>%n lanes on screen, %1 to %2</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockstep::NavigationTool</name>
    <message numerus="yes">
        <source>%n gap(s) expanded</source>
        <translation>
            <numerusform>%n gap expanded</numerusform>
            <numerusform>%n gaps expanded</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n gap(s) collapsed</source>
        <translation>
            <numerusform>%n gap collapsed</numerusform>
            <numerusform>%n gaps collapsed</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockstep::LaneTool</name>
    <message numerus="yes">
        <source>%n lane(s) hidden</source>
        <translation>
            <numerusform>%n lane hidden</numerusform>
            <numerusform>%n lanes hidden</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n name(s) hidden</source>
        <translation>
            <numerusform>%n name hidden</numerusform>
            <numerusform>%n names hidden</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockstep::WorkSections</name>
    <message numerus="yes">
        <source>%n saved view(s) could not be read</source>
        <translation>
            <numerusform>%n saved view could not be read</numerusform>
            <numerusform>%n saved views could not be read</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n lane layout(s) could not be read</source>
        <translation>
            <numerusform>%n lane layout could not be read</numerusform>
            <numerusform>%n lane layouts could not be read</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n query lane(s) could not be read</source>
        <translation>
            <numerusform>%n query lane could not be read</numerusform>
            <numerusform>%n query lanes could not be read</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockstep::WorkspaceController</name>
    <message numerus="yes">
        <source>show %n report(s)</source>
        <translation>
            <numerusform>show %n report</numerusform>
            <numerusform>show %n reports</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>hide %n report(s)</source>
        <translation>
            <numerusform>hide %n report</numerusform>
            <numerusform>hide %n reports</numerusform>
        </translation>
    </message>
</context>
</TS>
