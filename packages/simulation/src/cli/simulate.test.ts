import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { EnvReader } from '@calls/foundation/env-reader';
import { readProviderConfig } from '@calls/providers/config/provider-config';
import { readOptions } from './options.ts';
import { simulate } from './simulate.ts';

it('says how to name the agent when the folder of a scenario has none', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'scenarios-'));
  try {
    await writeFile(join(folder, 'order.yaml'), 'name: orders\ncaller: { script: [{ say: Hello. }] }\n');
    const options = readOptions([folder], 'http://localhost:8080');
    await expect(simulate(options, readProviderConfig(new EnvReader({})), null)).rejects.toThrow(
      `${folder} has scenarios but no agent.yaml. Name the agent with --agent.`,
    );
  } finally {
    await rm(folder, { recursive: true });
  }
});

it('creates the folder of the JUnit report', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'scenarios-'));
  try {
    await writeFile(join(folder, 'order.yaml'), 'name: orders\ncaller: { goal: Order roses. }\n');
    await writeFile(join(folder, 'agent.yaml'), 'systemPrompt: You sell roses.\n');
    const report = join(folder, 'reports/junit.xml');
    const options = readOptions([folder, '--junit', report], 'http://localhost:8080');
    expect(await simulate(options, readProviderConfig(new EnvReader({})), null)).toBe(0);
    expect(await readFile(report, 'utf8')).toContain('skipped="1"');
  } finally {
    await rm(folder, { recursive: true });
  }
});
