/**
 * Calls an agent and plays WAV files to it: `npm run example:call -- speech.wav [more.wav …] [options]`. Each file
 * starts when the agent has finished, or with --interrupt, one second after it began. Prints the conversation as it
 * happens and writes the received audio to a WAV file.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import type { ServerMessage } from '@calls/api-contract/data-messages/server-messages';
import type { Call } from '@calls/api-contract/rest/call';
import type { Message } from '@calls/api-contract/rest/message';
import { createResampler } from '@calls/audio/resampler';
import { encodeWav, parseWav } from '@calls/audio/wav';
import { CallClient } from './call-client.ts';
import { developmentKey } from './development-key.ts';

const SAMPLE_RATE_HZ = 16_000;
/** The agent counts as done when it has been quiet for this long. */
const QUIET_MS = 700;
const REPLY_LIMIT_MS = 20_000;

const USAGE = `usage: npm run example:call -- speech.wav [more.wav …] [--prompt TEXT] [--voice NAME] [--interrupt]
       [--out agent.wav] [--url http://localhost:8080] [--key API_KEY]`;

const { options, files } = readArguments();
const apiKey = options.key ?? process.env['API_KEY'] ?? (await developmentKey());
const speeches = await Promise.all(files.map(readSpeech));

const call = await request<Call>('POST', '/api/calls', {
  systemPrompt: options.prompt,
  medium: { serverWebSocket: { inputSampleRate: SAMPLE_RATE_HZ, dataMessages: { callEvent: true } } },
  ...(options.voice === undefined ? {} : { voice: options.voice }),
});
console.log(`call ${call.callId}`);

const client = await CallClient.connect({
  joinUrl: call.joinUrl ?? '',
  inputSampleRateHz: SAMPLE_RATE_HZ,
  outputSampleRateHz: SAMPLE_RATE_HZ,
  onMessage: show,
  onConnection: (state) => console.log(`          (the connection is ${state})`),
});
await converse().catch((error: unknown) => {
  console.error(`call failed: ${(error as Error).message}`);
  process.exitCode = 1;
});
await client.hangUp();

const agentAudio = client.receivedAudio();
await writeFile(options.out, encodeWav(agentAudio, SAMPLE_RATE_HZ));
console.log(
  `\nwrote ${(agentAudio.length / SAMPLE_RATE_HZ).toFixed(1)} s of the agent's audio to ${options.out}`,
);
await report(call.callId);

function readArguments() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        url: {
          type: 'string',
          default: process.env['API_URL'] ?? `http://localhost:${process.env['PORT'] ?? '8080'}`,
        },
        key: { type: 'string' },
        prompt: {
          type: 'string',
          default: 'You are Ada, the friendly receptionist of a small hotel by the sea.',
        },
        voice: { type: 'string' },
        out: { type: 'string', default: 'agent.wav' },
        interrupt: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
    if (values.help) {
      console.log(USAGE);
      process.exit(0);
    }
    if (positionals.length > 0) return { options: values, files: positionals };
    console.error(USAGE);
  } catch (thrown) {
    console.error(`${(thrown as Error).message}\n${USAGE}`);
  }
  return process.exit(2);
}

async function converse(): Promise<void> {
  await agentDone();
  for (const [index, speech] of speeches.entries()) {
    await client.speak(speech.samples);
    const speechEndMs = client.nowMs - speech.trailingSilenceMs;
    const isAnswered = (): boolean => client.lastAudioMs > speechEndMs && client.isPlaying;
    await client.until(`an answer to ${files[index] ?? ''}`, isAnswered, REPLY_LIMIT_MS);
    const interruptNext = options.interrupt && index < speeches.length - 1;
    if (interruptNext) await new Promise((resolve) => setTimeout(resolve, 1000));
    else await agentDone();
  }
}

/** Waits until the agent has finished speaking. */
async function agentDone(): Promise<void> {
  const quiet = (): boolean =>
    client.state === 'listening' && !client.isPlaying && client.nowMs - client.lastAudioMs > QUIET_MS;
  await client.until('the agent to finish', quiet, 60_000);
}

function show(message: ServerMessage): void {
  if (message.type === 'call_event' && message.eventType === 'turn_latency') {
    console.log(`          (answered after ${Number(message.extras?.['firstAudioSentMs'])} ms)`);
  }
  if (message.type === 'call_event' && (message.severity === 'warning' || message.severity === 'error')) {
    console.log(`          (${message.eventType}: ${message.text})`);
  }
  if (message.type === 'transcript' && message.final) {
    console.log(`${message.role === 'user' ? '     you' : '   agent'}: ${message.text ?? ''}`);
  }
}

/** The call is stored shortly after it has ended. */
async function report(callId: string): Promise<void> {
  for (let attempt = 0; attempt < 50; attempt += 1) {
    const ended = await request<Call>('GET', `/api/calls/${callId}`);
    if (ended.ended !== null && ended.billedDuration !== null) {
      const { results } = await request<{ results: Message[] }>('GET', `/api/calls/${callId}/messages`);
      console.log(
        `ended: ${ended.endReason ?? ''}, billed ${ended.billedDuration}, ${results.length} messages stored`,
      );
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  console.log('the call has not been billed yet');
}

async function readSpeech(file: string): Promise<{ samples: Int16Array; trailingSilenceMs: number }> {
  const bytes = await readFile(file).catch((error: unknown) => {
    console.error(`${file} can't be read: ${String(error)}`);
    process.exit(1);
  });
  const { samples, sampleRateHz } = parseWav(bytes);
  const resampler = createResampler(sampleRateHz, SAMPLE_RATE_HZ);
  const speech = resampler.process(samples).slice();
  let end = speech.length;
  while (end > 0 && Math.abs(speech[end - 1] ?? 0) < 300) end -= 1;
  return { samples: speech, trailingSilenceMs: ((speech.length - end) * 1000) / SAMPLE_RATE_HZ };
}

async function request<T>(method: string, path: string, body?: unknown): Promise<T> {
  const response = await fetch(new URL(path, options.url), {
    method,
    headers: { 'X-API-Key': apiKey, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(10_000),
  }).catch((error: unknown) => {
    console.error(`${options.url} can't be reached: is the service running? (${String(error)})`);
    process.exit(1);
  });
  if (!response.ok) {
    console.error(`${method} ${path} answered ${response.status}: ${await response.text()}`);
    process.exit(1);
  }
  return (await response.json()) as T;
}
