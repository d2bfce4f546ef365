import type { CallCommand } from '@calls/api-contract/bus/call-commands';
import {
  PHONE_LEG_END_REQUEST,
  PHONE_LEG_REQUEST,
  type PhoneLegReplyMessage,
} from '@calls/api-contract/bus/transfer-legs';
import type { Bus } from '@calls/bus/bus';
import type { MediaTransport } from '@calls/conversation/ports/media-transport';
import type { LegOutcome, LegFailure, TransferLegRequest } from '@calls/conversation/ports/transfer-legs';
import type { Clock } from '@calls/foundation/clock';
import { toError } from '@calls/foundation/errors';
import type { Logger } from '@calls/foundation/logger';
import type { NotReachedReason } from '@calls/providers/telephony/telephony-vendor';
import type { TelephonyProvider } from '@calls/providers/telephony/telephony-vendors';
import type { OpusCodecs } from '@calls/transports/opus/opus-codecs';
import { openTelephonyTransport } from '@calls/transports/telephony/open-telephony-transport';
import type { WebSocket } from 'ws';
import { NOT_DIALLED, type OnDialled } from '../dialling/dialling.ts';
import { repeatWhileBusy } from '../dialling/repeat-while-busy.ts';

export interface PhoneLegsDeps {
  bus: { requests: Pick<Bus['requests'], 'send'>; commands: Pick<Bus['commands'], 'serve'> };
  opus: OpusCodecs;
  onDialled: OnDialled;
  clock: Clock;
  log: Logger;
}

/** A phone that rings for a warm transfer. */
interface RingingPhone {
  provider: TelephonyProvider;
  /** False if the leg was settled before. */
  settle: (outcome: LegOutcome) => boolean;
  /** Receives the provider's reports until it is disposed. */
  reports: Disposable;
  isConnecting: boolean;
}

/** Additional time in which the provider reports that the phone was not answered, or opens the first stream. */
const ANSWER_MARGIN_MS = 4000;

const NOT_ANSWERED = failed('no_answer', 'The phone was not answered.');
const CANCELLED = failed('no_answer', 'The call was cancelled.');

const FAILURES: Readonly<Record<NotReachedReason, LegFailure>> = {
  busy: 'busy',
  no_answer: 'no_answer',
  canceled: 'no_answer',
  failed: 'unreachable',
  left: 'unreachable',
};

/**
 * Calls people through telephony providers. A control-plane dials, because it has the credentials; the provider connects
 * its media stream to this worker.
 */
export class PhoneLegs {
  readonly #deps: PhoneLegsDeps;
  /** Keyed by leg id. */
  readonly #ringing = new Map<string, RingingPhone>();

  constructor(deps: PhoneLegsDeps) {
    this.#deps = deps;
  }

  /** See TransferLegs. */
  async dial(
    request: TransferLegRequest,
    provider: TelephonyProvider,
    signal: AbortSignal,
  ): Promise<LegOutcome> {
    const { bus, clock } = this.#deps;
    const { legId, ringLimitMs } = request;
    if (signal.aborted) return CANCELLED;
    const { promise, resolve } = Promise.withResolvers<LegOutcome>();
    const settled = new AbortController();
    let transport: MediaTransport | null = null;
    const settle = (outcome: LegOutcome): boolean => {
      if (!this.#ringing.delete(legId)) return false;
      if (outcome.kind === 'answered') ({ transport } = outcome);
      else reports[Symbol.dispose]();
      settled.abort();
      resolve(outcome);
      return true;
    };
    const reports = bus.commands.serve(legId, (command) => {
      const outcome = outcomeOf(command);
      // The media stream may be half open.
      if (outcome && !settle(outcome)) void transport?.close('hangup');
      return { outcome: 'accepted' };
    });
    this.#ringing.set(legId, { provider, settle, reports, isConnecting: false });
    const giveUp = (outcome: LegOutcome): void => {
      if (settle(outcome)) void placed.then((dialled) => this.#hangUp(request, provider, dialled));
    };
    const cancel = (): void => giveUp(CANCELLED);
    signal.addEventListener('abort', cancel);
    const limit = clock.setTimer(ringLimitMs + ANSWER_MARGIN_MS, () => giveUp(NOT_ANSWERED));
    const placed = this.#place(request, provider, settled.signal);
    void placed.then((reply) => {
      if (reply.outcome === 'refused') settle(failed('refused', reply.detail));
    });
    const outcome = await promise;
    limit.cancel();
    signal.removeEventListener('abort', cancel);
    return outcome;
  }

  /**
   * Takes the media stream of a phone that was answered. Returns false and ignores the socket if no call waits for the
   * leg.
   */
  connect({ legId, callId }: { legId: string; callId: string }, socket: WebSocket): boolean {
    const { opus, clock, log } = this.#deps;
    const phone = this.#ringing.get(legId);
    if (!phone || phone.isConnecting) return false;
    phone.isConnecting = true;
    socket.once('close', () => phone.reports[Symbol.dispose]());
    const spec = { kind: phone.provider, dials: true, dtmf: null };
    const onUnusable = (detail: string): void => {
      log.warn(
        { callId, legId, provider: phone.provider, reason: detail },
        'closed media stream of warm transfer: format not supported',
      );
      phone.settle(failed('unreachable', `The media stream cannot be used: ${detail}.`));
    };
    void openTelephonyTransport({ socket, spec, opus, clock, onUnusable }).then((transport) => {
      if (!transport) phone.settle(failed('unreachable', 'The phone call ended before the conversation.'));
      else if (!phone.settle({ kind: 'answered', transport })) void transport.close('agent_hangup');
    });
    return true;
  }

  /** Stops a phone from ringing. Never rejects. */
  async #hangUp(
    { call: { accountId, callId }, legId, ringLimitMs }: TransferLegRequest,
    provider: TelephonyProvider,
    dialled: PhoneLegReplyMessage,
  ): Promise<void> {
    if (dialled.outcome === 'refused' || dialled.providerCallId === null) return;
    const leg = { accountId, callId, legId, provider, providerCallId: dialled.providerCallId };
    const { bus, clock, log } = this.#deps;
    const { signal } = new AbortController();
    try {
      const send = (): Promise<unknown> => bus.requests.send(PHONE_LEG_END_REQUEST, leg, signal);
      await repeatWhileBusy(send, { clock, signal, limitMs: ringLimitMs });
    } catch (thrown) {
      log.warn({ callId, legId, err: toError(thrown) }, 'failed to hang up phone call');
    }
  }

  /** Never rejects. `settled` ends the wait for busy control-planes. */
  async #place(
    { call, legId, target, from, ringLimitMs }: TransferLegRequest,
    provider: TelephonyProvider,
    settled: AbortSignal,
  ): Promise<PhoneLegReplyMessage> {
    const { bus, onDialled, clock, log } = this.#deps;
    const { accountId, callId } = call;
    const message = { accountId, callId, legId, provider, target, from, ringLimitMs };
    try {
      // The leg's signal does not abort this request, because only the reply identifies a phone that rings.
      const send = (): Promise<PhoneLegReplyMessage> =>
        bus.requests.send(PHONE_LEG_REQUEST, message, new AbortController().signal);
      const reply = await repeatWhileBusy(send, { clock, signal: settled, limitMs: ringLimitMs });
      onDialled(reply.outcome, provider);
      return reply;
    } catch (thrown) {
      if (thrown === settled.reason) return { outcome: 'refused', detail: NOT_DIALLED };
      onDialled('unanswered', provider);
      log.error({ callId, legId, err: toError(thrown) }, 'failed to call the target of a warm transfer');
      return { outcome: 'refused', detail: NOT_DIALLED };
    }
  }
}

/** Null unless the command reports that the phone call is over. */
function outcomeOf(command: CallCommand): LegOutcome | null {
  if (command.kind !== 'not_reached') return null;
  return failed(FAILURES[command.reason ?? 'failed'], command.detail);
}

function failed(failure: LegFailure, detail: string): LegOutcome {
  return { kind: 'failed', failure, detail };
}
