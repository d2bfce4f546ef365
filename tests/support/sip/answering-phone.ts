import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import type { Dialog, IncomingInvite } from '@calls/sip/calls';

const HOST = '127.0.0.1';
const FRAME_MS = 20;
const RTP_HEADER_BYTES = 12;
const MU_LAW_SILENCE = 0xff;
/** A packet of silence. */
const SILENCE = Buffer.alloc(160, MU_LAW_SILENCE);
const DYNAMIC_SSRC = 0x1234_5678;

export interface PhoneListener {
  /** Called for each packet of 20 ms. */
  onAudio?: (isAudible: boolean) => void;
  /** Called when an audible packet arrives. */
  onAudible?: () => void;
  /** Called when a packet arrives from another port than the previous packet. */
  onMoved?: () => void;
}

/** One answered call with PCMU: records the arrival of packets. Accepts packets of any source. */
export class AnsweringPhone {
  readonly dialog: Dialog;
  /** Null after the call. */
  #socket: Socket | null;
  readonly #listener: PhoneListener;
  #target: { port: number; address: string };
  #sequence = 0;
  #version = 1;
  #lastMs = performance.now();
  #longestPauseMs = 0;
  #audibleMs: number | null = null;
  #sourcePort: number | null = null;
  #strayPackets = 0;

  private constructor(
    socket: Socket,
    dialog: Dialog,
    target: { port: number; address: string },
    listener: PhoneListener,
  ) {
    this.#listener = listener;
    this.#socket = socket;
    this.dialog = dialog;
    this.#target = target;
    socket.on('message', (packet, { port }) => this.#receive(packet, port));
    dialog.onReinvite({
      reoffer: (sdp) => {
        if (sdp !== null) this.#target = targetOf(sdp);
        this.#version += 1;
        return descriptionOf(socket, this.#version);
      },
      takeAnswer: (sdp) => {
        this.#target = targetOf(sdp);
      },
    });
    void dialog.ended.then(() => {
      this.#socket = null;
      socket.close();
    });
  }

  /** A phone that sends silence. */
  static async answer(invite: IncomingInvite, listener: PhoneListener = {}): Promise<AnsweringPhone> {
    const phone = await AnsweringPhone.answerMuted(invite, listener);
    const timer = setInterval(() => phone.send(SILENCE), FRAME_MS);
    void phone.dialog.ended.then(() => clearInterval(timer));
    return phone;
  }

  /** A phone that sends nothing until `send` is called. */
  static async answerMuted(invite: IncomingInvite, listener: PhoneListener): Promise<AnsweringPhone> {
    const socket = createSocket('udp4');
    socket.bind(0, HOST);
    await once(socket, 'listening');
    const dialog = await invite.accept(descriptionOf(socket, 1));
    return new AnsweringPhone(socket, dialog, targetOf(invite.sdp ?? ''), listener);
  }

  /** Starts a measurement. */
  begin(): void {
    this.#lastMs = performance.now();
    this.#longestPauseMs = 0;
    this.#audibleMs = null;
    this.#strayPackets = 0;
  }

  /** The longest time without a packet since `begin`, including the time since the last packet. */
  get longestPauseMs(): number {
    return Math.max(this.#longestPauseMs, this.silentMs);
  }

  /** Time since the last packet. */
  get silentMs(): number {
    return performance.now() - this.#lastMs;
  }

  /** Packets since `begin` from a port that the other side does not signal. */
  get strayPackets(): number {
    return this.#strayPackets;
  }

  /** Time of the first audible packet since `begin`; null if there was none. */
  get audibleMs(): number | null {
    return this.#audibleMs;
  }

  #receive(packet: Buffer, port: number): void {
    if (port !== this.#target.port) this.#strayPackets += 1;
    const nowMs = performance.now();
    this.#longestPauseMs = Math.max(this.#longestPauseMs, nowMs - this.#lastMs);
    this.#lastMs = nowMs;
    // Receiver reports arrive at the same port if the peer muxes them; their second byte is above 199.
    const isAudio = (packet[1] ?? 0) < 192;
    if (this.#sourcePort !== null && this.#sourcePort !== port) this.#listener.onMoved?.();
    this.#sourcePort = port;
    if (!isAudio) return;
    const isAudible = !packet.subarray(RTP_HEADER_BYTES).equals(SILENCE);
    this.#listener.onAudio?.(isAudible);
    if (!isAudible) return;
    this.#audibleMs ??= nowMs;
    this.#listener.onAudible?.();
  }

  /** Sends 20 ms of PCMU. */
  send(payload: Uint8Array): void {
    const header = Buffer.alloc(RTP_HEADER_BYTES);
    header[0] = 0x80;
    header.writeUInt16BE(this.#sequence & 0xffff, 2);
    header.writeUInt32BE((this.#sequence * payload.length) >>> 0, 4);
    header.writeUInt32BE(DYNAMIC_SSRC, 8);
    this.#sequence += 1;
    this.#socket?.send([header, payload], this.#target.port, this.#target.address);
  }
}

function descriptionOf(socket: Socket, version: number): string {
  const lines = [
    ...['v=0', `o=- 1 ${version} IN IP4 ${HOST}`, 's=-', `c=IN IP4 ${HOST}`, 't=0 0'],
    ...[`m=audio ${socket.address().port} RTP/AVP 0`, 'a=rtpmap:0 PCMU/8000', 'a=rtcp-mux'],
  ];
  return `${lines.join('\r\n')}\r\n`;
}

function targetOf(sdp: string): { port: number; address: string } {
  const port = Number(/^m=audio (?<port>\d+)/mu.exec(sdp)?.groups?.['port']);
  const address = /^c=IN IP4 (?<address>\S+)/mu.exec(sdp)?.groups?.['address'];
  if (!port || address === undefined) throw new Error(`no address of audio in: ${sdp}`);
  return { port, address };
}
