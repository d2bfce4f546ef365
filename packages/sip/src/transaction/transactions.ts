import type { Clock } from '@calls/foundation/clock';
import { isReliable, SipError, type SipSource } from '../calls.ts';
import { acknowledgementOf, newBranch, responseTo, withVia } from '../message/build.ts';
import type { SipMessage, SipRequest, SipResponse } from '../message/message.ts';
import { replyPeer, type ReceivedRequest, type ReceivedResponse } from '../message/received.ts';
import { headerOf } from '../message/headers.ts';
import { readVia, writeVia } from '../message/via.ts';
import { startInviteClient, stepInviteClient } from './invite-client.ts';
import { startInviteServer, stepInviteServer } from './invite-server.ts';
import type { TransactionFailure } from './machine.ts';
import { startRequestClient, stepRequestClient } from './request-client.ts';
import { startRequestServer, stepRequestServer } from './request-server.ts';
import { clientKey, inviteKey, serverKey } from './keys.ts';
import { RunningMachine } from './running-machine.ts';

export interface ClientOwner {
  onResponse(response: SipResponse): void;
  onFailure(cause: TransactionFailure): void;
}

/** A pending outbound INVITE. */
export interface InviteClient {
  /** As sent, with its Via. */
  readonly request: SipRequest;
  /** Call it after a CANCEL was sent. Limits the wait for the final response. */
  cancelled(): void;
}

/** The server transaction of a request. Responses after the final one are ignored, except repeated 2xx to INVITE. */
export interface ServerTransaction {
  respond(response: SipResponse): void;
}

interface TransactionsOptions {
  clock: Clock;
  capacity: number;
  /** Value of `sent-by`. */
  sentBy(to: SipSource): { host: string; port: number };
  send(message: SipMessage, to: SipSource): Promise<void>;
}

/** Callbacks of the owner of an INVITE server transaction. */
export interface InviteOwner {
  onFailure(cause: TransactionFailure): void;
  /** Called when the peer cancels. Not called after the answer. */
  onCancel(): void;
}

interface Client {
  dispatch(event: { kind: 'response'; response: SipResponse } | { kind: 'transportFailed' }): void;
  stop(): void;
}

interface Server {
  dispatch(event: ServerEvent): void;
  cancel(): void;
  stop(): void;
}

type ServerEvent =
  | { kind: 'respond'; response: SipResponse }
  | { kind: 'repeated' }
  | { kind: 'acknowledged' };

/** The active transactions, and the dispatch of messages to them. */
export class Transactions {
  readonly #options: TransactionsOptions;
  readonly #clients = new Map<string, Client>();
  readonly #servers = new Map<string, Server>();
  /** INVITEs being served, by `inviteKey`. */
  readonly #invites = new Set<string>();
  #isClosed = false;

  constructor(options: TransactionsOptions) {
    this.#options = options;
  }

  /** Whether the maximum number of transactions is reached. */
  get isFull(): boolean {
    return this.#isClosed || this.#clients.size + this.#servers.size >= this.#options.capacity;
  }

  /** Sends an INVITE. Throws a SipError (`too_busy`) if there are too many transactions. */
  invite(unsent: SipRequest, to: SipSource, owner: ClientOwner): InviteClient {
    const { key, request, send } = this.#newClient(unsent, to, () =>
      machine.dispatch({ kind: 'transportFailed' }),
    );
    const machine = new RunningMachine({
      initial: startInviteClient(isReliable(to)),
      clock: this.#options.clock,
      step: stepInviteClient,
      perform(effect) {
        if (effect.kind === 'send') send(request);
        else if (effect.kind === 'acknowledge') send(acknowledgementOf(request, effect.response));
        else owner.onResponse(effect.response);
      },
      onFailure: (cause) => owner.onFailure(cause),
      onEnd: () => this.#clients.delete(key),
    });
    this.#clients.set(key, machine);
    machine.start();
    return { request, cancelled: () => machine.dispatch({ kind: 'cancelled' }) };
  }

  /** Sends a request other than INVITE and ACK. Retains an existing Via (CANCEL). Throws as `invite` does. */
  request(unsent: SipRequest, to: SipSource, owner: ClientOwner): void {
    const { key, request, send } = this.#newClient(unsent, to, () =>
      machine.dispatch({ kind: 'transportFailed' }),
    );
    const machine = new RunningMachine({
      initial: startRequestClient(isReliable(to)),
      clock: this.#options.clock,
      step: stepRequestClient,
      perform(effect) {
        if (effect.kind === 'send') send(request);
        else owner.onResponse(effect.response);
      },
      onFailure: (cause) => owner.onFailure(cause),
      onEnd: () => this.#clients.delete(key),
    });
    this.#clients.set(key, machine);
    machine.start();
  }

  /** Opens the server transaction of an INVITE. */
  serveInvite(received: ReceivedRequest, owner: InviteOwner): ServerTransaction {
    const key = serverKey(received);
    const invite = inviteKey(received);
    const machine = new RunningMachine({
      initial: startInviteServer(isReliable(received.source)),
      clock: this.#options.clock,
      step: stepInviteServer,
      perform: (effect) =>
        this.#reply(received, effect.response, () => machine.dispatch({ kind: 'transportFailed' })),
      onFailure: (cause) => owner.onFailure(cause),
      onEnd: () => {
        this.#servers.delete(key);
        this.#invites.delete(invite);
      },
    });
    this.#invites.add(invite);
    this.#servers.set(key, {
      dispatch: (event) => machine.dispatch(event),
      cancel: () => owner.onCancel(),
      stop: () => machine.stop(),
    });
    return { respond: (response) => machine.dispatch({ kind: 'respond', response }) };
  }

  /** Opens the server transaction of any other request. */
  serve(received: ReceivedRequest): ServerTransaction {
    const key = serverKey(received);
    const machine = new RunningMachine({
      initial: startRequestServer(isReliable(received.source)),
      clock: this.#options.clock,
      step: stepRequestServer,
      perform: (effect) => this.#reply(received, effect.response, () => undefined),
      onFailure: () => undefined,
      onEnd: () => this.#servers.delete(key),
    });
    this.#servers.set(key, {
      dispatch(event) {
        if (event.kind !== 'acknowledged') machine.dispatch(event);
      },
      cancel: () => undefined,
      stop: () => machine.stop(),
    });
    return { respond: (response) => machine.dispatch({ kind: 'respond', response }) };
  }

  /** A function that passes the response to its client transaction; null when no transaction matches. */
  ownerOfResponse({ message, envelope }: ReceivedResponse): (() => void) | null {
    const client = this.#clients.get(clientKey(envelope.branch, envelope.cseq.method));
    return client ? () => client.dispatch({ kind: 'response', response: message }) : null;
  }

  /** The action for a repeated request, or for the ACK or CANCEL of an INVITE. Null for other requests. */
  ownerOfRequest(received: ReceivedRequest): (() => void) | null {
    const { method } = received.message;
    const server = this.#servers.get(serverKey(received));
    if (server) return () => server.dispatch({ kind: method === 'ACK' ? 'acknowledged' : 'repeated' });
    const cancelled = method === 'CANCEL' ? this.#servers.get(serverKey(received, 'INVITE')) : undefined;
    if (!cancelled) return null;
    return () => {
      this.serve(received).respond(responseTo(received.message, 200, 'OK'));
      cancelled.cancel();
    };
  }

  /** Whether this INVITE already arrived over another path. */
  isMerged(received: ReceivedRequest): boolean {
    return this.#invites.has(inviteKey(received));
  }

  /** Ends all transactions. Pending ones get no response. */
  close(): void {
    this.#isClosed = true;
    for (const client of [...this.#clients.values()]) {
      client.dispatch({ kind: 'transportFailed' });
      client.stop();
    }
    for (const server of this.#servers.values()) server.stop();
  }

  /** Adds a Via unless the request has one. ACK to a 2xx is sent this way, without a transaction. */
  placed(unsent: SipRequest, to: SipSource): SipRequest {
    if (headerOf(unsent, 'Via') !== null) return unsent;
    const parameters = new Map([
      ['branch', newBranch()],
      ['rport', null],
    ]);
    const sentBy = this.#options.sentBy(to);
    return withVia(unsent, writeVia({ transport: to.transport.toUpperCase(), ...sentBy, parameters }));
  }

  #newClient(unsent: SipRequest, to: SipSource, onLost: () => void) {
    if (this.isFull) throw new SipError('too_busy', 'too many transactions');
    const request = this.placed(unsent, to);
    const branch = readVia(headerOf(request, 'Via') ?? '')?.parameters.get('branch') ?? '';
    return {
      key: clientKey(branch, request.method),
      request,
      send: (message: SipRequest) => {
        this.#options.send(message, to).catch(onLost);
      },
    };
  }

  #reply(received: ReceivedRequest, response: SipResponse, onLost: () => void): void {
    this.#options.send(response, replyPeer(received)).catch(onLost);
  }
}
