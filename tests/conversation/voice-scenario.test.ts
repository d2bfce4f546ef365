import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { RECORDING_SAMPLE_RATE_HZ } from '@calls/conversation/ports/recordings';
import { systemClock } from '@calls/foundation/clock';
import { EnvReader } from '@calls/foundation/env-reader';
import { silentLogger } from '@calls/foundation/logger';
import { readProviderConfig } from '@calls/providers/config/provider-config';
import { readAgent } from '@calls/simulation/agent/read-agent';
import { openVoiceMode } from '@calls/simulation/call/voice-mode';
import { runScenario } from '@calls/simulation/run-scenario';
import { inProcessChecksOf } from '@calls/testkit/in-process-checks';
import { scenarioDeps } from '../support/scenario-deps.ts';

const AGENT = join(import.meta.dirname, '../../scenarios/restaurant/agent.yaml');
const SAMPLES_PER_MS = RECORDING_SAMPLE_RATE_HZ / 1000;

describe('a scenario in voice mode', () => {
  it('interrupts the agent with synthesized speech and records both sides', async () => {
    const config = readProviderConfig(new EnvReader({}));
    await using mode = await openVoiceMode(config, { clock: systemClock, log: silentLogger });
    const agent = await readAgent(AGENT, inProcessChecksOf('test'));
    const { status, findings, record, recording } = await runScenario(
      agent,
      {
        name: 'interrupts',
        caller: {
          script: [
            { interrupt: { after: 'good evening', say: 'Please book a table for 4 guests on Friday.' } },
          ],
          noise: { snrDb: 40 },
        },
        tools: { bookTable: { result: 'Your table is booked.' } },
        expect: {
          tools: [{ name: 'bookTable', arguments: { guests: 4 } }],
          says: ['Your table is booked'],
          neverSays: ['help you'],
          interruptions: 1,
        },
      },
      { ...scenarioDeps(), mode },
    );
    expect({ status, findings }).toEqual({ status: 'passed', findings: [] });
    const caller = (recording ?? new Int16Array()).filter((_, i) => i % 2 === 0);
    const agentSide = (recording ?? new Int16Array()).filter((_, i) => i % 2 === 1);
    const loudFrom = (track: Int16Array): number =>
      track.findIndex((sample) => Math.abs(sample) > 1500) / SAMPLES_PER_MS;
    const interruptedMs = loudFrom(caller);
    expect(loudFrom(agentSide)).toBeLessThan(interruptedMs);
    expect(interruptedMs).toBeGreaterThan(1000);
    // The agent stops within a second, and speaks again after the caller.
    const during = agentSide.slice(
      (interruptedMs + 1000) * SAMPLES_PER_MS,
      (interruptedMs + 2000) * SAMPLES_PER_MS,
    );
    expect(during.some((sample) => Math.abs(sample) > 300)).toBe(false);
    expect(record?.durationMs).toBeGreaterThan(interruptedMs + 3000);
  });
});
