import { withTimeout, type Timer } from '@calls/foundation/clock';
import { newId } from '@calls/foundation/ids';
import type { CallContext } from '../call-context.ts';
import type { Registration, RegistrationOptions, SipSource } from '../calls.ts';
import { Authenticator } from '../digest/authenticator.ts';
import { newTag } from '../message/build.ts';
import { headerOf, type SipHeaders } from '../message/headers.ts';
import type { SipRequest, SipResponse } from '../message/message.ts';
import { peerKey } from '../transport/message-transport.ts';
import {
  grantedExpiresS,
  registrarAddress,
  secondsOf,
  staleBindings,
  type RegistrarAddress,
} from './register-request.ts';
import {
  startRegistration,
  stepRegistration,
  type RegisterResult,
  type RegistrationEffect,
  type RegistrationEvent,
  type RegistrationState,
  type RegistrationStep,
} from './registration-machine.ts';

/** Time limit for the first response of an address if there are others: a binding may last only 30 s. */
const RESPONSE_LIMIT_MS = 4000;
/** Time limit for the response to an unregistration. */
const STOP_LIMIT_MS = 2000;
const MAX_REASON = 150;

/** What one REGISTER changes. */
interface Binding {
  expiresS: number;
  /** URI of the binding of an earlier endpoint; null for this endpoint's own binding. */
  other: string | null;
  /** Time limit for the first response; null: that of the transaction. */
  limitMs: number | null;
}

/** Runs the registration machine: sends its requests, one after the other, and answers challenges. */
export class RegistrationClient implements Registration {
  readonly #context: CallContext;
  readonly #options: RegistrationOptions;
  readonly #address: RegistrarAddress | null;
  readonly #callId = newId();
  readonly #localTag = newTag();
  /** Resolves when nothing more is sent. */
  readonly ended: Promise<void>;
  /** `peerKey` of the server that responded last. */
  #serverKey: string | null = null;
  #acceptedBy: string | null = null;
  /** The addresses of the registrar and its proxy. */
  #addresses: ReadonlySet<string> = new Set();
  #state: RegistrationState;
  #cseq = 0;
  /** Number of the last attempt; results of earlier ones are dropped. */
  #attempt = 0;
  #timer: Timer | null = null;
  #resolveEnded: () => void = () => undefined;

  constructor(context: CallContext, options: RegistrationOptions) {
    this.#context = context;
    this.#options = options;
    this.#address = registrarAddress(options);
    this.ended = new Promise((resolve) => {
      this.#resolveEnded = resolve;
    });
    const initial = startRegistration();
    this.#state = initial.state;
    this.#apply(initial);
  }

  isRegistrar(address: string): boolean {
    return this.#addresses.has(address);
  }

  get acceptedBy(): string | null {
    return this.#acceptedBy;
  }

  /** Whether the registrar was reached over the connection with this `peerKey`, which it may use for calls. */
  uses(key: string): boolean {
    return this.#serverKey === key;
  }

  /** Call it when that connection was closed. */
  disconnected(): void {
    this.#dispatch({ kind: 'disconnected' });
  }

  async stop(): Promise<void> {
    this.#dispatch({ kind: 'stop' });
    await withTimeout(this.#context.clock, this.ended, STOP_LIMIT_MS, 'unregistration').catch(() =>
      this.abandon(),
    );
  }

  abandon(): void {
    this.#dispatch({ kind: 'abandon' });
  }

  #dispatch(event: RegistrationEvent): void {
    this.#apply(stepRegistration(this.#state, event, Math.random()));
  }

  #apply({ state, effects }: RegistrationStep): void {
    this.#state = state;
    for (const effect of effects) this.#perform(effect);
  }

  #perform(effect: RegistrationEffect): void {
    switch (effect.kind) {
      case 'register':
        void this.#register(effect.expiresS);
        return;
      case 'startTimer':
        this.#timer = this.#context.clock.setTimer(effect.delayMs, () => this.#dispatch({ kind: 'timer' }));
        return;
      case 'stopTimer':
        this.#timer?.cancel();
        return;
      case 'report':
        this.#options.onOutcome(effect.outcome);
        return;
      case 'end':
        this.#attempt += 1;
        this.#resolveEnded();
    }
  }

  async #register(expiresS: number): Promise<void> {
    this.#attempt += 1;
    const attempt = this.#attempt;
    const result = await this.#resultOf(expiresS, attempt);
    if (attempt === this.#attempt) this.#dispatch({ kind: 'result', result });
  }

  async #resultOf(expiresS: number, attempt: number): Promise<RegisterResult> {
    const address = this.#address;
    if (!address) return unreachable('the address of the registrar is malformed');
    let peers: SipSource[];
    try {
      peers = await this.#resolve(address);
    } catch (thrown) {
      return unreachable(Error.isError(thrown) ? thrown.message : 'the registrar has no address');
    }
    let result = unreachable('the registrar does not respond');
    for (const peer of peers) {
      const binding = { expiresS, other: null, limitMs: peer === peers.at(-1) ? null : RESPONSE_LIMIT_MS };
      const sent = await this.#send(address, peer, binding, attempt);
      if (attempt !== this.#attempt) return result;
      if (!sent) continue;
      this.#serverKey = peerKey(peer);
      result = resultOf(sent, expiresS);
      if (result.kind === 'refused' && result.status === 503) continue;
      this.#acceptedBy = result.kind === 'accepted' ? peer.address : null;
      if (result.kind === 'accepted')
        void this.#removeStale(address, peer, staleBindings(sent.request, sent.response));
      return result;
    }
    return result;
  }

  /** The addresses to send to. Calls may come from the registrar itself even if a proxy is configured. */
  async #resolve({ uri, nextHop }: RegistrarAddress): Promise<SipSource[]> {
    const { owner } = this.#options;
    const hops = await this.#context.peersOf(nextHop, { owner });
    const others = nextHop === uri ? [] : await this.#context.peersOf(uri, { owner }).catch(() => []);
    this.#addresses = new Set([...hops, ...others].map(({ address }) => address));
    return hops;
  }

  async #removeStale(address: RegistrarAddress, peer: SipSource, stale: readonly string[]): Promise<void> {
    const attempt = this.#attempt;
    for (const other of stale) {
      if (attempt !== this.#attempt) return;
      await this.#send(address, peer, { expiresS: 0, other, limitMs: null }, attempt);
    }
  }

  /** The final response of one server; null if it does not respond. Answers challenges. */
  async #send(
    address: RegistrarAddress,
    peer: SipSource,
    binding: Binding,
    attempt: number,
  ): Promise<{ request: SipRequest; response: SipResponse } | null> {
    const authenticator = new Authenticator(this.#options.credentials);
    let authorization: SipHeaders = [];
    for (;;) {
      const request = this.#request(address, peer, binding, authorization);
      const response = await this.#responseTo(request, peer, binding.limitMs);
      const next =
        response && attempt === this.#attempt ? authenticator.authorizationFor(response, request) : null;
      if (!next) return response && { request, response };
      authorization = next;
    }
  }

  #request(
    { uri, record, routes }: RegistrarAddress,
    peer: SipSource,
    { expiresS, other }: Binding,
    authorization: SipHeaders,
  ): SipRequest {
    this.#cseq += 1;
    const own = this.#context.contact(peer, /^sips:/iu.test(uri), this.#options.contactUser);
    const contacts = other === null ? own : [['Contact', `<${other}>`] as const];
    return {
      kind: 'request',
      method: 'REGISTER',
      uri,
      headers: [
        ['Max-Forwards', '70'],
        ...routes,
        ['From', `${record};tag=${this.#localTag}`],
        ['To', record],
        ['Call-ID', this.#callId],
        ['CSeq', `${this.#cseq} REGISTER`],
        ...contacts.map(([name, value]) => [name, `${value};expires=${expiresS}`] as const),
        ['Expires', String(expiresS)],
        ['Supported', 'path'],
        ...authorization,
      ],
      body: '',
    };
  }

  async #responseTo(
    request: SipRequest,
    peer: SipSource,
    limitMs: number | null,
  ): Promise<SipResponse | null> {
    const { promise, resolve } = Promise.withResolvers<SipResponse | null>();
    const { clock, transactions } = this.#context;
    const limit = limitMs === null ? null : clock.setTimer(limitMs, () => resolve(null));
    try {
      transactions.request(request, peer, {
        onResponse(response) {
          limit?.cancel();
          if (response.status >= 200) resolve(response);
        },
        onFailure: () => resolve(null),
      });
    } catch {
      // Too many transactions: the attempt is repeated.
      resolve(null);
    }
    const response = await promise;
    limit?.cancel();
    return response;
  }
}

function resultOf(
  { request, response }: { request: SipRequest; response: SipResponse },
  requestedS: number,
): RegisterResult {
  const { status, reason } = response;
  if (status < 300) {
    const expiresS = grantedExpiresS(request, response, requestedS);
    return expiresS > 0 || requestedS === 0
      ? { kind: 'accepted', expiresS }
      : unreachable('the registrar did not store the binding');
  }
  return {
    kind: 'refused',
    status,
    reason: reason.slice(0, MAX_REASON),
    retryAfterS: secondsOf(headerOf(response, 'Retry-After')),
    minExpiresS: secondsOf(headerOf(response, 'Min-Expires')),
  };
}

function unreachable(reason: string): RegisterResult {
  return { kind: 'unreachable', reason };
}
