import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { systemClock } from '@calls/foundation/clock';
import { EnvReader } from '@calls/foundation/env-reader';
import { silentLogger } from '@calls/foundation/logger';
import type { TurnCompletionModel } from '@calls/engine-ports/turn-completion-model';
import { TURN_MODELS, writtenModel } from './testing/turn-models.ts';
import { readTurnModelConfig, type TurnModelConfig } from './turn-model-config.ts';
import { createTurnModel } from './turn-model.ts';

const tone = (ms: number, hertz: number, amplitude = 8000): Int16Array =>
  Int16Array.from({ length: ms * 16 }, (_, i) => amplitude * Math.sin((2 * Math.PI * hertz * i) / 16_000));
const sequence = (...tones: Int16Array[]): Int16Array => Int16Array.from(tones.flatMap((each) => [...each]));
/** Ends with a low tone, as at the end of a sentence. */
const FALLING = sequence(tone(1500, 1000), tone(500, 200));
const RISING = sequence(tone(1500, 200), tone(500, 1000));

describe('createTurnModel', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'turn-model-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  const written = (content: Uint8Array): Promise<TurnModelConfig> =>
    writtenModel(join(folder, 'model.onnx'), content);
  const create = (config: TurnModelConfig): Promise<TurnCompletionModel> =>
    createTurnModel(config, { log: silentLogger, clock: systemClock });
  const judge = (model: TurnCompletionModel, ...turns: Int16Array[]): Promise<number[]> =>
    Promise.all(turns.map((turn) => model.completion(turn, new AbortController().signal)));

  it.each(['batch', 1] as const)(
    'scores turns with a model of Whisper features and the batch size "%s"',
    async (batch) => {
      await using model = await create(await written(TURN_MODELS.features(batch)));
      const [falling = NaN, rising = NaN] = await judge(model, FALLING, RISING);
      expect(falling).toBeGreaterThan(0.8);
      expect(rising).toBeLessThan(0.2);
      // The same turns in one batch, with one that is longer than 8 s.
      const longer = sequence(tone(9000, 1000), FALLING);
      const [again, last, long = NaN] = await judge(model, FALLING, RISING, longer);
      expect(again).toBeCloseTo(falling, 4);
      expect(last).toBeCloseTo(rising, 4);
      expect(long).toBeGreaterThan(0.8);
    },
  );

  it('scores turns step by step with the state of the previous step', async () => {
    await using model = await create(await written(TURN_MODELS.steps()));
    const loud = tone(320, 400);
    // 20 ms of silence after two whole steps count, less than that does not.
    const [speaking = NaN, paused = NaN, soon = NaN] = await judge(
      model,
      loud,
      sequence(loud, tone(20, 400, 0)),
      sequence(loud, tone(19, 400, 0)),
    );
    expect(speaking).toBeLessThan(0.1);
    expect(paused).toBeGreaterThan(0.9);
    expect(soon).toBeCloseTo(speaking, 5);
  });

  it('skips turns that were aborted while they waited, and rejects turns beyond the queue limit', async () => {
    await using model = await create(await written(TURN_MODELS.steps()));
    const turn = tone(160, 400);
    const aborted = AbortSignal.abort(new Error('the user continues'));
    const running = model.completion(turn, new AbortController().signal);
    const skipped = Promise.allSettled(Array.from({ length: 32 }, () => model.completion(turn, aborted)));
    const waiting = Promise.allSettled(
      Array.from({ length: 33 }, () => model.completion(turn, new AbortController().signal)),
    );
    expect(await running).toBeLessThan(0.1);
    for (const outcome of await skipped)
      expect(outcome).toMatchObject({ status: 'rejected', reason: { message: 'the user continues' } });
    const outcomes = await waiting;
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(32);
    expect(outcomes.at(-1)).toMatchObject({ status: 'rejected', reason: { kind: 'timeout' } });
  });

  it.each<[string, () => Uint8Array | null, RegExp]>([
    ['is missing', () => null, /cannot be used: ENOENT/u],
    [
      'is not a model',
      () => new TextEncoder().encode('version https://git-lfs'),
      /cannot be used: .*model/iu,
    ],
    [
      'has another input shape',
      () => TURN_MODELS.features('batch', 3000),
      /it takes input_features float32 \[batch, 80, 3000\] .* expected float32 features \[N, 80, 800\]/u,
    ],
    ['has batches of a fixed size', () => TURN_MODELS.features(4), /it takes .*\[4, 80, 800\]/u],
  ])('rejects a file that %s', async (_, content, message) => {
    const bytes = content();
    const config = bytes ? await written(bytes) : { path: join(folder, 'missing.onnx'), sha256: '' };
    await expect(create(config)).rejects.toMatchObject({
      kind: 'unavailable',
      message: expect.stringMatching(message),
    });
  });

  it('rejects a file with another checksum', async () => {
    const { path, sha256 } = await written(TURN_MODELS.steps());
    const expected = '0'.repeat(64);
    await expect(create({ path, sha256: expected })).rejects.toThrow(
      `turn-model: END_OF_TURN_MODEL ${path} cannot be used: its SHA-256 checksum is ${sha256}, not ${expected}`,
    );
  });
});

describe('readTurnModelConfig', () => {
  const read = (env: Record<string, string>): [TurnModelConfig | null, string] => {
    const reader = new EnvReader(env);
    const config = readTurnModelConfig(reader);
    try {
      reader.finish();
      return [config, ''];
    } catch (thrown) {
      return [config, String(thrown)];
    }
  };
  const sha256 = 'AB'.repeat(32);

  it('requires a path and a checksum together', () => {
    expect(read({})).toEqual([null, '']);
    expect(read({ END_OF_TURN_MODEL: '/m.onnx', END_OF_TURN_MODEL_SHA256: sha256 })).toEqual([
      { path: '/m.onnx', sha256: sha256.toLowerCase() },
      '',
    ]);
    expect(read({ END_OF_TURN_MODEL: '/m.onnx' })[1]).toContain(
      'END_OF_TURN_MODEL needs END_OF_TURN_MODEL_SHA256',
    );
    expect(read({ END_OF_TURN_MODEL: '/m.onnx', END_OF_TURN_MODEL_SHA256: 'abc' })[1]).toContain(
      'END_OF_TURN_MODEL_SHA256 must be 64 hexadecimal digits, not "abc"',
    );
  });
});
