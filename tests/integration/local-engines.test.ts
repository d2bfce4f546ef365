import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { pinkNoise } from '@calls/audio/noise';
import { concatSamples, levelDbfs } from '@calls/audio/pcm';
import type { SpeechToText } from '@calls/engine-ports/speech-to-text';
import type { TextToSpeech } from '@calls/engine-ports/text-to-speech';
import { systemClock } from '@calls/foundation/clock';
import { silentLogger } from '@calls/foundation/logger';
import { createMoonshine } from '@calls/providers/stt/moonshine/adapter';
import { createSherpaOnnxSpeechToText } from '@calls/providers/stt/sherpa-onnx/adapter';
import { createEspeakNg } from '@calls/providers/tts/espeak-ng/adapter';
import { espeakVoices } from '@calls/providers/tts/espeak-ng/voices';
import { createFlite } from '@calls/providers/tts/flite/adapter';
import { createSherpaOnnxTextToSpeech } from '@calls/providers/tts/sherpa-onnx/adapter';
import { collect } from '@calls/testkit/collect';
import { SentenceSource } from '@calls/testkit/conformance/sentence-source';
import { describeSpeechToText } from '@calls/testkit/conformance/speech-to-text';
import { describeTextToSpeech } from '@calls/testkit/conformance/text-to-speech';
import { IS_LONG_FORM } from '@calls/testkit/long-form';
import { humanSentences } from '@calls/testkit/speech/human-voice';
import { withSilence } from '@calls/testkit/speech/shaping';
import { speak } from '@calls/testkit/speech/speak';
import { VirtualClock } from '@calls/foundation/virtual-clock';
import { wordErrorRate } from '@calls/foundation/word-error-rate';
import { TEXTS } from '../bench/packet-loss/speech.ts';
import { eventually } from '../support/eventually.ts';

const itInLongForm = IS_LONG_FORM ? it : it.skip;
const RATE_HZ = 16_000;
const parts = { clock: systemClock, log: silentLogger };
const PADDING = { beforeMs: 300, afterMs: 500, sampleRateHz: RATE_HZ };
/** A generous time limit that a working engine never reaches, even on a busy machine. */
const AMPLE_MS = 60_000;
const SENTENCES = TEXTS.slice(0, 8);

const scratch = await mkdtemp(join(tmpdir(), 'local-engines-'));
afterAll(() => rm(scratch, { recursive: true }));

/** A program that runs `script` instead of the real one to simulate a failure. */
async function program(name: string, script: string): Promise<string> {
  const path = join(scratch, name);
  await writeFile(path, `#!/bin/sh\n${script}\n`);
  await chmod(path, 0o755);
  return path;
}

/** The running processes, by their ids. */
async function processes(): Promise<Map<number, { ppid: number; comm: string }>> {
  const found = new Map<number, { ppid: number; comm: string }>();
  for (const entry of await readdir('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    const stat = await readFile(`/proc/${entry}/stat`, 'utf8').catch(() => '');
    const fields = /^\d+ \((?<comm>.*)\) (?<state>\S) (?<ppid>\d+)/s.exec(stat)?.groups;
    if (fields && fields['state'] !== 'Z') {
      found.set(Number(entry), { ppid: Number(fields['ppid']), comm: String(fields['comm']) });
    }
  }
  return found;
}

async function children(): Promise<number[]> {
  return [...(await processes())].flatMap(([pid, { ppid }]) => (ppid === process.pid ? [pid] : []));
}

/** Ids of descendant processes with a program name that has this prefix. */
async function descendants(name: string): Promise<number[]> {
  const found: number[] = [];
  const parents = await processes();
  for (const [pid, { comm }] of parents) {
    if (!comm.startsWith(name)) continue;
    let ancestor: number | undefined = pid;
    while (ancestor !== undefined && ancestor !== process.pid) ancestor = parents.get(ancestor)?.ppid;
    if (ancestor === process.pid) found.push(pid);
  }
  return found;
}

/** Ids of the model processes that this process has started. */
async function modelProcesses(): Promise<number[]> {
  const commands = await Promise.all(
    (await children()).map(
      async (pid) => [pid, await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')] as const,
    ),
  );
  return commands.flatMap(([pid, command]) => (command.includes('model-main') ? [pid] : []));
}

/** The words without case and punctuation. */
function wordsIn(text: string): string {
  return (text.toLowerCase().match(/[a-z]+/g) ?? []).join(' ');
}

const noneLeft = (name: string) => (): Promise<void> =>
  eventually(async () => expect(await descendants(name)).toEqual([]));

describe('espeak-ng', () => {
  let tts: TextToSpeech & AsyncDisposable;
  const engines: AsyncDisposable[] = [];
  const voice = { engine: 'espeak-ng', settings: { voice: 'en-us+f3' } };

  function engine(options: Partial<Parameters<typeof createEspeakNg>[0]>): TextToSpeech & AsyncDisposable {
    const created = createEspeakNg({ ...parts, ...options });
    engines.push(created);
    return created;
  }

  beforeAll(() => {
    tts = engine({ limits: { firstAudioTimeoutMs: AMPLE_MS, gapTimeoutMs: AMPLE_MS } });
  });
  afterAll(async () => {
    await Promise.all(engines.map((one) => one[Symbol.asyncDispose]()));
    await noneLeft('espeak-ng')();
  });

  const brief = { firstAudioTimeoutMs: 500, gapTimeoutMs: 500 };
  const ample = { firstAudioTimeoutMs: AMPLE_MS, gapTimeoutMs: AMPLE_MS };
  const failing =
    (name: string, script: string, limits = ample) =>
    async () =>
      engine({ binary: await program(name, script), limits });

  describeTextToSpeech('espeak-ng', {
    create: () => Promise.resolve(tts),
    voice,
    allFreed: noneLeft('espeak-ng'),
    failures: [
      {
        name: 'a program that is not installed',
        kind: 'unavailable',
        create: () => Promise.resolve(engine({ binary: 'espeak-ng-that-is-not-there' })),
      },
      {
        name: 'a program that says nothing',
        kind: 'timeout',
        create: failing('mute', 'exec sleep 60', brief),
      },
      {
        name: 'a program that stops in the middle',
        kind: 'timeout',
        create: failing('stalls', 'espeak-ng "$@" | head -c 20000; exec sleep 60', brief),
      },
      {
        name: 'a program that crashes in the middle',
        kind: 'cut',
        create: failing('crashes', 'espeak-ng "$@" | head -c 20000; exit 3'),
      },
      { name: 'a program that speaks no WAV', kind: 'malformed', create: failing('chats', 'seq 1 40000') },
    ],
  });

  const say = (text: string, settings: Record<string, unknown>, signal = new AbortController().signal) =>
    tts.synthesize(
      SentenceSource.of([text]),
      { voice: { engine: 'espeak-ng', settings }, languageHint: null },
      signal,
    );

  async function audioOf(text: string, settings: Record<string, unknown>): Promise<Int16Array> {
    const chunks = await collect(say(text, settings));
    return concatSamples(chunks.flatMap((chunk) => (chunk.type === 'audio' ? [chunk.samples] : [])));
  }

  it('supports every voice of its catalogue', async () => {
    const voices = IS_LONG_FORM ? espeakVoices : espeakVoices.filter((_voice, i) => i % 8 === 0);
    for (const { settings } of voices) {
      const audio = await audioOf('1 2 3', settings);
      expect([settings, levelDbfs(audio) > -50]).toEqual([settings, true]);
    }
  });

  it('speaks options, markup and phoneme codes as text', async () => {
    const plain = await audioOf('hello', voice.settings);
    for (const text of [
      "[[h@l'oU]]",
      '--version -w /tmp/out.wav',
      '<break time="5s"/>',
      '\u0001200s hello',
    ]) {
      const audio = await audioOf(text, voice.settings);
      expect(audio.length).toBeGreaterThan(0);
      expect(audio.length).toBeLessThan(plain.length * 12);
    }
    // Interpreted as phonemes, it would be as short as the word itself.
    expect((await audioOf("[[h@l'oU]]", voice.settings)).length).toBeGreaterThan(plain.length * 1.3);
  });

  it('applies speed and language', async () => {
    const [slow, fast] = [
      await audioOf('One two three four five.', { voice: 'en-us', speed: 0.7 }),
      await audioOf('One two three four five.', { voice: 'en-us', speed: 1.5 }),
    ];
    expect(slow.length / fast.length).toBeGreaterThan(1.5);
  });

  it('limits concurrent processes and completes all requests', async () => {
    const diary = join(scratch, 'diary');
    const binary = await program('diarist', `echo + >>${diary}; espeak-ng "$@"; echo - >>${diary}`);
    const few = engine({ binary, maxProcesses: 2, limits: { ...ample, firstAudioTimeoutMs: 30_000 } });
    const all = await Promise.all(
      Array.from({ length: 12 }, () =>
        collect(
          few.synthesize(
            SentenceSource.of(SENTENCES),
            { voice, languageHint: null },
            new AbortController().signal,
          ),
        ),
      ),
    );
    for (const chunks of all) {
      expect(chunks.filter(({ type }) => type === 'sentence')).toHaveLength(SENTENCES.length);
    }
    let running = 0;
    let most = 0;
    for (const line of (await readFile(diary, 'utf8')).trim().split('\n')) {
      running += line === '+' ? 1 : -1;
      most = Math.max(most, running);
    }
    expect({ running, most }).toEqual({ running: 0, most: 2 });
  });

  it('rejects sentences when its queue is full', async () => {
    const full = engine({
      binary: await program('busy', 'exec sleep 60'),
      maxProcesses: 1,
      limits: { firstAudioTimeoutMs: AMPLE_MS, maxWaiting: 1 },
    });
    const controller = new AbortController();
    const start = () =>
      collect(full.synthesize(SentenceSource.of(['One.']), { voice, languageHint: null }, controller.signal));
    const [, , refused] = [start(), start(), start()].map((work) => work.catch((thrown: unknown) => thrown));
    expect(await refused).toMatchObject({ kind: 'refused' });
    controller.abort(new Error('enough'));
  });

  it('recovers after its host process was killed', async () => {
    // Only direct children: programs of other tests may still start and end.
    const before = new Set(await children());
    const own = engine({ limits: ample });
    const [host] = (await children()).filter((pid) => !before.has(pid));
    const speakOnce = () =>
      collect(
        own.synthesize(
          SentenceSource.of(['One.']),
          { voice, languageHint: null },
          new AbortController().signal,
        ),
      );
    await speakOnce();
    process.kill(host!, 'SIGKILL');
    await eventually(async () => expect((await speakOnce()).length).toBeGreaterThan(1));
  });
});

describe('flite', () => {
  const engines: AsyncDisposable[] = [];
  const voice = { engine: 'flite', settings: { voice: 'slt' } };
  const ample = { firstAudioTimeoutMs: AMPLE_MS, gapTimeoutMs: AMPLE_MS };
  let tts: TextToSpeech;
  let espeak: TextToSpeech;

  function engine(options: Partial<Parameters<typeof createFlite>[0]>): TextToSpeech {
    const created = createFlite({ ...parts, limits: ample, otherLanguages: espeak, ...options });
    engines.push(created);
    return created;
  }

  beforeAll(() => {
    const otherLanguages = createEspeakNg({ ...parts, limits: ample });
    engines.push(otherLanguages);
    espeak = otherLanguages;
    tts = engine({});
  });
  afterAll(async () => {
    await Promise.all(engines.map((one) => one[Symbol.asyncDispose]()));
    await noneLeft('flite')();
  });

  const brief = { firstAudioTimeoutMs: 500, gapTimeoutMs: 500 };
  const failing =
    (name: string, script: string, limits = ample) =>
    async () =>
      engine({ binary: await program(name, script), limits });

  describeTextToSpeech('flite', {
    create: () => Promise.resolve(tts),
    voice,
    allFreed: noneLeft('flite'),
    failures: [
      {
        name: 'a program that is not installed',
        kind: 'unavailable',
        create: () => Promise.resolve(engine({ binary: 'flite-that-is-not-there' })),
      },
      {
        name: 'a program that never ends',
        kind: 'timeout',
        create: failing('endless', 'flite "$@"; exec sleep 60', brief),
      },
      { name: 'a program that crashes', kind: 'cut', create: failing('fails', 'flite "$@"; exit 3') },
      {
        name: 'a program that cannot write its audio',
        kind: 'unavailable',
        create: failing('unwritable', 'exec flite "$@" -o /nowhere/speech.wav'),
      },
      { name: 'a program that writes no WAV', kind: 'malformed', create: failing('notes', 'seq 1 40000') },
    ],
  });

  async function speechOf(
    from: TextToSpeech,
    text: string,
    selected = voice,
    languageHint: string | null = null,
  ) {
    const synthesis = { voice: selected, languageHint };
    const source = SentenceSource.of([text]);
    const chunks = await collect(from.synthesize(source, synthesis, new AbortController().signal));
    return concatSamples(chunks.flatMap((chunk) => (chunk.type === 'audio' ? [chunk.samples] : [])));
  }

  it('is as loud as the default voice of espeak-ng, and starts and ends without silence', async () => {
    const text = SENTENCES[0] ?? '';
    const audio = await speechOf(tts, text);
    const reference = await speechOf(espeak, text, {
      engine: 'espeak-ng',
      settings: { voice: 'en-us+f3' },
    });
    expect(Math.abs(levelDbfs(audio) - levelDbfs(reference))).toBeLessThan(3);
    const isLoud = (sample: number): boolean => Math.abs(sample) > 50;
    const marginSamples = RATE_HZ / 40;
    expect(audio.findIndex(isLoud)).toBeLessThan(marginSamples);
    expect(audio.length - audio.findLastIndex(isLoud)).toBeLessThan(marginSamples);
  });

  it('treats options and file names as text, and speaks long text in parts', async () => {
    const word = (await speechOf(tts, 'hello')).length;
    for (const text of ['--version -o /tmp/out.wav', '/etc/passwd', '<break time="5s"/> hello']) {
      const audio = await speechOf(tts, text);
      expect(audio.length).toBeGreaterThan(word);
      expect(audio.length).toBeLessThan(word * 12);
    }
    expect((await speechOf(tts, 'hello '.repeat(120))).length).toBeGreaterThan(word * 40);
  });

  it('leaves other languages to espeak-ng', async () => {
    const german = { engine: 'espeak-ng', settings: { voice: 'de+f3' } };
    const text = 'Guten Tag, was kann ich tun?';
    expect((await speechOf(tts, text, voice, 'de')).length).toBe(
      (await speechOf(espeak, text, german)).length,
    );
    expect(await speechOf(tts, '你好')).toHaveLength(0);
  });

  itInLongForm('synthesizes 10,000 consecutive sentences', async () => {
    const text = 'I can. You may. We do.';
    const first = (await speechOf(tts, text)).length;
    const lane = async (): Promise<void> => {
      for (let i = 0; i < 2500; i++) expect(await speechOf(tts, text)).toHaveLength(first);
    };
    await Promise.all([lane(), lane(), lane(), lane()]);
  });
});

describe('Moonshine', () => {
  let stt: SpeechToText & AsyncDisposable;
  const engines: AsyncDisposable[] = [];

  function engine(options: Partial<Parameters<typeof createMoonshine>[0]>): SpeechToText & AsyncDisposable {
    const created = createMoonshine({ ...parts, timeoutMs: AMPLE_MS, ...options });
    engines.push(created);
    return created;
  }

  beforeAll(() => {
    stt = engine({});
  });
  afterAll(async () => {
    await Promise.all(engines.map((one) => one[Symbol.asyncDispose]()));
    await eventually(async () => expect(await modelProcesses()).toEqual([]));
  });

  async function recognise(
    samples: Int16Array,
    from = stt,
    languageHint: string | null = null,
  ): Promise<string> {
    const stream = from.open({ languageHint }, new AbortController().signal);
    try {
      stream.push(samples);
      return (await stream.finalize()).text;
    } finally {
      stream.close();
    }
  }

  const spoken = (voice: string, text: string) =>
    speak({ engine: 'flite', voice, text, sampleRateHz: RATE_HZ });
  const weather = () => spoken('slt', SENTENCES[1] ?? '');

  async function brokenModel(): Promise<string> {
    const dir = await mkdtemp(join(scratch, 'broken-'));
    for (const name of ['encoder_model.onnx', 'decoder_model_merged.onnx'])
      await writeFile(join(dir, name), 'this is no model');
    return dir;
  }

  describeSpeechToText('Moonshine', {
    create: () => Promise.resolve(stt),
    speech: weather,
    words: /^What is the weather like today\?$/,
    languageHint: 'en-US',
    failures: [
      {
        name: 'a model that is not installed',
        kind: 'unavailable',
        create: () => Promise.resolve(engine({ modelDir: '/nonexistent' })),
      },
      {
        name: 'a model that cannot be read',
        kind: 'unavailable',
        create: async () => engine({ modelDir: await brokenModel() }),
      },
    ],
  });

  it.each(IS_LONG_FORM ? ['slt', 'rms', 'awb', 'kal16'] : ['slt'])(
    'has a low word error rate on voice %s',
    async (voice) => {
      const transcripts: string[] = [];
      for (const text of SENTENCES)
        transcripts.push(await recognise(withSilence(await spoken(voice, text), PADDING)));
      expect(wordErrorRate(SENTENCES.join(' '), transcripts.join(' '))).toBeLessThan(0.12);
    },
  );

  it('has a word error rate below 8 % for sentences of human speakers', async () => {
    const sentences = await humanSentences();
    const transcripts: string[] = [];
    for (const { samples } of sentences) transcripts.push(await recognise(withSilence(samples, PADDING)));
    const said = sentences.map(({ text }) => text).join(' ');
    expect(said.split(' ').length).toBeGreaterThan(100);
    expect(wordErrorRate(said, transcripts.join(' '))).toBeLessThan(0.08);
  });

  it.each(['Yes.', 'No.', 'Okay.', 'Stop.', 'Seven.'])('recognizes "%s" in silence', async (word) => {
    const samples = withSilence(await spoken('rms', word), { ...PADDING, afterMs: 1000 });
    expect(await recognise(samples)).toBe(word);
  });

  it('recognizes words with pauses between them', async () => {
    const seven = withSilence(await spoken('rms', 'Seven.'), { ...PADDING, afterMs: 200 });
    expect(wordsIn(await recognise(concatSamples([seven, seven, seven])))).toBe('seven seven seven');
  });

  it('returns interim transcripts while speech continues', async () => {
    // The model is never late in virtual time.
    const interim = engine({ interim: true, clock: new VirtualClock() });
    const speech = await weather();
    await recognise(speech, interim);
    const stream = interim.open({ languageHint: null }, new AbortController().signal);
    stream.push(speech.subarray(0, 1.5 * RATE_HZ));
    for await (const { text, coveredSamples } of stream.interims) {
      expect(text).toMatch(/^What is the weather/);
      expect(coveredSamples).toBe(1.5 * RATE_HZ);
      break;
    }
    stream.push(speech.subarray(1.5 * RATE_HZ));
    expect((await stream.finalize()).text).toBe(SENTENCES[1]);
    stream.close();
  });

  it('transcribes utterances that are longer than the model allows', async () => {
    const twice = ['My name is John Smith and I live in London.', 'Can you please repeat that?'];
    const sentences = Array.from({ length: 8 }, () => twice).flat();
    const speech = await Promise.all(
      sentences.map(async (text) => withSilence(await spoken('slt', text), PADDING)),
    );
    const samples = concatSamples(speech);
    expect(samples.length).toBeGreaterThan(40 * RATE_HZ);
    expect(wordErrorRate(sentences.join(' '), await recognise(samples))).toBeLessThan(0.1);
  });

  it('returns no words for silence and noise', async () => {
    for (const samples of [
      new Int16Array(0),
      new Int16Array(10),
      new Int16Array(3 * RATE_HZ),
      pinkNoise(2 * RATE_HZ, -50, 1),
      pinkNoise(2 * RATE_HZ, -25, 2),
      pinkNoise(RATE_HZ / 2, -25, 3),
    ]) {
      expect(await recognise(samples)).toBe('');
    }
  });

  it('rejects unsupported languages', async () => {
    await expect(recognise(await weather(), stt, 'de-DE')).rejects.toMatchObject({ kind: 'unavailable' });
  });

  it('transcribes only the beginning of an endless utterance', async () => {
    const short = engine({ maxUtteranceMs: 2500 });
    const speech = await weather();
    const endless = concatSamples([speech, ...Array.from({ length: 20 }, () => speech)]);
    expect(await recognise(endless, short)).toMatch(/^What is the weather like today/);
  });

  it('replaces a model process that was killed', async () => {
    const before = new Set(await modelProcesses());
    const one = engine({});
    const speech = await weather();
    expect(await recognise(speech, one)).toBe(SENTENCES[1]);
    const [mine] = (await modelProcesses()).filter((pid) => !before.has(pid));
    expect(mine).toBeDefined();

    const stream = one.open({ languageHint: null }, new AbortController().signal);
    stream.push(concatSamples(Array.from({ length: 10 }, () => speech)));
    const interrupted = stream.finalize();
    process.kill(mine!, 'SIGKILL');
    await expect(interrupted).rejects.toMatchObject({ kind: 'cut', retryable: true });
    stream.close();
    expect(await recognise(speech, one)).toBe(SENTENCES[1]);
  });

  it('replaces a model process that hangs', async () => {
    const before = new Set(await modelProcesses());
    const one = engine({ timeoutMs: 3000 });
    const speech = await weather();
    await eventually(async () => expect(await recognise(speech, one)).not.toBe(''));
    // On a busy machine, an earlier process may have been replaced and is about to end.
    const hanging = await eventually(async () => {
      const running = (await modelProcesses()).filter((pid) => !before.has(pid));
      expect(running).toHaveLength(1);
      return running;
    });
    for (const pid of hanging) process.kill(pid, 'SIGSTOP');
    await expect(recognise(speech, one)).rejects.toMatchObject({ kind: 'timeout' });
    await eventually(async () => expect(await recognise(speech, one)).toBe(SENTENCES[1]));
    for (const pid of hanging) expect(await modelProcesses()).not.toContain(pid);
  });

  it('rejects utterances when its queue is full and drops closed ones', async () => {
    const full = engine({ maxWaiting: 1 });
    const speech = await weather();
    await recognise(speech, full);
    const streams = Array.from({ length: 3 }, () => {
      const stream = full.open({ languageHint: null }, new AbortController().signal);
      stream.push(speech);
      return stream;
    });
    const [first, second, third] = streams.map((stream) => stream.finalize());
    await expect(third).rejects.toMatchObject({ kind: 'refused' });
    streams[1]?.close();
    await expect(second).rejects.toMatchObject({ kind: 'superseded' });
    expect((await first)?.text).toBe(SENTENCES[1]);
    for (const stream of streams) stream.close();
  });

  it('reports for some seconds how much later transcripts arrive than their CPU time explains', async () => {
    const others = new Set(await modelProcesses());
    const clock = new VirtualClock();
    const one = createMoonshine({ timeoutMs: AMPLE_MS, log: silentLogger, clock });
    engines.push(one);
    const speech = await weather();
    await recognise(speech, one);
    const [mine] = (await modelProcesses()).filter((pid) => !others.has(pid));
    const before = one.latenessMs;
    // The process responds when the time has passed.
    process.kill(mine!, 'SIGSTOP');
    const late = recognise(speech, one);
    await clock.advance(900);
    expect(one.latenessMs).toBe(900);
    process.kill(mine!, 'SIGCONT');
    expect(await late).toBe(SENTENCES[1]);
    await eventually(() => expect(one.latenessMs).toBeGreaterThan(before));
    expect(one.latenessMs).toBeLessThan(900);
    await clock.advance(5001);
    expect(one.latenessMs).toBe(0);
  });
});

describe('sherpa-onnx without a usable model', () => {
  const engines: AsyncDisposable[] = [];
  afterAll(() => Promise.all(engines.map((one) => one[Symbol.asyncDispose]())));

  const synthesis = (modelDir: string, voice: string) => {
    const tts = createSherpaOnnxTextToSpeech({ ...parts, modelDir });
    engines.push(tts);
    const settings = { voice: { engine: 'sherpa-onnx', settings: { voice } }, languageHint: null };
    return collect(tts.synthesize(SentenceSource.of(['Hello.']), settings, new AbortController().signal));
  };
  const loading = (modelDir: string) => {
    const stt = createSherpaOnnxSpeechToText({ ...parts, modelDir });
    engines.push(stt);
    return stt.load();
  };

  it('reports the folder that it searched and the expected files', async () => {
    const unavailable = { kind: 'unavailable' };
    await expect(loading('/nonexistent')).rejects.toMatchObject({
      ...unavailable,
      message: expect.stringMatching(/\/nonexistent\/stt does not exist; expected tokens\.txt and one of/),
    });
    await expect(synthesis('/nonexistent', 'amy')).rejects.toMatchObject({
      ...unavailable,
      message: expect.stringMatching(/\/nonexistent\/tts\/amy does not exist; expected one model \.onnx/),
    });
    await expect(synthesis('/nonexistent', '../../etc')).rejects.toMatchObject(unavailable);
  });

  it('survives an abort of the native library on invalid model files', async () => {
    const names = {
      stt: ['encoder.onnx', 'decoder.onnx', 'joiner.onnx'],
      'tts/amy': ['amy.onnx', 'espeak-ng-data/x'],
    };
    for (const [folder, files] of Object.entries(names)) {
      for (const name of [...files, 'tokens.txt']) {
        const path = join(scratch, folder, name);
        await mkdir(join(path, '..'), { recursive: true });
        await writeFile(path, name === 'tokens.txt' ? '<blk> 0\na 1\n' : 'this is no model');
      }
    }
    const message = expect.stringMatching(/cannot be loaded: .{10,}/);
    await expect(loading(scratch)).rejects.toMatchObject({ kind: 'unavailable', message });
    await expect(synthesis(scratch, 'amy')).rejects.toMatchObject({ kind: 'unavailable', message });
  });
});
