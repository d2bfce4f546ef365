import type { RecordedLine } from '../call/call-record.ts';
import type { ScenarioResult } from '../run-scenario.ts';

/** Lines about a result: its status, and for a failure why and what was said. */
export function resultLines(result: ScenarioResult, withTranscript: boolean): string[] {
  const { name, status, findings, record } = result;
  const facts = record
    ? `  ${seconds(record.durationMs)}, ${counted(record.toolCalls.length, 'tool call')}, ended by ${record.endReason ?? 'nothing'}`
    : '';
  const lines = [`${LABELS[status]}  ${name}${facts}`];
  for (const { path, message } of findings)
    lines.push(`         ${path === '' ? '' : `${path}: `}${message}`);
  if (withTranscript || status === 'failed')
    for (const line of record?.lines ?? []) lines.push(`         ${transcriptLine(line)}`);
  return lines;
}

const LABELS: Readonly<Record<ScenarioResult['status'], string>> = {
  passed: 'passed ',
  failed: 'FAILED ',
  skipped: 'skipped',
  error: 'ERROR  ',
};

/** `  3.4 s  caller: I'd like a table.` */
export function transcriptLine({ atMs, who, toolName, text }: RecordedLine): string {
  const speaker = toolName === null ? who : `${who} ${toolName}`;
  return `${seconds(atMs).padStart(8)}  ${speaker}: ${text}`;
}

export function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

/** `12 scenarios: 10 passed, 2 failed` */
export function summaryLine(results: readonly ScenarioResult[]): string {
  const counts = (['passed', 'failed', 'error', 'skipped'] as const).flatMap((status) => {
    const count = results.filter((result) => result.status === status).length;
    return count === 0 ? [] : [`${count} ${status}`];
  });
  return `${counted(results.length, 'scenario')}: ${counts.join(', ')}`;
}

/** `1 scenario`, `12 scenarios` */
function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
