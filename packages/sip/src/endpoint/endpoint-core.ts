import type { CallContext } from '../call-context.ts';
import {
  isReliable,
  SipError,
  type DialogSnapshot,
  type OutgoingCall,
  type OutgoingInvite,
  type Registration,
  type RegistrationOptions,
  type ResumedDialog,
  type SipCredentials,
  type SipSource,
} from '../calls.ts';
import { Dialogs, serveWithin, type DialogParty } from '../dialog/dialogs.ts';
import { resumeDialog } from '../dialog/resume-dialog.ts';
import { replacedDialog } from '../dialog/replaces.ts';
import { DEFAULT_SESSION_EXPIRES_S, type SipEndpointOptions, type SipLimits } from '../endpoint-options.ts';
import type { Envelope } from '../message/envelope.ts';
import { headerOf, listOf } from '../message/headers.ts';
import { writeMessage, type SipMessage, type SipResponse } from '../message/message.ts';
import { parseMessage, readMalformed } from '../message/parse-message.ts';
import { receivedMessage, replyPeer, stamped, type ReceivedRequest } from '../message/received.ts';
import { readSipUri } from '../message/uri.ts';
import { readVia } from '../message/via.ts';
import { RegistrationClient } from '../registration/registration-client.ts';
import { Transactions } from '../transaction/transactions.ts';
import { resolveUri } from '../transport/resolve.ts';
import { familiesOf, inBrackets, sideFor } from '../transport/endpoint-sides.ts';
import { OutOfDialogLimit } from '../transport/out-of-dialog-limit.ts';
import {
  peerKey,
  type MessageTransport,
  type MessageTransportHandlers,
} from '../transport/message-transport.ts';
import { Admissions, type AdmissionOutcome } from './admissions.ts';
import { IncomingInvitation } from './incoming-invitation.ts';
import { OutgoingInvitation } from './outgoing-invitation.ts';
import {
  extensionRejection,
  inviteRejection,
  malformedResponse,
  replacesRejection,
  stateless,
  outOfDialogResponse,
  unamplified,
  unavailable,
} from './out-of-dialog-response.ts';

/** Keys of encrypted audio in SDP (RFC 4568). */
const MEDIA_KEYS = /^(?<name>a=crypto:[^\r\n]*?inline:)[^\r\n]*/gimu;
const CREDENTIALS = /^(?<name>(?:Proxy-)?Authorization[ \t]*:).*(?:\r?\n[ \t].*)*/gimu;

interface CoreOptions extends SipEndpointOptions {
  limits: SipLimits;
  /** Ports advertised to peers; `tlsPort` is null without TLS. */
  port: number;
  tlsPort: number | null;
  messages: Pick<MessageTransport, 'send'>;
}

/** Dispatches each message to its transaction, dialog or call, or responds without one. */
export class EndpointCore implements MessageTransportHandlers {
  readonly #options: CoreOptions;
  readonly #transactions: Transactions;
  readonly #dialogs = new Dialogs();
  readonly #context: CallContext;
  readonly #outOfDialogLimit: OutOfDialogLimit;
  readonly #admissions: Admissions;
  /** Outgoing calls that wait for an answer. */
  readonly #outgoing = new Set<OutgoingCall>();
  readonly #registrations = new Set<RegistrationClient>();
  #isClosed = false;

  constructor(options: CoreOptions) {
    const { clock, log, limits, names } = options;
    const families = familiesOf(options);
    const send = (message: SipMessage, to: SipSource): Promise<void> => this.#send(message, to);
    this.#options = options;
    this.#outOfDialogLimit = new OutOfDialogLimit(limits);
    this.#admissions = new Admissions(options, limits);
    this.#transactions = new Transactions({
      clock,
      capacity: limits.transactions,
      sentBy: (to) => this.#sentBy(to),
      send,
    });
    this.#context = {
      clock,
      log,
      transactions: this.#transactions,
      sessionExpiresS: options.sessionExpiresS ?? DEFAULT_SESSION_EXPIRES_S,
      dialogs: this.#dialogs,
      send,
      contact: (peer, isSecure, user) => [['Contact', this.#contact(peer, isSecure, user)]],
      peersOf: (text, { known, owner = known?.address }) => {
        const uri = readSipUri(text);
        if (!uri) return Promise.reject(new SipError('unreachable', 'not a SIP address'));
        const hasTls = options.tlsPort !== null;
        return this.#reachable(resolveUri(uri, names, { owner, families, hasTls }), known);
      },
    };
  }

  invite(invite: OutgoingInvite): OutgoingCall {
    if (this.#isClosed) throw new SipError('endpoint_closed', 'the endpoint was closed');
    const call = new OutgoingInvitation(this.#context, invite);
    this.#outgoing.add(call);
    void call.answered.then(() => this.#outgoing.delete(call));
    return call;
  }

  resume(snapshot: DialogSnapshot, credentials: SipCredentials | null): ResumedDialog {
    if (this.#isClosed) throw new SipError('endpoint_closed', 'the endpoint was closed');
    return resumeDialog(this.#context, snapshot, credentials);
  }

  register(options: RegistrationOptions): Registration {
    if (this.#isClosed) throw new SipError('endpoint_closed', 'the endpoint was closed');
    const registration = new RegistrationClient(this.#context, options);
    this.#registrations.add(registration);
    void registration.ended.then(() => this.#registrations.delete(registration));
    return registration;
  }

  onBytes(bytes: Uint8Array, source: SipSource): void {
    const message = parseMessage(bytes);
    if (message?.kind === 'response') {
      const received = receivedMessage(message, source, bytes.length);
      const deliver = received && this.#transactions.ownerOfResponse(received);
      if (!deliver) return;
      this.#log('received', message, source);
      deliver();
      return;
    }
    const received = message && receivedMessage(message, source, bytes.length);
    if (received) this.#takeRequest(received);
    else this.#refuseMalformed(bytes, source);
  }

  isInUse(peer: SipSource): boolean {
    return this.#dialogs.uses(peer) || this.#registrationsAt(peer).length > 0;
  }

  onClosed(peer: SipSource): void {
    if (this.#isClosed) return;
    for (const each of this.#registrationsAt(peer)) each.disconnected();
  }

  /** Cancels pending calls and hangs up established ones. Resolves when the peers have responded. */
  async hangUpAll(): Promise<void> {
    this.#isClosed = true;
    for (const call of this.#outgoing) call.cancel();
    await this.#dialogs.close();
  }

  /** Stops all sending and waiting. */
  close(): void {
    this.#transactions.close();
  }

  #takeRequest(received: ReceivedRequest): void {
    const { message, source } = received;
    const deliver = this.#transactions.ownerOfRequest(received) ?? this.#ofDialog(received);
    if (!deliver) {
      this.#takeOutOfDialog(received);
      return;
    }
    this.#log('received', message, source);
    deliver();
  }

  #ofDialog(received: ReceivedRequest): (() => void) | null {
    const party = this.#dialogs.find(received);
    if (!party || received.message.method === 'CANCEL') return null;
    const rejection = extensionRejection(received);
    return () => {
      if (received.message.method === 'ACK') party.acknowledged(received);
      else if (rejection) serveWithin(this.#context, received).respond(rejection);
      else party.request(received);
    };
  }

  /** Handles a request outside of dialogs. Beyond the limits of its source it is dropped without a response. */
  #takeOutOfDialog(received: ReceivedRequest): void {
    const { message, envelope, source } = received;
    const nowMs = this.#options.clock.nowMs();
    if (message.method === 'ACK' || !this.#outOfDialogLimit.take(source.address, nowMs)) return;
    if (message.method === 'CANCEL' && this.#admissions.cancel(received)) {
      this.#respondOutOfDialog(received, stateless(received, 200, 'OK'));
    } else if (message.method !== 'INVITE' || envelope.toTag !== null) {
      this.#respondOutOfDialog(received, outOfDialogResponse(received));
    } else {
      const rejection = this.#rejectionOf(received) ?? replacesRejection(received, this.#dialogs);
      const isPeer = this.#outOfDialogLimit.isPeer(source.address, nowMs);
      if (rejection) this.#respondOutOfDialog(received, rejection);
      // The peer of a dialog may replace it.
      else if (this.#replacedBy(received)?.peer.address === source.address) this.#takeInvite(received, null);
      else this.#admissions.check(received, isPeer, (outcome) => this.#settle(received, outcome));
    }
  }

  #settle(received: ReceivedRequest, outcome: AdmissionOutcome): void {
    const { source } = received;
    if (outcome.kind === 'tooMany') {
      // UDP peers repeat an INVITE within 500 ms; over TCP and TLS it arrives once.
      if (isReliable(source)) this.#respondOutOfDialog(received, unavailable(received));
      return;
    }
    if (outcome.kind === 'cancelled') {
      this.#respondOutOfDialog(received, stateless(received, 487, 'Request Terminated'));
      return;
    }
    if (outcome.kind === 'refused') {
      this.#respondOutOfDialog(
        received,
        stateless(received, outcome.status, outcome.reason, outcome.headers),
      );
      return;
    }
    if (outcome.isPeer) this.#outOfDialogLimit.trust(source.address, this.#options.clock.nowMs());
    // The state may have changed while the INVITE waited.
    const rejection = this.#rejectionOf(received) ?? replacesRejection(received, this.#dialogs);
    if (rejection) this.#respondOutOfDialog(received, rejection);
    else this.#takeInvite(received, outcome.grant ?? null);
  }

  #refuseMalformed(bytes: Uint8Array, source: SipSource): void {
    const malformed = readMalformed(bytes);
    const via = malformed && readVia(listOf(malformed.request, 'Via')[0] ?? '');
    if (!malformed || !via || !this.#outOfDialogLimit.take(source.address, this.#options.clock.nowMs()))
      return;
    const request = stamped(malformed.request, via, source);
    const response = malformedResponse({ ...malformed, request });
    if (response) this.#respondOutOfDialog({ envelope: { via }, source, sizeBytes: bytes.length }, response);
  }

  #rejectionOf(received: ReceivedRequest): SipResponse | null {
    const isFull = this.#isClosed || this.#transactions.isFull;
    return inviteRejection(received, isFull, this.#transactions.isMerged(received));
  }

  #respondOutOfDialog(
    received: Pick<ReceivedRequest, 'source' | 'sizeBytes'> & { envelope: Pick<Envelope, 'via'> },
    response: SipResponse,
  ): void {
    const text = unamplified(response, received);
    if (text !== null) this.#options.messages.send(text, replyPeer(received)).catch(() => undefined);
  }

  #takeInvite(received: ReceivedRequest, grant: string | null): void {
    this.#log('received', received.message, received.source);
    const invitation = new IncomingInvitation(this.#context, received, grant);
    const replaced = this.#replacedBy(received);
    if (!replaced) this.#options.onInvite(invitation);
    else if (!replaced.replacedBy(invitation)) invitation.reject(603, 'Decline');
  }

  #registrationsAt(peer: SipSource): RegistrationClient[] {
    const key = peerKey(peer);
    return [...this.#registrations].filter((each) => each.uses(key));
  }

  #replacedBy({ message }: ReceivedRequest): DialogParty | undefined {
    const replaced = replacedDialog(message);
    return replaced === null || replaced === 'malformed' ? undefined : this.#dialogs.replaced(replaced);
  }

  async #send(message: SipMessage, to: SipSource): Promise<void> {
    this.#log('sent', message, to);
    await this.#options.messages.send(writeMessage(message), to);
  }

  #log(direction: 'sent' | 'received', message: SipMessage, peer: SipSource): void {
    const callId = headerOf(message, 'Call-ID') ?? '';
    this.#options.onMessage({ direction, callId, peer, text: logText(writeMessage(message)) });
  }

  async #reachable(found: Promise<SipSource[]>, known: SipSource | undefined): Promise<SipSource[]> {
    const peers = (await found).filter(
      ({ address }) => address === known?.address || (this.#options.mayReach?.(address) ?? true),
    );
    if (peers.length === 0) throw new SipError('unreachable', 'the address may not be called');
    return peers;
  }

  #contact(peer: SipSource, isSecure: boolean, user?: string): string {
    const { transport } = peer;
    const { host, port } = this.#sentBy(peer);
    const target = `${user === undefined ? '' : `${user}@`}${host}:${port}`;
    if (isSecure) return `<sips:${target}>`;
    return `<sip:${target}${transport === 'udp' ? '' : `;transport=${transport}`}>`;
  }

  #sentBy(peer: SipSource): { host: string; port: number } {
    const { port, tls, tlsPort } = this.#options;
    if (peer.transport === 'tls' && tls && tlsPort !== null)
      return { host: inBrackets(tls.name), port: tlsPort };
    return { host: inBrackets(sideFor(this.#options, peer.address).address), port };
  }
}

/** A message without credentials and keys, for storage. */
function logText(message: string): string {
  return message.replace(CREDENTIALS, '$<name> (left out)').replace(MEDIA_KEYS, '$<name>(left out)');
}
