import { parseArgs } from 'node:util';
import { fork } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { raiseThreadPriority } from '@calls/foundation/thread-priority';
import { markdownTable } from '../../support/markdown-table.ts';
import { distributionOf, round, type Distribution } from '../distribution.ts';
import type { SenderRequest } from './rtp-sender.ts';
import { wholeNumber } from '../../support/command-options.ts';

export interface RtpOptions {
  calls: number;
  /** Duration of each run. */
  seconds: number;
  /** Each run sends from the main thread, then from the RTP thread. */
  runs: number;
  isEncrypted: boolean;
}

export function readRtpOptions(args: readonly string[]): RtpOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      calls: { type: 'string', default: '100' },
      seconds: { type: 'string', default: '20' },
      runs: { type: 'string', default: '2' },
      encrypted: { type: 'boolean', default: false },
    },
  });
  return {
    calls: wholeNumber('calls', values.calls, 1, 1000),
    seconds: wholeNumber('seconds', values.seconds, 1, 3600),
    runs: wholeNumber('runs', values.runs, 1, 100),
    isEncrypted: values.encrypted,
  };
}

export interface RtpFigures {
  sends: SenderRequest['sends'];
  /** Time between two packets of a call. */
  intervalMs: Distribution;
  packets: number;
  /** Number of packets with silence while the agent spoke. Unknown for encrypted packets. */
  silentPackets: number;
  /** CPU time of the whole process, including the load on its main thread, in cores. */
  cpu: number;
}

const HOST = '127.0.0.1';
const MU_LAW_SILENCE = 0xff;
const RECEIVE_BUFFER_BYTES = 4 * 1024 * 1024;

/** Measures the arrival times of RTP packets while the main thread of their sender is busy. */
export async function runRtp(options: RtpOptions, say: (line: string) => void): Promise<RtpFigures[]> {
  const figures: RtpFigures[] = [];
  const refusal = raiseThreadPriority();
  if (refusal !== null) say(`arrival times include delays of this process: ${refusal}`);
  for (let run = 0; run < options.runs; run += 1) {
    for (const sends of ['main thread', 'RTP thread'] as const) {
      const measured = await measure(sends, options);
      figures.push(measured);
      say(`run ${run + 1}, sent by the ${sends}: p99 ${measured.intervalMs.p99} ms`);
    }
  }
  return figures;
}

export function rtpTable(figures: readonly RtpFigures[]): string {
  return markdownTable(
    ['sent by', 'p50 ms', 'p99 ms', 'max ms', 'packets', 'silent', 'processor'],
    figures.map(({ sends, intervalMs: { p50, p99, max }, packets, silentPackets, cpu }) => [
      ...[sends, p50, p99, max, packets, silentPackets, `${round(cpu * 100)} %`],
    ]),
  );
}

async function measure(sends: SenderRequest['sends'], options: RtpOptions): Promise<RtpFigures> {
  const { calls, seconds, isEncrypted } = options;
  const socket = createSocket({ type: 'udp4', recvBufferSize: RECEIVE_BUFFER_BYTES });
  socket.bind(0, HOST);
  await once(socket, 'listening');
  const lastMs = new Map<number, number>();
  const speaking = new Set<number>();
  const intervals: number[] = [];
  let [packets, silentPackets] = [0, 0];
  socket.on('message', (bytes, { port }) => {
    const nowMs = performance.now();
    const before = lastMs.get(port);
    lastMs.set(port, nowMs);
    const isSilent = !isEncrypted && bytes.subarray(12).every((byte) => byte === MU_LAW_SILENCE);
    if (!isSilent) speaking.add(port);
    if (!speaking.has(port) || before === undefined) return;
    packets += 1;
    if (isSilent) silentPackets += 1;
    intervals.push(nowMs - before);
  });
  const sender = fork(new URL('./rtp-sender.ts', import.meta.url));
  const exited = once(sender, 'exit');
  const request: SenderRequest = { sends, calls, seconds, isEncrypted, targetPort: socket.address().port };
  sender.send(request);
  const [{ cpuMs }] = (await once(sender, 'message')) as [{ cpuMs: number }];
  socket.close();
  await exited;
  return {
    sends,
    intervalMs: distributionOf(intervals),
    packets,
    silentPackets,
    cpu: cpuMs / (seconds * 1000),
  };
}
