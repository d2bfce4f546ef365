import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import type { CallLogEntry } from '@calls/api-contract/bus/call-log-entry';
import type { CallSpec } from '@calls/api-contract/call-spec';
import { levelDbfs } from '@calls/audio/pcm';
import { createCallSeal } from '@calls/bus/call-seal';
import { createWebRtcOffer } from '@calls/bus/web-rtc-offer';
import { systemClock } from '@calls/foundation/clock';
import { newTraceContext, traceparentOf } from '@calls/foundation/trace-context';
import { createJoinTokens } from '@calls/secrets/join-tokens/join-tokens';
import { LOCAL_FALLBACK_VOICE } from '@calls/providers/config/catalogue';
import { agentSpeaksFirst, callSpec, serverWebSocketSpec, stageSpec } from '@calls/testkit/call-spec';
import { MICROPHONE_RATE_HZ, openBrowser } from '../support/browser/open-browser.ts';
import { eventually } from '../support/eventually.ts';
import { connectTestBus } from '../support/connect-test-bus.ts';
import { MediaWorkerProcess } from '../support/media-worker-process.ts';
import { mediasoupWorkerEnvironment } from '../support/mediasoup-worker.ts';
import { ScratchServers } from '../support/scratch-servers.ts';
import { SignallingSocket } from '../support/webrtc/signalling-socket.ts';
import { WebRtcClient } from '../support/webrtc/webrtc-client.ts';
import { WhipClient } from '../support/webrtc/whip-client.ts';

const SECRET = 'a secret for tests only';
const tokens = createJoinTokens([SECRET]);
const seal = createCallSeal([SECRET]);

const events: CallLogEntry[] = [];

const servers = await ScratchServers.open();
const nats = await servers.nats();
const bus = await connectTestBus(nats.url);
bus.callLogs.consume(
  'events',
  (event) => {
    events.push(event);
    return Promise.resolve();
  },
  { maxInFlight: 100, concurrency: 1 },
);
const folder = await mkdtemp(join(tmpdir(), 'calls-webrtc-'));
/** One worker accepts calls; the other has no capacity and forwards clients. */
const [owner, other] = await Promise.all([
  startWorker(mediasoupWorkerEnvironment()),
  startWorker({ MEDIASOUP_WORKER_BIN: '', WEBRTC_UNAVAILABLE: 'this one does without' }),
]);
afterEach(() => WebRtcClient.stopAll());
afterAll(async () => {
  await Promise.all([owner, other].map((worker) => worker[Symbol.asyncDispose]()));
  await bus[Symbol.asyncDispose]();
  await servers.close();
  await rm(folder, { recursive: true, force: true });
});

function startWorker(env: Readonly<Record<string, string>>): Promise<MediaWorkerProcess> {
  return MediaWorkerProcess.start(nats.url, {
    JOIN_TOKEN_SECRET: SECRET,
    DATA_DIR: folder,
    // Longer than a busy machine needs for a client to return.
    RECONNECT_GRACE_MS: '60000',
    ...env,
  });
}

/** A call with a spoken greeting, run by the worker that pulled it from the queue. */
async function createCall(overrides: Partial<CallSpec> = {}): Promise<CallSpec> {
  const spec = callSpec({
    createdAtMs: Date.now(),
    medium: { kind: 'webRtc', dataMessages: {} },
    firstStage: stageSpec({ model: 'svc-local', voice: LOCAL_FALLBACK_VOICE }),
    firstSpeaker: agentSpeaksFirst('Hello there, how can I help?'),
    ...overrides,
  });
  const created = { admissionClass: 'standard', spec, trace: traceparentOf(newTraceContext(null)) } as const;
  await bus.createdCalls.publish(seal.seal(created), spec.callId);
  await eventually(async () => expect(await bus.commands.isServed(spec.callId)).toBe(true));
  return spec;
}

async function joinUrl(at: MediaWorkerProcess, { callId }: CallSpec, scheme: 'ws' | 'http'): Promise<string> {
  const token = await tokens.sign({ callId, expiresAtMs: Date.now() + 60_000 });
  return `${at.url.replace('ws', scheme)}/join/${callId}?token=${token}&clientVersion=test-1`;
}

function ended({ callId }: CallSpec): Promise<CallLogEntry> {
  return eventually(() => {
    const event = events.find((each) => each.callId === callId && each.body.type === 'ended');
    if (!event) throw new Error('it has not ended');
    return event;
  });
}

/** Waits until the client receives audible speech. */
async function receivesAudio(client: { received: readonly number[] }): Promise<void> {
  await eventually(() => expect(client.received.length).toBeGreaterThan(16_000));
  expect(levelDbfs(Int16Array.from(client.received))).toBeGreaterThan(-40);
}

describe('a WebRTC call', () => {
  it('is assigned to a worker that supports WebRTC, and is offered by the API when one does', async () => {
    // On a busy machine, workers may announce themselves late.
    const faults = () =>
      eventually(async () => {
        const records = await bus.workers.list();
        expect(records.map(({ webRtcFault }) => webRtcFault)).toEqual(
          expect.arrayContaining([null, 'this one does without']),
        );
        return new Map(records.map(({ workerId, webRtcFault }) => [workerId, webRtcFault]));
      });
    await eventually(async () => {
      await faults();
      expect(await createWebRtcOffer(bus.workers, systemClock)()).toBeNull();
    });
    for (let i = 0; i < 3; i += 1) {
      const { callId } = await createCall();
      const { workerId = '' } = (await bus.leases.find(callId))?.holder ?? {};
      expect((await faults()).get(workerId)).toBeNull();
    }
  });

  it('can be joined through any worker, greets, responds and is hung up', async () => {
    const call = await createCall();
    const client = await WebRtcClient.join(await joinUrl(other, call, 'ws'));
    await receivesAudio(client);
    client.say({ type: 'user_text_message', text: 'What is your name?', urgency: 'immediate' });
    const answers = (): number => client.messages.filter((m) => m.type === 'transcript' && m.final).length;
    await eventually(() => expect(answers()).toBeGreaterThanOrEqual(3));
    await client.hangUp();
    expect((await ended(call)).body).toMatchObject({ endReason: 'hangup' });
  });

  it('continues when its client disconnects and reconnects', async () => {
    const call = await createCall();
    const url = await joinUrl(owner, call, 'ws');
    const client = await WebRtcClient.join(url);
    await receivesAudio(client);
    await client.vanish();
    const again = await WebRtcClient.join(url);
    await eventually(() =>
      expect(again.messages).toContainEqual(expect.objectContaining({ type: 'transcript', final: true })),
    );
    await again.hangUp();
    expect((await ended(call)).body).toMatchObject({ endReason: 'hangup' });
  });

  it('sends the message types enabled in the current join URL', async () => {
    const call = await createCall();
    const url = await joinUrl(owner, call, 'ws');
    const client = await WebRtcClient.join(`${url}&experimentalMessages=debug,frob,userStoppedSpeaking`);
    const notes = (of: WebRtcClient) => of.messages.filter(({ type }) => type === 'debug');
    await eventually(() => expect(JSON.stringify(notes(client))).toContain('frob'));
    await client.vanish();
    const again = await WebRtcClient.join(`${url}&additionalMessages=call_event,debug,frob`);
    await eventually(() => expect(JSON.stringify(notes(again))).toContain('frob'));
    await again.hangUp();
    expect((await ended(call)).body).toMatchObject({ endReason: 'hangup' });
  });

  it('accepts one of many concurrent clients and none after its end', async () => {
    const call = await createCall();
    const url = await joinUrl(owner, call, 'ws');
    const clients = await Promise.all([0, 1].map(() => WebRtcClient.connect(url)));
    await Promise.all(clients.map((client) => client.setUp()));
    const joined = await Promise.allSettled(
      clients.map(({ signalling }) => signalling.request({ type: 'rtc_join' })),
    );
    expect(joined.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const [first, second] = joined[0]?.status === 'fulfilled' ? clients : clients.toReversed();
    expect(await second?.signalling.closed.promise).toEqual({ code: 4409, reason: 'already_joined' });
    await first?.hangUp();
    await ended(call);
    const late = new SignallingSocket(url);
    expect(await late.closed.promise).toEqual({ code: 4404, reason: 'unknown_call' });
  });

  it('limits the number of join attempts', async () => {
    const call = await createCall();
    const url = await joinUrl(owner, call, 'ws');
    const tries = Array.from({ length: 40 }, () => new SignallingSocket(url));
    // Three connections remain in setup.
    await eventually(() => expect(tries.filter(({ socket }) => socket.readyState === 3)).toHaveLength(37));
    const closings = await Promise.all(
      tries.filter(({ socket }) => socket.readyState === 3).map(({ closed }) => closed.promise),
    );
    const reasons = closings.map(({ code, reason }) => `${code} ${reason}`);
    expect(new Set(reasons)).toEqual(new Set(['4409 already_joined', '4503 too_many_joins']));
    expect(reasons.filter((reason) => reason.startsWith('4503')).length).toBeGreaterThan(5);
    for (const { socket } of tries) socket.close();
  });
});

/** The code with which a page joins a call without the client SDK. */
const JOIN_IN_PAGE = `async (url) => {
  const peer = new RTCPeerConnection();
  peer.ontrack = ({ streams }) => {
    const speaker = new Audio();
    speaker.srcObject = streams[0];
    void speaker.play();
  };
  const microphone = await navigator.mediaDevices.getUserMedia({ audio: true });
  peer.addTransceiver(microphone.getAudioTracks()[0], { direction: 'sendrecv' });
  await peer.setLocalDescription();
  const headers = { 'content-type': 'application/sdp' };
  const answer = await fetch(url, { method: 'POST', headers, body: peer.localDescription.sdp });
  await peer.setRemoteDescription({ type: 'answer', sdp: await answer.text() });
  const session = new URL(answer.headers.get('location'), url);
  window.hangUp = async () => (await fetch(session, { method: 'DELETE' })).status;
  window.receivedEnergy = async () => {
    const reports = [...(await peer.getStats()).values()];
    return reports.find(({ type }) => type === 'inbound-rtp')?.totalAudioEnergy ?? 0;
  };
}`;

describe('WHIP', () => {
  it.each(['owner', 'other'] as const)(
    'joins a call by SDP offer to the %s worker, receives audio and hangs up',
    async (at) => {
      const call = await createCall();
      const url = await joinUrl(at === 'owner' ? owner : other, call, 'http');
      const client = await WhipClient.join(url);
      await receivesAudio(client);
      const again = await client.post('v=0');
      expect([again.status, await again.json()]).toMatchObject([409, { code: 'already_joined' }]);
      expect(await client.hangUp()).toBe(200);
      expect((await ended(call)).body).toMatchObject({ endReason: 'hangup' });
      expect(events).toContainEqual(
        expect.objectContaining({
          callId: call.callId,
          body: expect.objectContaining({ type: 'joined', clientVersion: 'test-1' }),
        }),
      );
    },
  );

  it('allows a browser to join without the SDK', async () => {
    const call = await createCall();
    const url = await joinUrl(owner, call, 'http');
    await using browser = await openBrowser(new Int16Array(MICROPHONE_RATE_HZ));
    const { page } = browser;
    // Opens a page of an origin that may use the microphone.
    await page.goto(new URL('/healthz', url).href);
    await page.evaluate(`(${JOIN_IN_PAGE})(${JSON.stringify(url)})`);
    const energy = (): Promise<number> => page.evaluate('receivedEnergy()');
    await eventually(async () => expect(await energy()).toBeGreaterThan(0.001));
    expect(await page.evaluate('hangUp()')).toBe(200);
    expect((await ended(call)).body).toMatchObject({ endReason: 'hangup' });
  });

  it('returns errors in REST API format to pages of any origin', async () => {
    const call = await createCall();
    const socketCall = await createCall({ medium: serverWebSocketSpec() });
    const url = await joinUrl(owner, call, 'http');
    const sdp = { 'content-type': 'application/sdp' };
    const ask = async (to: string, init: RequestInit): Promise<unknown[]> => {
      const response = await fetch(to, init);
      expect(response.headers.get('access-control-allow-origin')).toBe('*');
      expect(response.headers.get('content-type')).toBe('application/problem+json');
      return [response.status, ((await response.json()) as { code: string }).code];
    };
    const post = (to: string, body: string): Promise<unknown[]> =>
      ask(to, { method: 'POST', headers: sdp, body });
    expect(await ask(url, { method: 'POST', body: 'v=0' })).toEqual([415, 'unsupported_media_type']);
    expect(await post(url.replace(/token=[^&]+/u, 'token=x'), 'v=0')).toEqual([401, 'bad_token']);
    expect(await post(url, 'hello')).toEqual([422, 'offer_not_acceptable']);
    expect(await post(url, 'v=0\r\nm=audio 9 UDP/TLS/RTP/SAVPF 0\r\n')).toEqual([
      422,
      'offer_not_acceptable',
    ]);
    expect(await post(url, `v=0${' '.repeat(70_000)}`)).toEqual([413, 'body_too_large']);
    const otherUrl = await joinUrl(owner, socketCall, 'http');
    expect(await post(otherUrl, 'v=0')).toEqual([422, 'other_medium']);
    const socket = new WebSocket(await joinUrl(owner, socketCall, 'ws'));
    await new Promise((resolve) => {
      socket.onmessage = resolve;
    });
    expect(await post(otherUrl, 'v=0')).toEqual([422, 'other_medium']);
    socket.close();
    const session = url.replace('?', '/whip/01890a5d-ac96-774b-bcce-b302099a8057?');
    expect(await ask(session, { method: 'DELETE' })).toEqual([404, 'unknown_call']);
  });

  it('responds to each method as RFC 9725 requires', async () => {
    const call = await createCall();
    const url = await joinUrl(owner, call, 'http');
    const session = url.replace('?', '/whip/01890a5d-ac96-774b-bcce-b302099a8057?');
    const ask = async (to: string, method: string): Promise<unknown[]> => {
      const { status, headers } = await fetch(to, { method, ...(method === 'PUT' && { body: 'v=0' }) });
      return [status, headers.get('allow')];
    };
    const [endpointAllows, sessionAllows] = ['GET, HEAD, OPTIONS, POST', 'DELETE, GET, HEAD, OPTIONS'];
    for (const method of ['GET', 'HEAD']) {
      expect(await ask(url, method)).toEqual([204, endpointAllows]);
      expect(await ask(session, method)).toEqual([204, sessionAllows]);
    }
    for (const method of ['PUT', 'PATCH', 'DELETE']) {
      expect(await ask(url, method)).toEqual([405, endpointAllows]);
    }
    for (const method of ['PUT', 'PATCH', 'POST']) {
      expect(await ask(session, method)).toEqual([405, sessionAllows]);
    }
    // Preflights carry no token.
    const preflight = await fetch(url.replace(/\?.*/u, ''), { method: 'OPTIONS' });
    expect(preflight.status).toBe(200);
    expect(Object.fromEntries(preflight.headers)).toMatchObject({
      'accept-post': 'application/sdp',
      'access-control-allow-methods': endpointAllows,
      'access-control-allow-headers': 'Authorization, Content-Type, If-Match',
      'access-control-expose-headers': expect.stringContaining('Location'),
      'access-control-allow-origin': '*',
    });
  });

  it('accepts the token of the call in the URL and as bearer token', async () => {
    const [call, other] = [await createCall(), await createCall()];
    const url = new URL(await joinUrl(owner, call, 'http'));
    const token = url.searchParams.get('token') ?? '';
    const otherToken = new URL(await joinUrl(owner, other, 'http')).searchParams.get('token') ?? '';
    url.search = '';
    const status = async (bearer: string, method: string, to = url.href): Promise<number> => {
      const headers = { authorization: `Bearer ${bearer}`, 'content-type': 'application/sdp' };
      return (await fetch(to, { method, headers, ...(method === 'POST' && { body: 'v=0' }) })).status;
    };
    const session = `${url.href}/whip/01890a5d-ac96-774b-bcce-b302099a8057`;
    expect(await status(token, 'POST')).toBe(422);
    expect(await status(otherToken, 'POST')).toBe(401);
    expect(await status(otherToken, 'DELETE', session)).toBe(401);
    expect(await status(token, 'DELETE', session)).toBe(404);
  });

  it('is rate-limited and returns Retry-After', async () => {
    const call = await createCall();
    const url = await joinUrl(owner, call, 'http');
    const headers = { 'content-type': 'application/sdp' };
    const responses = await Promise.all(
      Array.from({ length: 40 }, () => fetch(url, { method: 'POST', headers, body: 'v=0' })),
    );
    const refused = responses.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(5);
    expect(refused[0]?.headers.get('retry-after')).toBe('2');
    expect(await refused[0]?.json()).toMatchObject({ code: 'too_many_joins' });
  });

  it('hangs up a call that has lost its media connection', async () => {
    const call = await createCall();
    const url = await joinUrl(owner, call, 'http');
    const client = await WhipClient.join(url);
    // The client may be connected before the call has accepted it.
    await receivesAudio(client);
    await owner.killMediasoup();
    await eventually(async () => expect((await client.post('v=0')).status).not.toBe(409));
    expect(await client.hangUp()).toBe(200);
    expect((await ended(call)).body).toMatchObject({ endReason: 'hangup' });
    expect((await client.post('v=0')).status).toBe(404);
  });
});
