import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import { defineRequest } from '@calls/api-contract/bus/request-reply';
import type { Bus } from '@calls/bus/bus';
import { AppError } from '@calls/foundation/errors';
import { requireQuick } from '@calls/testkit/long-form';
import { Type } from 'typebox';
import { eventually } from '../support/eventually.ts';
import { connectTestBus } from '../support/connect-test-bus.ts';
import { ScratchServers } from '../support/scratch-servers.ts';

const open: AsyncDisposable[] = [];
const { signal: never } = new AbortController();

const servers = await ScratchServers.open();
const nats = await servers.nats();
afterEach(async () => {
  for (const part of open.splice(0).reverse()) await part[Symbol.asyncDispose]();
});
afterAll(() => servers.close());

async function bus(): Promise<Bus> {
  const connected = await connectTestBus(nats.url);
  open.push(connected);
  return connected;
}

let asked = 0;

/** Each test uses its own subject. The limit matters only to the tests that set it. */
function exchange(limitMs = 60_000) {
  asked += 1;
  const text = Type.String({ maxLength: 6_000_000 });
  return defineRequest({ name: 'echo', subject: `test.echo.${asked}`, limitMs }, text, text);
}

describe('a bus request', () => {
  it('receives a response from exactly one responder', async () => {
    const [asker, ...servants] = await Promise.all([bus(), bus(), bus()]);
    const echo = exchange();
    const answers = [0, 0];
    for (const [i, servant] of servants.entries()) {
      open.push(
        servant.requests.respond(echo, (text) => {
          answers[i] = (answers[i] ?? 0) + 1;
          return Promise.resolve(`${text}!`);
        }),
      );
      await servant.connection.ping();
    }
    const texts = Array.from({ length: 40 }, (_, i) => `question ${i}`);
    expect(await Promise.all(texts.map((text) => asker.requests.send(echo, text, never)))).toEqual(
      texts.map((text) => `${text}!`),
    );
    expect(answers.map((count) => count > 0)).toEqual([true, true]);
    expect(answers[0]! + answers[1]!).toBe(40);
    // 4 MB exceed the message limit but compress well.
    const long = 'ä'.repeat(2_000_000);
    expect((await asker.requests.send(echo, long, never)).length).toBe(long.length + 1);
  });

  it('rejects with the error of the responder', async () => {
    const [asker, servant] = await Promise.all([bus(), bus()]);
    const echo = exchange();
    const seen: string[] = [];
    open.push(
      servant.requests.respond(echo, (text) => {
        seen.push(text);
        if (text === 'again' && seen.length === 1) throw new AppError('away', 'not now', { retryable: true });
        if (text === 'broken') throw new Error('secret of the server');
        if (text === 'wrong') throw new AppError('no_such_thing', 'there is no such thing');
        return Promise.resolve(text);
      }),
    );
    await servant.connection.ping();
    expect(await asker.requests.send(echo, 'again', never)).toBe('again');
    expect(seen).toEqual(['again', 'again']);
    await expect(asker.requests.send(echo, 'wrong', never)).rejects.toMatchObject({
      code: 'no_such_thing',
      message: 'there is no such thing',
      retryable: false,
    });
    expect(seen.filter((text) => text === 'wrong')).toHaveLength(1);
    await expect(asker.requests.send(echo, 'broken', never)).rejects.toMatchObject({
      code: 'control_plane_failed',
      message: 'echo: the control-plane failed',
    });
    await expect(asker.requests.send(echo, 'x'.repeat(6_000_001), never)).rejects.toMatchObject({
      code: 'validation_failed',
    });
    // The compressed form still exceeds 4 MiB.
    const unpackable = randomBytes(4_450_000).toString('base64');
    await expect(asker.requests.send(echo, unpackable, never)).rejects.toMatchObject({
      code: 'message_too_large',
    });
  });

  it('rejects without responders and succeeds on retry after one starts', async () => {
    const [asker, servant] = await Promise.all([bus(), bus()]);
    const echo = exchange();
    await expect(asker.requests.send(echo, 'x', never)).rejects.toMatchObject({
      code: 'no_control_plane',
      retryable: true,
    });
    const asking = asker.requests.send(echo, 'x', never);
    open.push(servant.requests.respond(echo, (text) => Promise.resolve(text)));
    await servant.connection.ping();
    expect(await asking).toBe('x');
  });

  it('is sent to another responder when the first times out', async () => {
    const [asker, servant] = await Promise.all([bus(), bus()]);
    const echo = exchange(1000);
    let attempts = 0;
    open.push(
      servant.requests.respond(echo, (text) => {
        attempts += 1;
        return attempts === 1 ? Promise.withResolvers<string>().promise : Promise.resolve(text);
      }),
    );
    open.pop();
    await servant.connection.ping();
    expect(await asker.requests.send(echo, 'x', never)).toBe('x');
    const slow = exchange(100);
    servant.requests.respond(slow, () => Promise.withResolvers<string>().promise);
    await servant.connection.ping();
    await expect(asker.requests.send(slow, 'x', never)).rejects.toMatchObject({
      code: 'timeout',
      retryable: true,
    });
  });

  it('ends when its signal aborts and fails fast while the bus is disconnected', async () => {
    const [asker, servant] = await Promise.all([bus(), bus()]);
    const echo = exchange();
    servant.requests.respond(echo, () => Promise.withResolvers<string>().promise);
    await servant.connection.ping();
    const abort = new AbortController();
    const asking = asker.requests.send(echo, 'x', abort.signal);
    const reason = new Error('the call has ended');
    abort.abort(reason);
    await expect(asking).rejects.toBe(reason);
    await expect(asker.requests.send(echo, 'x', abort.signal)).rejects.toBe(reason);
    await nats.stop();
    try {
      await eventually(() => expect(asker.connection.connected).toBe(false));
      await expect(asker.requests.send(echo, 'x', never)).rejects.toMatchObject({ code: 'bus_unavailable' });
    } finally {
      await nats.start();
    }
  });

  it('that is in progress receives its response before its responder stops', async () => {
    const [asker, servant] = await Promise.all([bus(), bus()]);
    const echo = exchange();
    const begun = Promise.withResolvers<null>();
    const end = Promise.withResolvers<null>();
    const serving = servant.requests.respond(echo, async (text) => {
      begun.resolve(null);
      await end.promise;
      return text;
    });
    await servant.connection.ping();
    const asking = asker.requests.send(echo, 'x', never);
    await begun.promise;
    const gone = serving[Symbol.asyncDispose]();
    end.resolve(null);
    await gone;
    expect(await asking).toBe('x');
    await expect(asker.requests.send(echo, 'x', never)).rejects.toMatchObject({ code: 'no_control_plane' });
  });

  it('does not prevent its responder from stopping while the bus is disconnected', async () => {
    const servant = await bus();
    const serving = servant.requests.respond(exchange(), (text) => Promise.resolve(text));
    const consuming = servant.callLogs.consume('test_stop', () => Promise.resolve(), {
      maxInFlight: 4,
      concurrency: 1,
    });
    await nats.stop();
    try {
      await eventually(() => expect(servant.connection.connected).toBe(false));
      const startedMs = performance.now();
      await serving[Symbol.asyncDispose]();
      await consuming[Symbol.asyncDispose]();
      await servant[Symbol.asyncDispose]();
      requireQuick(performance.now() - startedMs, 4000);
    } finally {
      await nats.start();
    }
  });
});
