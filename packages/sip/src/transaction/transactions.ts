import type { Clock } from '@calls/foundation/clock';
import type { SipSource } from '../calls.ts';
import { acknowledgementOf, newBranch, responseTo, withVia } from '../message/build.ts';
import type { SipMessage, SipRequest, SipResponse } from '../message/message.ts';
import { replyPeer, type ReceivedRequest, type ReceivedResponse } from '../message/received.ts';
import { headerOf } from '../message/headers.ts';
import { readVia, writeVia } from '../message/via.ts';
import { SipError } from '../sip-error.ts';
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

/** An INVITE of ours that waits. */
export interface InviteClient {
  /** As it was sent, with its Via. */
  readonly request: SipRequest;
  /** A CANCEL was sent: from now on the final response has its time. */
  cancelled(): void;
}

/** A request of a peer. A response after the final one is nothing, but 2xx to INVITE repeated. */
export interface ServerTransaction {
  respond(response: SipResponse): void;
}

interface TransactionsOptions {
  clock: Clock;
  capacity: number;
  /** The value of `sent-by`. */
  sentBy: { host: string; port: number };
  send(message: SipMessage, to: SipSource): Promise<void>;
}

/** Callbacks of the owner of an INVITE server transaction. */
export interface InviteOwner {
  onFailure(cause: TransactionFailure): void;
  /** The peer wants it no more; nothing where it was answered. */
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

/** The transactions that go on, and which message belongs to which. */
export class Transactions {
  readonly #options: TransactionsOptions;
  readonly #clients = new Map<string, Client>();
  readonly #servers = new Map<string, Server>();
  /** INVITEs that are served, by what stays the same on different ways here (RFC 3261, 8.2.2.2). */
  readonly #invites = new Set<string>();
  #isClosed = false;

  constructor(options: TransactionsOptions) {
    this.#options = options;
  }

  /** Whether a request more would be one too many. */
  get isFull(): boolean {
    return this.#isClosed || this.#clients.size + this.#servers.size >= this.#options.capacity;
  }

  /** Sends an INVITE. Throws a SipError (`too_busy`) where there are too many transactions. */
  invite(unsent: SipRequest, to: SipSource, owner: ClientOwner): InviteClient {
    const { key, request, send } = this.#newClient(unsent, to, () =>
      machine.dispatch({ kind: 'transportFailed' }),
    );
    const machine = new RunningMachine({
      initial: startInviteClient(to.transport === 'tcp'),
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

  /** Sends any other request but ACK; one that has a Via already (CANCEL) keeps it. Throws as `invite` does. */
  request(unsent: SipRequest, to: SipSource, owner: ClientOwner): void {
    const { key, request, send } = this.#newClient(unsent, to, () =>
      machine.dispatch({ kind: 'transportFailed' }),
    );
    const machine = new RunningMachine({
      initial: startRequestClient(to.transport === 'tcp'),
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

  /** Begins to serve an INVITE. */
  serveInvite(received: ReceivedRequest, owner: InviteOwner): ServerTransaction {
    const key = serverKey(received);
    const invite = inviteKey(received);
    const machine = new RunningMachine({
      initial: startInviteServer(received.source.transport === 'tcp'),
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

  /** Begins to serve any other request. */
  serve(received: ReceivedRequest): ServerTransaction {
    const key = serverKey(received);
    const machine = new RunningMachine({
      initial: startRequestServer(received.source.transport === 'tcp'),
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

  /** For a request that is served already, the ACK of a refused INVITE, or the CANCEL of one: what it does. Null for others. */
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

  /** Whether that INVITE is here already, on another way. */
  isMerged(received: ReceivedRequest): boolean {
    return this.#invites.has(inviteKey(received));
  }

  /** Ends all of them: what waits for a response has none. */
  close(): void {
    this.#isClosed = true;
    for (const client of [...this.#clients.values()]) {
      client.dispatch({ kind: 'transportFailed' });
      client.stop();
    }
    for (const server of this.#servers.values()) server.stop();
  }

  /** The request with a Via of ours; a Via that it has stays. An ACK to a 2xx is sent so, without a transaction. */
  placed(unsent: SipRequest, to: SipSource): SipRequest {
    if (headerOf(unsent, 'Via') !== null) return unsent;
    const parameters = new Map([
      ['branch', newBranch()],
      ['rport', null],
    ]);
    const { sentBy } = this.#options;
    return withVia(unsent, writeVia({ transport: to.transport.toUpperCase(), ...sentBy, parameters }));
  }

  #newClient(unsent: SipRequest, to: SipSource, onLost: () => void) {
    if (this.isFull) throw new SipError('too_busy', 'there are too many transactions');
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
