import { setTimeout as after } from 'node:timers/promises';
import type { Call } from '@calls/api-contract/rest/call';
import type { Stack } from '@calls/local-stack/stack';
import { CallSocket } from '../../chaos/call-socket.ts';
import { ResponseStatistics, RetryingApi } from '../../chaos/retrying-api.ts';
import { Api } from '../../support/api.ts';

/** The result of a client that creates and joins a call. */
export interface CreatedCall {
  isAdmitted: boolean;
  /** Reason of the failure, from the client and the stored call; null if the call was admitted. */
  reason: string | null;
  /** Time from the request to the first message of the call, or to the failure. */
  tookMs: number;
}

const EVERY_MS = 250;
/** A client tries to join for this long. */
const JOIN_LIMIT_MS = 8000;
const PAUSE_MS = 100;
/** Join timeout of the calls: those without a client end soon after the limit. */
const JOIN_TIMEOUT = '15s';
const TRY_AGAIN = new Set([1006, 1011, 1012, 4503]);
/** Close code while the service has not noticed the end of the previous attempt. */
const ALREADY_JOINED = 4409;

const REQUEST = {
  systemPrompt: 'You are the receptionist of a small hotel by the sea.',
  medium: { serverWebSocket: { inputSampleRate: 8000 } },
  initialOutputMedium: 'MESSAGE_MEDIUM_TEXT',
  joinTimeout: JOIN_TIMEOUT,
};

/** Clients that create a call, join it and hang up, one after the other, until `stop`. */
export class CreatedCalls {
  readonly #api: Api;
  readonly #patient: RetryingApi;
  readonly #stopping = new AbortController();
  readonly #calls: Promise<CreatedCall & { callId: string | null }>[] = [];
  readonly #running: Promise<void>;

  constructor(stack: Pick<Stack, 'apiUrl' | 'developmentKey'>) {
    this.#api = new Api(stack);
    this.#patient = new RetryingApi(stack.apiUrl, stack.developmentKey, new ResponseStatistics());
    this.#running = this.#run();
  }

  /** Creates no more calls. Resolves with the calls when each was joined or has failed. */
  async stop(): Promise<CreatedCall[]> {
    this.#stopping.abort();
    await this.#running;
    const calls = await Promise.all(this.#calls);
    return Promise.all(calls.map((call) => this.#withEnd(call)));
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      this.#calls.push(this.#create());
      await after(EVERY_MS, null, { signal }).catch(() => undefined);
    }
  }

  async #create(): Promise<CreatedCall & { callId: string | null }> {
    const startMs = performance.now();
    const done = (callId: string | null, reason: string | null): CreatedCall & { callId: string | null } => ({
      ...{ callId, reason, isAdmitted: reason === null, tookMs: performance.now() - startMs },
    });
    const response = await this.#patient.request('POST', '/api/calls', REQUEST);
    if (!response) return done(null, 'no response');
    if (response.status !== 201) return done(null, `${response.status} ${codeOf(response.body)}`);
    const { callId, joinUrl } = response.body as Call;
    const untilMs = performance.now() + JOIN_LIMIT_MS;
    for (let attempt = 1; ; attempt += 1) {
      const failure = await join(joinUrl ?? '', untilMs);
      if (failure === null) return done(callId, null);
      const mayTryAgain = TRY_AGAIN.has(failure.code) || (attempt > 1 && failure.code === ALREADY_JOINED);
      if (!mayTryAgain || performance.now() > untilMs)
        return done(callId, `join ${failure.code} ${failure.reason}`.trim());
      await after(PAUSE_MS);
    }
  }

  async #withEnd({ callId, ...call }: CreatedCall & { callId: string | null }): Promise<CreatedCall> {
    if (call.isAdmitted || callId === null) return call;
    const { endReason } = await this.#api.endedCall(callId);
    return { ...call, reason: `${call.reason}, ended ${endReason}` };
  }
}

/** Joins the call, waits for its first message and hangs up. Resolves to null, or to the reason of the failure. */
async function join(joinUrl: string, untilMs: number): Promise<{ code: number; reason: string } | null> {
  const started = Promise.withResolvers<null>();
  const listener = { onMessage: () => started.resolve(null), onSound: () => undefined };
  const socket = await CallSocket.open(joinUrl, { isVoice: false, listener });
  if (!(socket instanceof CallSocket)) return socket;
  const limit = new AbortController();
  const late = after(Math.max(0, untilMs - performance.now()), null, { signal: limit.signal })
    .then(() => socket.cut())
    .catch(() => undefined);
  const outcome = await Promise.race([started.promise, socket.closed]);
  limit.abort();
  await late;
  if (outcome === null) socket.hangUp();
  return outcome;
}

function codeOf(body: unknown): string {
  return typeof body === 'object' && body !== null && 'code' in body ? String(body.code) : '';
}
