import { OVERTIME_MS } from '@calls/api-contract/call-lifetime';
import { setTimeout as after } from 'node:timers/promises';
import type { ServerMessage } from '@calls/api-contract/data-messages/server-messages';
import type { Call } from '@calls/api-contract/rest/call';
import { CallSocket, type Closing } from './call-socket.ts';
import { JOIN_TIMEOUT_MS, NEVER_JOINED_TIMEOUT_MS, type CallPlan } from './call-plan.ts';
import type { Break, CallerEnd, CallerReport } from './caller-report.ts';
import { Conversation } from './conversation.ts';
import type { RetryingApi } from './retrying-api.ts';

/** How long a caller tries to reconnect: as long as the service waits for it. */
const RETURN_LIMIT_MS = 10_000;
const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 1600;
/** Time limit from the open socket to the call's first message. */
const FIRST_MESSAGE_LIMIT_MS = 8000;
/** Interval between attempts to end the call as planned. */
const WISH_EVERY_MS = 3000;

const TRY_AGAIN = new Set([1006, 1011, 1012, 4409, 4503]);
const UNKNOWN_CALL = 4404;

export interface CallerOptions {
  call: Call;
  plan: CallPlan;
  api: RetryingApi;
  random: () => number;
}

/** A caller with one call. It reconnects when the connection is lost, and ends the call as planned. */
export class Caller {
  readonly #options: CallerOptions;
  readonly #conversation: Conversation;
  readonly #breaks: Break[] = [];
  #joinedMs: number | null = null;
  #hangUpRequested = false;

  constructor(options: CallerOptions) {
    this.#options = options;
    const { call, random } = options;
    this.#conversation = new Conversation({
      name: call.callId.slice(-12),
      random,
      onAgent: () => this.#noteAgent(),
    });
  }

  /** Runs from the first connection to the end of the call. */
  async live(): Promise<CallerReport> {
    const { call, plan } = this.#options;
    const end = plan.intention === 'never_join' ? await this.#staysAway() : await this.#talks();
    this.#conversation.stop();
    return {
      callId: call.callId,
      plan,
      end,
      endedMs: Date.now(),
      breaks: this.#breaks,
      said: this.#conversation.said,
      answered: this.#conversation.answered,
      hangUpRequested: this.#hangUpRequested,
    };
  }

  async #staysAway(): Promise<CallerEnd> {
    await after(NEVER_JOINED_TIMEOUT_MS);
    return { kind: 'never_joined' };
  }

  async #talks(): Promise<CallerEnd> {
    let connection = await this.#connect(JOIN_TIMEOUT_MS);
    while (connection instanceof CallSocket) {
      this.#joinedMs ??= performance.now();
      const closing = await this.#stay(connection);
      this.#conversation.stop();
      if ('kind' in closing) return closing;
      if (closing.code === 1000) return { kind: 'ended_by_server', reason: closing.reason };
      if (!TRY_AGAIN.has(closing.code)) return { kind: 'not_let_in', code: closing.code };
      connection = await this.#comeBack(closing);
    }
    const isFirst = this.#joinedMs === null;
    if (connection?.code === UNKNOWN_CALL && !isFirst) return { kind: 'over' };
    // The call ended between two attempts.
    if (connection?.code === 1000 && !isFirst) return { kind: 'ended_by_server', reason: connection.reason };
    return connection === null && !isFirst
      ? { kind: 'given_up' }
      : { kind: 'not_let_in', code: connection?.code ?? 0 };
  }

  async #comeBack(closing: Closing): Promise<CallSocket | Closing | null> {
    const lost: Break = {
      atMs: Date.now(),
      code: closing.code,
      backAfterMs: null,
      agentAfterMs: null,
    };
    this.#breaks.push(lost);
    return this.#connect(RETURN_LIMIT_MS);
  }

  /** A joined connection, a permanent refusal, or null after `limitMs`. */
  async #connect(limitMs: number): Promise<CallSocket | Closing | null> {
    const { call, plan } = this.#options;
    const untilMs = performance.now() + limitMs;
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)) {
      const { promise: firstMessage, resolve: onFirstMessage } = Promise.withResolvers<true>();
      const socket = await CallSocket.open(call.joinUrl ?? '', {
        isVoice: plan.isVoice,
        listener: {
          onMessage: (message: ServerMessage) => {
            onFirstMessage(true);
            this.#noteReturn();
            this.#conversation.onMessage(message);
          },
          onSound: () => this.#noteAgent(),
        },
      });
      let closing: Closing;
      if (socket instanceof CallSocket) {
        const limit = new AbortController();
        const late = after(FIRST_MESSAGE_LIMIT_MS, null, { signal: limit.signal }).catch(() => null);
        const first = await Promise.race([firstMessage, socket.closed, late]);
        limit.abort();
        if (first === true) return socket;
        if (first === null) socket.cut();
        closing = first ?? (await socket.closed);
      } else closing = socket;
      if (!TRY_AGAIN.has(closing.code)) return closing;
      if (performance.now() + pauseMs > untilMs) return null;
      await after(pauseMs);
    }
  }

  /** Talks until the connection closes or the caller has ended the call. */
  async #stay(socket: CallSocket): Promise<Closing | CallerEnd> {
    const { plan } = this.#options;
    this.#conversation.start(socket);
    const plannedMs = (this.#joinedMs ?? 0) + plan.talkMs;
    let wishMs = plannedMs;
    for (;;) {
      const waiting = new AbortController();
      const pauseMs = Math.max(0, wishMs - performance.now());
      const time = after(pauseMs, null, { signal: waiting.signal }).catch(() => null);
      const closing = await Promise.race([socket.closed, time]);
      waiting.abort();
      if (closing) return closing;
      if (performance.now() > plannedMs + OVERTIME_MS) {
        socket.cut();
        return { kind: 'endless' };
      }
      const end = await this.#wish(socket);
      if (end) return end;
      wishMs = performance.now() + WISH_EVERY_MS;
    }
  }

  async #wish(socket: CallSocket): Promise<Closing | CallerEnd | null> {
    const { api, call, plan } = this.#options;
    switch (plan.intention) {
      case 'hang_up':
        socket.hangUp();
        return Promise.race([
          socket.closed.then((closing): Closing | CallerEnd =>
            closing.code === 1000 && closing.reason !== '' && closing.reason !== 'hangup'
              ? closing
              : { kind: 'hung_up' },
          ),
          after(5000).then((): CallerEnd => ({ kind: 'hung_up' })),
        ]);
      case 'vanish':
        socket.cut();
        return { kind: 'vanished' };
      case 'agent_hang_up': {
        const path = `/api/calls/${call.callId}/send_data_message`;
        this.#hangUpRequested = true;
        await api.request('POST', path, { type: 'hang_up' });
        return null;
      }
      case 'time_limit':
      case 'never_join':
        return null;
    }
  }

  #noteReturn(): void {
    const lost = this.#breaks.at(-1);
    if (lost) lost.backAfterMs ??= Date.now() - lost.atMs;
  }

  #noteAgent(): void {
    const lost = this.#breaks.at(-1);
    if (lost?.backAfterMs != null) lost.agentAfterMs ??= Date.now() - lost.atMs;
  }
}
