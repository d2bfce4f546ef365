import { parentPort, workerData } from 'node:worker_threads';
import { systemClock, type Clock } from '@calls/foundation/clock';
import { toError } from '@calls/foundation/errors';
import { raiseThreadPriority } from '@calls/foundation/thread-priority';
import { RecordWriter } from '../record-batch.ts';
import { createSharedDtls, type SharedDtls } from '../dtls/dtls-media.ts';
import { FrameRing } from './frame-ring.ts';
import { FrameTicker } from './frame-ticker.ts';
import { RtpPort, type SendGate } from './rtp-port.ts';
import { PHONE_LIMITS, RtpSession } from './rtp-session.ts';
import {
  processOffsetMs,
  SharedTicks,
  type ContinueSending,
  type RtpThreadNotice,
  type RtpThreadReply,
  type RtpThreadRequest,
} from './rtp-thread-messages.ts';

// Entry of the RTP thread. It owns the sockets of all SIP and WebRTC calls of the process and runs until it is terminated.

/** Skipped ticks after which the process counts as paused: 200 ms, in addition to the ticks that are caught up. */
const PAUSED_TICKS = 10;
/** Received packets wait this long for others, because a message between threads costs more than a packet. */
const GATHER_MS = 2;

if (!parentPort) throw new Error('this file must run as a worker thread');
// Without this permission, the thread is late while other processes keep all processors busy.
const noPriority = raiseThreadPriority();
const main = parentPort;
const offsetMs = processOffsetMs(systemClock);
const clock: Clock = { ...systemClock, nowMs: () => systemClock.nowMs() - offsetMs };
const ticker = new FrameTicker(clock);
const ticks = new SharedTicks(workerData as SharedArrayBuffer);
ticks.originMs = ticker.msOf(0);
const gate: SendGate = { isShut: false };
ticker.add((tick) => {
  // While this process did not run, another worker may have continued its calls.
  if (tick - ticks.next >= PAUSED_TICKS) {
    gate.isShut = true;
    reply({ type: 'paused' });
  }
  ticks.next = tick + 1;
});
ticks.next = ticker.next;

const openedDtls = openDtls();
const dtls = typeof openedDtls === 'string' ? null : openedDtls;

const sessions = new Map<number, RtpSession>();
const received = new RecordWriter();

/** Returns the reason as text if DTLS is not available. */
function openDtls(): SharedDtls | string {
  try {
    return createSharedDtls(clock);
  } catch (thrown) {
    return toError(thrown).message;
  }
}

function reply(message: RtpThreadReply | RtpThreadNotice): void {
  main.postMessage(message);
}

function gather(channel: number, bytes: Buffer, arrivedMs: number): void {
  if (received.isEmpty) setTimeout(sendReceived, GATHER_MS);
  received.write(channel, 0, arrivedMs, bytes);
}

function sendReceived(): void {
  const batch = received.take();
  main.postMessage(batch, [batch]);
}

async function open({ channel, at, ring }: RtpThreadRequest & { type: 'open' }): Promise<void> {
  try {
    const { hosts, port } = 'peer' in at ? { hosts: [at.host], port: 0 } : at;
    const opened = await RtpPort.open(hosts, port, () => reply({ type: 'closed', channel }), gate);
    if ('peer' in at) await opened.connect(at.peer);
    const session = new RtpSession({
      port: opened,
      openRtcpPort: () => RtpPort.open(hosts, opened.port + 1, () => undefined, gate),
      ring: new FrameRing(ring),
      ticker,
      onPacket: (bytes, arrivedMs) => gather(channel, bytes, arrivedMs),
      onLost: (detail) => reply({ type: 'lost', channel, detail }),
      dtls: 'peer' in at ? null : dtls,
      limits: 'peer' in at ? at.limits : PHONE_LIMITS,
      clock,
    });
    if ('peer' in at) session.apply({ type: 'signalled', address: at.peer });
    sessions.set(channel, session);
    reply({ type: 'opened', channel, port: opened.port, fingerprint: dtls?.context.fingerprint ?? null });
  } catch (thrown) {
    const { code, message }: NodeJS.ErrnoException = toError(thrown);
    reply({ type: 'failed', channel, code, message });
  }
}

main.on('message', (request: RtpThreadRequest | ContinueSending) => {
  if (request.type === 'continue') {
    gate.isShut = false;
    return;
  }
  const { channel } = request;
  if (request.type === 'open') void open(request);
  else if (request.type === 'apply') sessions.get(channel)?.apply(request.command);
  else {
    sessions.get(channel)?.close();
    sessions.delete(channel);
  }
});
main.postMessage('ready');
if (noPriority !== null) reply({ type: 'noPriority', reason: noPriority });
if (typeof openedDtls === 'string') reply({ type: 'noDtls', reason: openedDtls });
