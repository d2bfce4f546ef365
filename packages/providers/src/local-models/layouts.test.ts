import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describeSpeechModel } from '../stt/sherpa-onnx/layout.ts';
import { describeVoiceModel, listSherpaOnnxVoices } from '../tts/sherpa-onnx/layout.ts';
import { reasonIn } from './model-process.ts';

let dir: string;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'models-'));
});
afterEach(() => rm(dir, { recursive: true }));

async function put(...names: string[]): Promise<void> {
  for (const name of names) {
    await mkdir(dirname(join(dir, name)), { recursive: true });
    if (name.endsWith('/')) await mkdir(join(dir, name), { recursive: true });
    else await writeFile(join(dir, name), 'x');
  }
}

const speechModel = (): object => describeSpeechModel(dir).config;
const voiceModel = (): object => describeVoiceModel(dir).config;

describe('describeSpeechModel', () => {
  it('detects a transducer and uses its quantized files', async () => {
    await put(
      'encoder-99.int8.onnx',
      'encoder-99.onnx',
      'decoder-99.onnx',
      'joiner-99.int8.onnx',
      'tokens.txt',
    );
    expect(speechModel()).toMatchObject({
      modelConfig: {
        transducer: {
          encoder: join(dir, 'encoder-99.int8.onnx'),
          decoder: join(dir, 'decoder-99.onnx'),
          joiner: join(dir, 'joiner-99.int8.onnx'),
        },
        tokens: join(dir, 'tokens.txt'),
      },
    });
  });

  it('detects Whisper in the folder of its archive', async () => {
    const folder = 'sherpa-onnx-whisper-tiny.en';
    await put(...['encoder.onnx', 'decoder.onnx', 'tokens.txt'].map((name) => `${folder}/tiny.en-${name}`));
    expect(speechModel()).toMatchObject({
      modelConfig: { whisper: { encoder: join(dir, folder, 'tiny.en-encoder.onnx') } },
    });
  });

  it.each([
    ['model.int8.onnx', 'senseVoice'],
    ['paraformer-model.onnx', 'paraformer'],
    ['ctc-model.onnx', 'nemoCtc'],
    ['zipformer-ctc-model.onnx', 'zipformerCtc'],
  ])('detects %s as %s', async (name, kind) => {
    await put(name, 'tokens.txt');
    expect(speechModel()).toMatchObject({ modelConfig: { [kind]: { model: join(dir, name) } } });
  });

  it('reports the folder and the files that it looked for', async () => {
    expect(() => describeSpeechModel(join(dir, 'none'))).toThrow(/none does not exist; expected tokens.txt/);
    expect(speechModel).toThrow(/holds no \.onnx file; expected tokens\.txt/);
    await put('encoder.onnx', 'notes.md');
    expect(speechModel).toThrow(/no tokens\.txt \(it has encoder\.onnx, notes\.md\)/);
    await put('tokens.txt');
    expect(speechModel).toThrow(/no known kind of model/);
    await put('decoder.onnx', 'encoder-chunk-16-left-128.onnx', 'joiner.onnx');
    await rm(join(dir, 'encoder.onnx'));
    expect(speechModel).toThrow(/streaming transducer/);
  });
});

describe('describeVoiceModel', () => {
  it('detects Piper and Kokoro', async () => {
    await put('en_US-amy-low.onnx', 'tokens.txt', 'espeak-ng-data/');
    const common = { model: join(dir, 'en_US-amy-low.onnx'), dataDir: join(dir, 'espeak-ng-data') };
    expect(voiceModel()).toMatchObject({ model: { vits: common } });
    await put('voices.bin');
    expect(voiceModel()).toMatchObject({ model: { kokoro: { ...common, voices: join(dir, 'voices.bin') } } });
  });

  it('reports which files are missing', async () => {
    expect(voiceModel).toThrow(/holds no \.onnx file; expected one model/);
    await put('model.onnx');
    expect(voiceModel).toThrow(/no tokens\.txt \(it has model\.onnx\)/);
    await put('tokens.txt');
    expect(voiceModel).toThrow(/neither espeak-ng-data nor lexicon\.txt/);
  });
});

describe('listSherpaOnnxVoices', () => {
  it('lists folders, with the language in their names', async () => {
    await put('tts/vits-piper-de_DE-eva-low/', 'tts/kokoro/', 'tts/.hidden/', 'tts/readme.txt');
    expect(
      listSherpaOnnxVoices(dir).map(({ key, primaryLanguage, settings }) => [key, primaryLanguage, settings]),
    ).toEqual([
      ['sherpa-onnx-kokoro', null, { voice: 'kokoro' }],
      ['sherpa-onnx-vits-piper-de-de-eva-low', 'de-DE', { voice: 'vits-piper-de_DE-eva-low' }],
    ]);
    expect(listSherpaOnnxVoices(join(dir, 'none'))).toEqual([]);
  });
});

describe('reasonIn', () => {
  it('returns the message of a native exception, otherwise the last line', () => {
    expect(
      reasonIn('terminate called after throwing\n  what():  Load model from e.onnx failed\nAborted\n'),
    ).toBe('Load model from e.onnx failed');
    expect(reasonIn('one\ntwo\n')).toBe('two');
    expect(reasonIn('')).toBeUndefined();
  });
});
