import { concatSamples } from '@calls/audio/pcm';
import { createResampler } from '@calls/audio/resampler';
import { SPEECH_RATE_HZ, type TranscriptionStream } from '@calls/engine-ports/speech-to-text';
import { delay, type Clock } from '@calls/foundation/clock';
import { toError } from '@calls/foundation/errors';
import type { Logger } from '@calls/foundation/logger';
import { wordErrorRate } from '@calls/foundation/word-error-rate';
import { catalogueVoices, DEFAULT_MODEL } from '@calls/providers/config/catalogue';
import type { CatalogueVoice } from '@calls/providers/config/catalogue-voice';
import type { ProviderConfig } from '@calls/providers/config/provider-config';
import { createProviders, type Providers } from '@calls/providers/registry';
import type { Findings } from '../findings.ts';

const SENTENCE = 'Hello, I would like to book a table for four people on Friday evening.';
const QUESTION = 'Say in one short sentence that you are ready.';
/** Duration of audio frames in calls. */
const FRAME_MS = 20;
const LIMIT_MS = 30_000;
/** Above these limits, conversations are tedious. */
const MAX_WORD_ERRORS = 0.3;
const MAX_TRANSCRIPT_MS = 1000;
const MAX_FIRST_TOKEN_MS = 1500;
const MAX_FIRST_AUDIO_MS = 1000;

interface EngineTestDeps {
  clock: Clock;
  log: Logger;
}

/** Speaks, transcribes and generates one sentence with each engine of the installation. */
export async function examineEngines(
  config: ProviderConfig,
  deps: EngineTestDeps,
  findings: Findings,
): Promise<void> {
  let speech: Int16Array | null = null;
  for (const voice of voicesToTry(config)) {
    const spoken = await withEngine(config, deps, findings, `TTS, ${voice.engine}`, (providers, subject) =>
      speak(providers, voice, subject, deps, findings),
    );
    speech ??= spoken;
  }
  for (const choice of config.speechToText) {
    const name = choice === 'local' ? 'local' : choice.endpoint.baseUrl;
    const alone: ProviderConfig = { ...config, speechToText: [choice] };
    if (speech === null) findings.skipped(`STT, ${name}`, 'there is no speech to transcribe');
    else {
      const samples = speech;
      await withEngine(alone, deps, findings, `STT, ${name}`, (providers, subject) =>
        transcribe(providers, samples, subject, deps, findings),
      );
    }
  }
  const models = config.languageModel.map((choice) => [choice]);
  for (const languageModel of models.length > 0 ? models : [[]]) {
    const { model = 'local script', baseUrl = '' } = languageModel[0]?.endpoint ?? {};
    const name = `LLM, ${model}${baseUrl === '' ? '' : ` at ${baseUrl}`}`;
    await withEngine({ ...config, languageModel }, deps, findings, name, (providers, subject) =>
      generate(providers, subject, deps, findings),
    );
  }
}

/** One voice of each engine, English if it has one. */
function voicesToTry(config: ProviderConfig): CatalogueVoice[] {
  const byEngine = Map.groupBy(catalogueVoices(config), ({ engine }) => engine);
  const isEnglish = ({ primaryLanguage }: CatalogueVoice): boolean =>
    primaryLanguage === null || primaryLanguage.startsWith('en');
  return [...byEngine.values()].flatMap((voices) => voices.find(isEnglish) ?? voices[0] ?? []);
}

/** Reports a failure as a problem of the engine, and returns null then. */
async function withEngine<T>(
  config: ProviderConfig,
  deps: EngineTestDeps,
  findings: Findings,
  subject: string,
  use: (providers: Providers, subject: string) => Promise<T>,
): Promise<T | null> {
  try {
    await using providers = createProviders(config, deps);
    return await use(providers, subject);
  } catch (thrown) {
    const remedy =
      'check its variables (docs/reference/configuration/engines.md), or for a local engine the load of this machine';
    findings.error(subject, toError(thrown).message, remedy);
    return null;
  }
}

/** The speech at 16 kHz. */
async function speak(
  { textToSpeech }: Providers,
  { engine, settings, name, primaryLanguage }: CatalogueVoice,
  subject: string,
  { clock }: EngineTestDeps,
  findings: Findings,
): Promise<Int16Array> {
  const startMs = clock.nowMs();
  let firstMs: number | null = null;
  const pieces: Int16Array[] = [];
  let rateHz = SPEECH_RATE_HZ;
  const options = { voice: { engine, settings }, languageHint: primaryLanguage };
  const chunks = textToSpeech.synthesize(oneSentence(), options, AbortSignal.timeout(LIMIT_MS));
  for await (const chunk of chunks) {
    if (chunk.type !== 'audio') continue;
    firstMs ??= clock.nowMs() - startMs;
    rateHz = chunk.sampleRateHz;
    pieces.push(chunk.samples.slice());
  }
  const samples = concatSamples(pieces);
  if (firstMs === null || samples.length === 0) throw new Error('the engine returned no audio');
  const text = `voice ${name}: first audio after ${ms(firstMs)}, ${(samples.length / rateHz).toFixed(1)} s of speech`;
  if (firstMs <= MAX_FIRST_AUDIO_MS) findings.ok(subject, text);
  else findings.warning(subject, text, `more than ${ms(MAX_FIRST_AUDIO_MS)} is noticeable in each response`);
  const resampler = createResampler(rateHz, SPEECH_RATE_HZ);
  const speech = resampler.process(samples).slice();
  resampler.close();
  return speech;
}

async function* oneSentence(): AsyncGenerator<string> {
  yield await Promise.resolve(SENTENCE);
}

async function transcribe(
  { speechToText }: Providers,
  samples: Int16Array,
  subject: string,
  { clock }: EngineTestDeps,
  findings: Findings,
): Promise<void> {
  const stream = speechToText.open({ languageHint: 'en-US' }, AbortSignal.timeout(LIMIT_MS));
  try {
    await pushInRealTime(stream, samples, clock);
    const endMs = clock.nowMs();
    const { text } = await stream.finalize();
    const tookMs = clock.nowMs() - endMs;
    const errors = wordErrorRate(SENTENCE, text);
    const result = `${Math.round(errors * 100)} % word errors, transcript after ${ms(tookMs)}: "${text}"`;
    if (errors > MAX_WORD_ERRORS)
      findings.warning(subject, result, 'try another engine or model; robotic voices are hard to transcribe');
    else if (tookMs > MAX_TRANSCRIPT_MS)
      findings.warning(subject, result, `more than ${ms(MAX_TRANSCRIPT_MS)} delays each response`);
    else findings.ok(subject, result);
  } finally {
    stream.close();
  }
}

async function pushInRealTime(stream: TranscriptionStream, samples: Int16Array, clock: Clock): Promise<void> {
  const frame = (SPEECH_RATE_HZ * FRAME_MS) / 1000;
  const startMs = clock.nowMs();
  for (let from = 0; from < samples.length; from += frame) {
    stream.push(samples.subarray(from, from + frame));
    await delay(clock, Math.max(0, startMs + ((from + frame) * 1000) / SPEECH_RATE_HZ - clock.nowMs()));
  }
}

async function generate(
  { languageModel }: Providers,
  subject: string,
  { clock }: EngineTestDeps,
  findings: Findings,
): Promise<void> {
  const startMs = clock.nowMs();
  let firstMs: number | null = null;
  let text = '';
  const request = {
    model: DEFAULT_MODEL,
    messages: [{ role: 'user' as const, content: QUESTION }],
    temperature: 0,
  };
  for await (const chunk of languageModel.respond(request, AbortSignal.timeout(LIMIT_MS))) {
    if (chunk.type !== 'text') continue;
    firstMs ??= clock.nowMs() - startMs;
    text += chunk.text;
  }
  if (firstMs === null || text.trim() === '') throw new Error('the model returned no text');
  const tookMs = clock.nowMs() - startMs;
  const result = `first token after ${ms(firstMs)}, all after ${ms(tookMs)}: "${text.trim().slice(0, 120)}"`;
  if (firstMs <= MAX_FIRST_TOKEN_MS) findings.ok(subject, result);
  else findings.warning(subject, result, `more than ${ms(MAX_FIRST_TOKEN_MS)} delays each response`);
}

function ms(value: number): string {
  return `${Math.round(value)} ms`;
}
