import {
  parseSupervisorMessage,
  type SupervisionMessage,
} from '@calls/api-contract/supervision/supervisor-messages';
import { MAX_MESSAGE_BYTES } from '@calls/api-contract/data-messages/message-text';
import { PcmByteJoiner } from '@calls/audio/pcm-byte-joiner';
import type {
  SupervisedCall,
  SupervisionEnd,
  Supervisor,
  SupervisorRejection,
} from '@calls/conversation/ports/supervisor';
import type { Clock, Timer } from '@calls/foundation/clock';
import type { SupervisorClaims } from '@calls/secrets/join-tokens/supervisor-tokens';
import { ClientSocket, NORMAL_CLOSURE, SERVICE_RESTART } from '@calls/transports/client-socket/client-socket';
import type { WebSocket } from 'ws';
import type { HostedCall } from '../calls/hosted-call.ts';
import { CallAudio } from '../data-connections/call-audio.ts';
import { SendQueue } from '../data-connections/send-queue.ts';

/** Maximum length of audio that waits for a slow connection. The oldest audio is dropped first. */
const MAX_QUEUED_MS = 500;
/** Maximum length of unsent audio in the socket. */
const MAX_UNSENT_MS = 200;
/** Maximum size of queued messages and audio. */
const MAX_QUEUED_BYTES = 512 * 1024;
const CHECK_EVERY_MS = 500;

interface SupervisorConnection {
  socket: WebSocket;
  claims: SupervisorClaims;
  clock: Clock;
}

/**
 * The WebSocket of one supervisor. Binary messages are PCM (signed 16-bit little-endian): the call's audio to the
 * supervisor, and mono audio from the supervisor. Text messages are JSON. The connection ends with the call.
 */
export class SupervisorSocket implements Supervisor {
  readonly supervisorId: string;
  readonly name: string | null;
  readonly mode: SupervisorClaims['mode'];
  readonly sampleRateHz: number;
  readonly #connection: SupervisorConnection;
  readonly #socket: ClientSocket;
  readonly #queue: SendQueue;
  readonly #audio: CallAudio;
  readonly #joiner = new PcmByteJoiner();
  readonly #bytesPerMs: number;
  #call: SupervisedCall | null = null;
  #check: Timer;

  /** Connects the supervisor to the call. Returns why that is impossible; the socket is then still open. */
  static serve(
    call: Pick<HostedCall, 'callId' | 'supervise'>,
    connection: SupervisorConnection,
  ): SupervisorRejection | 'unknown_call' | null {
    const supervisor = new SupervisorSocket(connection);
    const supervised = call.supervise(supervisor);
    if (supervised === null || typeof supervised === 'string') {
      supervisor.#release();
      return supervised ?? 'unknown_call';
    }
    supervisor.#begin(call.callId, supervised);
    return null;
  }

  private constructor(connection: SupervisorConnection) {
    this.#connection = connection;
    const { socket, claims, clock } = connection;
    const { supervisorId, name, mode, sampleRateHz, channelMode } = claims;
    this.supervisorId = supervisorId;
    this.name = name;
    this.mode = mode;
    this.sampleRateHz = sampleRateHz;
    this.#bytesPerMs = (sampleRateHz / 1000) * 2 * (channelMode === 'mixed' ? 1 : 2);
    this.#audio = new CallAudio({ sampleRateHz, channelMode });
    this.#queue = new SendQueue(MAX_QUEUED_BYTES, MAX_QUEUED_MS * this.#bytesPerMs);
    this.#socket = new ClientSocket(
      { socket, maxUnsentBytes: Number.POSITIVE_INFINITY, clock },
      {
        onText: (bytes) => this.#onText(bytes),
        onBinary: (bytes) => this.#call?.speak(this.#joiner.push(bytes)),
        onEnd: () => {
          this.#call?.leave();
          this.#release();
        },
      },
    );
    this.#check = this.#scheduleCheck();
  }

  writeAudio(pcm: Uint8Array): void {
    for (const frame of this.#audio.push(pcm)) this.#queue.pushAudio(frame);
    this.#pump();
  }

  send(message: SupervisionMessage): void {
    this.#queue.pushMessage(JSON.stringify(message));
    this.#pump();
  }

  end(reason: SupervisionEnd): void {
    void this.#socket.closeWith(reason === 'call_ended' ? NORMAL_CLOSURE : SERVICE_RESTART, reason);
  }

  #begin(callId: string, supervised: SupervisedCall): void {
    this.#call = supervised;
    const { claims } = this.#connection;
    this.send({
      type: 'supervision_started',
      callId,
      supervisorId: claims.supervisorId,
      mode: claims.mode,
      sampleRate: claims.sampleRateHz,
      channels: claims.channelMode === 'mixed' ? 1 : 2,
      takenOverBy: supervised.takenOverBy,
    });
  }

  #onText(bytes: Buffer): void {
    if (bytes.byteLength > MAX_MESSAGE_BYTES) {
      this.#refuse('', `the message is longer than ${MAX_MESSAGE_BYTES} bytes`);
      return;
    }
    const parsed = parseSupervisorMessage(bytes.toString('utf8'));
    if (parsed.kind === 'malformed') this.#refuse(parsed.type, parsed.detail);
    else this.#call?.receive(parsed.message);
  }

  #refuse(message: string, detail: string): void {
    this.send({ type: 'refused', message, reason: 'malformed', detail });
  }

  #pump(): void {
    if (this.#socket.ended) return;
    const { socket } = this.#connection;
    while (socket.bufferedAmount < MAX_UNSENT_MS * this.#bytesPerMs) {
      const dropped = this.#queue.takeDropped();
      if (dropped) {
        const durationMs = Math.round(dropped.audioBytes / this.#bytesPerMs);
        this.#queue.pushMessage(JSON.stringify({ type: 'audio_dropped', durationMs }));
      }
      const next = this.#queue.shift();
      if (next === undefined) return;
      this.#socket.send(
        typeof next === 'string' ? next : Buffer.from(next.buffer, next.byteOffset, next.byteLength),
      );
    }
  }

  #scheduleCheck(): Timer {
    return this.#connection.clock.setTimer(CHECK_EVERY_MS, () => {
      this.#check = this.#scheduleCheck();
      this.#socket.check(this.#connection.clock.nowMs());
      this.#pump();
    });
  }

  #release(): void {
    this.#check.cancel();
    this.#audio.close();
  }
}
