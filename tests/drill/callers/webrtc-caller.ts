import { setTimeout as after } from 'node:timers/promises';
import { createOpusEncoder, OPUS_FRAME_MS } from '@calls/audio/opus';
import { DEFAULT_GRACE_MS, reconnectPauseMs, watchServer } from '@calls/examples/reconnection';
import type { Api } from '../../support/api.ts';
import { MinimalClient } from '../../support/webrtc/minimal-client.ts';
import { SocketClosedError } from '../../support/webrtc/signalling-socket.ts';
import { AgentAudio, type DrillCaller } from './drill-caller.ts';

const RATE_HZ = 48_000;
const BROKEN = 1006;

/** A WebRTC client that sends silence and reconnects like the browser SDK. */
export async function callByWebRtc(api: Api, settings: Record<string, unknown>): Promise<DrillCaller> {
  const call = await api.createCall({ ...settings, medium: { webRtc: {} } });
  const caller = new WebRtcCaller(call.callId, call.joinUrl ?? '');
  await caller.join();
  return caller;
}

class WebRtcCaller implements DrillCaller {
  readonly callId: string;
  readonly medium = 'webrtc';
  readonly agent = new AgentAudio();
  readonly #joinUrl: string;
  #client: MinimalClient | null = null;
  #isSpeaking = false;
  #graceMs = DEFAULT_GRACE_MS;
  #isHangingUp = false;
  #lost: string | null = null;

  constructor(callId: string, joinUrl: string) {
    this.callId = callId;
    this.#joinUrl = joinUrl;
  }

  get lost(): string | null {
    return this.#lost;
  }

  async join(): Promise<void> {
    const silence = await silentPacket();
    const client = await this.#connect();
    const timer = setInterval(() => this.#client?.speak(silence), OPUS_FRAME_MS);
    void this.#stay(client).finally(() => clearInterval(timer));
  }

  async hangUp(): Promise<void> {
    this.#isHangingUp = true;
    await this.#client?.hangUp();
  }

  async #connect(): Promise<MinimalClient> {
    this.#client = await MinimalClient.join(this.#joinUrl, {
      onSocket: watchServer,
      onPacket: () => this.agent.audible(),
      onMessage: (message) => {
        if (message.type === 'call_started') this.#graceMs = message.reconnectGraceMs ?? DEFAULT_GRACE_MS;
        if (message.type === 'state') this.#isSpeaking = message.state === 'speaking';
      },
    });
    return this.#client;
  }

  async #stay(first: MinimalClient): Promise<void> {
    for (let client: MinimalClient | null = first; client; client = await this.#comeBack()) {
      const { code, reason } = await client.signalling.closed.promise;
      this.#client = null;
      client.stopMedia();
      if (this.#isHangingUp) return;
      const now = { isReconnecting: false, lostForMs: 0, retries: 0, graceMs: this.#graceMs };
      if (reconnectPauseMs({ code, ...now }) === null) {
        this.#lost = `closed with ${code} ${reason}`;
        return;
      }
      this.agent.moved(this.#isSpeaking);
    }
  }

  /** Null if the call cannot be continued. */
  async #comeBack(): Promise<MinimalClient | null> {
    const lostMs = performance.now();
    for (let retries = 1; ; retries += 1) {
      try {
        return await this.#connect();
      } catch (thrown) {
        const code = thrown instanceof SocketClosedError ? thrown.code : BROKEN;
        const lostForMs = performance.now() - lostMs;
        const pauseMs = reconnectPauseMs({
          ...{ code, lostForMs, retries },
          isReconnecting: true,
          graceMs: this.#graceMs,
        });
        if (pauseMs === null) {
          this.#lost = String(thrown);
          return null;
        }
        await after(pauseMs);
      }
    }
  }
}

async function silentPacket(): Promise<Uint8Array> {
  const encoder = await createOpusEncoder({ sampleRateHz: RATE_HZ });
  try {
    return encoder.encode(new Int16Array((RATE_HZ * OPUS_FRAME_MS) / 1000));
  } finally {
    encoder[Symbol.dispose]();
  }
}
