import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Stack } from '@calls/local-stack/stack';
import type { Api } from '../support/api.ts';

const LAST_LINES = 40;

/** Diagnostics of a call: its last messages and events, and the log lines of all services in chronological order. */
export async function callFindings(stack: Stack, api: Api, callId: string): Promise<string[]> {
  const [messages, events, logLines] = await Promise.all([
    api.messages(callId),
    api.events(callId),
    logLinesOf(stack.directory.logs, callId),
  ]);
  return [
    `last of ${messages.length} messages:`,
    ...messages.slice(-LAST_LINES).map(({ role, text }) => `  ${role}: ${text ?? ''}`),
    `last of ${events.length} events:`,
    ...events.slice(-LAST_LINES).map((event) => `  ${JSON.stringify(event)}`),
    `last of ${logLines.length} log lines:`,
    ...logLines.slice(-LAST_LINES).map((line) => `  ${line}`),
  ];
}

/** The log lines, each with the name of the process that wrote it. */
async function logLinesOf(folder: string, callId: string): Promise<string[]> {
  const files = (await readdir(folder)).filter((name) => name.includes('.log'));
  const found = await Promise.all(
    files.map(async (file) => {
      const lines = (await readFile(join(folder, file), 'utf8')).split('\n');
      return lines.flatMap((line) => {
        if (!line.includes(callId)) return [];
        const time = /"time":"?(?<time>[^",}]+)/u.exec(line)?.groups?.['time'] ?? '';
        return [{ time, text: `${basename(file).replace(/\.log.*$/u, '')} ${line}` }];
      });
    }),
  );
  return found
    .flat()
    .sort((a, b) => a.time.localeCompare(b.time))
    .map(({ text }) => text);
}
