import dns, { type LookupAddress } from 'node:dns';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { systemClock } from '@calls/foundation/clock';
import { silentLogger } from '@calls/foundation/logger';
import { createOutboundHttp } from '@calls/outbound-http/outbound-http';
import { createConnectionPool } from '@calls/providers/http/connection-pool';
import { createOpenAiCompatibleLanguageModel } from '@calls/providers/llm/openai-compatible/adapter';
import { DEFAULT_LANGUAGE_MODEL_LIMITS } from '@calls/providers/llm/openai-compatible/limits';
import { createDeepgramSpeechToText } from '@calls/providers/stt/deepgram/adapter';
import { collect } from '@calls/testkit/collect';
import { SlowListener } from '../support/network/slow-listener.ts';

const AMPLE_MS = 60_000;
/** Nothing is at the second. */
const ADDRESSES = ['127.0.0.1', '2001:db8::1'] as const;
const { lookup } = dns;
const never = new AbortController().signal;
const shared = { clock: systemClock, log: silentLogger, model: 'm' };
let listener: SlowListener;

beforeAll(() => {
  const answers = ADDRESSES.map((address, i) => ({ address, family: i === 0 ? 4 : 6 }));
  const found = (_host: string, _options: object, callback: (error: null, all: LookupAddress[]) => void) =>
    callback(null, answers);
  dns.lookup = Object.assign(found as typeof lookup, lookup);
});
afterAll(() => {
  dns.lookup = lookup;
});
beforeEach(async () => {
  listener = await SlowListener.start();
});
afterEach(() => listener[Symbol.asyncDispose]());

const endpoint = () => ({ baseUrl: `http://provider.test:${listener.port}`, apiKey: null });

describe('a connection that takes a second, to a host whose second address is unreachable', () => {
  it('opens for a request to a customer', async () => {
    await using client = createOutboundHttp({
      allowPrivateNetworks: ADDRESSES,
      names: { addresses: () => Promise.resolve(ADDRESSES) },
    });
    const url = `http://customer.test:${listener.port}/`;
    const request = client.request({ method: 'GET', url, timeoutMs: AMPLE_MS, maxResponseBytes: 100 });
    await listener.loseFirstPacket();
    const response = await request;
    expect(response.status).toBe(200);
    response.close();
  });

  it('opens for a request to a provider', async () => {
    await using pool = createConnectionPool();
    const model = createOpenAiCompatibleLanguageModel({
      ...{ ...shared, pool, endpoint: endpoint(), acceptsAudio: false, extraBody: {} },
      limits: {
        ...DEFAULT_LANGUAGE_MODEL_LIMITS,
        connectTimeoutMs: AMPLE_MS,
        firstTokenTimeoutMs: AMPLE_MS,
      },
    });
    const messages = [{ role: 'user', content: 'Hello.' }] as const;
    const response = collect(model.respond({ model: 'm', temperature: 0, messages }, never));
    const [error] = await Promise.all([
      response.catch((thrown: unknown) => thrown),
      listener.loseFirstPacket(),
    ]);
    expect(error).toMatchObject({ message: expect.stringMatching(/the response is not an event stream$/u) });
  });

  it('opens for a WebSocket to a provider', async () => {
    const limits = { connectTimeoutMs: AMPLE_MS, timeoutMs: AMPLE_MS, maxUtteranceMs: AMPLE_MS };
    await using engine = createDeepgramSpeechToText({ ...shared, endpoint: endpoint(), limits });
    const stream = engine.open({ languageHint: null }, never);
    stream.push(new Int16Array(16_000));
    const [error] = await Promise.all([
      stream.finalize().catch((thrown: unknown) => thrown),
      listener.loseFirstPacket(),
    ]);
    expect(error).toMatchObject({ message: 'deepgram: status 200' });
    stream.close();
  });
});
