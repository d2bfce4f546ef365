import { afterAll, describe, expect, it } from '@jest/globals';
import { connectBus } from '@calls/bus/connect-bus';
import { CallClient } from '@calls/examples/call-client';
import { silentLogger } from '@calls/foundation/logger';
import { createJoinTokens } from '@calls/secrets/join-tokens/join-tokens';
import { migrate } from '@calls/store/migrate';
import { startAiStandIn } from '@calls/testkit/ai-stand-in/start-ai-stand-in';
import { CompiledQuery } from 'kysely';
import { readRecordedRelease, RECORDED_KEYS, writeStoredCall } from '../drill/upgrade/recorded-release.ts';
import { snapshotProblems } from '../drill/upgrade/stored-data.ts';
import { Api } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { ScratchServers } from '../support/scratch-servers.ts';
import { startTestStack } from '../support/start-stack.ts';
import { openTestStore } from '../support/test-store.ts';

const DAY_MS = 24 * 3_600_000;
const HOUR_MS = 3_600_000;

const open = new AsyncDisposableStack();

const recorded = await readRecordedRelease();
const record = recorded.record;
const scratch = await ScratchServers.open();
open.defer(() => scratch.close());
const [nats, database] = await Promise.all([scratch.nats(), scratch.database({ empty: true })]);
await storeRows(database.url, recorded.rows);
await using bus = await connectBus({ url: nats.url, name: 'test', log: silentLogger });
await bus.connection.ping();
const { liveCallId, lease, log } = record;
await writeStoredCall(nats.url, liveCallId, { lease: asOfNow(lease), log: log.map(asOfNow) });
const { engineEnv } = open.use(await startAiStandIn());
const stack = await startTestStack({
  databaseUrl: database.url,
  natsUrl: nats.url,
  env: {
    ...RECORDED_KEYS,
    // Longer than a client needs to return on a busy machine.
    RECONNECT_GRACE_MS: '120000',
    ...engineEnv,
  },
});
open.use(stack);
const api = new Api({ apiUrl: stack.apiUrl, developmentKey: record.apiKey });
afterAll(() => open.disposeAsync());

/** Rows in the schema of the earlier release; the stack migrates them when it starts. */
async function storeRows(url: string, rows: string): Promise<void> {
  await using store = openTestStore(url);
  await migrate(store.db, record.lastMigration);
  // The rows are complete but not ordered by their foreign keys.
  const withoutTriggers = `set session_replication_role = replica;\n${rows}reset session_replication_role`;
  await store.db.executeQuery(CompiledQuery.raw(withoutTriggers));
  await store.db
    .updateTable('calls')
    .set({ joined_at: new Date(), expires_at: new Date(Date.now() + HOUR_MS) })
    .where('call_id', '=', record.liveCallId)
    .execute();
}

/** Shifts times as if the record were new, so that the live call has not reached its maximum duration. */
function asOfNow(json: string): string {
  const delayMs = Date.now() - record.recordedAtMs;
  return JSON.stringify(JSON.parse(json), (_, value: unknown) =>
    typeof value === 'number' && Math.abs(value - record.recordedAtMs) < DAY_MS ? value + delayMs : value,
  );
}

describe('data of an earlier release', () => {
  it('is returned unchanged by the API', async () => {
    // The launcher adds an API key.
    const snapshots = record.snapshots.filter(({ path }) => path !== '/api/api_keys');
    expect(snapshots.length).toBeGreaterThan(8);
    expect(await snapshotProblems(api, snapshots)).toEqual([]);
  });

  it('has secrets that new calls can decrypt', async () => {
    const { status, body } = await api.request('POST', `/api/agents/${record.agentId}/calls`, {});
    expect({ status, body }).toMatchObject({ status: 201, body: { agentId: record.agentId } });
  });

  it('has a live call that a worker continues with its history', async () => {
    const { liveCallId: callId } = record;
    const tokens = createJoinTokens([RECORDED_KEYS.JOIN_TOKEN_SECRET]);
    const token = await tokens.sign({ callId, expiresAtMs: Date.now() + HOUR_MS });
    const client = await CallClient.connect({
      joinUrl: `${stack.mediaUrl}/join/${callId}?token=${token}`,
      inputSampleRateHz: 16_000,
      outputSampleRateHz: 16_000,
      keepAudio: false,
    });
    await client.until('the call to continue', () => client.messages.length > 0);
    client.send({ type: 'user_text_message', text: 'are you still there' });
    await client.until('an answer', () =>
      client.transcript.some(({ role, text }) => role === 'agent' && text.includes('still there')),
    );
    await client.hangUp();
    expect((await api.endedCall(callId)).endReason).toBe('hangup');
    const said = (await api.messages(callId)).filter(({ role }) => role === 'MESSAGE_ROLE_USER');
    expect(said.map(({ text }) => text)).toEqual(['my name is Grete', 'are you still there']);
    // Summarized by a job that the current release added to the queue.
    await eventually(async () => expect((await api.call(callId)).summary).not.toBeNull());
  });
});
