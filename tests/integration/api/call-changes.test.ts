import { afterAll, describe, expect, it } from '@jest/globals';
import type { CallLogEntryBody } from '@calls/api-contract/bus/call-log-entry';
import { VirtualClock } from '@calls/foundation/virtual-clock';
import { endedEntry } from '@calls/testkit/ended-entry';
import { ControlPlaneHarness, type TestAccount } from '../../support/control-plane-harness.ts';
import { eventually } from '../../support/eventually.ts';

const PATH = '/api/calls/changes';
const JOINED: CallLogEntryBody = { type: 'joined', clientVersion: null, workerId: 'w' };
const ENDED: CallLogEntryBody = endedEntry({ joinedAtMs: Date.now(), recording: null });

const harness = await ControlPlaneHarness.start();
afterAll(() => harness.stop());

/** An open stream of changes: collects what it receives. */
class Changes implements AsyncDisposable {
  readonly response: Response;
  readonly #abort: AbortController;
  readonly ended: Promise<void>;
  text = '';

  private constructor(response: Response, abort: AbortController) {
    this.response = response;
    this.#abort = abort;
    this.ended = this.#read().catch(() => undefined);
  }

  static async open(headers: Record<string, string>, url = harness.url): Promise<Changes> {
    const abort = new AbortController();
    const response = await fetch(`${url}${PATH}`, { headers, signal: abort.signal });
    return new Changes(response, abort);
  }

  static async of(account: TestAccount, url = harness.url): Promise<Changes> {
    const changes = await Changes.open({ 'X-API-Key': account.key }, url);
    expect(changes.response.status).toBe(200);
    await eventually(() => expect(changes.resyncs).toBe(1));
    return changes;
  }

  get resyncs(): number {
    return this.text.split('event: resync\n').length - 1;
  }

  /** The calls of the events, in order. */
  get calls(): unknown[] {
    return [...this.text.matchAll(/event: call\ndata: (.*)\n\n/gu)].map(
      ([, data = '']) => JSON.parse(data) as unknown,
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#abort.abort();
    await this.ended;
  }

  async #read(): Promise<void> {
    const decoder = new TextDecoder();
    const body = this.response.body as AsyncIterable<Uint8Array>;
    for await (const chunk of body) this.text += decoder.decode(chunk, { stream: true });
  }
}

describe('the stream of call changes', () => {
  it('reports created, joined and ended calls of the account, on every replica', async () => {
    const [account, other] = [await harness.account(), await harness.account()];
    const replica = await harness.addReplica();
    await using here = await Changes.of(account);
    await using there = await Changes.of(account, replica);
    await using foreign = await Changes.of(other);
    expect(Object.fromEntries(here.response.headers)).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
    });
    const call = await account.createCall();
    const event = harness.eventsOf(call, account.accountId);
    const { callId } = call;
    const reported = async (...states: string[]): Promise<void> => {
      const expected = states.map((state) => ({ callId, state }));
      for (const changes of [here, there]) await eventually(() => expect(changes.calls).toEqual(expected));
    };
    // Two replicas may report two changes at once in either order.
    await reported('created');
    await harness.bus.callLogs.append(event(1, JOINED));
    await reported('created', 'joined');
    await harness.bus.callLogs.append(event(2, ENDED));
    await reported('created', 'joined', 'ended');
    // The change is in the list when it is reported.
    expect((await account.call(callId)).endReason).toBe('hangup');

    const own = await other.createCall();
    await eventually(() => expect(foreign.calls).toEqual([{ callId: own.callId, state: 'created' }]));
  });

  it('rejects an account with 20 streams until one is closed', async () => {
    const account = await harness.account();
    const open = await Promise.all(Array.from({ length: 20 }, () => Changes.of(account)));
    const refused = await account.request(PATH);
    expect([refused.status, refused.body.code]).toEqual([429, 'concurrency']);
    await open.pop()![Symbol.asyncDispose]();
    await eventually(async () => expect((await account.request(PATH, { method: 'HEAD' })).status).toBe(200));
    for (const changes of open) await changes[Symbol.asyncDispose]();
  });

  it('requires a key', async () => {
    const { response } = await Changes.open({ 'X-API-Key': 'abcdefgh.unknown' });
    expect(response.status).toBe(401);
  });

  it('sends heartbeats and ends when the key is revoked', async () => {
    const account = await harness.account();
    const clock = new VirtualClock(Date.now());
    const url = await harness.addReplica({ clock });
    await using changes = await Changes.of(account, url);
    await eventually(async () => {
      await clock.advance(10_000);
      expect(changes.text).toMatch(/: heartbeat|resync[^]*resync/u);
    });
    await harness.query('delete from api_keys where key_id = $1', account.keyId);
    let hasEnded = false;
    void changes.ended.then(() => {
      hasEnded = true;
    });
    await eventually(async () => {
      await clock.advance(10_000);
      expect(hasEnded).toBe(true);
    });
  });

  it('ends immediately when the process stops', async () => {
    const stopping = await ControlPlaneHarness.start();
    const account = await stopping.account();
    await using changes = await Changes.of(account, stopping.url);
    await stopping.stop();
    await changes.ended;
    expect(changes.text.endsWith('\n\n')).toBe(true);
  });
});
