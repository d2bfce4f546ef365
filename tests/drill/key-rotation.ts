import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Call } from '@calls/api-contract/rest/call';
import { REPOSITORY } from '@calls/local-stack/stack';
import type { ServiceName } from '@calls/local-stack/stack-size';
import { serviceOf } from '../chaos/faults.ts';
import { Api } from '../support/api.ts';
import { DrillCalls, type DrillResult } from './drill-calls.ts';
import type { DrillOptions } from './drill-options.ts';
import { startDrillStack } from './drill-stack.ts';
import { StoredData } from './upgrade/stored-data.ts';

/** The steps of docs/guides/rotate-secrets.md. The first key of a list is used, and all are accepted. */
type Key = 'old' | 'new';
const KEYS: Readonly<Record<'JOIN_TOKEN_SECRET' | 'ENCRYPTION_KEY', Readonly<Record<Key, string>>>> = {
  JOIN_TOKEN_SECRET: { old: 'the first secret of join tokens', new: 'the second secret of join tokens' },
  ENCRYPTION_KEY: { old: 'the first key of stored secrets', new: 'the second key of stored secrets' },
};
const RESEAL = join(REPOSITORY, 'services/control-plane/src/reseal-secrets.ts');
const SERVICES: readonly ServiceName[] = ['control-plane', 'dispatcher', 'media-worker'];
const BAD_TOKEN = 4401;
/** Number of calls that are joined late: at the last step that accepts the old secret, and after it. */
const LATE_JOINS = 2;

/**
 * Replaces JOIN_TOKEN_SECRET and ENCRYPTION_KEY step by step, process by process, during live calls and with a new call
 * after each process. Calls that started with the old keys continue until the new keys sign; calls that started after
 * that continue until the old keys are removed.
 */
export async function runKeyRotation(
  options: Pick<DrillOptions, 'calls' | 'media' | 'size' | 'dataDir'>,
  say: (line: string) => void,
): Promise<DrillResult> {
  let keys: readonly Key[] = ['old'];
  const listOf = (variable: keyof typeof KEYS): string => keys.map((key) => KEYS[variable][key]).join(',');
  await using drill = await startDrillStack(
    // Includes room for the calls that are joined late.
    { ...options, calls: options.calls + LATE_JOINS, kind: 'rotate-keys' },
    {
      startEnv: (service) => ({
        JOIN_TOKEN_SECRET: listOf('JOIN_TOKEN_SECRET'),
        ...(service !== 'media-worker' && { ENCRYPTION_KEY: listOf('ENCRYPTION_KEY') }),
      }),
    },
  );
  const { stack } = drill;
  const api = new Api(stack);
  const problems: string[] = [];
  const rollOut = async (calls: DrillCalls, next: readonly Key[]): Promise<void> => {
    keys = next;
    for (const service of SERVICES)
      for (const [name, process] of stack.processes) {
        if (serviceOf(name) !== service) continue;
        if (service === 'media-worker') await calls.speak();
        await process.restart();
        await calls.continued();
        await passingCall(api);
        say(`${name} has ${next.join(', ')}; ${calls.summary}`);
      }
    await calls.respond(`the keys are ${next.join(' and ')}`);
  };

  await using data = await StoredData.create(stack);
  const waiting = await Promise.all(
    Array.from({ length: LATE_JOINS }, () => api.createCall({ joinTimeout: '3600s' })),
  );
  await using callsOfOldKeys = await DrillCalls.open(drill);
  const ofOldKeys = await callsOfOldKeys.measure(say, async () => {
    await callsOfOldKeys.place(options.calls, options.media);
    await rollOut(callsOfOldKeys, ['old', 'new']);
    await rollOut(callsOfOldKeys, ['new', 'old']);
    const joined = await joinLate(api, waiting[0]);
    if (joined !== null) problems.push(`a join URL of the listed old secret was refused with ${joined}`);
  });
  await using callsOfNewKeys = await DrillCalls.open(drill);
  const ofNewKeys = await callsOfNewKeys.measure(say, async () => {
    await callsOfNewKeys.place(options.calls, options.media);
    await reseal(stack.servers.databaseUrl, listOf('ENCRYPTION_KEY'));
    await rollOut(callsOfNewKeys, ['new']);
    await reseal(stack.servers.databaseUrl, listOf('ENCRYPTION_KEY'));
    const code = await joinLate(api, waiting[1]);
    if (code !== BAD_TOKEN) problems.push(`a join URL of the removed secret was not refused: ${code}`);
    problems.push(...(await data.problems()));
  });
  await data.delivered([...callsOfOldKeys.callIds, ...callsOfNewKeys.callIds]);
  return {
    rows: [...ofOldKeys.rows, ...ofNewKeys.rows],
    problems: [...ofOldKeys.problems, ...ofNewKeys.problems, ...problems],
  };
}

/** Throws if the call does not work. */
async function passingCall(api: Api): Promise<void> {
  const { call, client } = await api.startCall({
    firstSpeakerSettings: { agent: { text: 'Good evening.' } },
  });
  await client.until('the greeting', () => client.transcript.some(({ text }) => text.includes('evening')));
  await client.hangUp();
  const { endReason } = await api.endedCall(call.callId);
  if (endReason !== 'hangup') throw new Error(`a new call ended with ${endReason}`);
}

/** The close code if the call was rejected; null if it was joined. */
async function joinLate(api: Api, call: Call | undefined): Promise<number | null> {
  if (!call) throw new Error('no call waits for its client');
  const client = await api.join(call);
  const codes: number[] = [];
  void client.closed.then(({ code }) => codes.push(code));
  await client.until('the call to start', () => client.messages.length > 0 || codes.length > 0);
  const [code = null] = codes;
  if (code === null) await client.hangUp();
  return code;
}

/** Rejects if a stored secret needs a key other than the first one. */
async function reseal(databaseUrl: string, keys: string): Promise<void> {
  const env = { ...process.env, DATABASE_URL: databaseUrl, ENCRYPTION_KEY: keys };
  await promisify(execFile)(process.execPath, [RESEAL], { env });
}
