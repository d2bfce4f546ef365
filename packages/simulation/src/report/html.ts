import type { ScenarioResult } from '../run-scenario.ts';
import { seconds, summaryLine, transcriptLine } from './table.ts';

/** A result with the file name of its audio beside the report; null if there is none. */
export interface ReportedResult extends ScenarioResult {
  audioFile: string | null;
}

const STYLE = `body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem }
summary { cursor: pointer } details { border-top: 1px solid #8884; padding: .5rem 0 }
pre { white-space: pre-wrap; margin: .5rem 0 } audio { width: 100% }
.passed b { color: #1a7f37 } .failed b, .error b { color: #c62828 } .skipped b { color: #777 }
:root { color-scheme: light dark }`;

/** A page with all results; those that did not pass are open. */
export function htmlReport(
  { agents, model, speech }: { agents: string; model: string; speech: string },
  results: readonly ReportedResult[],
): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Tests of ${escaped(agents)}</title>
<style>${STYLE}</style>
<h1>Tests of ${escaped(agents)}</h1>
<p>${escaped(summaryLine(results))}<br>Model: ${escaped(model)}<br>Speech: ${escaped(speech)}</p>
${results.map(section).join('')}</html>
`;
}

function section({ name, status, findings, record, audioFile }: ReportedResult): string {
  const open = status === 'failed' || status === 'error' ? ' open' : '';
  const facts = record ? `, ${seconds(record.durationMs)}, ended by ${record.endReason ?? 'nothing'}` : '';
  const list = findings.map(({ path, message }) => `<li>${escaped(`${path}: ${message}`)}</li>`).join('');
  const audio =
    audioFile === null ? '' : `<audio controls preload="none" src="${escaped(audioFile)}"></audio>\n`;
  const lines = record ? `<pre>${escaped(record.lines.map(transcriptLine).join('\n'))}</pre>\n` : '';
  return `<details class="${status}"${open}>
<summary><b>${status}</b> ${escaped(name)}${facts}</summary>
<ul>${list}</ul>
${audio}${lines}</details>
`;
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Text for HTML and XML. */
export function escaped(text: string): string {
  return text.replaceAll(/[&<>"]/gu, (character) => ENTITIES[character] ?? character);
}
