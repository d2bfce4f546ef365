import { systemClock } from '@calls/foundation/clock';
import { readOwnConfig, runProcess } from '@calls/foundation/lifecycle';
import { silentLogger } from '@calls/foundation/logger';
import { text } from '@calls/foundation/variable';
import { createMoonshine } from '@calls/providers/stt/moonshine/adapter';
import { listen } from './server.ts';
import { recogniseSound, recogniseTones } from './tone-words.ts';

const { API_KEY: apiKey, ENGINE: engineName } = readOwnConfig(process.env, (env) =>
  env.read({
    API_KEY: text({ meaning: 'the one accepted key' }),
    ENGINE: text({
      meaning:
        '`moonshine`: recognises speech; `sound`: finds the same words in any sound; others recognise tones',
    }),
  }),
);

/** Transcribes speech instead of tones. */
function openSpeechToText(): AsyncDisposable & { recognise: (samples: Int16Array) => Promise<string> } {
  const engine = createMoonshine({
    timeoutMs: 60_000,
    clock: systemClock,
    log: silentLogger,
  });
  return {
    async recognise(samples) {
      const stream = engine.open({ languageHint: 'en' }, new AbortController().signal);
      stream.push(samples);
      const { text } = await stream.finalize();
      stream.close();
      return text;
    },
    [Symbol.asyncDispose]: () => engine[Symbol.asyncDispose](),
  };
}

await runProcess({
  log: silentLogger,
  stopLimitMs: 2000,
  start: async () => {
    const engine = engineName === 'moonshine' ? openSpeechToText() : null;
    // Loads the model before the first request.
    await engine?.recognise(new Int16Array(16_000));
    const server = await listen({
      apiKey,
      recognise: engine?.recognise ?? (engineName === 'sound' ? recogniseSound : recogniseTones),
    });
    process.send?.({ port: server.port });
    return {
      async [Symbol.asyncDispose]() {
        await server[Symbol.asyncDispose]();
        await engine?.[Symbol.asyncDispose]();
      },
    };
  },
});
