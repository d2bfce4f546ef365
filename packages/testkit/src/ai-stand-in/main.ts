import { readOwnConfig, runProcess } from '@calls/foundation/lifecycle';
import { silentLogger } from '@calls/foundation/logger';
import { integer, text } from '@calls/foundation/variable';
import { initialSettings } from './behaviour.ts';
import { listen } from './server.ts';
import { loadSpeechRecording } from './speech-recording.ts';

const delayMs = (meaning: string) => integer({ default: 0, min: 0, max: 600_000, meaning });
const values = readOwnConfig(process.env, (env) =>
  env.read({
    PORT: integer({ default: 0, min: 0, max: 65_535, meaning: '0: any free port' }),
    API_KEY: text({ unset: 'any key is accepted', meaning: 'the one accepted key' }),
    STT_DELAY_MS: delayMs('delay of transcripts'),
    LLM_FIRST_TOKEN_MS: delayMs('delay of the first token'),
    LLM_TOKEN_GAP_MS: delayMs('delay between tokens'),
    TTS_FIRST_AUDIO_MS: delayMs('delay of the first audio'),
    TTS_REAL_TIME_PERCENT: integer({
      default: 10,
      min: 0,
      max: 1000,
      meaning: 'time that speech takes, of its duration',
    }),
  }),
);
const config = {
  port: values.PORT,
  apiKey: values.API_KEY,
  settings: initialSettings({
    sttDelayMs: values.STT_DELAY_MS,
    llmFirstTokenMs: values.LLM_FIRST_TOKEN_MS,
    llmTokenGapMs: values.LLM_TOKEN_GAP_MS,
    ttsFirstAudioMs: values.TTS_FIRST_AUDIO_MS,
    ttsRealTimeFactor: values.TTS_REAL_TIME_PERCENT / 100,
  }),
};

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
