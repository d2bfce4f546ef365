import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { FrameChunker } from '@calls/audio/frame-chunker';
import { PcmByteJoiner } from '@calls/audio/pcm-byte-joiner';
import { createResampler } from '@calls/audio/resampler';
import { VAD_WINDOW_SAMPLES, type VoiceActivityEngine } from '@calls/engine-ports/voice-activity-detector';
import { WebSocket, WebSocketServer } from 'ws';
import type { MeasuredCost } from './capacity.ts';

/**
 * Number of simulated calls. Their windows form one batch; with fewer than 20 detectors, batches do not wait for more
 * windows.
 */
const CALLS = 16;
const INPUT_RATE_HZ = 48_000;
const VAD_RATE_HZ = 16_000;
const FRAME_BYTES = ((INPUT_RATE_HZ * 20) / 1000) * 2;

/** Frame exchanges before the measurement, so that V8 has compiled the code. */
const WARM_UP_ROUNDS = 40;
const FRAME_ROUNDS = 160;
const FRAME_ROUNDS_AT_ONCE = 4;
const WINDOW_ROUNDS = 20;
/** On a busy machine the measurement ends after this time with fewer rounds. */
const LIMIT_MS = 1000;

/**
 * Sends frames through local sockets and back and scores their windows, on an otherwise idle thread. Takes the shortest
 * of many short measurements as the undisturbed cost; if all were disturbed, the CPU time is lower and is used instead.
 * Takes about 250 ms.
 */
export async function measureCost(voiceActivity: VoiceActivityEngine): Promise<MeasuredCost> {
  const deadlineMs = performance.now() + LIMIT_MS;
  return {
    windowUs: await measureWindows(voiceActivity),
    frameUs: await measureFrames(deadlineMs),
  };
}

async function measureWindows(voiceActivity: VoiceActivityEngine): Promise<number> {
  const detectors = Array.from({ length: CALLS }, () => voiceActivity.createDetector());
  try {
    const window = new Int16Array(VAD_WINDOW_SAMPLES);
    let shortestMs = Infinity;
    for (let round = 0; round < WINDOW_ROUNDS; round += 1) {
      const startMs = performance.now();
      await Promise.all(detectors.map((detector) => detector.push(window)));
      shortestMs = Math.min(shortestMs, performance.now() - startMs);
    }
    return (shortestMs * 1000) / CALLS;
  } finally {
    for (const detector of detectors) detector.close();
  }
}

async function measureFrames(deadlineMs: number): Promise<number> {
  await using undo = new AsyncDisposableStack();
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: false });
  undo.defer(() => new Promise<void>((resolve) => server.close(() => resolve())));
  await once(server, 'listening');
  server.on('connection', (socket) => undo.defer(serveCall(socket)));
  const { port } = server.address() as AddressInfo;
  const callers = await Promise.all(Array.from({ length: CALLS }, () => connect(port)));
  for (const caller of callers) undo.defer(() => caller.terminate());
  const frame = Buffer.alloc(FRAME_BYTES);
  const exchange = async (rounds: number): Promise<number> => {
    const startMs = performance.now();
    for (let round = 0; round < rounds; round += 1) {
      const replies = callers.map((caller) => once(caller, 'message'));
      for (const caller of callers) caller.send(frame);
      await Promise.all(replies);
    }
    return (performance.now() - startMs) / rounds;
  };
  let shortestMs = await exchange(WARM_UP_ROUNDS);
  let rounds = 0;
  const cpuBefore = process.threadCpuUsage();
  while (rounds < FRAME_ROUNDS && performance.now() < deadlineMs) {
    shortestMs = Math.min(shortestMs, await exchange(FRAME_ROUNDS_AT_ONCE));
    rounds += FRAME_ROUNDS_AT_ONCE;
  }
  const { user, system } = process.threadCpuUsage(cpuBefore);
  // Kernels count CPU time in ticks of up to 4 ms, so it is not accurate for few rounds.
  const cpuUs = rounds < FRAME_ROUNDS / 8 ? Infinity : (user + system) / rounds;
  return Math.min(shortestMs * 1000, cpuUs) / CALLS;
}

async function connect(port: number): Promise<WebSocket> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}`, { perMessageDeflate: false });
  await once(socket, 'open');
  return socket;
}

/** Processing of a frame that does not depend on its content. Returns a function that stops it. */
function serveCall(socket: WebSocket): () => void {
  const joiner = new PcmByteJoiner();
  const resampler = createResampler(INPUT_RATE_HZ, VAD_RATE_HZ);
  const chunker = new FrameChunker(VAD_WINDOW_SAMPLES);
  socket.on('message', (bytes: Buffer) => {
    const samples = joiner.push(bytes);
    chunker.push(resampler.process(samples), () => undefined);
    socket.send(Buffer.from(samples.buffer.slice(samples.byteOffset, samples.byteOffset + bytes.length)));
  });
  return () => {
    socket.terminate();
    resampler.close();
  };
}
