import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parseWav } from '@calls/audio/wav';
import type { ScenarioResult } from '../run-scenario.ts';
import { writeReport } from './write-report.ts';

const RECORD = {
  lines: [{ atMs: 1500, who: 'caller' as const, text: 'Roses & <tulips>', toolName: null }],
  toolCalls: [],
  state: {},
  stagePrompts: [],
  endReason: 'hangup' as const,
  transferTo: null,
  latenciesMs: [],
  interruptions: 0,
  errors: [],
  engineErrors: [],
  durationMs: 2000,
};

describe('writeReport', () => {
  it('writes an HTML page and the audio of failed scenarios', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'report-'));
    try {
      const recording = new Int16Array([100, 300, 100, 300]);
      const results: ScenarioResult[] = [
        { name: 'orders roses', status: 'passed', findings: [], record: RECORD, recording },
        {
          name: 'Orders "tulips"',
          status: 'failed',
          findings: [{ path: 'expect.says.0', message: 'no <b>' }],
          record: RECORD,
          recording,
        },
      ];
      await writeReport(folder, { agents: 'Rosa', model: 'm', speech: 's' }, results);
      expect((await readdir(folder)).toSorted()).toEqual(['2-orders-tulips-.wav', 'report.html']);
      const page = await readFile(join(folder, 'report.html'), 'utf8');
      expect(page).toContain(
        '<details class="passed">\n<summary><b>passed</b> orders roses, 2.0 s, ended by hangup',
      );
      expect(page).toContain('<details class="failed" open>');
      expect(page).toContain('<li>expect.says.0: no &lt;b&gt;</li>');
      expect(page).toContain('src="2-orders-tulips-.wav"');
      expect(page).toContain('1.5 s  caller: Roses &amp; &lt;tulips&gt;');
      const { samples } = parseWav(await readFile(join(folder, '2-orders-tulips-.wav')));
      // The mean of both channels.
      expect([...samples]).toEqual([200, 200]);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
