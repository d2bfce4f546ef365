import { escaped } from './html.ts';
import type { ScenarioResult } from '../run-scenario.ts';
import { resultLines, transcriptLine } from './table.ts';

/** A JUnit XML report. Times are those of the conversations. */
export function junitReport(agent: string, results: readonly ScenarioResult[]): string {
  const count = (status: ScenarioResult['status']): number =>
    results.filter((result) => result.status === status).length;
  const attributes = [
    `name="${xmlText(agent)}"`,
    `tests="${results.length}"`,
    `failures="${count('failed')}"`,
    `errors="${count('error')}"`,
    `skipped="${count('skipped')}"`,
    `time="${secondsOf(results)}"`,
  ].join(' ');
  const cases = results.map((result) => testCase(agent, result));
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n<testsuite ${attributes}>\n${cases.join('')}</testsuite>\n</testsuites>\n`;
}

function testCase(agent: string, result: ScenarioResult): string {
  const { name, status, findings, record } = result;
  const [first] = findings;
  const message = xmlText(first === undefined ? '' : `${first.path} ${first.message}`.trim());
  const details = xmlText(resultLines({ ...result, record: null }, false).join('\n'));
  const outcome = {
    passed: '',
    failed: `<failure message="${message}">${details}</failure>\n`,
    error: `<error message="${message}">${details}</error>\n`,
    skipped: `<skipped message="${message}"/>\n`,
  }[status];
  const output = record
    ? `<system-out>${xmlText(record.lines.map(transcriptLine).join('\n'))}</system-out>\n`
    : '';
  const attributes = `classname="${xmlText(agent)}" name="${xmlText(name)}" time="${secondsOf([result])}"`;
  return `<testcase ${attributes}>\n${outcome}${output}</testcase>\n`;
}

function secondsOf(results: readonly ScenarioResult[]): string {
  const ms = results.reduce((sum, { record }) => sum + (record?.durationMs ?? 0), 0);
  return (ms / 1000).toFixed(3);
}

/** Text for XML, without the characters that XML does not allow. */
function xmlText(text: string): string {
  return escaped(text.toWellFormed()).replaceAll(
    /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu,
    '\uFFFD',
  );
}
