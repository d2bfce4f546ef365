import { setTimeout as sleep } from 'node:timers/promises';
import { delay, systemClock as clock } from '@calls/foundation/clock';
import { silentLogger } from '@calls/foundation/logger';
import { InlineRtp } from '@calls/transports/rtp-thread/inline-rtp';
import { isRefusal } from '@calls/transports/sip/remote-media';
import { RtpPorts } from '@calls/transports/rtp-thread/rtp-ports';
import { RtpThread } from '@calls/transports/rtp-thread/rtp-thread';
import { SipMedia } from '@calls/transports/sip/sip-media';
import type { SipTransport } from '@calls/transports/sip/transport';

/** The request of the bench. */
export interface SenderRequest {
  sends: 'main thread' | 'RTP thread';
  calls: number;
  seconds: number;
  isEncrypted: boolean;
  /** Destination port of the packets of all calls. */
  targetPort: number;
}

// A process with calls whose agents speak continuously. Its main thread is busy half of the time, for 50 to 200 ms at a
// time.

const HOST = '127.0.0.1';
const RATE_HZ = 8000;
const FRAME_MS = 20;
const PUMP_MS = 5;
const BUSY_MS = { min: 50, max: 200 };
const KEY = Buffer.alloc(30, 1).toString('base64');

const request = await new Promise<SenderRequest>((resolve) => {
  process.once('message', (message) => resolve(message as SenderRequest));
});
await using engine =
  request.sends === 'RTP thread' ? await RtpThread.start({ log: silentLogger, clock }) : null;
const ports = new RtpPorts({
  host: HOST,
  range: { first: 23_000, last: 23_000 + 2 * request.calls },
  engine: engine ?? new InlineRtp(clock),
});
const calls = await Promise.all(Array.from({ length: request.calls }, openCall));
const cpuBefore = process.cpuUsage();
const stopped = new AbortController();
const speech = Promise.all(calls.map((call, i) => speak(call, i)));
const busy = beBusy();
await delay(clock, request.seconds * 1000);
stopped.abort();
await Promise.all([speech, busy]);
const { user, system } = process.cpuUsage(cpuBefore);
process.send?.({ cpuMs: (user + system) / 1000 });
for (const call of calls) call.ended('local');
process.disconnect();

async function openCall(): Promise<SipTransport> {
  const meter = { sample: () => undefined };
  const media = await SipMedia.open({ ports, address: HOST, meter, clock });
  const crypto = request.isEncrypted ? `a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:${KEY}\r\n` : '';
  const profile = request.isEncrypted ? 'RTP/SAVP' : 'RTP/AVP';
  const answer = media.answer(
    `v=0\r\no=- 1 1 IN IP4 ${HOST}\r\ns=-\r\nc=IN IP4 ${HOST}\r\nt=0 0\r\n` +
      `m=audio ${request.targetPort} ${profile} 0\r\n${crypto}`,
  );
  if (isRefusal(answer)) throw new Error(answer.reason);
  return media.transport({ hangUp: () => Promise.resolve() });
}

/** Writes speech ahead of its deadlines by the lead of the transport, like the playout. */
async function speak(call: SipTransport, index: number): Promise<void> {
  const frame = new Int16Array((RATE_HZ * FRAME_MS) / 1000).fill(1000 + index);
  const beganMs = clock.nowMs();
  let writtenMs = 0;
  while (!stopped.signal.aborted) {
    while (beganMs + writtenMs < clock.nowMs() + call.outputLeadMs) {
      call.write(frame);
      writtenMs += FRAME_MS;
    }
    await delay(clock, PUMP_MS);
  }
}

async function beBusy(): Promise<void> {
  const spanMs = (): number => BUSY_MS.min + Math.random() * (BUSY_MS.max - BUSY_MS.min);
  while (!stopped.signal.aborted) {
    await sleep(spanMs());
    const untilMs = clock.nowMs() + spanMs();
    while (clock.nowMs() < untilMs);
  }
}
