import { fork, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import type { StandInControl, StandInDelays } from './behaviour.ts';
import type { RequestReport } from './request-log.ts';

export interface AiStandInOptions extends Partial<StandInDelays> {
  /** Default: a free port. */
  port?: number;
  /** Required bearer token; default: none. */
  apiKey?: string;
}

/** A stand-in process that serves the protocols of OpenAI and Jina for the AI roles. */
export interface AiStandIn extends AsyncDisposable {
  /** For `LLM_BASE_URL`, `STT_BASE_URL`, `TTS_BASE_URL`, `EMBEDDING_BASE_URL` and `RERANK_BASE_URL`. */
  readonly baseUrl: string;
  readonly pid: number;
  /** Changes delays, replies and behaviour of later requests. */
  control(control: StandInControl): Promise<void>;
  /** The requests so far. */
  requests(): Promise<RequestReport>;
}

const START_LIMIT_MS = 60_000;
const STOP_LIMIT_MS = 3000;

export async function startAiStandIn(options: AiStandInOptions = {}): Promise<AiStandIn> {
  const child = fork(join(import.meta.dirname, 'main.ts'), [], {
    execArgv: [],
    env: {
      PATH: process.env['PATH'],
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      ...environment(options),
    },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const baseUrl = await listening(child);
  const origin = new URL(baseUrl).origin;
  return {
    baseUrl,
    pid: child.pid ?? 0,
    async control(control) {
      await ask(`${origin}/control`, { method: 'POST', body: JSON.stringify(control) });
    },
    async requests() {
      return (await ask(`${origin}/requests`, { method: 'GET' })) as RequestReport;
    },
    [Symbol.asyncDispose]: () => stop(child),
  };
}

function environment(options: AiStandInOptions): Record<string, string> {
  const values: Record<string, string | number | undefined> = {
    PORT: options.port,
    API_KEY: options.apiKey,
    STT_DELAY_MS: options.sttDelayMs,
    LLM_FIRST_TOKEN_MS: options.llmFirstTokenMs,
    LLM_TOKEN_GAP_MS: options.llmTokenGapMs,
    TTS_FIRST_AUDIO_MS: options.ttsFirstAudioMs,
    TTS_REAL_TIME_PERCENT:
      options.ttsRealTimeFactor === undefined ? undefined : Math.round(options.ttsRealTimeFactor * 100),
  };
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  );
}

function listening(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    const limit = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`the AI stand-in was not ready within ${START_LIMIT_MS} ms`));
    }, START_LIMIT_MS);
    child.on('message', (message: { type: string; baseUrl?: string }) => {
      if (message.type !== 'listening' || message.baseUrl === undefined) return;
      clearTimeout(limit);
      resolve(message.baseUrl);
    });
    child.once('error', reject);
    child.once('exit', (code) => {
      clearTimeout(limit);
      reject(new Error(`the AI stand-in ended with code ${String(code)} before it was ready`));
    });
  });
}

async function ask(url: string, init: RequestInit): Promise<unknown> {
  const response = await fetch(url, { ...init, headers: { connection: 'close' } });
  const body: unknown = await response.json();
  if (!response.ok) throw new Error(`the AI stand-in answered ${response.status}: ${JSON.stringify(body)}`);
  return body;
}

function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    const limit = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS);
    child.once('exit', () => {
      clearTimeout(limit);
      resolve();
    });
    child.kill('SIGTERM');
  });
}
