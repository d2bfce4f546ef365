import { afterAll, describe, expect, it } from '@jest/globals';
import type { Call } from '@calls/api-contract/rest/call';
import type { CallThrottle } from '@calls/api-contract/rest/call-throttle';
import { IS_LONG_FORM, requireQuick } from '@calls/testkit/long-form';
import { ControlPlaneHarness } from '../../support/control-plane-harness.ts';
import { eventually } from '../../support/eventually.ts';
import type { ScratchServer } from '../../support/scratch-servers.ts';

const CLIENTS = 8;
/** Pause between the requests of a client. Without it, the clients would occupy a processor. */
const CLIENT_PAUSE_MS = IS_LONG_FORM ? 100 : 400;
const UP_MS = 1200;
const DOWN_MS = 1500;
const RECOVERY_LIMIT_MS = 10_000;

const harness = await ControlPlaneHarness.start({ ownPostgres: true });
const account = await harness.account();
afterAll(() => harness.stop());

interface Tally {
  statuses: Map<number, number>;
  wrong: string[];
  calls: string[];
  throttles: string[];
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Typical client load: create, read, list. */
async function client(tally: Tally, until: () => boolean): Promise<void> {
  for (let round = 0; !until(); round += 1) {
    const call = await account.post<Call>('/api/calls', CALL);
    if (note(tally, 'create call', call)) tally.calls.push(call.body.callId);
    const throttle = await account.post<CallThrottle>('/api/call_throttles', {
      name: `t ${Math.random()} ${round}`,
      rules: [{ maxCalls: 1, windowSeconds: 1 }],
    });
    if (note(tally, 'create throttle', throttle)) tally.throttles.push(throttle.body.throttleId);
    note(tally, 'list calls', await account.request('/api/calls?pageSize=5'));
    note(tally, 'list models', await account.request('/api/models'));
    await pause(CLIENT_PAUSE_MS);
  }
}

const CALL = { medium: { serverWebSocket: { inputSampleRate: 16_000 } }, joinTimeout: '600s' };

/** Every response is a success or has Retry-After. */
function note(
  tally: Tally,
  what: string,
  response: { status: number; headers: Headers; body: unknown },
): boolean {
  tally.statuses.set(response.status, (tally.statuses.get(response.status) ?? 0) + 1);
  if (response.status >= 200 && response.status < 300) return true;
  if (response.status !== 503 || !Number(response.headers.get('Retry-After'))) {
    tally.wrong.push(`${what}: ${response.status} ${JSON.stringify(response.body)}`);
  }
  return false;
}

describe.each(['postgres', 'redis', 'nats'] as const)('a restart of %s under load', (name) => {
  it('causes only 503 responses with Retry-After and no partial writes, and the service recovers fully', async () => {
    const server: ScratchServer = harness[name];
    const tally: Tally = { statuses: new Map(), wrong: [], calls: [], throttles: [] };
    let over = false;
    const clients = Array.from({ length: CLIENTS }, () => client(tally, () => over));
    for (let restart = 0; restart < 2; restart += 1) {
      await pause(UP_MS);
      const before = tally.statuses.get(503) ?? 0;
      await server.stop();
      await pause(DOWN_MS);
      if (name === 'postgres') {
        await eventually(() => expect(tally.statuses.get(503) ?? 0).toBeGreaterThan(before));
      }
      await server.start();
    }
    const startMs = performance.now();
    await eventually(async () => {
      const response = await account.post<Call>('/api/calls', CALL);
      if (response.status !== 201) throw new Error(`answered ${response.status}`);
    });
    requireQuick(performance.now() - startMs, RECOVERY_LIMIT_MS);
    over = true;
    await Promise.all(clients);

    expect(tally.wrong).toEqual([]);
    expect(tally.statuses.get(201) ?? 0).toBeGreaterThan(10);

    const { rows } = await harness.query(
      `select (select count(*) from calls where call_id = any($1)) as calls,
         (select count(*) from call_throttles where throttle_id = any($2)) as throttles,
         (select count(*) from calls where not exists
           (select from call_stages where call_stages.call_id = calls.call_id)) as without_stage`,
      tally.calls,
      tally.throttles,
    );
    expect(rows).toEqual([
      { calls: tally.calls.length, throttles: tally.throttles.length, without_stage: 0 },
    ]);
    // Every call reaches the queue, through the outbox relay if necessary.
    await eventually(async () => {
      const left = await harness.query("select count(*) as left from outbox where topic = 'created_call'");
      if (Number(left.rows[0]!['left']) > 0) throw new Error('not all are published');
    });
  });
});
