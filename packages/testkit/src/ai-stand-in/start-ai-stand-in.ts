import { join } from 'node:path';
import { askStandIn, startStandInProcess } from '../stand-in-process.ts';
import type { StandInControl, StandInDelays } from './behaviour.ts';
import type { RequestReport } from './request-log.ts';

/** The model that services use; the stand-in accepts any name. */
export const STAND_IN_MODEL = 'stand-in';

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
  /** Variables of services that use it for speech-to-text, the language model and text-to-speech. */
  readonly engineEnv: Readonly<Record<string, string>>;
  readonly pid: number;
  /** Changes delays, replies and behaviour of later requests. */
  control(control: StandInControl): Promise<void>;
  /** The requests so far. */
  requests(): Promise<RequestReport>;
}

export async function startAiStandIn(options: AiStandInOptions = {}): Promise<AiStandIn> {
  const main = join(import.meta.dirname, 'main.ts');
  const child = await startStandInProcess<{ baseUrl: string }>(main, environment(options));
  const { baseUrl } = child.ready;
  const origin = new URL(baseUrl).origin;
  return {
    baseUrl,
    engineEnv: {
      STT_BASE_URL: baseUrl,
      LLM_BASE_URL: baseUrl,
      LLM_MODEL: STAND_IN_MODEL,
      TTS_BASE_URL: baseUrl,
    },
    pid: child.pid,
    async control(control) {
      await askStandIn(`${origin}/control`, control);
    },
    async requests() {
      return (await askStandIn(`${origin}/requests`)) as RequestReport;
    },
    [Symbol.asyncDispose]: () => child[Symbol.asyncDispose](),
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
