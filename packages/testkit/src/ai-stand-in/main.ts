import { EnvReader } from '@calls/foundation/env-reader';
import { runProcess } from '@calls/foundation/lifecycle';
import { silentLogger } from '@calls/foundation/logger';
import { initialSettings } from './behaviour.ts';
import { listen } from './server.ts';
import { loadSpeechRecording } from './speech-recording.ts';

const env = new EnvReader(process.env);
const delay = (name: string, fallback: number): number =>
  env.integer(name, { fallback, min: 0, max: 600_000 });
const config = {
  port: env.integer('PORT', { fallback: 0, min: 0, max: 65_535 }),
  apiKey: env.optional('API_KEY') ?? null,
  settings: initialSettings({
    sttDelayMs: delay('STT_DELAY_MS', 0),
    llmFirstTokenMs: delay('LLM_FIRST_TOKEN_MS', 0),
    llmTokenGapMs: delay('LLM_TOKEN_GAP_MS', 0),
    ttsFirstAudioMs: delay('TTS_FIRST_AUDIO_MS', 0),
    ttsRealTimeFactor: env.integer('TTS_REAL_TIME_PERCENT', { fallback: 10, min: 0, max: 1000 }) / 100,
  }),
};
env.finish();

await runProcess({
  log: silentLogger,
  stopLimitMs: 2000,
  start: async () => {
    const server = await listen({ ...config, recording: await loadSpeechRecording() });
    const message = { type: 'listening', port: server.port, baseUrl: `http://127.0.0.1:${server.port}/v1` };
    process.stdout.write(`${JSON.stringify(message)}\n`);
    process.send?.(message);
    return server;
  },
});
