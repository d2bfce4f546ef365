import { InferenceSession, Tensor } from 'onnxruntime-node';
import llamaTokenizer from 'llama-tokenizer-js';

export interface MoonshineFiles {
  encoder: string;
  decoder: string;
}

/** Attention heads of the model "tiny", https://arxiv.org/abs/2410.15608, and their size. */
const HEADS = 8;
const HEAD_SIZE = 36;
const START = 1;
const END = 2;
/** Ids from here on are not text. */
const TEXT_TOKENS = 32_000;

/** More tokens per second than anybody speaks; the authors' limit, against endless repetitions. */
const TOKENS_PER_SECOND = 6.5;
/** Very short words need more. */
const MIN_TOKENS = 4;
/**
 * The transcript is empty if the model considers that at least this probable. For noise, it is 0.96 or more; for single
 * words in a quiet room, at most 0.95.
 */
const NO_SPEECH_PROBABILITY = 0.955;

const SESSION: InferenceSession.SessionOptions = {
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
  executionMode: 'sequential',
};

/** Transcribes English with Moonshine, an encoder and a decoder that runs once per token. */
export class MoonshineRecognizer {
  readonly #encoder: InferenceSession;
  readonly #decoder: InferenceSession;

  static async load({ encoder, decoder }: MoonshineFiles): Promise<MoonshineRecognizer> {
    return new MoonshineRecognizer(
      await InferenceSession.create(encoder, SESSION),
      await InferenceSession.create(decoder, SESSION),
    );
  }

  private constructor(encoder: InferenceSession, decoder: InferenceSession) {
    this.#encoder = encoder;
    this.#decoder = decoder;
  }

  /** The text of a piece of 16 kHz speech; empty without words, and unfinished once `isStopped`. */
  async transcribe(samples: Int16Array, isStopped: () => boolean): Promise<string> {
    const audio = Float32Array.from(samples, (sample) => sample / 32_768);
    const input = { input_values: new Tensor('float32', audio, [1, audio.length]) };
    const { last_hidden_state: speech } = await this.#encoder.run(input);
    if (!speech) throw new Error('the encoder has no output');
    const tokens = [START];
    const maxTokens = MIN_TOKENS + Math.ceil((samples.length / 16_000) * TOKENS_PER_SECOND);
    let cache = emptyCache(this.#decoder.inputNames);
    while (tokens.length <= maxTokens && !isStopped()) {
      const isFirst = tokens.length === 1;
      const { logits, ...present } = await this.#decoder.run({
        input_ids: new Tensor('int64', [BigInt(tokens.at(-1) ?? START)], [1, 1]),
        encoder_hidden_states: speech,
        use_cache_branch: new Tensor('bool', [!isFirst], [1]),
        ...cache,
      });
      cache = nextCache(cache, present, isFirst);
      const scores = logits?.data as Float32Array;
      const token = isFirst ? firstToken(scores) : likeliest(scores);
      if (token === END) break;
      tokens.push(token);
    }
    return llamaTokenizer.decode(tokens.filter((token) => token < TEXT_TOKENS)).trim();
  }
}

type Cache = Record<string, Tensor>;

/** The cache before the first run, by the names of the decoder's inputs. */
function emptyCache(inputNames: readonly string[]): Cache {
  const empty = new Tensor('float32', new Float32Array(0), [0, HEADS, 1, HEAD_SIZE]);
  const names = inputNames.filter((name) => name.startsWith('past_key_values'));
  return Object.fromEntries(names.map((name) => [name, empty]));
}

/** The cache after a run. Only the first one computes the encoder's part. */
function nextCache(cache: Cache, present: Cache, isFirst: boolean): Cache {
  return Object.fromEntries(
    Object.entries(cache).map(([name, before]) => {
      const isNew = isFirst || name.includes('decoder');
      return [name, (isNew ? present[name.replace('past_key_values', 'present')] : undefined) ?? before];
    }),
  );
}

function firstToken(scores: Float32Array): number {
  const best = likeliest(scores);
  if (best !== END) return best;
  const endScore = scores[END] ?? 0;
  const others = scores.reduce((sum, score) => sum + Math.exp(score - endScore), 0);
  return 1 / others >= NO_SPEECH_PROBABILITY ? END : likeliest(scores, END);
}

function likeliest(scores: Float32Array, except = -1): number {
  let best = -1;
  for (let token = 0; token < scores.length; token += 1)
    if (token !== except && (best === -1 || (scores[token] ?? 0) > (scores[best] ?? 0))) best = token;
  return best;
}
