import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseSignalRequest, type SignalRequest } from '@calls/api-contract/signalling/signal-requests';
import { afterEach, describe, expect, it } from '@jest/globals';
import { FakeMediaStreamTrack } from 'fake-mediastreamtrack';
import { Device } from 'mediasoup-client';
import {
  generateConsumerRemoteParameters,
  generateDataConsumerRemoteParameters,
  generateLocalDtlsParameters,
  generateNativeRtpCapabilities,
  generateRouterRtpCapabilities,
  generateTransportRemoteParameters,
} from 'mediasoup-client/fakeParameters';
import { FakeHandler } from 'mediasoup-client/handlers/FakeHandler';
import { WebSocketServer, type WebSocket } from 'ws';
import type { CallEventMap } from './call-events.ts';
import type { CallSessionOptions, Environment } from './call-options.ts';
import { CallSession } from './call-session.ts';

/** One client's connection, as the service sees it. */
interface Visit {
  readonly url: URL;
  readonly socket: WebSocket;
  /** Types of its signalling requests, in order. */
  readonly requests: string[];
  /** Its data messages. */
  readonly messages: Record<string, unknown>[];
  /** Its requests that violate the contract. */
  readonly errors: unknown[];
  /** Resolves with the close code. */
  readonly closed: Promise<number>;
  say(message: object): void;
}

interface SignallingServerOptions {
  /** Close code and reason for the n-th connection (from 0), or null to accept it. */
  refuse?: (n: number) => [number, string] | null;
  /** The first message: by default that of a call with WebRTC, null for none. */
  greet?: () => object | null;
  /** The response to a request: null for that of the service, `nothing` for none. */
  answer?: (request: SignalRequest) => object | null | 'nothing';
}

/** The service's side of the signalling contract, without media. */
class SignallingServer implements AsyncDisposable {
  readonly visits: Visit[] = [];
  readonly #options: SignallingServerOptions;
  readonly #http: Server = createServer();
  readonly #sockets = new WebSocketServer({ server: this.#http });

  private constructor(options: SignallingServerOptions) {
    this.#options = options;
    this.#sockets.on('connection', (socket, { url }) => this.#receive(socket, url ?? ''));
  }

  static async start(options: SignallingServerOptions = {}): Promise<SignallingServer> {
    const server = new SignallingServer(options);
    await new Promise<void>((resolve) => server.#http.listen(0, '127.0.0.1', resolve));
    return server;
  }

  get joinUrl(): string {
    return `ws://127.0.0.1:${(this.#http.address() as AddressInfo).port}/join/1?token=t`;
  }

  get visit(): Visit {
    const last = this.visits.at(-1);
    if (!last) throw new Error('no client has connected');
    return last;
  }

  async visited(): Promise<void> {
    await new Promise((resolve) => this.#sockets.once('connection', resolve));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const client of this.#sockets.clients) client.terminate();
    this.#sockets.close();
    await new Promise((resolve) => this.#http.close(resolve));
  }

  #receive(socket: WebSocket, path: string): void {
    const refusal = this.#options.refuse?.(this.visits.length) ?? null;
    const visit: Visit = {
      url: new URL(path, 'ws://server'),
      socket,
      requests: [],
      messages: [],
      errors: [],
      closed: new Promise((resolve) => socket.on('close', resolve)),
      say: (message) => socket.send(JSON.stringify(message)),
    };
    this.visits.push(visit);
    socket.on('message', (data: Buffer) => this.#onText(visit, data.toString()));
    if (refusal) socket.close(...refusal);
    else {
      const greeting = this.#options.greet ? this.#options.greet() : ready();
      if (greeting) visit.say(greeting);
    }
  }

  #onText(visit: Visit, text: string): void {
    const parsed = parseSignalRequest(text);
    if (!parsed) visit.messages.push(JSON.parse(text) as Record<string, unknown>);
    else if (parsed.kind === 'malformed') visit.errors.push(parsed);
    else {
      const { request } = parsed;
      visit.requests.push(request.type);
      const answer = this.#options.answer?.(request) ?? { result: resultOf(request) };
      if (answer !== 'nothing') visit.say({ type: 'rtc_answer', requestId: request.requestId, ...answer });
    }
  }
}

function ready(): object {
  const { id, ...transport } = generateTransportRemoteParameters();
  return {
    type: 'rtc_ready',
    routerRtpCapabilities: generateRouterRtpCapabilities(),
    iceServers: [],
    sendTransport: { ...transport, id: `${id}-send` },
    receiveTransport: { ...transport, id: `${id}-receive` },
    maxDataChannelBytes: 16_384,
  };
}

function resultOf(request: SignalRequest): object {
  if (request.type !== 'rtc_consume') return {};
  return {
    audio: generateConsumerRemoteParameters({ codecMimeType: 'audio/opus' }),
    data: { ...generateDataConsumerRemoteParameters(), label: 'calls', protocol: '' },
  };
}

/** Fake media with real negotiation. The service's data channel opens after `openData`. */
function createEnvironment(
  played: (MediaStreamTrack | null)[],
  volumes: number[],
  openData: () => Promise<void>,
): Environment {
  const factory = FakeHandler.createFactory({ generateLocalDtlsParameters, generateNativeRtpCapabilities });
  const handlerFactory: typeof factory = {
    ...factory,
    factory: (options) => {
      const handler = factory.factory(options);
      const receiveDataChannel = handler.receiveDataChannel.bind(handler);
      handler.receiveDataChannel = async (parameters) => {
        await openData();
        return receiveDataChannel(parameters);
      };
      handler.on('@connect', () => queueMicrotask(() => handler.emit('@connectionstatechange', 'connected')));
      return handler;
    },
  };
  return {
    checkBrowser: () => undefined,
    createDevice: () => new Device({ handlerFactory }),
    createSpeaker: () => ({
      isMuted: false,
      get volume() {
        return volumes.at(-1) ?? 1;
      },
      set volume(volume) {
        volumes.push(volume);
      },
      play: (track) => void played.push(track),
      stop: () => void played.push(null),
      resume: () => Promise.resolve(),
      setDevice: () => Promise.resolve(),
    }),
  };
}

const services: SignallingServer[] = [];
afterEach(async () => {
  for (const service of services.splice(0)) await service[Symbol.asyncDispose]();
});

async function begin(
  server: SignallingServerOptions = {},
  options: CallSessionOptions = {},
  openData = (): Promise<void> => Promise.resolve(),
) {
  const service = await SignallingServer.start(server);
  services.push(service);
  const played: (MediaStreamTrack | null)[] = [];
  const volumes: number[] = [];
  const session = new CallSession({ ...options, environment: createEnvironment(played, volumes, openData) });
  const events: [string, unknown][] = [];
  const types = ['status', 'ended', 'error', 'reconnecting', 'reconnected', 'mute'] as const;
  for (const type of types) session.addEventListener(type, ({ detail }) => events.push([type, detail]));
  return {
    service,
    session,
    events,
    played,
    volumes,
    microphone: new FakeMediaStreamTrack({ kind: 'audio' }),
  };
}

/** The next event of this type for which `holds` returns true. */
function next<K extends keyof CallEventMap>(
  session: CallSession,
  type: K,
  holds: (detail: CallEventMap[K]) => boolean = () => true,
): Promise<CallEventMap[K]> {
  return new Promise((resolve) => {
    session.addEventListener(type, function listen({ detail }) {
      if (!holds(detail)) return;
      session.removeEventListener(type, listen);
      resolve(detail);
    });
  });
}

/** Resolves with the first message of this type once the server has received it. */
async function messageReceived(service: SignallingServer, type: string): Promise<Record<string, unknown>> {
  const { messages, socket } = service.visit;
  for (;;) {
    const found = messages.find((message) => message['type'] === type);
    if (found) return found;
    await new Promise((resolve) => socket.once('message', resolve));
  }
}

describe('CallSession.joinCall', () => {
  it('negotiates media in both directions, plays the agent and takes over its states', async () => {
    const { service, session, events, played, microphone } = await begin({}, { clientVersion: 'test 1' });
    await session.joinCall(service.joinUrl, { microphone });
    expect(service.visit.errors).toEqual([]);
    expect(service.visit.requests.toSorted()).toEqual([
      'rtc_connect_transport',
      'rtc_connect_transport',
      'rtc_consume',
      'rtc_join',
      'rtc_produce_audio',
      'rtc_produce_data',
    ]);
    expect(service.visit.requests.at(-1)).toBe('rtc_join');
    expect(service.visit.url.searchParams.get('clientVersion')).toMatch(/^test 1 calls-client/u);
    expect(played).toEqual([session.agentTrack]);
    expect(session.joinTimeMs).toBeGreaterThan(0);

    service.visit.say({ type: 'call_started', callId: 'c1' });
    service.visit.say({ type: 'state', state: 'speaking' });
    await next(session, 'status', (status) => status === 'speaking');
    expect(session.callId).toBe('c1');

    // Each caller of leaveCall waits until the session is closed.
    void session.leaveCall();
    await session.leaveCall();
    expect(session.status).toBe('disconnected');
    expect(await service.visit.closed).toBe(1000);
    expect(events).toEqual([
      ['status', 'connecting'],
      ['status', 'idle'],
      ['status', 'speaking'],
      ['status', 'disconnecting'],
      ['status', 'disconnected'],
      ['ended', { reason: 'hangup', error: null }],
    ]);
    expect(played.at(-1)).toBeNull();
    expect([session.agentTrack, session.microphoneTrack]).toEqual([null, null]);
    // The session does not stop a track that the page owns.
    expect(microphone.readyState).toBe('live');
  });

  it('sends rtc_join only when it can receive data messages', async () => {
    const order: string[] = [];
    const answer = ({ type }: SignalRequest): null => {
      order.push(type);
      return null;
    };
    const { service, session } = await begin({ answer }, {}, async () => {
      await new Promise((resolve) => setTimeout(resolve, 50));
      order.push('data channel');
    });
    await session.joinCall(service.joinUrl, { microphone: false });
    expect(order.slice(-2)).toEqual(['data channel', 'rtc_join']);
    await session.leaveCall();
  });

  it('sends rtc_join without waiting for the produce responses, and is connecting until they arrive', async () => {
    const waiting: string[] = [];
    const { service, session, microphone } = await begin({
      answer: ({ type }) => {
        waiting.push(type);
        return type.startsWith('rtc_produce') ? 'nothing' : null;
      },
    });
    const joined = session.joinCall(service.joinUrl, { microphone });
    await requestReceived(service, 'rtc_join');
    expect(waiting).toHaveLength(6);
    expect(session.status).toBe('connecting');
    await session.leaveCall();
    await expect(joined).rejects.toMatchObject({ code: 'left' });
  });

  it('produces no audio without a microphone, which can be set later', async () => {
    const { service, session, microphone } = await begin();
    await session.joinCall(service.joinUrl, { microphone: false });
    expect(service.visit.requests).not.toContain('rtc_produce_audio');
    session.muteMic();
    await session.setMicrophone(microphone);
    expect(service.visit.requests).toContain('rtc_produce_audio');
    expect(session.microphoneTrack?.enabled).toBe(false);
    session.unmuteMic();
    expect(session.microphoneTrack?.enabled).toBe(true);
    await session.setMicrophone(new FakeMediaStreamTrack({ kind: 'audio' }));
    expect(service.visit.requests.filter((type) => type === 'rtc_produce_audio')).toHaveLength(1);
    await session.leaveCall();
  });

  it('ends when the user leaves, or time is up, while the browser opens an allowed microphone', async () => {
    let receives = Promise.withResolvers<null>();
    const { service, session } = await begin({}, {}, () => {
      receives.resolve(null);
      return Promise.resolve();
    });
    const devices = Object.assign(new EventTarget(), { getUserMedia: () => new Promise(() => undefined) });
    const permissions = { query: () => Promise.resolve({ state: 'granted' }) };
    Object.defineProperties(navigator, {
      mediaDevices: { value: devices, configurable: true },
      permissions: { value: permissions, configurable: true },
    });
    try {
      const joined = session.joinCall(service.joinUrl);
      await receives.promise;
      await session.leaveCall();
      await expect(joined).rejects.toMatchObject({ code: 'left' });
      receives = Promise.withResolvers<null>();
      const late = session.joinCall(service.joinUrl);
      await receives.promise;
      service.visit.socket.close(4408, 'media_not_connected');
      await expect(late).rejects.toMatchObject({ code: 'microphone_failed', retryable: true });
      await session.joinCall(service.joinUrl, { microphone: false });
      await session.leaveCall();
    } finally {
      for (const name of ['mediaDevices', 'permissions']) Reflect.deleteProperty(navigator, name);
    }
  });

  it('rejects a track that has ended', async () => {
    const { service, session, microphone } = await begin();
    microphone.stop();
    const joined = session.joinCall(service.joinUrl, { microphone });
    await expect(joined).rejects.toMatchObject({ code: 'microphone_failed' });
  });

  it.each([
    [4401, 'bad_token', false],
    [4404, 'unknown_call', false],
    [4408, 'media_not_connected', true],
    [4409, 'already_joined', true],
    [4422, 'wrong_medium', false],
    [4503, 'no_capacity', true],
  ])('maps the close code %d to an error', async (closeCode, code, retryable) => {
    const { service, session, events } = await begin({ refuse: () => [closeCode, 'why'] });
    await expect(session.joinCall(service.joinUrl, { microphone: false })).rejects.toMatchObject({
      code,
      retryable,
    });
    expect(session.status).toBe('disconnected');
    expect(service.visits).toHaveLength(1);
    expect(events.at(-1)).toEqual(['ended', { reason: null, error: expect.objectContaining({ code }) }]);
  });

  it('reports an unreachable service and a refused request', async () => {
    const { service, session } = await begin({
      answer: ({ type }) =>
        type === 'rtc_produce_data' ? { error: { code: 'invalid', message: 'no' } } : null,
    });
    await expect(session.joinCall(service.joinUrl, { microphone: false })).rejects.toMatchObject({
      code: 'signalling_failed',
      message: 'no',
    });
    // With this code, the service can leave the call open for another attempt.
    expect(await service.visit.closed).toBe(4000);
    const { joinUrl } = service;
    await service[Symbol.asyncDispose]();
    await expect(session.joinCall(joinUrl, { microphone: false })).rejects.toMatchObject({
      code: 'connection_failed',
      message: expect.stringContaining('cannot connect to ws://127.0.0.1:'),
    });
  });

  it('reports a server that does not open a WebSocket, and stops probing when the user leaves', async () => {
    const { session } = await begin();
    const proxy = createServer();
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    const joinUrl = `ws://127.0.0.1:${(proxy.address() as AddressInfo).port}/join/1`;
    proxy.on('request', (_request, response) => response.writeHead(400).end());
    await expect(session.joinCall(joinUrl, { microphone: false })).rejects.toMatchObject({
      code: 'connection_failed',
      message: expect.stringContaining('does not open a WebSocket'),
    });
    proxy.removeAllListeners('request');
    proxy.on('request', ({ headers }, response) => {
      if (headers.upgrade === 'websocket') response.writeHead(400).end();
      else void session.leaveCall();
    });
    await expect(session.joinCall(joinUrl, { microphone: false })).rejects.toMatchObject({ code: 'left' });
    proxy.closeAllConnections();
    await new Promise((resolve) => proxy.close(resolve));
  });

  it.each([
    [1000, 'agent_hangup', 'unknown_call', 'the call has ended (agent_hangup)'],
    [4404, 'unknown_call', 'unknown_call', 'call not found'],
  ])(
    'reports why the service closes with %d during the negotiation',
    async (closeCode, reason, code, message) => {
      const { service, session, events, microphone } = await begin({
        answer: ({ type }) => {
          // Closes after this response.
          if (type === 'rtc_consume') queueMicrotask(() => service.visit.socket.close(closeCode, reason));
          return null;
        },
      });
      await expect(session.joinCall(service.joinUrl, { microphone })).rejects.toMatchObject({
        code,
        message: expect.stringContaining(message),
        retryable: false,
      });
      expect(session.status).toBe('disconnected');
      expect(events.filter(([type]) => type === 'ended')).toHaveLength(1);
      expect(service.visits).toHaveLength(1);
    },
  );

  it('fails with the transport policy `relay` when the service names no TURN server', async () => {
    const { service, session } = await begin({}, { iceTransportPolicy: 'relay' });
    await expect(session.joinCall(service.joinUrl, { microphone: false })).rejects.toMatchObject({
      code: 'media_not_connected',
      message: expect.stringContaining('TURN'),
    });
    expect(service.visit.requests).toEqual([]);
  });

  it('retries when the service closes the connection for a restart', async () => {
    const { service, session } = await begin({ refuse: (n) => (n === 0 ? [1012, 'service_restart'] : null) });
    await session.joinCall(service.joinUrl, { microphone: false });
    expect(service.visits).toHaveLength(2);
    await session.leaveCall();
  });

  it('rejects a second call while one is active, and joins another one afterwards', async () => {
    const { service, session } = await begin();
    await session.joinCall(service.joinUrl, { microphone: false });
    await expect(session.joinCall(service.joinUrl)).rejects.toMatchObject({ code: 'already_in_call' });
    service.visit.say({
      type: 'transcript',
      role: 'agent',
      medium: 'text',
      text: 'Hi',
      delta: null,
      final: true,
      ordinal: 0,
    });
    await next(session, 'transcripts');
    await session.leaveCall();
    expect(session.transcripts).toHaveLength(1);
    expect(() => session.sendText('hello?')).toThrow(expect.objectContaining({ code: 'not_in_call' }));
    await session.joinCall(service.joinUrl, { microphone: false });
    expect(session.transcripts).toEqual([]);
    // A join waits for the call that is being left.
    const left = session.leaveCall();
    await session.joinCall(service.joinUrl, { microphone: false });
    await left;
    expect(session.status).toBe('idle');
    await session.leaveCall();
  });
});

describe('a joined CallSession', () => {
  it('ends with the reason that the service sends', async () => {
    const { service, session } = await begin();
    await session.joinCall(service.joinUrl, { microphone: false });
    const ended = next(session, 'ended');
    service.visit.socket.close(1000, 'agent_hangup');
    expect(await ended).toEqual({ reason: 'agent_hangup', error: null });
    expect(session.status).toBe('disconnected');
  });

  it('runs client tools and sends their results', async () => {
    const { service, session } = await begin(
      {},
      { tools: { add: ({ a, b }) => String(Number(a) + Number(b)) } },
    );
    await session.joinCall(service.joinUrl, { microphone: false });
    service.visit.say({
      type: 'client_tool_invocation',
      toolName: 'add',
      invocationId: 'i1',
      parameters: { a: 2, b: 3 },
    });
    expect(await messageReceived(service, 'client_tool_result')).toMatchObject({
      invocationId: 'i1',
      result: '5',
    });
    await session.leaveCall();
  });

  it('reconnects when the connection is lost, and first sends the messages that were queued in the meantime', async () => {
    const { service, session, events, played, microphone } = await begin({
      // The service does not notice the disconnect until the third attempt.
      refuse: (n) => (n === 1 || n === 2 ? [4409, 'already_joined'] : null),
    });
    await session.joinCall(service.joinUrl, { microphone });
    service.visit.say({ type: 'state', state: 'listening' });
    await next(session, 'status');
    const lost = next(session, 'reconnecting');
    const back = next(session, 'reconnected');
    service.visit.socket.terminate();
    await lost;
    expect(session.status).toBe('connecting');
    session.sendText('still there?', { urgency: 'immediate' });
    session.addEventListener('reconnected', () => session.sendDtmf('1'));
    await back;
    expect(session.status).toBe('listening');
    expect(service.visits).toHaveLength(4);
    expect(service.visit.requests).toContain('rtc_produce_audio');
    expect(await messageReceived(service, 'user_text_message')).toEqual({
      type: 'user_text_message',
      text: 'still there?',
      urgency: 'immediate',
    });
    await messageReceived(service, 'dtmf');
    const sent = service.visit.messages.map(({ type }) => type).filter((type) => type !== 'ping');
    expect(sent).toEqual(['user_text_message', 'dtmf']);
    expect(played).toHaveLength(2);
    expect(events.filter(([type]) => type === 'error' || type === 'ended')).toEqual([]);
    await session.leaveCall();
  });

  it('mutes a microphone that is sent but not used yet', async () => {
    const { service, session, microphone } = await begin({
      answer: ({ type }) => (type === 'rtc_produce_audio' ? 'nothing' : null),
    });
    await session.joinCall(service.joinUrl, { microphone: false });
    // The track of which the session sends a copy.
    let sent: MediaStreamTrack | null = null;
    const clone = microphone.clone.bind(microphone);
    Object.assign(microphone, { clone: () => (sent = clone()) });
    const changed = session.setMicrophone(microphone);
    await requestReceived(service, 'rtc_produce_audio');
    session.muteMic();
    expect(sent).toMatchObject({ enabled: false });
    await session.leaveCall();
    await expect(changed).rejects.toMatchObject({ code: expect.any(String) });
  });

  it('uses the microphone that was chosen last, also if an earlier one opens later', async () => {
    const { service, session, microphone } = await begin();
    await session.joinCall(service.joinUrl, { microphone });
    const opened = Promise.withResolvers<object>();
    const mediaDevices = Object.assign(new EventTarget(), { getUserMedia: () => opened.promise });
    Object.defineProperty(navigator, 'mediaDevices', { value: mediaDevices, configurable: true });
    try {
      const slow = session.setMicrophone('slow');
      await session.setMicrophone(microphone);
      const last = session.microphoneTrack;
      const late = new FakeMediaStreamTrack({ kind: 'audio' });
      opened.resolve({ getAudioTracks: () => [late] });
      await slow;
      expect(session.microphoneTrack).toBe(last);
      expect([last?.readyState, late.readyState]).toEqual(['live', 'ended']);
    } finally {
      Reflect.deleteProperty(navigator, 'mediaDevices');
      await session.leaveCall();
    }
  });

  it('continues without a microphone that was unplugged, also after a reconnect', async () => {
    const { service, session, microphone } = await begin();
    await session.joinCall(service.joinUrl, { microphone });
    const unplugged = next(session, 'error');
    (session.microphoneTrack as FakeMediaStreamTrack | null)?.remoteStop();
    // No other microphone can be opened.
    expect(await unplugged).toMatchObject({ code: 'insecure_page' });
    expect(session.microphoneTrack).toBeNull();
    const back = next(session, 'reconnected');
    service.visit.socket.terminate();
    await back;
    expect(service.visit.requests).not.toContain('rtc_produce_audio');
    await session.setMicrophone(microphone);
    expect(service.visit.requests).toContain('rtc_produce_audio');
    await session.leaveCall();
  });

  it.each(['joins', 'reconnects'])(
    '%s by another socket when the service accepts the first but sends nothing',
    async (what) => {
      let isHanging = what === 'joins';
      const { service, session, microphone } = await begin({ greet: () => (isHanging ? null : ready()) });
      const visited = service.visited();
      const joined = session.joinCall(service.joinUrl, { microphone });
      await visited;
      if (what === 'reconnects') {
        await joined;
        isHanging = true;
        const back = next(session, 'reconnected');
        const attempted = service.visited();
        service.visit.socket.terminate();
        await attempted;
        isHanging = false;
        await back;
      } else {
        isHanging = false;
        await joined;
      }
      expect(await service.visits.at(-2)?.closed).toBe(4000);
      expect(service.visits).toHaveLength(what === 'joins' ? 2 : 3);
      await session.leaveCall();
      expect(await service.visit.closed).toBe(1000);
    },
  );

  it('closes all sockets when the user leaves before the service has responded', async () => {
    const { service, session } = await begin({ greet: () => null });
    const joined = session.joinCall(service.joinUrl, { microphone: false });
    await service.visited();
    await service.visited();
    await session.leaveCall();
    await expect(joined).rejects.toMatchObject({ code: 'left' });
    expect(service.visits).toHaveLength(2);
    // The second one may still be opening.
    expect(await Promise.all(service.visits.map(({ closed }) => closed))).toContain(1000);
  });

  it('reconnects when the service stops responding to pings, which the page does not see', async () => {
    const { service, session } = await begin();
    await session.joinCall(service.joinUrl, { microphone: false });
    const received: string[] = [];
    session.addEventListener('data_message', ({ detail }) => received.push(detail.type));
    service.visit.say({ type: 'pong', timestamp: 17 });
    service.visit.say(await messageReceived(service, 'ping').then((ping) => ({ ...ping, type: 'pong' })));
    await next(session, 'reconnected');
    expect(await service.visits[0]?.closed).toBe(4000);
    expect(received).toEqual(['pong']);
    await session.leaveCall();
  });

  it('ends while disconnected when the call has ended or the user leaves', async () => {
    for (const [code, end] of [
      [1000, { reason: 'timeout', error: null }],
      [4404, { reason: null, error: expect.objectContaining({ code: 'unknown_call' }) }],
    ] as const) {
      const { service, session } = await begin({ refuse: (n) => (n === 0 ? null : [code, 'timeout']) });
      await session.joinCall(service.joinUrl, { microphone: false });
      const ended = next(session, 'ended');
      service.visit.socket.terminate();
      expect(await ended).toEqual(end);
    }
    const { service, session, events } = await begin({ refuse: (n) => (n === 0 ? null : [4409, '']) });
    await session.joinCall(service.joinUrl, { microphone: false });
    const lost = next(session, 'reconnecting');
    service.visit.socket.terminate();
    await lost;
    await session.leaveCall();
    expect(events.at(-1)).toEqual(['ended', { reason: 'hangup', error: null }]);
  });

  it('sends DTMF keys, and rejects invalid ones', async () => {
    const { service, session } = await begin();
    await session.joinCall(service.joinUrl, { microphone: false });
    session.sendDtmf('12*#aD');
    expect(await messageReceived(service, 'dtmf')).toEqual({ type: 'dtmf', digits: '12*#aD' });
    for (const digits of ['', 'E', '1 2', '1'.repeat(101)]) {
      expect(() => session.sendDtmf(digits)).toThrow(RangeError);
    }
    await session.leaveCall();
  });

  it('applies the speaker volume that is set before or during the call', async () => {
    const { service, session, volumes } = await begin();
    session.speakerVolume = 0.5;
    await session.joinCall(service.joinUrl, { microphone: false });
    session.speakerVolume = 0;
    for (const volume of [-0.1, 1.1, Number.NaN]) {
      expect(() => (session.speakerVolume = volume)).toThrow(RangeError);
    }
    expect([session.speakerVolume, ...volumes]).toEqual([0, 0.5, 0]);
    await session.leaveCall();
  });

  it('rejects messages that the service would drop because of their size', async () => {
    const { service, session } = await begin();
    await session.joinCall(service.joinUrl, { microphone: false });
    const limit = 65_536;
    expect(() => session.sendText('a'.repeat(limit + 1))).toThrow(
      expect.objectContaining({
        code: 'message_too_large',
        message: 'text must have at most 65536 characters (got 65537)',
        retryable: false,
      }),
    );
    const updateCallState = { notes: 'é'.repeat(2 * limit) };
    expect(() =>
      session.sendData({ type: 'client_tool_result', invocationId: 'i1', updateCallState }),
    ).toThrow('a client_tool_result must have at most 262144 bytes');
    session.sendText('é'.repeat(limit));
    expect(await messageReceived(service, 'user_text_message')).toMatchObject({ text: 'é'.repeat(limit) });
    await session.leaveCall();
  });

  it('limits the messages queued while disconnected', async () => {
    const { service, session } = await begin({ refuse: (n) => (n === 0 ? null : [4409, '']) });
    await session.joinCall(service.joinUrl, { microphone: false });
    const lost = next(session, 'reconnecting');
    service.visit.socket.terminate();
    await lost;
    for (let i = 0; i < 64; i += 1) session.sendText(String(i));
    expect(() => session.sendText('64')).toThrow(expect.objectContaining({ code: 'too_many_messages' }));
    await session.leaveCall();
  });
});

/** Resolves once the server has received a request of this type, whether or not it responds. */
async function requestReceived(service: SignallingServer, type: string): Promise<void> {
  while (service.visits.length === 0) await service.visited();
  while (!service.visit.requests.includes(type)) {
    await new Promise((resolve) => service.visit.socket.once('message', resolve));
  }
}
